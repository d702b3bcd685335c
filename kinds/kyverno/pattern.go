package kyverno

import (
	"errors"
	"strings"

	"github.com/go-logr/logr"
	"github.com/kyverno/kyverno/pkg/engine/validate"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vmrules/vmrules"
)

// Kinds returns the options that add the kinds "pattern" and "kyverno".
func Kinds() []vmrules.ParseOption {
	return []vmrules.ParseOption{
		vmrules.WithKind("pattern", Pattern),
		vmrules.WithKind("kyverno", Resource),
	}
}

// Pattern compiles a rule of kind "pattern". Its key "pattern" holds a pattern of Kyverno, and
// each value that the rule's path selects must match it. A path that selects nothing is compared
// as a missing field. A pattern that Kyverno would ignore in part, or would not read as it is
// written, is a problem.
func Pattern(s vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) {
	raw, ok := s.Value("pattern")
	if !ok {
		return nil, []vmrules.Problem{s.Problem("pattern", vmrules.ReasonRequired, `a rule of this kind needs the key "pattern", which holds the pattern that a value must match`)}
	}
	o, wrong := readOverlay(s, raw)
	if wrong != nil {
		return nil, problemsOf(s, "pattern", wrong)
	}
	return o, nil
}

// problemsOf returns the problems of the value of a key, each at its place in the value.
func problemsOf(s vmrules.RuleSource, key string, wrong []mistake) []vmrules.Problem {
	if len(wrong) == 0 {
		return nil
	}
	raw, _ := s.Value(key)
	spots := readSpots(raw)
	var problems []vmrules.Problem
	for _, m := range wrong {
		problem := s.Problem(key, vmrules.ReasonInvalid, "%s", m)
		problem.Offset += spots.find(m.in).find(m.at).at
		problems = append(problems, problem)
	}
	return problems
}

// ChecksAbsence says that a path may select nothing.
func (*overlay) ChecksAbsence() {}

// Check implements vmrules.Checker. The rule is Skipped if no value meets the conditions of the
// pattern.
func (o *overlay) Check(in *vmrules.Input) vmrules.Verdict {
	w := &work{in: in}
	values, first := in.Values, 0
	if len(values) == 0 { // the value that is missing
		values, first = []vmrules.Match{{}}, -1
	}
	var violations []vmrules.Violation
	var undecided, skipped string
	satisfied := false
	for i, m := range values {
		f := o.judge(m.Value, w)
		switch f.outcome {
		case vmrules.OutcomeViolated:
			violations = append(violations, f.violation(in, first+i))
		case vmrules.OutcomeSkipped:
			skipped = f.note
		case vmrules.OutcomeSatisfied:
			satisfied = true
		default:
			undecided = f.note
		}
	}
	switch {
	case violations != nil:
		return vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Violations: violations}
	case undecided != "":
		return w.undecided(undecided)
	case satisfied:
		return vmrules.Verdict{Outcome: vmrules.OutcomeSatisfied}
	}
	return vmrules.Verdict{Outcome: vmrules.OutcomeSkipped, Note: skipped}
}

// A finding is the result of a pattern for one value.
type finding struct {
	outcome vmrules.Outcome
	note    string // if Skipped or Undecided

	// If Violated: the steps from the value to what is wrong, and what is wrong there.
	below  []any
	reason vmrules.Reason
	detail string
}

func (f finding) violation(in *vmrules.Input, i int) vmrules.Violation {
	v := in.Violation(i, f.below...)
	v.Reason, v.Detail = f.reason, f.detail
	return v
}

// judge matches a value with Kyverno's engine, unless that costs too much or its result could be
// wrong.
func (o *overlay) judge(value any, w *work) finding {
	w.doubt = ""
	if w.walk(o.root, value, false); w.doubt != "" {
		return finding{outcome: vmrules.OutcomeUndecided, note: w.doubt}
	}
	pattern := o.root.pattern
	if o.expands { // to expand the wildcards of labels
		pattern = runtime.DeepCopyJSONValue(pattern)
	}
	err := validate.MatchPattern(logr.Discard(), value, pattern)
	if err == nil {
		return finding{outcome: vmrules.OutcomeSatisfied}
	}
	var failed *validate.PatternError
	switch {
	case !errors.As(err, &failed):
		return finding{outcome: vmrules.OutcomeUndecided, note: "the pattern could not be applied"}
	case failed.Skip:
		unmet := shortened(strings.Join(o.conditions, ", "))
		return finding{outcome: vmrules.OutcomeSkipped, note: "a condition of the pattern is not met: " + unmet}
	}
	return o.root.explain(failed, value)
}
