package form_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
)

// TestNilOption: a nil option changes nothing.
func TestNilOption(t *testing.T) {
	rules, err := vmrules.ParseRules(`[{"name": "r", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "max": 8}]`)
	if err != nil {
		t.Fatal(err)
	}
	vm := map[string]any{"kind": "VirtualMachine", "spec": map[string]any{"template": map[string]any{"spec": map[string]any{}}}}
	template := map[string]any{"kind": "Template", "parameters": []any{map[string]any{"name": "A"}}, "objects": []any{vm}}
	all := func(opt vmrules.Option) []any {
		parameters, err := form.Parameters(template, opt)
		var resolved []vmrules.Rule
		for r := range form.Resolve(rules, vm, opt) {
			resolved = append(resolved, r.Rule())
		}
		return []any{resolved, form.Limits(rules, vm, opt), form.Schema(rules, vm, opt), parameters, err}
	}
	if diff := cmp.Diff(all(vmrules.Budget{}), all(nil)); diff != "" {
		t.Errorf("(-without +with):\n%s", diff)
	}
}
