package kyverno

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/vmrules/vmrules"
)

func readPolicy(t *testing.T, file string) vmrules.Rules {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/policies", file))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := Rules(text)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func fromYAML(t *testing.T, text string) map[string]any {
	t.Helper()
	var object map[string]any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// verdicts returns the outcomes of a report, each with its note and violations.
func verdicts(r *vmrules.Report) []string {
	var all []string
	for _, result := range r.Results() {
		line := strings.TrimSuffix(string(result.Outcome)+": "+result.Note, ": ")
		for _, v := range result.Violations {
			line += "; " + v.Error()
		}
		all = append(all, line)
	}
	return all
}

func TestExamplesOfThePage(t *testing.T) {
	const head = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: "
	const missing = "the object must match the pattern of the rule check-memory_requests_link_in_yaml_relative (no item matches the pattern "
	for _, c := range []struct{ file, object, want string }{
		{"check-label.yaml", head + "{template: {metadata: {labels: {app: web}}}}}", "Satisfied"},
		{"check-label.yaml", head + "{template: {metadata: {labels: {tier: web}}}}}",
			`Violated; spec.template.metadata.labels.app: Required value: The label app is required (not set, but the pattern asks for "?*")`},
		{"check-label.yaml", head + "{template: {metadata: {labels: {app: ''}}}}}",
			`Violated; spec.template.metadata.labels.app: Invalid value: "": The label app is required ("" does not match the pattern "?*")`},
		{
			"check-label.yaml", head + "{template: {}}}",
			"Violated; spec.template.metadata: Required value: The label app is required (not set)",
		},
		{"check-label.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: web}}", "Skipped: the rule is not about this object: its kind is Pod"},
		{
			"memory-requests.yaml",
			head + "{template: {spec: {containers: [{name: a}, {name: b, resources: {requests: {memory: 1Gi}, limits: {memory: 2Gi}}}]}}}}",
			"Satisfied",
		},
		{
			"memory-requests.yaml",
			head + "{template: {spec: {containers: [{name: b, resources: {requests: {memory: 3Gi}, limits: {memory: 2Gi}}}]}}}}",
			missing,
		},
		{"memory-requests.yaml", head + "{template: {spec: {containers: [{name: b, resources: {requests: {memory: 1Gi}}}]}}}}", missing},
		{"memory-requests.yaml", head + "{template: {spec: {}}}}", "(not set)"},
		{
			"memory-requests-as-written.yaml",
			head + `{containers: [{name: b, resources: {requests: {memory: 1Gi}, "lim(its": {"mem)ory": 2Gi}}}]}}`,
			"Satisfied",
		},
		{
			"memory-requests-as-written.yaml",
			head + `{containers: [{name: b, resources: {requests: {memory: 3Gi}, "lim(its": {"mem)ory": 2Gi}}}]}}`,
			missing,
		},
	} {
		report := vmrules.Validate(readPolicy(t, c.file), fromYAML(t, c.object))
		got := verdicts(report)
		if len(got) == 1 && strings.Contains(got[0], c.want) {
			got[0] = c.want
		}
		if diff := cmp.Diff([]string{c.want}, got); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", c.file, c.object, diff)
		}
	}
}

const deployment = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 1}}"

// policyOf returns a policy with a rule and with other members of the spec.
func policyOf(spec, rule string) string {
	return "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {" + spec + "rules: [" + rule + "]}}"
}

func TestActions(t *testing.T) {
	rule := func(action string) string {
		return "{name: r, match: {any: [{resources: {kinds: [Deployment]}}]}, exclude: {}, validate: {message: more, " + action + "pattern: {spec: {replicas: '>1'}}}}"
	}
	for _, c := range []struct {
		spec, action string
		want         vmrules.Outcome
	}{
		{"", "", vmrules.OutcomeViolated},
		{"validationFailureAction: enforce, background: true, ", "", vmrules.OutcomeViolated},
		{"validationFailureAction: Audit, ", "", vmrules.OutcomeWarned},
		{"validationFailureAction: audit, ", "failureAction: Enforce, ", vmrules.OutcomeViolated},
		{"", "failureAction: Audit, ", vmrules.OutcomeWarned},
	} {
		rules, err := Rules([]byte(policyOf(c.spec, rule(c.action))))
		if err != nil {
			t.Fatal(err)
		}
		report := vmrules.Validate(rules, fromYAML(t, deployment))
		if got := report.Results()[0].Outcome; got != c.want {
			t.Errorf("%q %q: %s, want %s", c.spec, c.action, got, c.want)
		}
	}
}

func TestNamespacedPolicy(t *testing.T) {
	rules, err := Rules([]byte(`{"apiVersion": "kyverno.io/v2beta1", "kind": "Policy", "metadata": {"name": "p", "namespace": "blog"}, "spec": {"rules": [
		{"name": "r", "match": {"resources": {"kinds": ["*"]}}, "validate": {"pattern": {"spec": {"replicas": 12345678901234567}}}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`Skipped: the policy is for the namespace blog, and the object is in "shop"`}
	if diff := cmp.Diff(want, verdicts(vmrules.Validate(rules, fromYAML(t, deployment)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestListOfObjects(t *testing.T) {
	object := fromYAML(t, "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Pod}, "+deployment+"]}")
	rules, err := Rules([]byte(policyOf("", "{name: r, match: {resources: {kinds: [Deployment]}}, validate: {message: more, pattern: {spec: {replicas: '>1'}}}}")))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Skipped: the rule is not about this object: its kind is Pod",
		`Violated; items[1].spec.replicas: Invalid value: 1: more (1 does not match the pattern ">1")`,
	}
	if diff := cmp.Diff(want, verdicts(vmrules.Validate(rules, object))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const podRule = "{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {message: more, pattern: {spec: {nodes: '>1'}}}}"

// A rule for Pods is about Pods alone, whatever Kyverno would generate from it.
func TestRuleForPods(t *testing.T) {
	rules, err := Rules([]byte(policyOf("", podRule)))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Skipped: the rule is not about this object: its kind is Deployment"}
	if diff := cmp.Diff(want, verdicts(vmrules.Validate(rules, fromYAML(t, deployment)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// mixedPolicy has rules that cannot be read.
const mixedPolicy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: mixed}
spec:
  rules:
  - name: deny
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {deny: {}}
  - name: host
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {pattern: {spec: {hostPID: "false"}}}
  - name: wrong
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {pattern: {spec: {hostPID: ">="}}}
`

func TestRefusedPolicies(t *testing.T) {
	const match = "match: {resources: {kinds: [Pod]}}, "
	for _, c := range []struct {
		policy string
		want   []string
	}{
		{"a: [", []string{"the policy is neither YAML nor JSON"}},
		{"a: 1\na: 2", []string{"the policy is neither YAML nor JSON"}},
		{"", []string{"this is not a policy of Kyverno"}},
		{"{apiVersion: v1, kind: Pod}", []string{"this is not a policy of Kyverno"}},
		{"{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy}", []string{"this is not a policy of Kyverno"}},
		{"{apiVersion: kyverno.io/v1, kind: Policy, spec: {}}", []string{`a policy needs a list "spec.rules"`}},
		{"{apiVersion: kyverno.io/v1, kind: Policy, spec: {rules: []}}", []string{`a policy needs a list "spec.rules"`}},
		{policyOf("applyRules: One, validationFailureActionOverrides: [], ", "{name: r, "+match+"validate: {pattern: {a: b}}}"),
			[]string{`"spec.applyRules": this is not evaluated`, `"spec.validationFailureActionOverrides": this is not evaluated`}},
		{
			policyOf("validationFailureAction: warn, ", "{name: r, "+match+"validate: {pattern: {a: b}}}"),
			[]string{`Audit or Enforce, not "warn"`},
		},
		{policyOf("", "{name: r, "+match+"mutate: {}}"), []string{`rule "r": "mutate": this is not evaluated`, "the rule has no validate"}},
		{policyOf("", "{name: a, "+match+"generate: {}}, {name: r, "+match+"preconditions: {}, context: [], validate: {pattern: {a: '>='}}}"),
			[]string{`rule "a": "generate": this is not`, "no validate", `rule "r": "context": this is not`, `"preconditions": this is not`, "the operator >= has no operand"}},
		{policyOf("", "{name: r, "+match+"validate: {deny: {}, foreach: [], cel: {}, podSecurity: {}, manifests: {}}}"),
			[]string{"validate.cel", "validate.deny", "validate.foreach", "validate.manifests", "validate.podSecurity", "one of the keys"}},
		{
			policyOf("", "{name: r, "+match+"validate: {message: 'no {{ x }}', pattern: {a: '{{ x }}'}}}"),
			[]string{"validate.message", "variables {{ }} are not evaluated"},
		},
		{policyOf("", "{name: r, "+match+"validate: {pattern: {a: b}}}, {name: r, "+match+"validate: {pattern: {a: b}}}"), []string{"r"}},
		{policyOf("", "{"+match+"validate: {pattern: {a: b}}}"), []string{"name"}},
		{policyOf("", "{name: r, validate: {pattern: {a: b}}}"), []string{`needs the key "match"`}},
		{
			policyOf("", "{name: 5, "+match+"validate: x}"),
			[]string{`"name": must be of type string, not number`, "one of the keys", `"name" is empty`},
		},
		{strings.Replace(policyOf("", "{name: r, "+match+"validate: {pattern: {a: b}}}"), "{name: p}", "5", 1), []string{`"metadata": must be of type object, not number`}},
	} {
		_, err := Rules([]byte(c.policy))
		var parsed *vmrules.ParseError
		if !errors.As(err, &parsed) {
			t.Errorf("%s: %v", c.policy, err)
			continue
		}
		var got []string
		for i, p := range parsed.Problems {
			got = append(got, p.Error())
			if p.Code == "" {
				t.Errorf("%s: the problem has no code: %v", c.policy, p)
			}
			if i < len(c.want) && strings.Contains(p.Error(), c.want[i]) {
				got[i] = c.want[i]
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.policy, diff)
		}
	}
}

func TestWrittenAndReadAgain(t *testing.T) {
	rules := readPolicy(t, "memory-requests.yaml")
	text, err := rules.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	again, err := vmrules.ParseRules(string(text), append(Kinds(), vmrules.WholeObjects())...)
	if err != nil {
		t.Fatal(err)
	}
	object := fromYAML(t, deployment)
	if diff := cmp.Diff(vmrules.Validate(rules, object), vmrules.Validate(again, object)); diff != "" {
		t.Errorf("(-made +read):\n%s", diff)
	}
}
