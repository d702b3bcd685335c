package lint

import (
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/constraint"
)

// everyVM is a field that every VM has, and so all fields above it.
var everyVM = vmrules.MustParsePath("jsonpath::.spec.domain.devices")

// isForAll reports whether the rule applies to every VM.
func (r *rule) isForAll() bool { return r.Valid.IsZero() || fieldpath.BeginsWith(everyVM, r.Valid) }

// refusesAll reports whether the rule makes every VM fail if nothing satisfies it.
func (r *rule) refusesAll() bool {
	return r.isForAll() && !r.JustWarning && constraint.IsKind(r.Kind) && !r.enforcesNothing()
}

func (r *rule) enforcesNothing() bool {
	all, _ := r.argumentCount()
	return all == 0 && (r.Kind == vmrules.KindEnum || r.Kind == vmrules.KindRegex)
}

// consequence says what follows if no value satisfies all of the rules. It is an error if one of
// them refuses all VMs: a VM without the field fails by that rule, and a VM with it by any.
func consequence(rules ...*rule) (so string, s Severity) {
	s = SeverityWarning
	if slices.ContainsFunc(rules, (*rule).refusesAll) {
		s = SeverityError
	}
	switch {
	case slices.ContainsFunc(rules, (*rule).isForAll):
		return "no value is allowed", s
	case slices.ContainsFunc(rules, func(r *rule) bool { return !r.Valid.Equal(r.Path) }):
		return "the field of valid must not be set", s
	}
	return "the field must not be set", s
}
