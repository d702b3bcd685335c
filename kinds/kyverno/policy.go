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

// Rules reads a Policy or ClusterPolicy of Kyverno, of any version, as YAML or
// JSON: a rule for each of its rules, each for whole objects. Whatever it has
// beyond match, exclude, message, pattern and anyPattern is a problem by name,
// as is all that is wrong with these; the error is then a *vmrules.ParseError,
// and there are no rules.
//
// A rule whose failure action is Audit has justWarning set; without any action a
// violation fails the object.
func Rules(doc []byte) (vmrules.Rules, error) {
	text, err := yaml.YAMLToJSONStrict(doc)
	if err != nil {
		return vmrules.Rules{}, whole("the policy is neither YAML nor JSON: %v", err)
	}
	if json.Valid(doc) {
		text = doc // whose numbers have all their digits
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

// A policy is what was read of one so far.
type policy struct {
	namespace string
	warns     bool // a violation is a warning
	rules     []vmrules.Rule
	places    []int // of the rules, in the policy
	problems  []vmrules.Problem
}

func (p *policy) refuse(index int, rule, key, format string, args ...any) {
	p.problems = append(p.problems, vmrules.Problem{
		Rule: rule, Index: index, Key: key, Reason: vmrules.ReasonInvalid, Message: fmt.Sprintf(format, args...),
	})
}

// open takes an object apart, without its members that are null.
func (p *policy) open(raw json.RawMessage, index int, rule, key string) object {
	var o object
	if err := json.Unmarshal(raw, &o); err != nil || o == nil {
		p.refuse(index, rule, key, "%s has to be an object", describedAs(key))
	}
	dropNulls(o)
	return o
}

func describedAs(key string) string {
	if key == "" {
		return "this"
	}
	return strconv.Quote(key)
}

// known refuses what is not evaluated.
func (p *policy) known(o object, index int, rule, at string, names ...string) {
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(names, key) {
			p.refuse(index, rule, at+key, "%q is not evaluated", at+shortened(key))
		}
	}
}

func (p *policy) text(o object, key string, index int, rule string) string {
	var s string
	if raw, ok := o[key]; ok && json.Unmarshal(raw, &s) != nil {
		p.refuse(index, rule, key, "%q has to be a string", key)
	}
	return s
}

func (p *policy) read(text []byte) {
	doc := p.open(text, -1, "", "")
	kind, version := p.text(doc, "kind", -1, ""), p.text(doc, "apiVersion", -1, "")
	if (kind != "Policy" && kind != "ClusterPolicy") || !strings.HasPrefix(version, "kyverno.io/") {
		p.refuse(-1, "", "kind", "this is not a policy of Kyverno: its kind must be Policy or ClusterPolicy, and its apiVersion kyverno.io/…")
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
		p.refuse(-1, "", autogen, "rules for the controllers of Pods are not generated: write them, and %s: none", autogen)
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
		p.refuse(index, rule, key, "%q is Audit or Enforce, not %s", key, show(action))
	}
	return otherwise
}

func (p *policy) rule(raw json.RawMessage, index int) {
	o := p.open(raw, index, "", "")
	name := p.text(o, "name", index, "")
	p.known(o, index, name, "", "name", "match", "exclude", "validate", "skipBackgroundRequests", "reportProperties")
	if _, ok := o["validate"]; !ok {
		p.refuse(index, name, "validate", "the rule has no validate, and others are not evaluated")
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
		rule.Message = fmt.Sprintf("the object has to match the pattern of the rule %s", name)
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
		delete(rule.Unknown, "exclude") // as Kyverno's own defaults have it
	}
	if p.namespace != "" {
		rule.Unknown["namespace"], _ = json.Marshal(p.namespace)
	}
	p.rules, p.places = append(p.rules, rule), append(p.places, index)
}

var everything = vmrules.MustParsePath("jsonpath::$")
