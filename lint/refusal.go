package lint

import (
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
)

// everyVM is a field that every VM has, and so all fields above it.
var everyVM = vmrules.MustParsePath("jsonpath::.spec.domain.devices")

// isForAll reports whether the rule applies to every VM.
func (r *rule) isForAll() bool { return r.Valid.IsZero() || fieldpath.BeginsWith(everyVM, r.Valid) }

// refusesAll reports whether the rule makes every VM fail if nothing satisfies it.
func (r *rule) refusesAll() bool {
	return r.isForAll() && !r.JustWarning && r.Kind.IsOfFormat() && !r.enforcesNothing()
}

func (r *rule) enforcesNothing() bool {
	for range r.Arguments() {
		return false
	}
	return r.Kind == vmrules.KindEnum || r.Kind == vmrules.KindRegex
}

// consequence says what follows if no value satisfies all of the rules.
func consequence(rules ...*rule) string {
	switch {
	case slices.ContainsFunc(rules, (*rule).isForAll):
		return "no value is allowed"
	case slices.ContainsFunc(rules, func(r *rule) bool { return !r.Valid.Equal(r.Path) }):
		return "the field of valid must not be set"
	}
	return "the field must not be set"
}

// unlessAll makes a finding a warning unless one of the rules, which nothing satisfies, makes
// every VM fail. A VM without the field fails by such a rule, and a VM with it by all of them.
func unlessAll(f *Finding, rules ...*rule) {
	if !slices.ContainsFunc(rules, (*rule).refusesAll) {
		f.Severity = SeverityWarning
	}
}
