package check

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/linting"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
)

// writeChecked writes the results for people: what needs attention, and then a summary.
func writeChecked(w io.Writer, c *checker) error {
	for _, o := range c.checked {
		if c.shows(o) {
			o.write(w, c)
		}
	}
	ignored := ""
	if !c.options.Quiet {
		ignored = c.ignored.Ignored()
	}
	_, err := io.WriteString(w, ignored+c.summary())
	return err
}

// nothing says that nothing was checked; it is "" if something was.
func (c *checker) nothing() string {
	switch {
	case c.checked != nil || c.unusable != nil:
		return ""
	case c.Source != "":
		return "no VM or template to check; render the files first: " + output.OneLine(c.Source) + " | vmrules check -"
	case c.Book.IsWhole():
		return "no object to check" + c.exclude.String()
	}
	return "no VM or template to check" + c.exclude.String()
}

// isUnjudged reports whether there was nothing to check, though there should have been.
func (c *checker) isUnjudged() bool {
	return c.nothing() != "" && c.exclude.Count == 0 && !c.options.AllowUnjudged
}

// write writes a line about an object, and below it what is wrong with it.
func (o checked) write(w io.Writer, c *checker) {
	fmt.Fprintf(w, "%s: %s\n", o.About, o.summary(c))
	for _, text := range o.details(c.options.Verbose) {
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(text, "\n", "\n  "))
	}
}

func (o checked) summary(c *checker) string {
	verdict, rest := output.Verdicts[o.class], ""
	switch why := o.why(); {
	case o.SSP.Refuses() && o.Report.Valid():
		return output.Bad.Sprint("invalid") + " for KubeVirt's template validator"
	case why != "":
		rest = ": " + why
	case o.class != judged.Unreadable && o.class != judged.NoRules && o.class != judged.Exempt:
		first, _, _ := strings.Cut(o.Report.String(), "\n")
		_, counts, _ := strings.Cut(first, ":")
		rest = ":" + counts
	}
	if c.options.Strict && !o.isUnusable() && o.Report.Valid() && !o.Report.Passed() {
		rest += cli.AndStrict
		if o.class == judged.Valid {
			verdict = "not all judged"
		}
	}
	switch {
	case o.isUnusable(), c.fails(o):
		return output.Bad.Sprint(verdict) + rest
	case o.class == judged.Valid:
		return output.Good.Sprint(verdict) + rest
	}
	return verdict + rest
}

// why returns why no rule judged the only VM, if there are no results that say it.
func (o checked) why() string {
	if len(o.gaps) == 1 && len(o.Report.Targets()) == 1 && len(o.Problems) == 0 && o.gaps[0].Rules == 0 && !o.gaps[0].LacksRules() {
		return output.OneLine(o.gaps[0].Note)
	}
	return ""
}

// quiet lists the outcomes that need no attention.
var quiet = []vmrules.Outcome{vmrules.Satisfied, vmrules.Skipped}

func (o checked) details(verbose bool) []string {
	var text []string
	if o.Problem != "" && o.why() == "" {
		text = append(text, o.Problem)
	}
	if o.Note != "" {
		text = append(text, o.Note)
	}
	for _, g := range o.gaps {
		if len(o.Report.Targets()) > 1 && !g.IsError() {
			text = append(text, output.OneLine(g.String()))
		}
	}
	for _, mistake := range o.Mistakes {
		text = append(text, output.OneLine(mistake))
	}
	for _, name := range o.missing {
		text = append(text, linting.MissingText(name))
	}
	if o.Report != nil {
		text = append(text, shown(o.Report, o.gaps, verbose)...)
	}
	return append(text, judging.SspLines(o.SSP)...)
}

// shown returns the results that a reader wants to see, the worst first. What cannot be read is said
// in other words.
func shown(r *vmrules.Report, gaps []judged.Gap, verbose bool) []string {
	loud := vmrules.NewReport(slices.DeleteFunc(r.Results(), func(result vmrules.Result) bool {
		return !verbose && slices.Contains(quiet, result.Outcome) || judged.IsGap(result, gaps)
	}))
	_, lines, ok := strings.Cut(loud.String(), "\n")
	if !ok {
		return nil
	}
	return []string{lines}
}

// writeCheckedJSON writes everything for programs.
func writeCheckedJSON(w io.Writer, c *checker) error {
	return output.JSON(w, struct {
		Valid    bool              `json:"valid"`
		Objects  []checked         `json:"objects"`
		Excluded int               `json:"excluded,omitempty"` // files
		Unusable []*manifest.Error `json:"unusable,omitempty"`
		Warnings []*manifest.Error `json:"warnings,omitempty"`
	}{
		Valid:    !c.hasFailed() && !c.isUnusable(),
		Objects:  append([]checked{}, c.checked...),
		Excluded: c.exclude.Count,
		Unusable: c.unusable,
		Warnings: c.With.Set.Warnings,
	})
}

// summary returns the last line of the results for people.
func (c *checker) summary() string {
	switch {
	case c.options.Quiet, c.isUnjudged(), c.checked == nil && c.unusable != nil:
		return ""
	case c.checked == nil:
		return c.nothing() + "\n"
	}
	t := output.Tally{}
	for _, o := range c.checked {
		if o.class == judged.Valid && c.fails(o) || o.SSP.Refuses() && !o.isUnusable() {
			t.Add(judged.Invalid)
		} else {
			t.Add(o.class)
		}
	}
	return t.String() + c.exclude.String() + "\n"
}

// shows reports whether people need to see an object.
func (c *checker) shows(o checked) bool {
	if c.options.Verbose || o.isUnusable() || c.fails(o) {
		return true
	}
	return !c.options.Quiet && (len(o.gaps) > 0 || len(o.details(false)) > 0)
}
