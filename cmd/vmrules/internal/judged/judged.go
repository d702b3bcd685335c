// Package judged sums up what a report says became of its VMs.
package judged

import (
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

// A Class is what became of the VMs in an object together, in words.
type Class string

const (
	Valid         Class = "valid"           // some rule was applied to them
	Invalid       Class = "invalid"         // a rule is violated, or could not be decided
	Exempt        Class = "exempt"          // from all rules
	NotApplicable Class = "no rule applies" // none of the rules applies
	NotJudged     Class = "not validated"   // there are rules, or a template is named, and no rule was applied to them
	NoRules       Class = "no rules"        // or no VM
	Unreadable    Class = "unreadable"      // the rules cannot be read or looked up
)

// Of returns the Class of an object, and the gaps in its report.
func Of(r *vmrules.Report) (Class, []Gap) {
	targets := r.Targets()
	gaps := gapsIn(targets)
	is := func(c vmrules.Coverage) bool {
		return slices.ContainsFunc(targets, func(t vmrules.Target) bool { return t.Coverage == c })
	}
	isGap := func(like func(Gap) bool) bool { return slices.ContainsFunc(gaps, like) }
	switch {
	case isGap(Gap.IsUnreadable):
		return Unreadable, gaps
	case isGap(Gap.IsError):
		return NotJudged, gaps
	case !r.Valid():
		return Invalid, gaps
	case is(vmrules.CoverageJudged):
		return Valid, gaps
	case isGap(func(g Gap) bool { return !g.LacksRules() }):
		return NotJudged, gaps
	case gaps != nil:
		return NoRules, gaps
	case is(vmrules.CoverageNotApplicable):
		return NotApplicable, gaps
	}
	return Exempt, gaps
}

// HasVM reports whether a report is about more than objects in which there is no VM.
func HasVM(r *vmrules.Report) bool {
	return slices.ContainsFunc(r.Targets(), func(t vmrules.Target) bool { return t.Coverage != vmrules.CoverageNotVM })
}

// A Gap is a VM that no rule was applied to, though it is not exempt, and not because its rules do not
// apply. It keeps a report from having passed.
type Gap struct{ vmrules.Target }

// gapsIn returns the gaps among targets. Values that cannot be decided are violations, not gaps.
func gapsIn(targets []vmrules.Target) []Gap {
	var all []Gap
	for _, t := range targets {
		if len(t.Problems) > 0 {
			t.Note = (&vmrules.ParseError{Problems: t.Problems}).Error() // it has all of them
		}
		switch g := (Gap{t}); {
		case t.Coverage == vmrules.CoverageJudged, t.Coverage == vmrules.CoverageExempt, t.Coverage == vmrules.CoverageNotApplicable:
		case t.Valid, g.IsError():
			all = append(all, g)
		}
	}
	return all
}

// Severity returns how severe the gap is: an error, if the VM's rules are not known.
func (g Gap) Severity() lint.Severity {
	switch g.Coverage {
	case vmrules.CoverageNoRules, vmrules.CoverageNotVM, vmrules.CoverageNoTemplate:
		return lint.SeverityNote
	}
	switch g.Doubt {
	case vmrules.DoubtRules, vmrules.DoubtLookup, vmrules.DoubtTemplate:
		if !g.Valid {
			return lint.SeverityError
		}
	}
	return lint.SeverityWarning
}

// IsError reports whether the VM's rules are not known.
func (g Gap) IsError() bool { return g.Severity() == lint.SeverityError }

// IsUnreadable reports whether they are not known for another reason than a missing template.
func (g Gap) IsUnreadable() bool { return g.IsError() && g.Doubt != vmrules.DoubtTemplate }

// LacksRules reports whether there are no rules.
func (g Gap) LacksRules() bool {
	return g.Coverage == vmrules.CoverageNoRules || g.Coverage == vmrules.CoverageNotVM
}

// String says what became of the VM, and where it is in the object.
func (g Gap) String() string {
	text := g.Note
	switch {
	case g.Coverage == vmrules.CoverageNoRules:
		text = "no rules"
	case !g.IsError() && g.Coverage != vmrules.CoverageNotVM:
		text = "not validated: " + text
	}
	if g.Name != "" {
		text = g.Name + ": " + text
	}
	return text
}

// IsGap reports whether a result only says what a gap does: that the rules of a VM are not known.
func IsGap(r vmrules.Result, gaps []Gap) bool {
	return r.Index < 0 && slices.ContainsFunc(gaps, func(g Gap) bool { return g.Name == r.Target })
}
