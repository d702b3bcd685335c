package kyverno

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrules/vmrules"
)

// Resource is the vmrules.KindCompiler of a rule of a Kyverno policy: the keys
// "match" and "exclude" say which objects it is about, as in the policy, and
// "pattern" or "anyPattern" what they must look like; "namespace" is the one of a
// namespaced policy. It is for whole objects, with
// vmrules.WithRoot(vmrules.RootObject) and the path "$"; Rules makes such rules. What
// Kyverno would not evaluate in these keys is a problem.
func Resource(s vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) {
	var r resourceRule
	var problems []vmrules.Problem
	refuse := func(key string, wrong ...string) { problems = append(problems, problemsOf(s, key, wrong)...) }
	if raw, ok := s.Value("match"); ok {
		f, wrong := readFilter(s, raw)
		r.match = f
		refuse("match", wrong...)
	} else {
		refuse("", `a rule of this kind needs a key "match", which says what it is about`)
	}
	if raw, ok := s.Value("exclude"); ok {
		f, wrong := readFilter(s, raw)
		r.exclude = &f
		refuse("exclude", wrong...)
	}
	if raw, ok := s.Value("namespace"); ok && json.Unmarshal(raw, &r.namespace) != nil {
		refuse("namespace", "this has to be a string")
	}
	one, isOne := s.Value("pattern")
	several, isAny := s.Value("anyPattern")
	patterns, key := []json.RawMessage{one}, "pattern"
	switch {
	case isOne == isAny:
		refuse("", `a rule of this kind needs one of the keys "pattern" and "anyPattern"`)
		return nil, problems
	case isAny:
		key = "anyPattern"
		if err := json.Unmarshal(several, &patterns); err != nil || len(patterns) == 0 {
			refuse(key, "this has to be a list of patterns")
			return nil, problems
		}
	}
	for _, raw := range patterns {
		o, wrong := readOverlay(s, raw)
		r.patterns = append(r.patterns, o)
		refuse(key, wrong...)
	}
	return &r, problems
}

type resourceRule struct {
	match     filter
	exclude   *filter
	namespace string
	patterns  []*overlay // any of them
}

// Check implements vmrules.Checker.
func (r *resourceRule) Check(in *vmrules.Input) vmrules.Verdict {
	w := &work{in: in}
	why, undecided := r.spared(in, w)
	switch {
	case undecided != "":
		return vmrules.Verdict{Outcome: vmrules.Undecided, Note: undecided}
	case why != "":
		return vmrules.Verdict{Outcome: vmrules.Skipped, Note: why}
	case len(r.patterns) == 1:
		return r.patterns[0].Check(in)
	case len(in.Values) != 1:
		return vmrules.Verdict{Outcome: vmrules.Undecided, Note: "anyPattern is for the whole object, whose path is $"}
	}
	return r.anyOf(in, w)
}

// spared says why the rule is not about the object, or why that is not known.
func (r *resourceRule) spared(in *vmrules.Input, w *work) (why, undecided string) {
	root, _ := in.Root.(map[string]any)
	o := unstructured.Unstructured{Object: root}
	if o.GetKind() == "" || o.GetAPIVersion() == "" {
		return "", "the rule is for whole objects, which have kind and apiVersion: read it with WithRoot(RootObject)"
	}
	if why := malformed(root); why != "" {
		return "", why
	}
	if parameter := in.UnfilledParameter(in.Root); parameter != "" {
		return "", fmt.Sprintf("the parameter %s is not filled in", parameter)
	}
	if r.namespace != "" && o.GetNamespace() != r.namespace {
		return fmt.Sprintf("the policy is for the namespace %s, this object is in %s", r.namespace, show(o.GetNamespace())), ""
	}
	why = r.match.mismatch(o, w)
	if why == "" && r.exclude != nil && r.exclude.mismatch(o, w) == "" {
		why = "the rule excludes it"
	}
	if why != "" && w.doubt == "" {
		return "the rule is not about this object: " + why, ""
	}
	return "", w.doubt
}

// malformed finds metadata that would count as not there because of its type.
func malformed(root map[string]any) string {
	for _, name := range []string{"name", "generateName", "namespace"} {
		if _, _, err := unstructured.NestedString(root, "metadata", name); err != nil {
			return fmt.Sprintf("metadata.%s is no string", name)
		}
	}
	for _, name := range []string{"labels", "annotations"} {
		if _, _, err := unstructured.NestedStringMap(root, "metadata", name); err != nil {
			return fmt.Sprintf("metadata.%s holds something else than strings", name)
		}
	}
	return ""
}

// anyOf holds where one of the patterns does. It is skipped where their
// conditions spare the object, unless another one failed.
func (r *resourceRule) anyOf(in *vmrules.Input, w *work) vmrules.Verdict {
	var failed []string
	var skipped, undecided string
	for i, o := range r.patterns {
		f := o.judge(in.Values[0].Value, w)
		switch f.outcome {
		case vmrules.Satisfied:
			return vmrules.Verdict{Outcome: vmrules.Satisfied}
		case vmrules.Skipped:
			skipped = f.note
		case vmrules.Violated:
			v := f.violation(in, 0)
			failed = append(failed, fmt.Sprintf("pattern %d: %s: %s", i+1, v.Field, f.detail))
		default:
			undecided = f.note
		}
	}
	switch {
	case undecided != "":
		return vmrules.Verdict{Outcome: vmrules.Undecided, Note: undecided}
	case failed == nil:
		return vmrules.Verdict{Outcome: vmrules.Skipped, Note: skipped}
	}
	v := in.Violation(0)
	v.Detail = "none of the patterns matches: " + strings.Join(failed, "; ")
	return vmrules.Verdict{Outcome: vmrules.Violated, Violations: []vmrules.Violation{v}}
}
