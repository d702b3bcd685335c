package test

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/lint"
)

// A difference is a rule whose outcome is not the expected one.
type difference struct {
	Rule     string          `json:"rule"`
	Expected vmrules.Outcome `json:"expected,omitempty"` // "" if the rule is not listed
	Got      vmrules.Outcome `json:"got,omitempty"`      // "" if there is no such rule

	text string // what was got
}

// byWeight orders outcomes, the worst first. A rule about several VMs counts by its worst.
var byWeight = append(slices.Clip(output.Loud), vmrules.OutcomeSatisfied, vmrules.OutcomeSkipped)

// compare returns how a report differs: first what was not expected, then what it does not say.
func (e expectation) compare(r *vmrules.Report) []difference {
	worst := map[string]vmrules.Result{}
	var order []string
	for _, result := range r.Results() {
		before, known := worst[result.Rule]
		if !known {
			order = append(order, result.Rule)
		}
		if !known || slices.Index(byWeight, result.Outcome) < slices.Index(byWeight, before.Outcome) {
			worst[result.Rule] = result
		}
	}
	var all []difference
	for _, name := range order {
		got := worst[name]
		want, isListed := e[name]
		if isListed && want != got.Outcome || !isListed && slices.Contains(output.Loud, got.Outcome) {
			all = append(all, difference{name, want, got.Outcome, got.String()})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e)) {
		if _, known := worst[name]; !known {
			all = append(all, difference{name, e[name], "", fmt.Sprintf("there is no rule %q", name)})
		}
	}
	return all
}

// String returns the difference as lines that begin with - for what is expected, and + for what
// is the case.
func (d difference) String() string {
	got := "+ " + strings.ReplaceAll(output.Short(d.text), "\n", "\n  ")
	if d.Expected == "" {
		return got
	}
	return fmt.Sprintf("- %-9s  %s\n%s", d.Expected, output.Short(output.OneLine(d.Rule)), got)
}

func (c tested) details() []string {
	if c.Problem != "" {
		return []string{c.Problem}
	}
	all := slices.Clone(c.Unjudged)
	for _, d := range c.Differences {
		all = append(all, d.String())
	}
	return all
}

// writeTested writes the cases that fail, with their differences, and a summary.
func writeTested(w io.Writer, t *tester) error {
	passed := 0
	for _, c := range t.tested {
		verdict := output.Good.Sprint("passed")
		switch {
		case c.Passed:
			passed++
		case c.Problem != "":
			verdict = output.Bad.Sprint("unreadable")
		default:
			verdict = output.Bad.Sprint("failed")
		}
		if c.Passed && c.Unjudged == nil && !t.options.Verbose {
			continue
		}
		fmt.Fprintf(w, "%s:%d: %s: %s\n", output.OneLine(c.File), c.Line, output.Short(output.OneLine(c.Name)), verdict)
		for _, text := range c.details() {
			fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(text, "\n", "\n  "))
		}
	}
	if t.tested == nil {
		return nil
	}
	_, err := fmt.Fprintf(w, "%s: %d passed, %d failed\n", output.Counted(len(t.tested), "case"), passed, len(t.tested)-passed)
	return err
}

func writeTestedJSON(w io.Writer, t *tester) error {
	return output.JSON(w, struct {
		Passed   bool              `json:"passed"`
		Cases    []tested          `json:"cases"`
		Unusable []*manifest.Error `json:"unusable,omitempty"`
	}{t.hasPassed(), append([]tested{}, t.tested...), t.unusable})
}

func writeTestedJUnit(w io.Writer, t *tester) error {
	var cases []output.JunitCase
	for _, c := range t.tested {
		one := output.JunitCase{File: c.File, Name: output.Short(c.Name), Problem: c.Problem}
		switch {
		case c.Passed:
			one.Notes = c.Unjudged
		case c.Problem == "":
			one.Failures = c.details()
		}
		cases = append(cases, one)
	}
	return output.JUnit(w, cases, t.unusable)
}

func writeTestedGitHub(w io.Writer, t *tester) error {
	r := output.Findings{Unusable: t.unusable}
	for _, c := range t.tested {
		if !c.Passed {
			r.All = append(r.All, output.Finding{File: c.File, Line: c.Line, Column: c.column, Severity: lint.SeverityError, ID: output.Short(c.Name), Index: -1, Message: strings.Join(c.details(), "\n")})
		}
	}
	return output.GitHub(w, r)
}
