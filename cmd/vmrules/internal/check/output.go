package check

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
)

var outputs = map[string]func(io.Writer, *checker) error{
	"text": writeText, "json": writeJSON, "junit": writeJUnit,
	"github": func(w io.Writer, c *checker) error { return output.GitHub(w, c.all()) },
	"sarif":  func(w io.Writer, c *checker) error { return output.SARIF(w, c.Build.Name, c.all()) },
}

// nothing says that nothing was checked; it is "" if something was.
func (c *checker) nothing() string {
	mayBeVM := func(o checked) bool { return o.Report == nil || judged.HasVM(o.Report) }
	switch {
	case c.found.Fails || c.found.Unusable != nil || slices.ContainsFunc(c.checked, mayBeVM):
		return ""
	case c.Source != "":
		return "no VM or template to check; render the files first: " + output.OneLine(c.Source) + " | vmrules check -"
	case c.Book.IsWhole():
		return "no object to check" + c.linter.SayExcluded()
	}
	return "no VM or template to check" + c.linter.SayExcluded()
}

// writeText writes the findings and a summary. Verbose, it also writes what became of each object.
func writeText(w io.Writer, c *checker) error {
	found := c.found.Findings
	text := output.Text{Quiet: c.options.Quiet, All: c.options.All, Form: output.Finding.Long}
	text.Count(found)
	for _, o := range c.checked {
		text.Write(w, found[o.first:o.last])
		if c.options.Verbose {
			fmt.Fprintf(w, "%s: %s\n", o.About, c.became(o))
		}
	}
	ignored := ""
	if !c.options.Quiet {
		ignored = c.Ignored.Ignored()
	}
	_, err := io.WriteString(w, ignored+c.summary())
	return err
}

// became says what became of an object, and of rules that need no attention.
func (c *checker) became(o checked) string {
	text, counts := string(o.class), ""
	if o.class != judged.Unreadable && o.class != judged.NoRules && o.class != judged.Exempt {
		first, _, _ := strings.Cut(o.Report.String(), "\n")
		_, counts, _ = strings.Cut(first, ":")
		counts = ":" + counts
	}
	switch {
	case o.SSP.Refuses() && o.Report.Valid():
		text = output.Bad.Sprint("invalid") + " for KubeVirt's template validator"
	case o.isUnusable(), c.fails(o):
		text = output.Bad.Sprint(text)
	case o.class == judged.Valid:
		text = output.Good.Sprint(text)
	}
	text += counts
	if o.Report == nil {
		return text
	}
	quiet := vmrules.NewReport(o.Report.Results(vmrules.OutcomeSatisfied, vmrules.OutcomeSkipped)).String()
	if _, lines, ok := strings.Cut(quiet, "\n"); ok {
		text += "\n  " + strings.ReplaceAll(lines, "\n", "\n  ")
	}
	return text
}

// summary returns the last line of the results for people.
func (c *checker) summary() string {
	switch {
	case c.options.Quiet, c.checked == nil && c.found.Unusable != nil:
		return ""
	case c.checked == nil:
		return c.nothing() + "\n"
	}
	t := judged.Tally{}
	for _, o := range c.checked {
		if o.class == judged.Valid && c.fails(o) || o.SSP.Refuses() && !o.isUnusable() {
			t.Add(judged.Invalid)
		} else {
			t.Add(o.class)
		}
	}
	return t.String() + c.linter.SayExcluded() + "; " + c.found.Counts() + "\n"
}

func writeJSON(w io.Writer, c *checker) error {
	return output.JSON(w, struct {
		Valid    bool              `json:"valid"`
		Findings []output.Finding  `json:"findings"`
		Objects  []checked         `json:"objects"`
		Accepted int               `json:"accepted,omitempty"` // findings
		Excluded int               `json:"excluded,omitempty"` // files
		Unusable []*manifest.Error `json:"unusable,omitempty"`
		Warnings []*manifest.Error `json:"warnings,omitempty"`
	}{
		Valid:    !c.hasFailed() && !c.isUnusable(),
		Findings: c.found.Findings,
		Objects:  append([]checked{}, c.checked...),
		Accepted: c.found.Accepted,
		Excluded: c.linter.Excluded,
		Unusable: c.found.Unusable,
		Warnings: c.With.Set.Warnings,
	})
}

func writeJUnit(w io.Writer, c *checker) error {
	var cases []output.JunitCase
	found := c.found.Findings
	for _, o := range c.checked {
		one := output.JunitCase{File: o.File, Name: output.Short(o.Title), Problem: o.Problem}
		if o.class != judged.Valid && o.class != judged.Invalid {
			one.Skipped = string(o.class)
		}
		for _, f := range slices.DeleteFunc(slices.Clone(found[o.first:o.last]), func(f output.Finding) bool { return f.ID == unusableRules.ID }) {
			one.Add(f)
		}
		cases = append(cases, one)
	}
	return output.JUnit(w, cases, c.found.Unusable)
}
