package kyverno

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/vmrules/vmrules"
)

// Rules reads a Policy or ClusterPolicy of Kyverno, of any version, in YAML or JSON. It returns
// a rule for whole objects for each rule of the policy. It does not return the rules that Kyverno
// generates for the controllers of Pods.
//
// A rule of the policy may have match, exclude, message, pattern and anyPattern, and fields that
// do not change a verdict. Everything else is a problem. If there are problems, Rules returns a
// *vmrules.ParseError and no rules. The places of the problems are in doc.
//
// If the failure action is Audit, the rule has justWarning set. Without an action, it does not.
func Rules(doc []byte) (vmrules.Rules, error) {
	p, err := read(doc)
	if err != nil {
		return vmrules.Rules{}, err
	}
	rules := p.compile()
	if p.problems != nil {
		return vmrules.Rules{}, p.err()
	}
	return rules, nil
}

// ReadableRules reads a policy like Rules, but leaves out each rule that has a problem. It returns the problems of the rules that it left out. Objects are
// not judged by these rules, so show the problems.
//
// It returns a *vmrules.ParseError if the policy itself has a problem, or if no rule is left.
func ReadableRules(doc []byte) (rules vmrules.Rules, leftOut []vmrules.Problem, err error) {
	p, err := read(doc)
	if err != nil {
		return vmrules.Rules{}, nil, err
	}
	rules = p.compile()
	if p.problems == nil {
		return rules, nil, nil
	}
	failed := map[int]bool{}
	for _, problem := range p.problems {
		failed[problem.Index] = true
	}
	readable := slices.DeleteFunc(p.rules, func(r policyRule) bool { return failed[r.index] })
	if failed[-1] || len(readable) == 0 {
		return vmrules.Rules{}, nil, p.err()
	}
	leftOut, p.rules, p.problems = p.sorted(), readable, nil
	rules = p.compile()
	if p.problems != nil {
		return vmrules.Rules{}, nil, p.err()
	}
	return rules, leftOut, nil
}

func read(doc []byte) (*policy, error) {
	text, err := yaml.YAMLToJSONStrict(doc)
	if err != nil {
		return nil, whole("the policy is neither YAML nor JSON: %v", err)
	}
	p := policy{doc: doc, isYAML: !json.Valid(doc)}
	if !p.isYAML {
		text = doc // in it, numbers keep all of their digits
	}
	p.root = readSpots(text)
	if p.isYAML {
		if err := p.root.readYAML(doc); err != nil {
			return nil, whole("%v", err)
		}
	}
	p.read(text)
	return &p, nil
}

// compile returns the rules, unless they have problems.
func (p *policy) compile() vmrules.Rules {
	var all []vmrules.Rule
	for _, r := range p.rules {
		all = append(all, r.Rule)
	}
	rules, err := vmrules.NewRules(all, append(Kinds(), vmrules.WholeObjects())...)
	if err == nil {
		return rules
	}
	for _, problem := range err.(*vmrules.ParseError).Problems {
		if problem.Index >= 0 {
			problem.Index = p.rules[problem.Index].index
			of := p.spotOf(problem.Index, problem.Key)
			if problem.Offset == 0 {
				problem.Offset = of.at
			} else {
				problem.Offset += of.value
			}
		}
		p.problems = append(p.problems, problem)
	}
	return vmrules.Rules{}
}

// sorted returns the problems in the order of the rules, with their places in the policy.
func (p *policy) sorted() []vmrules.Problem {
	slices.SortStableFunc(p.problems, func(a, b vmrules.Problem) int { return a.Index - b.Index })
	p.root.place(p.doc, p.isYAML, p.problems)
	return p.problems
}

func (p *policy) err() error { return &vmrules.ParseError{Problems: p.sorted()} }

func whole(format string, args ...any) error {
	problem := vmrules.Problem{Index: -1, Reason: vmrules.ReasonInvalid, Message: fmt.Sprintf(format, args...)}
	return &vmrules.ParseError{Problems: []vmrules.Problem{problem}}
}

type object = map[string]json.RawMessage

// A policy collects the rules and the problems of a policy.
type policy struct {
	doc       []byte
	isYAML    bool
	root      *spot
	namespace string
	warns     bool // whether violations are only warnings
	rules     []policyRule
	problems  []vmrules.Problem
}

type policyRule struct {
	vmrules.Rule
	index int // in the policy
}

func (p *policy) refuse(index int, rule, key, format string, args ...any) {
	p.problems = append(p.problems, vmrules.Problem{
		Rule: rule, Index: index, Key: key, Reason: vmrules.ReasonInvalid, Message: fmt.Sprintf(format, args...),
		Offset: p.spotOf(index, key).at,
	})
}

// spotOf returns the spot of a key of a rule, or of the policy if the index is -1.
func (p *policy) spotOf(index int, key string) *spot {
	if index < 0 {
		return p.root.find(cmp.Or(places[key], key))
	}
	return p.root.find(fmt.Sprintf("spec.rules[%d]", index)).find(cmp.Or(places[key], key))
}

// places has the paths of keys that are not a path.
var places = map[string]string{
	"failureAction": "validate.failureAction", "message": "validate.message", "pattern": "validate.pattern", "anyPattern": "validate.anyPattern",
	"validationFailureAction": "spec.validationFailureAction",
	"namespace":               "metadata.namespace",
}

// open returns the members of an object that are not null.
func (p *policy) open(raw json.RawMessage, index int, rule, key string) object {
	var o object
	if err := json.Unmarshal(raw, &o); err != nil || o == nil {
		what := "the policy"
		if key != "" {
			what = strconv.Quote(key)
		}
		p.refuse(index, rule, key, "%s must be an object", what)
	}
	dropNulls(o)
	return o
}

// known refuses all other keys of an object, because they are not evaluated.
func (p *policy) known(o object, index int, rule, at string, names ...string) {
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(names, key) {
			p.refuse(index, rule, at+key, "%q is not evaluated: remove it", at+shortened(key))
		}
	}
}

func (p *policy) text(o object, key string, index int, rule string) string {
	var s string
	if raw, ok := o[key]; ok && json.Unmarshal(raw, &s) != nil {
		p.refuse(index, rule, key, "%q must be a string", key)
	}
	return s
}

func (p *policy) read(text []byte) {
	doc := p.open(text, -1, "", "")
	kind, version := p.text(doc, "kind", -1, ""), p.text(doc, "apiVersion", -1, "")
	if (kind != "Policy" && kind != "ClusterPolicy") || !strings.HasPrefix(version, "kyverno.io/") {
		p.refuse(-1, "", "kind", "this is not a policy of Kyverno: the kind must be Policy or ClusterPolicy, and the apiVersion must begin with kyverno.io/")
		return
	}
	p.known(doc, -1, "", "", "apiVersion", "kind", "metadata", "spec", "status")
	if raw, ok := doc["metadata"]; ok {
		metadata := p.open(raw, -1, "", "metadata")
		if kind == "Policy" {
			p.namespace = p.text(metadata, "namespace", -1, "")
		}
	}
	spec := p.open(doc["spec"], -1, "", "spec")
	p.known(spec, -1, "", "spec.", "rules", "validationFailureAction", "background", "admission", "emitWarning",
		"schemaValidation", "webhookTimeoutSeconds", "failurePolicy")
	p.warns = p.isAudit(spec, "validationFailureAction", -1, "", false)
	var rules []json.RawMessage
	if err := json.Unmarshal(spec["rules"], &rules); err != nil || len(rules) == 0 {
		p.refuse(-1, "", "spec.rules", `a policy needs a list "spec.rules"`)
	}
	for i, raw := range rules {
		p.rule(raw, i)
	}
}

// isAudit reads a failure action.
func (p *policy) isAudit(o object, key string, index int, rule string, otherwise bool) bool {
	switch action := p.text(o, key, index, rule); strings.ToLower(action) {
	case "audit":
		return true
	case "enforce":
		return false
	case "":
	default:
		p.refuse(index, rule, key, "%q must be Audit or Enforce, not %s", key, show(action))
	}
	return otherwise
}

func (p *policy) rule(raw json.RawMessage, index int) {
	o := p.open(raw, index, "", "")
	name := p.text(o, "name", index, "")
	p.known(o, index, name, "", "name", "match", "exclude", "validate", "skipBackgroundRequests", "reportProperties")
	if _, ok := o["validate"]; !ok {
		p.refuse(index, name, "validate", "the rule has no validate: only such rules are evaluated")
		return
	}
	validate := p.open(o["validate"], index, name, "validate")
	p.known(validate, index, name, "validate.", "message", "pattern", "anyPattern", "failureAction")
	rule := vmrules.Rule{
		Kind: "kyverno", Name: name, Path: everything, Message: p.text(validate, "message", index, name),
		JustWarning: p.isAudit(validate, "failureAction", index, name, p.warns),
		Unknown:     object{},
	}
	if rule.Message == "" {
		rule.Message = fmt.Sprintf("the object must match the pattern of the rule %s", name)
	}
	if strings.Contains(rule.Message, "{{") {
		p.refuse(index, name, "validate.message", "variables {{ }} are not evaluated")
	}
	for key, from := range map[string]object{"match": o, "exclude": o, "pattern": validate, "anyPattern": validate} {
		if raw, ok := from[key]; ok {
			rule.Unknown[key] = raw
		}
	}
	if string(o["exclude"]) == "{}" {
		delete(rule.Unknown, "exclude") // Kyverno's defaults add it, and it excludes nothing
	}
	if p.namespace != "" {
		rule.Unknown["namespace"], _ = json.Marshal(p.namespace)
	}
	p.rules = append(p.rules, policyRule{rule, index})
}

var everything = vmrules.MustParsePath("jsonpath::$")
