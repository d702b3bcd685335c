package judging

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
)

// A Cause is why no rule applies to a VM.
type Cause string

// The causes that may be allowed.
const (
	CauseNothing    Cause = "nothing" // there is no VM
	CauseNoRules    Cause = "no-rules"
	CauseNoTemplate Cause = "no-template"
	CauseIgnored    Cause = "ignored"
	CauseUndecided  Cause = "undecided"
)

// causesFlag adds the flag that allows some causes, or without a value all.
func causesFlag(command *cobra.Command, allowed *[]Cause) {
	var names []string
	of := map[string][]Cause{}
	for _, c := range []Cause{CauseNothing, CauseNoRules, CauseNoTemplate, CauseIgnored, CauseUndecided} {
		names = append(names, string(c))
		of[string(c)], of["all"] = []Cause{c}, append(of["all"], c)
	}
	cli.AnyOf(command, "allow-unjudged", "do not fail if no rule applies to a VM for these causes; if none is named, for any", allowed, names, of)
	command.Flags().Lookup("allow-unjudged").NoOptDefVal = "all"
}

// AllowsNothing reports whether it is allowed that there is nothing to validate.
func (o *Options) AllowsNothing() bool { return slices.Contains(o.AllowUnjudged, CauseNothing) }

// AllowsAll reports whether all gaps are allowed.
func (o *Options) AllowsAll(gaps []judged.Gap) bool {
	return !slices.ContainsFunc(gaps, func(g judged.Gap) bool { return !o.Allows(g) })
}

// Allows reports whether a gap is allowed.
func (o *Options) Allows(g judged.Gap) bool {
	cause := CauseUndecided
	switch {
	case g.LacksRules():
		cause = CauseNoRules
	case g.Coverage == vmrules.CoverageNoTemplate, g.Doubt == vmrules.DoubtTemplate:
		cause = CauseNoTemplate
	case g.Coverage == vmrules.CoverageIgnored:
		cause = CauseIgnored
	}
	return slices.Contains(o.AllowUnjudged, cause)
}
