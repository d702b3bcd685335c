package kyverno

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	kubeutils "github.com/kyverno/kyverno/pkg/utils/kube"

	"github.com/vmrules/vmrules"
)

// This file generates rules for the controllers of Pods, such as Deployments, from rules for Pods.
// It follows Kyverno's package autogen, which has two thousand dependencies.

// autogen is the annotation that names the controllers. Without it, rules are generated for all.
const autogen = "pod-policies.kyverno.io/autogen-controllers"

// autogenPrefix is how the names of generated rules begin.
const autogenPrefix = "autogen-"

const cronJob = "CronJob"

// controllers has the controllers of Pods, as the kinds of a generated rule name them.
var controllers = map[string]string{
	"DaemonSet":             "apps/v1/DaemonSet",
	"Deployment":            "apps/v1/Deployment",
	"Job":                   "batch/v1/Job",
	"StatefulSet":           "apps/v1/StatefulSet",
	"ReplicaSet":            "apps/v1/ReplicaSet",
	"ReplicationController": "v1/ReplicationController",
	cronJob:                 "batch/v1/CronJob",
}

// A scope is what of a rule decides whether rules are generated from a policy.
type scope struct {
	Match, Exclude block
	Generate       map[string]any
	Mutate         struct {
		PatchesJSON6902 string
		Foreach         []struct{ PatchesJSON6902 string }
	}
}

// A block is a block match or exclude.
type block struct {
	Resources resources
	Any, All  []struct{ Resources resources }
}

func (b block) each() []resources {
	all := []resources{b.Resources}
	for _, item := range slices.Concat(b.Any, b.All) {
		all = append(all, item.Resources)
	}
	return all
}

func (b block) kinds() []string {
	var kinds []string
	for _, r := range b.each() {
		kinds = append(kinds, r.Kinds...)
	}
	return kinds
}

// allowsAutogen reports whether Kyverno generates rules from a policy with these rules. A rule
// that selects Pods by more than their kind and namespace prevents it for all rules.
func allowsAutogen(rules []scope) bool {
	needed := false
	for _, rule := range rules {
		if len(rule.Generate) > 0 || rule.Mutate.PatchesJSON6902 != "" {
			return false
		}
		for _, each := range rule.Mutate.Foreach {
			if each.PatchesJSON6902 != "" {
				return false
			}
		}
		for _, r := range append(rule.Match.each(), rule.Exclude.each()...) {
			if r.Name != "" || len(r.Names) > 0 || r.Selector != nil || r.Annotations != nil || len(r.Kinds) > 1 && hasPod(r.Kinds) {
				return false
			}
			needed = needed || slices.ContainsFunc(r.Kinds, isPodOrController)
		}
	}
	return needed
}

func hasPod(kinds []string) bool { return kubeutils.ContainsKind(kinds, "Pod") }

func isPodOrController(kind string) bool { return kind == "Pod" || controllers[kind] != "" }

// isForPods reports whether rules are generated from the rule.
func (s scope) isForPods() bool {
	excluded := s.Exclude.kinds()
	return hasPod(s.Match.kinds()) && (len(excluded) == 0 || hasPod(excluded))
}

// everyController is the value of the annotation that has the same meaning as no annotation.
var everyController = strings.Join(slices.Sorted(maps.Keys(controllers)), ",")

// requested returns the controllers that the value of the annotation names, and the names among
// them that are no controllers.
func requested(annotation string) (known, unknown []string) {
	if annotation == "none" || annotation == "" {
		return nil, nil
	}
	for _, name := range strings.Split(annotation, ",") {
		if controllers[name] == "" {
			unknown = append(unknown, name)
			continue
		}
		known = append(known, name)
	}
	slices.Sort(known)
	return slices.Compact(known), unknown
}

// generate returns the rules for controllers that Kyverno generates from a rule for Pods.
func generate(rule vmrules.Rule, names []string) []vmrules.Rule {
	var made []vmrules.Rule
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == cronJob })
	if len(others) > 0 {
		made = append(made, generation{autogenPrefix, []string{"spec", "template"}, others}.from(rule))
	}
	if len(others) < len(names) {
		made = append(made, generation{autogenPrefix + "cronjob-", []string{"spec", "jobTemplate", "spec", "template"}, []string{cronJob}}.from(rule))
	}
	return made
}

// A generation says how a rule for controllers differs from a rule for Pods.
type generation struct {
	prefix      string   // of the name
	template    []string // where the controllers have the template of their Pods
	controllers []string
}

// maxName is the length in bytes to which Kyverno cuts the name of a generated rule.
const maxName = 63

func (g generation) from(rule vmrules.Rule) vmrules.Rule {
	name := g.prefix + rule.Name
	name = name[:min(len(name), maxName)]
	rule.Name = g.shifted(string([]rune(name))) // in JSON, each byte of a character that was cut becomes U+FFFD
	rule.Message = g.shifted(rule.Message)
	rule.Unknown = maps.Clone(rule.Unknown)
	rule.Unknown["controllers"], _ = json.Marshal(g.controllers)
	rewrite := func(key string, with func(any) any) {
		if raw, ok := rule.Unknown[key]; ok {
			rule.Unknown[key] = g.rewritten(raw, with)
		}
	}
	rewrite("match", func(v any) any { return g.filter(v, true) })
	rewrite("exclude", func(v any) any { return g.filter(v, false) })
	rewrite("pattern", g.inTemplate)
	rewrite("anyPattern", func(v any) any {
		patterns, _ := v.([]any)
		for i, pattern := range patterns {
			patterns[i] = g.inTemplate(pattern)
		}
		return v
	})
	return rule
}

func (g generation) rewritten(raw json.RawMessage, with func(any) any) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return raw
	}
	text, err := json.Marshal(with(v))
	if err != nil {
		return raw
	}
	return json.RawMessage(g.shifted(string(text)))
}

// inTemplate returns the pattern for a controller whose Pods must match a pattern.
func (g generation) inTemplate(pattern any) any {
	for _, name := range slices.Backward(g.template) {
		pattern = map[string]any{name: pattern}
	}
	return pattern
}

// filter returns the block match or exclude for the controllers. Kyverno replaces the kinds of a
// block resources always in match, and in exclude if there are some. In lists, it replaces those
// with Pod, but for CronJobs all.
func (g generation) filter(v any, isMatch bool) any {
	m, _ := v.(map[string]any)
	if r, ok := m["resources"].(map[string]any); ok && (isMatch || len(kindsOf(r)) > 0) {
		r["kinds"] = g.kinds()
	}
	for _, key := range []string{"any", "all"} {
		items, _ := m[key].([]any)
		for _, item := range items {
			item, _ := item.(map[string]any)
			r, ok := item["resources"].(map[string]any)
			if ok && (g.controllers[0] == cronJob || hasPod(kindsOf(r))) {
				r["kinds"] = g.kinds()
			}
		}
	}
	return v
}

func kindsOf(r map[string]any) []string {
	var kinds []string
	list, _ := r["kinds"].([]any)
	for _, kind := range list {
		text, _ := kind.(string)
		kinds = append(kinds, text)
	}
	return kinds
}

func (g generation) kinds() []string {
	var kinds []string
	for _, name := range g.controllers {
		kinds = append(kinds, controllers[name])
	}
	return kinds
}

// shifted returns a text in which the paths of the fields of a Pod are those in the template, as
// Kyverno replaces them in all texts of a rule.
func (g generation) shifted(text string) string {
	in := strings.Join(g.template, ".")
	for _, part := range []string{"spec", "metadata"} {
		for _, object := range []string{"request.object.", "request.oldObject."} {
			text = strings.ReplaceAll(text, object+part, object+in+"."+part)
		}
	}
	return text
}
