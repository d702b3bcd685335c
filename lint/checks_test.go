package lint_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/vmrules/vmrules/lint"
)

func TestChecks(t *testing.T) {
	tested := map[string]bool{
		"not-checked":      true,                      // by TestHostile, since it needs a long annotation
		"unknown-profile":  true,                      // by TestUnknownProfile
		"unknown-kubevirt": true, "newer-field": true, // by kubevirt_test.go
		"invalid-option": true, // by TestKindThatCannotBeAdded

		"misspelt-object": true, "unjudged-template": true, "folded-text": true, // by package manifest of cmd/vmrules
		"misspelt-annotation": true, "misplaced-annotation": true, "undeclared-parameter": true, // by object_test.go
		"dropped-field": true, "refused-field": true, // by object_test.go
		"useless-suppression": true, // by silence.txtar of cmd/vmrules

		"ssp-own-vm": true, // by ssp.txtar of cmd/vmrules
	}
	for _, test := range sspTests {
		for _, want := range test.want {
			tested[strings.Fields(want)[1]] = true
		}
	}
	for _, v := range readVectors(t) {
		for _, f := range v.Findings {
			tested[f.ID] = true
		}
	}
	kebab := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	for _, c := range lint.Checks() {
		if !kebab.MatchString(c.ID) || seen[c.ID] || c.Meaning == "" {
			t.Errorf("the check is not well formed, or appears twice: %+v", c)
		}
		if !tested[c.ID] {
			t.Errorf("no vector has the finding %s", c.ID)
		}
		seen[c.ID] = true
	}
	lint.Checks()[0].ID = "changed"
	if lint.Checks()[0].ID == "changed" {
		t.Error("a caller can change the checks")
	}
}
