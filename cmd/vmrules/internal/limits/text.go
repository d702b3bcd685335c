package limits

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/form"
)

// writeLimits writes limits as text: a paragraph for each field.
func writeLimits(w io.Writer, limits []form.Limit) error {
	var text strings.Builder
	for _, l := range limits {
		writeHolder(&text, l.Field, l.Must, l.Should)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// writeParameterLimits does the same for parameters, with the fields that contain them beside other text.
func writeParameterLimits(w io.Writer, parameters []form.Parameter) error {
	var text strings.Builder
	for _, p := range parameters {
		name := p.Name
		for _, more := range []struct {
			is   bool
			text string
		}{
			{p.DisplayName != "", ", " + p.DisplayName}, {p.Value != "", ", default " + p.Value},
			{p.Generate != "", ", generated"}, {p.Required, ", required"},
		} {
			if more.is {
				name += more.text
			}
		}
		writeHolder(&text, name, p.Must, p.Should)
		for _, use := range p.Uses {
			if use.Must.Rules != nil || use.Should.Rules != nil {
				fmt.Fprintf(&text, "  is in %s\n", output.OneLine(use.Field))
				writeConstraints(&text, "which must be ", use.Must)
				writeConstraints(&text, "which should be ", use.Should)
			}
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// writeHolder writes what a field or a parameter may hold.
func writeHolder(text *strings.Builder, name string, must, should form.Constraints) {
	if name != "" {
		fmt.Fprintln(text, output.OneLine(name))
	}
	writeConstraints(text, "must be ", must)
	writeConstraints(text, "should be ", should)
}

func writeConstraints(text *strings.Builder, verb string, c form.Constraints) {
	switch {
	case c.Unsatisfiable:
		fmt.Fprintln(text, "  no value satisfies all of these rules")
	case c.Rules != nil:
		fmt.Fprintf(text, "  %s%s\n", verb, output.OneLine(described(c)))
	}
	for _, note := range c.Rules {
		fmt.Fprintf(text, "    %s: %s\n", output.OneLine(note.Rule), output.OneLine(note.Message))
	}
	for _, note := range c.Undecided {
		fmt.Fprintf(text, "  not known: %s\n", output.OneLine(strings.TrimSpace(note.Rule+" "+note.Note)))
	}
}

// typeNouns are the types of fields in words.
var typeNouns = map[form.FieldType]string{
	form.TypeScalar: "a value", form.TypeString: "a string", form.TypeNumber: "a number", form.TypeInteger: "an integer",
	form.TypeQuantity: "a quantity", form.TypeIntegralQuantity: "an integral quantity",
}

// maxListed is the largest number of values that the text lists.
const maxListed = 20

func described(c form.Constraints) string {
	text := typeNouns[c.Type] + ranged(" ", c.Min, c.Max, "") + ranged(", ", c.MinLength, c.MaxLength, " characters")
	switch n := len(c.Values); {
	case n > maxListed:
		text += fmt.Sprintf(", one of %s and %d others", strings.Join(c.Values[:maxListed], ", "), n-maxListed)
	case n > 0:
		text += ", one of " + strings.Join(c.Values, ", ")
	}
	return strings.Join(append([]string{text}, c.Patterns...), ", matching ")
}

func ranged(separator string, least, most json.Number, unit string) string {
	switch {
	case least != "" && most != "":
		return fmt.Sprintf("%sfrom %s to %s%s", separator, least, most, unit)
	case least != "":
		return fmt.Sprintf("%sof at least %s%s", separator, least, unit)
	case most != "":
		return fmt.Sprintf("%sof at most %s%s", separator, most, unit)
	}
	return ""
}
