package crd

import (
	"strings"
	"testing"

	"github.com/vmrules/vmrules"
)

// What is listed as set by others is what vmrules does not judge.
func TestSetters(t *testing.T) {
	for _, s := range setters {
		object := map[string]any{"kind": "VirtualMachine", "spec": map[string]any{
			s.reference: map[string]any{"name": "x"},
			"template": map[string]any{"spec": map[string]any{
				"networks": []any{map[string]any{"name": "a", "pod": map[string]any{}}},
				"domain": map[string]any{"cpu": map[string]any{}, "devices": map[string]any{
					"sound":      map[string]any{},
					"inputs":     []any{map[string]any{}},
					"interfaces": []any{map[string]any{"name": "a"}},
					"disks":      []any{map[string]any{}, map[string]any{"cdrom": map[string]any{}}, map[string]any{"lun": map[string]any{}}},
				}},
			}},
		}}
		for _, field := range s.fields {
			rules := parseAll(t, map[string]any{"name": "r", "message": "m", "rule": "string", "path": "jsonpath::." + strings.ReplaceAll(field, "[]", "[*]")})
			if got := vmrules.Validate(rules, object).Results()[0].Outcome; got != vmrules.Undecided {
				t.Errorf("%s, %s: %s", s.reference, field, got)
			}
		}
	}
}
