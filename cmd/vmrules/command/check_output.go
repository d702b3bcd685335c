package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fatih/color"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/unjudged"
)

var (
	good = color.New(color.FgGreen)
	bad  = color.New(color.FgRed, color.Bold)
)

// writeChecked writes the results for people: what needs attention, and then a summary.
func writeChecked(w io.Writer, c *checker) error {
	for _, o := range c.checked {
		if c.shows(o) {
			o.write(w, c)
		}
	}
	ignored := ""
	if !c.quiet {
		ignored = c.ignored.ignored()
	}
	_, err := io.WriteString(w, ignored+c.summary())
	return err
}

// nothing says that nothing was checked; it is "" if something was.
func (c *checker) nothing() string {
	switch {
	case c.checked != nil || c.unusable != nil:
		return ""
	case c.source != "":
		return "no VM or template to check; render the files first: " + oneLine(c.source) + " | vmrules check -"
	case c.book.isWhole():
		return "no object to check" + c.exclude.String()
	}
	return "no VM or template to check" + c.exclude.String()
}

// isUnjudged reports whether there was nothing to check, though there should have been.
func (c *checker) isUnjudged() bool {
	return c.nothing() != "" && c.exclude.count == 0 && !c.allowUnjudged
}

// write writes a line about an object, and below it what is wrong with it.
func (o checked) write(w io.Writer, c *checker) {
	fmt.Fprintf(w, "%s: %s\n", o.about, o.summary(c.fails(o)))
	for _, text := range o.details(c.verbose) {
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(text, "\n", "\n  "))
	}
}

func (o checked) summary(fails bool) string {
	switch {
	case o.isUnusable():
		return bad.Sprint("unreadable")
	case o.isRefusedBySSP() && o.Report.Valid():
		return bad.Sprint("invalid") + " for KubeVirt's template validator"
	case o.Unjudged != "" && fails:
		return bad.Sprint(o.Unjudged) + ", and --require-rules is given" + o.whyNoRules()
	case o.Unjudged == unjudged.NoRules:
		return o.Unjudged + o.whyNoRules()
	case o.Unjudged != "":
		return "not judged: " + o.Unjudged
	}
	summary, _, _ := strings.Cut(o.Report.String(), "\n")
	verdict, counts, _ := strings.Cut(summary, ":")
	switch {
	case fails && o.WithoutRules != nil && o.Report.Valid():
		return bad.Sprint("some VMs have no rules") + ", and --require-rules is given;" + counts
	case fails:
		return bad.Sprint(verdict) + ":" + counts
	case o.WithoutRules != nil:
		return summary
	}
	return good.Sprint(verdict) + ":" + counts
}

// whyNoRules returns why no template judges the object, for the end of a message.
func (o checked) whyNoRules() string {
	if o.byTemplate || o.Note == "" {
		return ""
	}
	return ": " + oneLine(o.Note)
}

// vmsWithoutRules names the first VMs of a template that no rule is about.
func (o checked) vmsWithoutRules() string {
	const most = 3
	names, rest := o.WithoutRules, ""
	if more := len(names) - most; more > 0 {
		names, rest = names[:most], fmt.Sprintf(" and %d more", more)
	}
	return "without rules: " + strings.Join(names, ", ") + rest
}

// missingText returns a message about a required parameter without a value.
func missingText(name string) string {
	name = oneLine(name)
	return fmt.Sprintf("parameter %s is required and has no value: set it with -p %s=…", name, name)
}

// quiet lists the outcomes that need no attention.
var quiet = []vmrules.Outcome{vmrules.Satisfied, vmrules.Skipped}

func (o checked) details(verbose bool) []string {
	var text []string
	if o.Problem != "" {
		text = append(text, o.Problem)
	}
	if o.byTemplate && o.Note != "" {
		text = append(text, o.Note)
	}
	if o.WithoutRules != nil {
		text = append(text, o.vmsWithoutRules())
	}
	for _, mistake := range o.Mistakes {
		text = append(text, oneLine(mistake))
	}
	for _, name := range o.missing {
		text = append(text, missingText(name))
	}
	if o.Report != nil {
		text = append(text, shown(o.Report, verbose)...)
	}
	return append(text, sspLines(o.SSP)...)
}

// shown returns the results that a reader wants to see, the worst first.
func shown(r *vmrules.Report, verbose bool) []string {
	loud := vmrules.NewReport(slices.DeleteFunc(r.Results(), func(result vmrules.Result) bool {
		return !verbose && slices.Contains(quiet, result.Outcome)
	}))
	_, lines, ok := strings.Cut(loud.String(), "\n")
	if !ok {
		return nil
	}
	return []string{lines}
}

// writeCheckedJSON writes everything for programs.
func writeCheckedJSON(w io.Writer, c *checker) error {
	return writeJSON(w, struct {
		Valid    bool              `json:"valid"`
		Objects  []checked         `json:"objects"`
		Excluded int               `json:"excluded,omitempty"` // files
		Unusable []*manifest.Error `json:"unusable,omitempty"`
		Warnings []*manifest.Error `json:"warnings,omitempty"`
	}{
		Valid:    !c.hasFailed() && !c.isUnusable(),
		Objects:  append([]checked{}, c.checked...),
		Excluded: c.exclude.count,
		Unusable: c.unusable,
		Warnings: c.with.set.Warnings,
	})
}
