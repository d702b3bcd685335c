package kyverno

import (
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vmrules/vmrules"
)

// Resource compiles a rule of a Kyverno policy. Its keys are
//
//   - "match" and "exclude": which objects the rule is about, as in a policy
//   - "pattern" or "anyPattern": the pattern that they must match, or several patterns of which
//     they must match one
//   - "namespace": the namespace of a namespaced policy
//
// Such a rule is for whole objects: it needs the path "$" and
// vmrules.WholeObjects(). Rules makes such rules. Anything in these keys that
// Kyverno would not evaluate is a problem.
func Resource(s vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) {
	r, wrong := readResource(s)
	return r, problemsOf(s, wrong)
}

func readResource(s vmrules.RuleSource) (*resourceRule, []mistake) {
	r := &resourceRule{}
	var wrong []mistake
	refuse := func(key, message string) { wrong = append(wrong, mistake{key: key, message: message}) }
	if raw, ok := s.Value("match"); ok {
		f, more := readFilter(s, raw)
		r.match, wrong = f, append(wrong, inside("match", nil, more)...)
	} else {
		refuse("", `a rule of this kind needs the key "match", which says which objects it is about`)
	}
	if raw, ok := s.Value("exclude"); ok {
		f, more := readFilter(s, raw)
		r.exclude, wrong = &f, append(wrong, inside("exclude", nil, more)...)
	}
	if raw, ok := s.Value("namespace"); ok && json.Unmarshal(raw, &r.namespace) != nil {
		refuse("namespace", "must be a string")
	}
	one, isOne := s.Value("pattern")
	several, isAny := s.Value("anyPattern")
	var patterns []json.RawMessage
	switch {
	case isOne == isAny:
		refuse("", `a rule of this kind needs exactly one of the keys "pattern" and "anyPattern"`)
	case isOne:
		o, more := readOverlay(s, one)
		r.patterns, wrong = []*overlay{o}, append(wrong, inside("pattern", nil, more)...)
	case json.Unmarshal(several, &patterns) != nil || len(patterns) == 0:
		refuse("anyPattern", "must be a list of patterns")
	}
	for i, raw := range patterns {
		o, more := readOverlay(s, raw)
		r.patterns, wrong = append(r.patterns, o), append(wrong, inside("anyPattern", steps{i}, more)...)
	}
	return r, wrong
}

type resourceRule struct {
	match     filter
	exclude   *filter
	namespace string
	patterns  []*overlay // an object must match one of them
}

// ChecksAbsence says that a path may select nothing.
func (*resourceRule) ChecksAbsence() {}

// Check implements vmrules.Checker.
func (r *resourceRule) Check(in *vmrules.Input) vmrules.Verdict {
	w := &work{in: in}
	why, undecided := r.spared(in, w)
	switch {
	case undecided != "":
		return w.undecided(undecided)
	case why != "":
		return vmrules.Verdict{Outcome: vmrules.OutcomeSkipped, Note: why}
	case len(r.patterns) == 1:
		return r.patterns[0].Check(in)
	case len(in.Values) != 1:
		return w.undecided("anyPattern is for whole objects: use the path $")
	}
	return r.anyOf(in, w)
}

// spared returns why the rule is not about the object, or why that is not known.
func (r *resourceRule) spared(in *vmrules.Input, w *work) (why, undecided string) {
	root, _ := in.Root.(map[string]any)
	var o object
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(root, &o); err != nil {
		return "", "the kind, name, namespace or labels of the object cannot be read: " + shortened(err.Error())
	}
	if o.Kind == "" || o.APIVersion == "" {
		return "", "the rule needs a whole object, with kind and apiVersion: read the rule with the option WholeObjects"
	}
	if parameter := in.UnfilledParameter(in.Root); parameter != "" {
		return "", fmt.Sprintf("the parameter %s is not filled in", parameter)
	}
	if r.namespace != "" && o.Metadata.Namespace != r.namespace {
		return fmt.Sprintf("the policy is for the namespace %s, and the object is in %s", r.namespace, show(o.Metadata.Namespace)), ""
	}
	why = r.match.mismatch(&o, w)
	if why == "" && r.exclude != nil && r.exclude.mismatch(&o, w) == "" {
		why = "the rule excludes it"
	}
	if why != "" && w.doubt == "" {
		return "the rule is not about this object: " + why, ""
	}
	return "", w.doubt
}

// An object has the fields of an object on which match and exclude depend.
type object struct {
	metav1.TypeMeta `json:",inline"`

	Metadata struct {
		Name         string            `json:"name"`
		GenerateName string            `json:"generateName"`
		Namespace    string            `json:"namespace"`
		Labels       map[string]string `json:"labels"`
	} `json:"metadata"`
}

// anyOf returns the verdict on an object that must match one of the patterns. The rule is Skipped
// if the object meets the conditions of none of them. If it fails a pattern whose conditions it
// meets, the rule is Violated.
func (r *resourceRule) anyOf(in *vmrules.Input, w *work) vmrules.Verdict {
	var failed []string
	verdicts := map[vmrules.Outcome]vmrules.Verdict{}
	for i, o := range r.patterns {
		verdict := o.judge(0, w)
		verdicts[verdict.Outcome] = verdict
		for _, v := range verdict.Violations {
			failed = append(failed, fmt.Sprintf("pattern %d: %s: %s", i+1, v.Field, v.Detail))
		}
		if verdict.Outcome == vmrules.OutcomeSatisfied {
			return verdict
		}
	}
	if v, ok := verdicts[vmrules.OutcomeUndecided]; ok {
		return v
	}
	if failed == nil {
		return verdicts[vmrules.OutcomeSkipped]
	}
	v := in.Violation(0)
	v.Detail = "none of the patterns matches: " + strings.Join(failed, "; ")
	return vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{v}}
}
