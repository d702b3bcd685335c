package ssp

import (
	"fmt"
	"testing"

	"github.com/vmrules/vmrules/internal/vmapi"
)

// TestFields compares the fields that the validator can find with the table of fields, which says what it
// does not find.
func TestFields(t *testing.T) {
	hidden := 0
	var compare func(path string, api *vmapi.Field, found *goType)
	compare = func(path string, api *vmapi.Field, found *goType) {
		if (found == nil) != (api.Since != "") {
			t.Errorf("%s has the mark %q, and its type in Go is %v", path, api.Since, found)
		}
		if found == nil {
			hidden++
			return
		}
		isPointer := found.shape == pointer
		if isPointer {
			found = found.of
		}
		if api.Shape == vmapi.Scalar && (isPointer != (api.Type.Pointee != nil) || sortOf(found) != api.Type.Value().Sort) {
			t.Errorf("%s is %+v, and its type in Go is %v", path, api.Type, found)
		}
		if api.Items != nil {
			compare(path+"[*]", api.Items, found.of)
		}
		for name, member := range api.Members {
			compare(path+"."+name, member, found.field(name))
		}
		for _, field := range found.fields {
			if api.Shape == vmapi.Object && field.name != "" && api.Members[field.name] == nil {
				t.Errorf("%s has no %s in the table", path, field.name)
			}
		}
	}
	compare("", vmapi.OfVM(), templateType())
	if hidden != 7 {
		t.Errorf("%d fields are hidden", hidden)
	}
}

func sortOf(t *goType) vmapi.Sort {
	sorts := map[shape]vmapi.Sort{boolean: vmapi.Boolean, quantum: vmapi.Quantity, instant: vmapi.Time, either: vmapi.IntegerOrText}
	if t.isInteger() {
		return vmapi.Integer
	}
	return sorts[t.shape]
}

// TestFieldsThatAreNotFound checks that rules on fields that the validator does not find refuse even a VM that
// has them, and that a valid on such a field skips the rule.
func TestFieldsThatAreNotFound(t *testing.T) {
	vm := map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
		"serviceAccountName": "a",
		"networks":           []any{map[string]any{"name": "n", "resourceClaim": map[string]any{"claimName": "a"}}},
		"domain": map[string]any{"devices": map[string]any{
			"gpus":       []any{map[string]any{"name": "n", "claimName": "a"}},
			"interfaces": []any{map[string]any{"name": "n", "portRanges": []any{map[string]any{"protocol": "TCP"}}}},
		}},
	}}}}
	for _, path := range []string{
		".spec.serviceAccountName", ".spec.networks[*].resourceClaim.claimName",
		".spec.domain.devices.interfaces[*].portRanges[*].protocol", ".spec.domain.devices.gpus[*].claimName",
	} {
		const rule = `[{"name": "r", "rule": "string", "message": "m", "minLength": 0, "path": "jsonpath::%s"%s}]`
		if v := Judge(fmt.Sprintf(rule, path, ""), vm); v.Accepted {
			t.Errorf("%s is accepted", path)
		}
		if v := Judge(fmt.Sprintf(rule, path, `, "valid": "jsonpath::`+path+`"`), vm); !v.Accepted {
			t.Errorf("%s is refused in spite of valid: %v", path, v.Why)
		}
	}
}
