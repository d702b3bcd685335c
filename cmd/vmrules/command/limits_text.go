package command

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/vmrules/vmrules/form"
)

// A holder is a field or a parameter with what it may hold, as the text shows it.
type holder struct {
	name         string
	must, should form.Constraints
	parts        []form.Use // of a parameter: fields that contain it beside other text
}

func limitHolders(limits []form.Limit) []holder {
	var all []holder
	for _, l := range limits {
		all = append(all, holder{name: l.Field, must: l.Must, should: l.Should})
	}
	return all
}

func parameterHolders(parameters []form.Parameter) []holder {
	var all []holder
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
		h := holder{name: name, must: p.Must, should: p.Should}
		for _, use := range p.Uses {
			if use.Must.Rules != nil || use.Should.Rules != nil {
				h.parts = append(h.parts, use)
			}
		}
		all = append(all, h)
	}
	return all
}

// writeLimits writes limits as text: a paragraph for each field or parameter.
func writeLimits(w io.Writer, all []holder) error {
	var text strings.Builder
	for _, h := range all {
		if h.name != "" {
			fmt.Fprintln(&text, oneLine(h.name))
		}
		writeConstraints(&text, "must be ", h.must)
		writeConstraints(&text, "should be ", h.should)
		for _, use := range h.parts {
			fmt.Fprintf(&text, "  is in %s\n", oneLine(use.Field))
			writeConstraints(&text, "which must be ", use.Must)
			writeConstraints(&text, "which should be ", use.Should)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func writeConstraints(text *strings.Builder, verb string, c form.Constraints) {
	switch {
	case c.Unsatisfiable:
		fmt.Fprintln(text, "  no value satisfies all of these rules")
	case c.Rules != nil:
		fmt.Fprintf(text, "  %s%s\n", verb, oneLine(described(c)))
	}
	for _, note := range c.Rules {
		fmt.Fprintf(text, "    %s: %s\n", oneLine(note.Rule), oneLine(note.Message))
	}
	for _, note := range c.Undecided {
		fmt.Fprintf(text, "  not known: %s\n", oneLine(strings.TrimSpace(note.Rule+" "+note.Note)))
	}
}

// typeNouns are the types of fields in words.
var typeNouns = map[form.FieldType]string{
	form.TypeScalar: "a value", form.TypeString: "a string", form.TypeNumber: "a number", form.TypeInteger: "an integer",
	form.TypeQuantity: "a quantity", form.TypeIntegralQuantity: "an integral quantity",
}

// maxListed is the largest number of values that the text lists.
const maxListed = 20

// described describes constraints in words.
func described(c form.Constraints) string {
	text := typeNouns[c.Type] + ranged(c.Min, c.Max, "")
	text += ranged(c.MinLength, c.MaxLength, " characters")
	switch n := len(c.Values); {
	case n > maxListed:
		text += fmt.Sprintf(", one of %s and %d others", strings.Join(c.Values[:maxListed], ", "), n-maxListed)
	case n > 0:
		text += ", one of " + strings.Join(c.Values, ", ")
	}
	return strings.Join(append([]string{text}, c.Patterns...), ", matching ")
}

func ranged(least, most json.Number, unit string) string {
	separator := " "
	if unit != "" {
		separator = ", "
	}
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
