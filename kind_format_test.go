package vmrules

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/racetest"
	"github.com/vmrules/vmrules/internal/value"
)

// WithKind can express the kinds of the format: as Checkers under other names, they give the
// same results.
func TestFormatAsOtherKinds(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	compared := 0
	for name, v := range judgedVectors(t) {
		for _, decode := range []func(json.RawMessage) map[string]any{decodeExactly, decodeOddly} {
			t.Run(name, func(t *testing.T) {
				compared += checkOtherKinds(t, v.rules, decode(v.Object), v.validateOptions(t, decode)...)
			})
		}
	}
	if compared < 1000 {
		t.Errorf("only %d results were compared", compared)
	}
}

// checkOtherKinds compares the report of the kinds of the format with that of Checkers under
// other names, and returns how many results it compared. It leaves out enum and regex rules
// without arguments, because such a rule is ignored only if its kind is one of the format. It
// also leaves out isMixed results, because for other kinds such a rule is violated or undecided
// as a whole.
func checkOtherKinds(t *testing.T, rules Rules, object map[string]any, opts ...ValidateOption) int {
	t.Helper()
	others := make([]rule, 0, rules.Len())
	for _, r := range rules.rules {
		if r.Kind.IsOfFormat() && !r.enforcesNothing() {
			r.checker = typeChecker(r.Kind.valueType())
			r.Kind = "other " + r.Kind
			r.literal = constraint.NewSet(constraint.Scalar, r.literal.All())
		}
		others = append(others, r)
	}
	want, got := Validate(rules, object, opts...), Validate(newRules(others, rules.isWhole), object, opts...)
	compared := 0
	wanted, results := want.Results(), got.Results()
	for i := range results {
		results[i].Kind = wanted[i].Kind
		if isMixed(wanted[i]) {
			results[i] = wanted[i]
			continue
		}
		compared++
	}
	if diff := cmp.Diff(wanted, results, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-format +other):\n%s", diff)
	}
	return compared
}

// A typeChecker demands a type, like the kinds of the format.
type typeChecker constraint.Type

func (c typeChecker) Check(in *Input) Verdict {
	if len(in.Values) == 0 {
		missing := in.Violation(-1)
		missing.Reason, missing.Detail = ReasonRequired, notSet
		return Verdict{Outcome: Violated, Violations: []Violation{missing}}
	}
	verdict := Verdict{Outcome: Satisfied}
	for i, m := range in.Values {
		s, isScalar := value.ScalarOf(m.Value)
		ok, err := constraint.Type(c).Admits(&s, isScalar)
		switch {
		case err != nil && verdict.Note == "":
			verdict.Note, verdict.Doubt = fmt.Sprintf("%s: %v", m.Field, err), DoubtBound
		case err == nil && !ok:
			v := in.Violation(i)
			v.Reason, v.Detail = ReasonTypeInvalid, constraint.Type(c).Mismatch(m.Value)
			verdict.Violations = append(verdict.Violations, v)
		}
	}
	switch {
	case verdict.Violations != nil:
		verdict.Outcome = Violated
	case verdict.Note != "":
		verdict.Outcome = Undecided
	}
	return verdict
}

// isMixed reports whether some values have the wrong type and others break an argument, or
// whether some could not be judged.
func isMixed(r Result) bool {
	types := 0
	for _, v := range r.Violations {
		if v.Reason == ReasonTypeInvalid {
			types++
		}
	}
	return types > 0 && types < len(r.Violations) || strings.HasPrefix(r.Note, "not judged")
}
