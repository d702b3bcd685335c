package manifest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/form"
)

// TestKinds compares the kinds that the command knows with those of the library, which gives an
// item of a list a result of its own only if it may hold VMs.
func TestKinds(t *testing.T) {
	rules, err := vmrules.ParseRules(`[{"name": "r", "rule": "string", "path": "jsonpath::.x", "message": "m"}]`)
	if err != nil {
		t.Fatal(err)
	}
	type known struct{ HoldsVM, IsTemplate bool }
	count := 0
	for _, kind := range []string{
		"VirtualMachine", "VirtualMachineInstance", "VirtualMachineInstanceReplicaSet", "VirtualMachinePool",
		"Template", "VirtualMachineTemplate", "VirtualMachineTemplateRequest", "VirtualMachineInstancetype",
		"VirtualMachinePreference", "VirtualMachineSnapshot", "virtualmachine", "Service",
	} {
		object := map[string]any{"kind": kind}
		report := vmrules.Validate(rules, map[string]any{"kind": "List", "items": []any{object}})
		_, err := form.Parameters(object)
		want := known{report.Results()[0].Target != "", err == nil}
		if diff := cmp.Diff(want, known{manifest.HoldsVM(object), manifest.IsTemplate(kind)}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
		if want.HoldsVM {
			count++
		}
	}
	if count != 6 {
		t.Errorf("the library knows %d of the kinds, not 6", count)
	}
}
