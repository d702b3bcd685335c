package kyverno

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// A recorded rule is a rule of testdata/autogen, as Kyverno generates it. The module
// oracle/autogen records it.
type recorded struct {
	Policy      string   `json:"policy"`
	Name        string   `json:"name"`
	Message     string   `json:"message"`
	Controllers []string `json:"controllers"`
	Match       any      `json:"match"`
	Exclude     any      `json:"exclude"`
	Pattern     any      `json:"pattern"`
	AnyPattern  any      `json:"anyPattern"`
}

func readRecord(t *testing.T) map[string][]recorded {
	t.Helper()
	required, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`kyverno/kyverno (\S+)`).FindSubmatch(required)
	text, err := os.ReadFile(fmt.Sprintf("testdata/autogen/kyverno-%s.jsonl", version[1])) // of this version
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]recorded{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		var r recorded
		if err := decoder.Decode(&r); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[r.Policy] = append(all[r.Policy], r)
	}
}

// withoutEmpty returns a block match or exclude without what Kyverno removes: empty members.
func withoutEmpty(v any) any {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			v[i] = withoutEmpty(item)
		}
		if len(v) == 0 {
			return nil
		}
	case map[string]any:
		for key, value := range v {
			if v[key] = withoutEmpty(value); v[key] == nil {
				delete(v, key)
			}
		}
		if len(v) == 0 {
			return nil
		}
	}
	return v
}

func TestGeneratesAsKyverno(t *testing.T) {
	text, err := os.ReadFile("testdata/autogen/policies.yaml")
	if err != nil {
		t.Fatal(err)
	}
	record := readRecord(t)
	for _, document := range strings.Split(string(text), "\n---\n") {
		name := fromYAML(t, document)["metadata"].(map[string]any)["name"].(string)
		t.Run(name, func(t *testing.T) {
			rules, err := Rules([]byte(document))
			if err != nil {
				t.Fatal(err)
			}
			made, err := rules.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			var got []recorded
			if err := json.Unmarshal(made, &got); err != nil {
				t.Fatal(err)
			}
			want := record[name]
			for i := range min(len(got), len(want)) {
				if got[i].Policy = name; want[i].Message == "" {
					got[i].Message = "" // vmrules has a default
				}
				for _, block := range []*any{&got[i].Match, &got[i].Exclude, &want[i].Match, &want[i].Exclude} {
					*block = withoutEmpty(*block)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-Kyverno +vmrules):\n%s", diff)
			}
		})
		delete(record, name)
	}
	if len(record) > 0 {
		t.Errorf("these policies are recorded and missing: %v", record)
	}
}

const podPolicy = "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {rules: [" +
	"{name: r, match: {any: [{resources: {kinds: [Pod]}}, {resources: {namespaces: [shop]}}]}, validate: {message: more, pattern: {spec: {nodes: '>1'}}}}]}}"

func TestGeneratedRules(t *testing.T) {
	rules, err := Rules([]byte(podPolicy))
	if err != nil {
		t.Fatal(err)
	}
	const field = ` Invalid value: 1: more (1 does not match the pattern ">1")`
	notAbout := func(kind string) string { return "Skipped: the rule is not about this object: its kind is " + kind }
	for _, c := range []struct {
		object string
		want   []string // for the rule, the one for controllers, and the one for CronJobs
	}{
		{"{apiVersion: v1, kind: Pod, spec: {nodes: 1}}", []string{"Violated; spec.nodes:" + field, notAbout("Pod"), notAbout("Pod")}},
		{
			"{apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: {nodes: 1}}}}",
			[]string{notAbout("Deployment"), "Violated; spec.template.spec.nodes:" + field, notAbout("Deployment")},
		},
		{"{apiVersion: v1, kind: ReplicationController, spec: {template: {spec: {nodes: 2}}}}",
			[]string{notAbout("ReplicationController"), "Satisfied", notAbout("ReplicationController")}},
		{
			"{apiVersion: batch/v1, kind: CronJob, spec: {jobTemplate: {spec: {template: {spec: {nodes: 1}}}}}}",
			[]string{notAbout("CronJob"), notAbout("CronJob"), "Violated; spec.jobTemplate.spec.template.spec.nodes:" + field},
		},
		// An object that is no controller, but is in the namespace: only the rule itself.
		{"{apiVersion: v1, kind: Service, metadata: {namespace: shop}, spec: {nodes: 2}}", []string{"Satisfied", notAbout("Service"), notAbout("Service")}},
		// The API group does not fit.
		{"{apiVersion: other/v1, kind: Deployment, spec: {nodes: 2}}", []string{notAbout("Deployment"), notAbout("Deployment"), notAbout("Deployment")}},
	} {
		if diff := cmp.Diff(c.want, verdicts(vmrules.Validate(rules, fromYAML(t, c.object)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.object, diff)
		}
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

func TestReadableRules(t *testing.T) {
	for _, c := range []struct {
		name, policy string
		want         []string // the rules
		leftOut      []string
		wrong        string
	}{
		{name: "all", policy: podPolicy, want: []string{"r", "autogen-r", "autogen-cronjob-r"}},
		{
			name: "some", policy: mixedPolicy, want: []string{"host", "autogen-host", "autogen-cronjob-host"},
			leftOut: []string{"deny", "deny", "wrong"},
		},
		// The rule that is left out prevents that rules are generated.
		{
			name: "generate", policy: strings.Replace(mixedPolicy, "validate: {deny: {}}", "generate: {kind: ConfigMap}", 1), want: []string{"host"},
			leftOut: []string{"deny", "deny", "wrong"},
		},
		{name: "scope", policy: strings.Replace(mixedPolicy, "validate: {deny: {}}", "generate: true", 1), wrong: `"generate" is not evaluated`},
		{name: "policy", policy: strings.Replace(mixedPolicy, "  rules:", "  applyRules: One\n  rules:", 1), wrong: `"spec.applyRules" is not evaluated`},
		{name: "none", policy: policyOf("", "{name: r, match: {resources: {kinds: [Pod]}}, validate: {deny: {}}}"), wrong: `"validate.deny" is not evaluated`},
		{
			name:    "name",
			policy:  strings.NewReplacer("name: deny", "name: autogen-host", "deny: {}", "pattern: {a: b}").Replace(mixedPolicy),
			want:    []string{"host", "autogen-host", "autogen-cronjob-host"},
			leftOut: []string{"autogen-host", "wrong"},
		},
		{name: "not a policy", policy: "{}", wrong: "this is not a policy of Kyverno"},
		{name: "not YAML", policy: "{", wrong: "neither YAML nor JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules, leftOut, err := ReadableRules([]byte(c.policy))
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("got %v, want %s", err, c.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var names, left []string
			for _, r := range vmrules.Validate(rules, map[string]any{}).Results() {
				names = append(names, r.Rule)
			}
			for _, p := range leftOut {
				left = append(left, p.Rule)
			}
			if diff := cmp.Diff(c.want, names); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.leftOut, left); diff != "" {
				t.Errorf("left out (-want +got):\n%s", diff)
			}
			if _, err := Rules([]byte(c.policy)); (err == nil) != (leftOut == nil) {
				t.Errorf("Rules: %v", err)
			}
		})
	}
}

func TestRequestedControllers(t *testing.T) {
	for _, c := range []struct {
		annotation     string
		known, unknown []string
	}{
		{"none", nil, nil},
		{"", nil, nil},
		{"Job,CronJob,Job", []string{"CronJob", "Job"}, nil},
		{"all", nil, []string{"all"}},
		{"none,Job, Deployment", []string{"Job"}, []string{"none", " Deployment"}},
		{"Pod", nil, []string{"Pod"}},
	} {
		known, unknown := requested(c.annotation)
		if !slices.Equal(known, c.known) || !slices.Equal(unknown, c.unknown) {
			t.Errorf("%q: got %q and %q, want %q and %q", c.annotation, known, unknown, c.known, c.unknown)
		}
	}
}
