// Package autogen compares the rules that kinds/kyverno generates for the controllers of Pods
// with those of Kyverno's own package autogen.
package autogen

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/kyverno/kyverno/api/kyverno/v1"
	"github.com/kyverno/kyverno/pkg/autogen"
	"sigs.k8s.io/yaml"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/kinds/kyverno"
)

var update = flag.Bool("update", false, "write what Kyverno generates to kinds/kyverno")

// A rule is what a policy says in a rule, by Kyverno or by vmrules.
type rule struct {
	Policy      string   `json:"policy"`
	Name        string   `json:"name"`
	Message     string   `json:"message,omitempty"`
	Controllers []string `json:"controllers,omitempty"` // the kinds for which the rule is generated
	Match       any      `json:"match,omitempty"`
	Exclude     any      `json:"exclude,omitempty"`
	Pattern     any      `json:"pattern,omitempty"`
	AnyPattern  any      `json:"anyPattern,omitempty"`
}

var controllers = map[string]string{
	"CronJob": "batch/v1/CronJob", "DaemonSet": "apps/v1/DaemonSet", "Deployment": "apps/v1/Deployment", "Job": "batch/v1/Job",
	"ReplicaSet": "apps/v1/ReplicaSet", "ReplicationController": "v1/ReplicationController", "StatefulSet": "apps/v1/StatefulSet",
}

// plain returns a value as JSON has it, without null, and without what is empty.
func plain(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var made any
	if err := json.Unmarshal(text, &made); err != nil {
		t.Fatal(err)
	}
	return pruned(made)
}

func pruned(v any) any {
	switch v := v.(type) {
	case string:
		if v == "" {
			return nil
		}
	case []any:
		for i, item := range v {
			v[i] = pruned(item)
		}
		if len(v) == 0 {
			return nil
		}
	case map[string]any:
		for key, value := range v {
			if v[key] = pruned(value); v[key] == nil {
				delete(v, key)
			}
		}
		if len(v) == 0 {
			return nil
		}
	}
	return v
}

// byKyverno returns the rules of a policy, and then those that Kyverno generates.
func byKyverno(t *testing.T, p v1.PolicyInterface) []rule {
	t.Helper()
	var all []rule
	for _, made := range autogen.Default.ComputeRules(p, "") {
		if made.Validation == nil {
			continue
		}
		r := rule{
			Policy: p.GetName(), Name: made.Name, Message: made.Validation.Message, Match: plain(t, made.MatchResources), Exclude: plain(t, made.ExcludeResources),
			Pattern: made.Validation.GetPattern(), AnyPattern: made.Validation.GetAnyPattern(),
		}
		for kind := range controllers {
			for _, forKind := range autogen.Default.ComputeRules(p, kind) {
				if forKind.Name == made.Name && strings.HasPrefix(made.Name, "autogen-") {
					r.Controllers = append(r.Controllers, kind)
					compareForKind(t, kind, made, forKind)
				}
			}
		}
		slices.Sort(r.Controllers)
		all = append(all, r)
	}
	return all
}

// compareForKind compares a rule that Kyverno generates for all controllers, which it shows in the
// status of a policy, with the one for a single kind, by which it judges.
func compareForKind(t *testing.T, kind string, forAll, forKind v1.Rule) {
	t.Helper()
	one := func(r *v1.MatchResources) any {
		if r == nil {
			return nil
		}
		r = r.DeepCopy()
		narrow := func(kinds *[]string) {
			if slices.Contains(*kinds, controllers[kind]) {
				*kinds = []string{controllers[kind]}
			}
		}
		narrow(&r.Kinds)
		for i := range r.Any {
			narrow(&r.Any[i].Kinds)
		}
		for i := range r.All {
			narrow(&r.All[i].Kinds)
		}
		return plain(t, r)
	}
	if diff := cmp.Diff(plain(t, forKind.Validation), plain(t, forAll.Validation)); diff != "" {
		t.Errorf("%s for %s:\n%s", forAll.Name, kind, diff)
	}
	for _, pair := range [][2]*v1.MatchResources{{&forKind.MatchResources, &forAll.MatchResources}, {forKind.ExcludeResources, forAll.ExcludeResources}} {
		if diff := cmp.Diff(one(pair[0]), one(pair[1])); diff != "" {
			t.Errorf("%s for %s:\n%s", forAll.Name, kind, diff)
		}
	}
}

// byVMRules returns the same of vmrules.
func byVMRules(t *testing.T, rules vmrules.Rules) []rule {
	t.Helper()
	text, err := rules.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var all []rule
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for i, r := range all {
		all[i].Match, all[i].Exclude = plain(t, r.Match), plain(t, r.Exclude)
	}
	return all
}

// comparable returns rules of vmrules with the name of the policy, and without the messages that
// vmrules adds.
func comparable(want, got []rule) []rule {
	got = slices.Clone(got)
	for i := range min(len(want), len(got)) {
		got[i].Policy = want[i].Policy
		if want[i].Message == "" && strings.HasPrefix(got[i].Message, "the object must match the pattern of the rule ") {
			got[i].Message = ""
		}
	}
	return got
}

// typed returns a policy as Kyverno reads it.
func typed(t *testing.T, document []byte) v1.PolicyInterface {
	t.Helper()
	var kind struct{ APIVersion, Kind string }
	if yaml.Unmarshal(document, &kind) != nil || !strings.HasPrefix(kind.APIVersion, "kyverno.io/") {
		return nil
	}
	var p v1.PolicyInterface
	switch kind.Kind {
	case "Policy":
		p = &v1.Policy{}
	case "ClusterPolicy":
		p = &v1.ClusterPolicy{}
	default:
		return nil
	}
	if err := yaml.Unmarshal(document, p); err != nil {
		return nil
	}
	return p
}

const testdata = "../../kinds/kyverno/testdata/autogen/"

// TestRecord compares with what is recorded in kinds/kyverno, where each run of the tests reads it.
func TestRecord(t *testing.T) {
	text, err := os.ReadFile(testdata + "policies.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	encoder := json.NewEncoder(&want)
	encoder.SetEscapeHTML(false)
	for _, document := range documents(text) {
		p := typed(t, document)
		if p == nil {
			t.Fatalf("not a policy: %s", document)
		}
		for _, r := range byKyverno(t, p) {
			if err := encoder.Encode(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	const file = testdata + "kyverno-v1.19.1.jsonl"
	if *update {
		if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("the record is not what Kyverno generates: run go test -update (-want +got):\n%s", diff)
	}
}

// TestUpstream compares for the policies in the tests of Kyverno's module. It leaves out each rule
// that vmrules does not read.
func TestUpstream(t *testing.T) {
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/kyverno/kyverno").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen, policies, compared, generated := map[string]bool{}, 0, 0, 0
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(folder)), "test"), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)) {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, document := range documents(text) {
			p := typed(t, document)
			if p == nil || seen[string(document)] {
				continue
			}
			seen[string(document)] = true
			policies++
			rules, leftOut, err := kyverno.ReadableRules(document)
			if problems := (*vmrules.ParseError)(nil); errors.As(err, &problems) {
				continue
			}
			if err != nil {
				t.Error(err)
				continue
			}
			got := byVMRules(t, rules)
			want := wanted(t, p, leftOut)
			if diff := cmp.Diff(want, comparable(want, got)); diff != "" {
				t.Errorf("%s (-Kyverno +vmrules):\n%s", file, diff)
			}
			compared++
			for _, r := range got {
				if r.Controllers != nil {
					generated++
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d policies, %d of them compared, with %d generated rules", policies, compared, generated)
	if compared == 0 || generated == 0 {
		t.Error("want policies to compare")
	}
}

// wanted returns the rules of Kyverno without those that vmrules leaves out.
func wanted(t *testing.T, p v1.PolicyInterface, leftOut []vmrules.Problem) []rule {
	t.Helper()
	const out = "left-out"
	p = p.CreateDeepCopy()
	for _, problem := range leftOut {
		p.GetSpec().Rules[problem.Index].Name = out
	}
	return slices.DeleteFunc(byKyverno(t, p), func(r rule) bool { return strings.HasSuffix(r.Name, out) })
}

// documents returns the documents of a file.
func documents(text []byte) [][]byte {
	var all [][]byte
	for _, document := range bytes.Split(append([]byte("\n"), text...), []byte("\n---")) {
		if len(bytes.TrimSpace(document)) > 0 {
			all = append(all, document)
		}
	}
	return all
}
