package kyverno

import (
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
// a rule for whole objects for each rule of the policy.
//
// A rule of the policy may have match, exclude, message, pattern and anyPattern, and fields that
// do not change a verdict. Everything else is a problem. If there are problems, Rules returns a
// *vmrules.ParseError and no rules.
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
	var p policy
	p.read(text)
	rules, err := vmrules.NewRules(p.rules, append(Kinds(), vmrules.WithRoot(vmrules.RootObject))...)
	if err != nil {
		for _, problem := range err.(*vmrules.ParseError).Problems {
			if problem.Index >= 0 {
				problem.Index = p.places[problem.Index]
			}
			p.problems = append(p.problems, problem)
		}
	}
	if p.problems != nil {
		slices.SortStableFunc(p.problems, func(a, b vmrules.Problem) int { return a.Index - b.Index })
		return vmrules.Rules{}, &vmrules.ParseError{Problems: p.problems}
	}
	return rules, nil
}

func whole(format string, args ...any) error {
	problem := vmrules.Problem{Index: -1, Reason: vmrules.ReasonInvalid, Message: fmt.Sprintf(format, args...)}
	return &vmrules.ParseError{Problems: []vmrules.Problem{problem}}
}

type object = map[string]json.RawMessage

// A policy collects the rules and the problems of a policy.
type policy struct {
	namespace string
	warns     bool // whether violations are only warnings
	rules     []vmrules.Rule
	places    []int // the indexes of the rules in the policy
	problems  []vmrules.Problem
}

func (p *policy) refuse(index int, rule, key, format string, args ...any) {
	p.problems = append(p.problems, vmrules.Problem{
		Rule: rule, Index: index, Key: key, Reason: vmrules.ReasonInvalid, Message: fmt.Sprintf(format, args...),
	})
}

// open returns the members of an object that are not null.
func (p *policy) open(raw json.RawMessage, index int, rule, key string) object {
	var o object
	if err := json.Unmarshal(raw, &o); err != nil || o == nil {
		p.refuse(index, rule, key, "%s must be an object", describedAs(key))
	}
	dropNulls(o)
	return o
}

func describedAs(key string) string {
	if key == "" {
		return "the policy"
	}
	return strconv.Quote(key)
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
	p.metadata(doc, kind)
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

const autogen = "pod-policies.kyverno.io/autogen-controllers"

func (p *policy) metadata(doc object, kind string) {
	metadata := p.open(orEmpty(doc["metadata"]), -1, "", "metadata")
	if kind == "Policy" {
		p.namespace = p.text(metadata, "namespace", -1, "")
	}
	annotations := p.open(orEmpty(metadata["annotations"]), -1, "", "metadata.annotations")
	if controllers, ok := annotations[autogen]; ok && string(controllers) != `"none"` {
		p.refuse(-1, "", autogen, "rules for the controllers of Pods are not generated: write these rules, and set %s to none", autogen)
	}
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("{}")
	}
	return raw
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
	p.rules, p.places = append(p.rules, rule), append(p.places, index)
}

var everything = vmrules.MustParsePath("jsonpath::$")
