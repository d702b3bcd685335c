package crd_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
)

// No compiler and no Checker panics, for any rule and value. Package vmrules catches a panic and
// reports it in a problem or a note: the test looks for its words.
func FuzzRules(f *testing.F) {
	for _, vectors := range conformance.Read(f, "testdata/conformance") {
		for _, v := range vectors {
			f.Add(v.Text(), []byte(v.Object), []byte(v.Old))
		}
	}
	f.Fuzz(func(t *testing.T, annotation string, text, old []byte) {
		var object, before map[string]any
		if json.Unmarshal(text, &object) != nil || len(old) > 0 && json.Unmarshal(old, &before) != nil {
			return
		}
		rules, err := vmrules.ParseRules(annotation, kinds...)
		if err != nil {
			if strings.Contains(err.Error(), "cannot read this rule") {
				t.Error(err)
			}
			return
		}
		report := vmrules.Validate(rules, object, vmrules.WithOldObject(before)).String()
		if strings.Contains(report, `the kind "`) && strings.Contains(report, `" failed`) {
			t.Error(report)
		}
	})
}
