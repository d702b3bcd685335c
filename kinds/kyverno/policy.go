package kyverno

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/vmrules/vmrules"
)

// Rules reads a Policy or ClusterPolicy of Kyverno, of any version, in YAML or JSON. It returns
// a rule for whole objects for each rule of the policy. It does not return the rules that Kyverno
// generates for the controllers of Pods.
//
// A rule of the policy may have match, exclude, message, pattern and anyPattern, and fields that
// do not change a verdict. Everything else is a problem. If there are problems, Rules returns no rules;
// any error is a *vmrules.ParseError. The places of the problems are in doc.
//
// If the failure action is Audit, the rule has justWarning set. Without an action, it does not.
func Rules(doc []byte) (vmrules.Rules, error) {
	text, err := yaml.YAMLToJSONStrict(doc)
	if err != nil {
		return vmrules.Rules{}, whole("the policy is neither YAML nor JSON: %v", err)
	}
	if json.Valid(doc) {
		text = doc // in it, numbers keep all of their digits
	}
	places, err := readYAML(doc)
	if err != nil {
		return vmrules.Rules{}, whole("%v", err)
	}
	p := policy{places: places}
	p.read(text)
	rules := p.compile()
	if p.problems == nil {
		return rules, nil
	}
	slices.SortStableFunc(p.problems, func(a, b vmrules.Problem) int { return a.Index - b.Index })
	setOffsets(doc, p.problems)
	return vmrules.Rules{}, &vmrules.ParseError{Problems: p.problems}
}

func (p *policy) compile() vmrules.Rules {
	rules, err := vmrules.NewRules(p.rules, vmrules.WithKind("kyverno", p.resource), vmrules.WholeObjects())
	if err == nil {
		return rules
	}
	for _, problem := range err.(*vmrules.ParseError).Problems {
		if problem.Index >= 0 {
			problem.Index = p.indexes[problem.Index]
		}
		p.add(problem)
	}
	return vmrules.Rules{}
}

// resource compiles the next rule, like Resource. It adds the problems itself, because it knows their places.
func (p *policy) resource(s vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) {
	index := p.indexes[p.compiled]
	p.compiled++
	r, wrong := readResource(s)
	for _, m := range wrong {
		problem := s.Problem(m.key, vmrules.ReasonInvalid, "%s", m)
		problem.Rule, problem.Index = s.Rule().Name, index
		p.add(problem, m.at...)
	}
	return r, nil
}

func whole(format string, args ...any) error {
	return &vmrules.ParseError{Problems: []vmrules.Problem{{
		Index: -1, Reason: vmrules.ReasonInvalid, Code: "unreadable", Message: fmt.Sprintf(format, args...),
	}}}
}

// A document is the text of a policy. Fields of type any do not change a verdict.
type document struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   metav1.ObjectMeta `json:"metadata"`
	Spec       struct {
		Rules                   []json.RawMessage `json:"rules"`
		ValidationFailureAction string            `json:"validationFailureAction"`
		Background              any               `json:"background"`
		Admission               any               `json:"admission"`
		EmitWarning             any               `json:"emitWarning"`
		SchemaValidation        any               `json:"schemaValidation"`
		WebhookTimeoutSeconds   any               `json:"webhookTimeoutSeconds"`
		FailurePolicy           any               `json:"failurePolicy"`
	} `json:"spec"`
	Status any `json:"status"`
}

// A documentRule is the text of a rule of a policy.
type documentRule struct {
	Name     string          `json:"name"`
	Match    json.RawMessage `json:"match"`
	Exclude  json.RawMessage `json:"exclude"`
	Validate *struct {
		Message       string          `json:"message"`
		Pattern       json.RawMessage `json:"pattern"`
		AnyPattern    json.RawMessage `json:"anyPattern"`
		FailureAction string          `json:"failureAction"`
	} `json:"validate"`
	SkipBackgroundRequests any `json:"skipBackgroundRequests"`
	ReportProperties       any `json:"reportProperties"`
}

// A policy collects the rules and the problems of a policy.
type policy struct {
	places    *yamlText
	namespace string
	warns     bool // whether violations are only warnings
	rules     []vmrules.Rule
	indexes   []int // of the rules in the policy
	compiled  int   // how many of the rules are compiled
	problems  []vmrules.Problem
}

func (p *policy) refuse(index int, rule, key, format string, args ...any) {
	p.add(vmrules.Problem{
		Rule: rule, Index: index, Key: key, Reason: vmrules.ReasonInvalid, Code: "invalid-argument",
		Message: fmt.Sprintf(format, args...),
	})
}

func (p *policy) refuseAll(index int, rule string, wrong []mistake) {
	for _, m := range wrong {
		key := m.at.String()
		p.refuse(index, rule, key, "%q: %s", shortened(cmp.Or(key, "rule")), m.message)
	}
}

// add adds a problem with the value of a key of a rule, or of the policy if the index is -1; or with
// a value inside it.
func (p *policy) add(problem vmrules.Problem, below ...any) {
	var at steps
	if problem.Index >= 0 {
		at = steps{"spec", "rules", problem.Index}
	}
	if slices.Contains([]string{"message", "pattern", "anyPattern"}, problem.Key) {
		at = at.to("validate")
	}
	place := p.places.find(slices.Concat(at, stepsOf(problem.Key), below))
	problem.Offset, problem.Line, problem.Column = 0, place.Line, place.Column
	p.problems = append(p.problems, problem)
}

func (p *policy) read(text []byte) {
	var d document
	wrong := decode(text, &d)
	if (d.Kind != "Policy" && d.Kind != "ClusterPolicy") || !strings.HasPrefix(d.APIVersion, "kyverno.io/") {
		p.refuse(-1, "", "kind", "this is not a policy of Kyverno: the kind must be Policy or ClusterPolicy, and the apiVersion must begin with kyverno.io/")
		return
	}
	p.refuseAll(-1, "", wrong)
	if d.Kind == "Policy" {
		p.namespace = d.Metadata.Namespace
	}
	p.warns = p.isAudit(d.Spec.ValidationFailureAction, -1, "", "spec.validationFailureAction", false)
	if len(d.Spec.Rules) == 0 {
		p.refuse(-1, "", "spec.rules", `a policy needs a list "spec.rules"`)
	}
	for i, raw := range d.Spec.Rules {
		p.rule(raw, i)
	}
}

func (p *policy) isAudit(action string, index int, rule, key string, otherwise bool) bool {
	if action == "" {
		return otherwise
	}
	isAudit := strings.EqualFold(action, "audit")
	if !isAudit && !strings.EqualFold(action, "enforce") {
		p.refuse(index, rule, key, "%q must be Audit or Enforce, not %s", key, show(action))
	}
	return isAudit
}

func (p *policy) rule(raw json.RawMessage, index int) {
	var r documentRule
	wrong := decode(raw, &r)
	p.refuseAll(index, r.Name, wrong)
	if r.Validate == nil {
		p.refuse(index, r.Name, "validate", "the rule has no validate: only such rules are evaluated")
		return
	}
	rule := vmrules.Rule{
		Kind: "kyverno", Name: r.Name, Path: everything, Message: r.Validate.Message,
		JustWarning: p.isAudit(r.Validate.FailureAction, index, r.Name, "validate.failureAction", p.warns),
		Unknown:     map[string]json.RawMessage{},
	}
	if rule.Message == "" {
		rule.Message = fmt.Sprintf("the object must match the pattern of the rule %s", r.Name)
	}
	if strings.Contains(rule.Message, "{{") {
		p.refuse(index, r.Name, "validate.message", "variables {{ }} are not evaluated")
	}
	if string(r.Exclude) == "{}" {
		r.Exclude = nil // Kyverno's defaults add it, and it excludes nothing
	}
	for key, raw := range map[string]json.RawMessage{
		"match": r.Match, "exclude": r.Exclude, "pattern": r.Validate.Pattern, "anyPattern": r.Validate.AnyPattern,
	} {
		if raw != nil && string(raw) != "null" {
			rule.Unknown[key] = raw
		}
	}
	if p.namespace != "" {
		rule.Unknown["namespace"], _ = json.Marshal(p.namespace)
	}
	p.rules, p.indexes = append(p.rules, rule), append(p.indexes, index)
}

var everything = vmrules.MustParsePath("jsonpath::$")
