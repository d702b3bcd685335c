package lint

import (
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/rulekey"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmapi"
)

// sspUnset finds a rule for which a VM has to set a field here, but not for KubeVirt's template
// validator, which counts a field that is not set as 0 or "".
func (l *linter) sspUnset(r *rule, s *pathSearch) {
	if l.profile != SSP || !constraint.IsKind(r.Kind) || !r.isForAll() || !s.mayBeUnset(r.Path) {
		return
	}
	zero, isPlain := value.FromString(""), sspReadsText
	if r.Kind == vmrules.KindInteger {
		zero, _ = value.ScalarOf(0)
		isPlain = sspReadsNumber
	}
	isOther := func(f *field) bool { return f.Shape != vmapi.Scalar || !isPlain(f) }
	if len(s.fields) == 0 || slices.ContainsFunc(s.fields, isOther) || !l.sspAllows(r, zero) {
		return
	}
	l.add(r, rulekey.Path, "ssp-unset", "KubeVirt's template validator counts a field that is not set as %[1]s, which satisfies the rule, but here the field is missing: add valid, or do not allow %[1]s", value.Describe(zero.Canonical()))
}

// mayBeUnset reports whether the validator finds a field where a VM does not set it, and this library
// does not: one of the VM's spec itself, or anywhere in its domain.
func (s *pathSearch) mayBeUnset(p vmrules.Path) bool {
	isMap := func(f *field) bool { return f.Shape == vmapi.Map }
	steps := fieldpath.Steps(p)
	if len(steps) < 2 || fieldOf(p) == "" || len(s.found) > 0 || slices.ContainsFunc(s.around, isMap) || len(steps) > 2 && !fieldpath.BeginsWith(p, domain) {
		return false
	}
	_, isMember := steps[len(steps)-2].(fieldpath.Name)
	return isMember || defaultOf(p) == nil && steps[len(steps)-1] != fieldpath.Name("name") // which items must have
}

var domain = vmrules.MustParsePath("jsonpath::.spec.domain")

// sspAllows reports whether a value satisfies the arguments of the rule's kind, none of which is a path.
func (l *linter) sspAllows(r *rule, v value.Scalar) bool {
	for key := range r.Arguments() {
		if !r.isUsedBySSP(key) {
			continue
		}
		c := r.literal.Get(key)
		if c == nil { // the argument has a path
			return false
		}
		if ok, err := c.Holds(&v, &l.budget); !ok || err != nil {
			return false
		}
	}
	// Without an argument of its kind, ssp-no-argument says what that validator does.
	_, own := r.argumentCount()
	return own > 0 || r.Kind == vmrules.KindInteger || r.Kind == vmrules.KindString
}
