package lint_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

// TestKubeVirt checks what Annotation says of rules under KubeVirt("1.8"), with the text that each finding
// is about, and that it says nothing about versions with the newest one.
func TestKubeVirt(t *testing.T) {
	text, err := os.ReadFile("testdata/kubevirt.json")
	if err != nil {
		t.Fatal(err)
	}
	var tests []struct {
		Name     string
		Rule     map[string]any
		Refuses  bool
		Findings []string
	}
	if err := json.Unmarshal(text, &tests); err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		test.Rule["name"], test.Rule["message"] = "r", "m"
		written, err := json.Marshal([]any{test.Rule})
		if err != nil {
			t.Fatal(err)
		}
		annotation := string(written)
		got, refuses := []string{}, false
		for _, f := range withoutSSP(lint.Annotation(annotation, lint.KubeVirt("1.8"))) {
			got = append(got, fmt.Sprintf("%s %s %s %s: %s", f.Severity, f.ID, f.Key, annotation[f.Offset:f.End], f.Message))
			refuses = refuses || f.Refuses
		}
		if diff := cmp.Diff(test.Findings, got); diff != "" || refuses != test.Refuses {
			t.Errorf("%s: refuses %v (-want +got):\n%s", test.Name, refuses, diff)
		}
		for _, newest := range []string{"1.9", ""} {
			got := lint.Annotation(annotation, lint.KubeVirt("1.8"), lint.KubeVirt(newest))
			if diff := cmp.Diff(lint.Annotation(annotation), got); diff != "" {
				t.Errorf("%s (-without +KubeVirt(%q)):\n%s", test.Name, newest, diff)
			}
		}
	}
}

// TestUnknownKubeVirt checks that a version that is not known is an error, which lists those that are.
func TestUnknownKubeVirt(t *testing.T) {
	const rules = `[{"name": "r", "rule": "string", "path": "jsonpath::.spec.serviceAccountName", "minLength": 1, "message": "m"}]`
	for _, version := range []string{"1.7", "1.8.1", "v1.8", "1.10"} {
		findings := withoutSSP(lint.Annotation(rules, lint.KubeVirt(version)))
		want := fmt.Sprintf(`error: line 1, column 1: the fields of KubeVirt %q are not known: use 1.8 or 1.9 (unknown-kubevirt)`, version)
		if len(findings) != 1 || findings[0].String() != want {
			t.Errorf("%s: %v", version, findings)
		}
	}
	if versions := lint.KubeVirtVersions(); !slices.Equal(versions, []string{"1.8", "1.9"}) {
		t.Error(versions)
	}
	if _, err := vmrules.ParseRules(rules, lint.KubeVirt("1.7")); err != nil {
		t.Error(err)
	}
}
