package instancetypes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/instancetypes"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
)

// objects returns the objects in a text of YAML.
func objects(t *testing.T, text string) []manifest.Object {
	t.Helper()
	file, err := manifest.Parse("f", text)
	if err != nil {
		t.Fatal(err)
	}
	return file.Objects()
}

const small = `{kind: VirtualMachineClusterInstancetype, metadata: {name: small}, spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}}`

func TestFind(t *testing.T) {
	type found struct {
		Spec, Error     string
		Found, NotFound []string
	}
	tests := []struct {
		name, set, vm string
		want          found
	}{
		{"given", small, `{spec: {instancetype: {name: small}}}`, found{
			"map[cpu:map[guest:1] memory:map[guest:1Gi]] map[]", "", []string{"VirtualMachineClusterInstancetype small"}, nil,
		}},
		{"given twice", small + "\n---\n" + strings.Replace(small, "name:", "uid: u, name:", 1), `{spec: {instancetype: {name: small}}}`, found{
			"map[cpu:map[guest:1] memory:map[guest:1Gi]] map[]", "", []string{"VirtualMachineClusterInstancetype small"}, nil,
		}},
		{"given with two specs", small + "\n---\n" + strings.Replace(small, "1Gi", "2Gi", 1), `{spec: {instancetype: {name: small}}}`, found{
			"map[] map[]", "the VirtualMachineClusterInstancetype small at f:1 and at f:3 have different specs", nil, nil,
		}},
		{"not named", small, `{spec: {template: {}}}`, found{"map[] map[]", "", nil, nil}},
		{"another kind", small, `{spec: {instancetype: {name: small, kind: virtualmachineinstancetype}, preference: {name: small}}}`, found{
			"map[] map[]", "the VirtualMachineInstancetype small was not found", nil, []string{"VirtualMachineInstancetype small", "VirtualMachineClusterPreference small"},
		}},
		{"another group", strings.Replace(small, "{", "{apiVersion: example.com/v1, ", 1), `{spec: {instancetype: {name: small}}}`, found{
			"map[] map[]", "the VirtualMachineClusterInstancetype small was not found", nil, []string{"VirtualMachineClusterInstancetype small"},
		}},
		{"a typed list", "{kind: VirtualMachineClusterInstancetypeList, items: [" +
			strings.Replace(small, "kind: VirtualMachineClusterInstancetype, ", "", 1) + "]}",
			`{spec: {instancetype: {name: small}}}`, found{
				"map[cpu:map[guest:1] memory:map[guest:1Gi]] map[]", "", []string{"VirtualMachineClusterInstancetype small"}, nil,
			}},
		{"no name", small, `{spec: {instancetype: {inferFromVolume: root}, preference: 7}}`, found{
			"map[] map[]", "", nil, []string{"VirtualMachineClusterInstancetype that a volume names", "VirtualMachineClusterPreference"},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var set instancetypes.Set
			for _, o := range objects(t, test.set) {
				_ = set.AddObject(o) // the error is about what Find finds
			}
			vm := objects(t, test.vm)[0]
			lookup := set.For(vm.Kind, vm.Namespace)
			given, preferred, err := lookup.Find(vm.Content())
			got := found{Found: lookup.Found, NotFound: lookup.NotFound}
			got.Spec = fmt.Sprint(spec(given), spec(preferred))
			if err != nil {
				got.Error = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func spec(object map[string]any) map[string]any {
	s, _ := object["spec"].(map[string]any)
	return s
}

// A warning lists only some of many unknown fields, and an object has one warning.
func TestWarnings(t *testing.T) {
	many := "{"
	for i := range 1_000 {
		many += fmt.Sprintf("x%03d: 1, ", i)
	}
	var set instancetypes.Set
	for _, o := range objects(t, "{kind: VirtualMachineClusterPreference, metadata: {name: p}, spec: "+many+"}}") {
		for range 2 {
			if err := set.AddObject(o); err != nil {
				t.Error(err)
			}
		}
	}
	if n := len(set.Warnings); n != 1 {
		t.Fatalf("%d warnings", n)
	}
	if got := set.Warnings[0].Message; len(got) > 2*output.MaxText || !strings.Contains(got, "preference.spec.x008, preference.spec.x009") {
		t.Errorf("%s", got)
	}
}
