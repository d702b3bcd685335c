package kyverno

import (
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
	return o, problemsOf(s, inside("pattern", nil, wrong))
}

// ChecksAbsence says that a path may select nothing.
func (*overlay) ChecksAbsence() {}

// Check implements vmrules.Checker. The rule is Skipped if no value meets the conditions of the
// pattern.
func (o *overlay) Check(in *vmrules.Input) vmrules.Verdict {
	w := &work{in: in}
	verdicts := map[vmrules.Outcome]vmrules.Verdict{}
	for i := range max(len(in.Values), 1) {
		v := o.judge(i, w)
		v.Violations = append(verdicts[v.Outcome].Violations, v.Violations...)
		verdicts[v.Outcome] = v
	}
	for _, first := range []vmrules.Outcome{vmrules.OutcomeViolated, vmrules.OutcomeUndecided, vmrules.OutcomeSatisfied} {
		if v, ok := verdicts[first]; ok {
			return v
		}
	}
	return verdicts[vmrules.OutcomeSkipped]
}

// judge matches a value with Kyverno's engine, unless that costs too much or its result could be
// wrong. A value that there is not is matched as one that is missing.
func (o *overlay) judge(i int, w *work) vmrules.Verdict {
	var value any
	if i < len(w.in.Values) {
		value = w.in.Values[i].Value
	}
	w.doubt = ""
	if w.walk(o.root, value, false); w.doubt != "" {
		return w.undecided(w.doubt)
	}
	pattern := o.root.pattern
	if o.expands { // to expand the wildcards of labels
		pattern = runtime.DeepCopyJSONValue(pattern)
	}
	err := validate.MatchPattern(logr.Discard(), value, pattern)
	if err == nil {
		return vmrules.Verdict{Outcome: vmrules.OutcomeSatisfied}
	}
	failed := err.(*validate.PatternError) // as all of its errors are
	if failed.Skip {
		unmet := shortened(strings.Join(o.conditions, ", "))
		return vmrules.Verdict{Outcome: vmrules.OutcomeSkipped, Note: "a condition of the pattern is not met: " + unmet}
	}
	below, reason, detail := o.root.explain(failed, value)
	v := w.in.Violation(i, below...)
	v.Reason, v.Detail = reason, detail
	return vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{v}}
}
