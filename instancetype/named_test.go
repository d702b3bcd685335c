package instancetype_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/instancetype"
	"github.com/vmrules/vmrules/internal/expand"
	"github.com/vmrules/vmrules/internal/meter"
)

const (
	u1Large = `{"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "u1.large"},
		"spec": {"cpu": {"guest": 4}, "memory": {"guest": "8Gi"}}}`
	oneVCPU = `{"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "u1.large"},
		"spec": {"cpu": {"guest": 1}, "memory": {"guest": "8Gi"}}}`
	fedora = `{"kind": "VirtualMachineClusterPreference", "metadata": {"name": "fedora"},
		"spec": {"cpu": {"preferredCPUTopology": "cores"}}}`
)

var expandNamed = expand.Named.(func(m *meter.Meter, vm, instancetype, preference map[string]any) (e *instancetype.Expansion, unknown, err error))

func TestNamesOf(t *testing.T) {
	for _, test := range []struct {
		name, vm                 string
		instancetype, preference *instancetype.Named
		texts                    []string
	}{
		{"neither", `{"spec": {}}`, nil, nil, nil},
		{"null", `{"spec": {"instancetype": null}}`, nil, nil, nil},
		{"bare names", `{"spec": {"instancetype": {"name": "a"}, "preference": {"name": "b"}}}`,
			&instancetype.Named{Kind: "VirtualMachineClusterInstancetype", Name: "a"},
			&instancetype.Named{Kind: "VirtualMachineClusterPreference", Name: "b"},
			[]string{"VirtualMachineClusterInstancetype a", "VirtualMachineClusterPreference b"}},
		{"the name of a resource", `{"spec": {"instancetype": {"kind": "virtualmachineInstancetypes", "name": "a"}}}`,
			&instancetype.Named{Kind: "VirtualMachineInstancetype", Name: "a"}, nil,
			[]string{"VirtualMachineInstancetype a"}},
		{"in a namespace", `{"metadata": {"namespace": "n"}, "spec": {
			"instancetype": {"kind": "VirtualMachineInstancetype", "name": "a"}, "preference": {"name": "b"}}}`,
			&instancetype.Named{Kind: "VirtualMachineInstancetype", Name: "a", Namespace: "n"},
			&instancetype.Named{Kind: "VirtualMachineClusterPreference", Name: "b"},
			[]string{"VirtualMachineInstancetype a in the namespace n", "VirtualMachineClusterPreference b"}},
		{"a kind that is not known", `{"spec": {"preference": {"kind": "Flavor", "name": "a"}}}`,
			nil, &instancetype.Named{Kind: "Flavor", Name: "a"}, []string{"Flavor a"}},
		{"from a volume", `{"spec": {"preference": {"inferFromVolume": "root"}}}`,
			nil, &instancetype.Named{Kind: "VirtualMachineClusterPreference", Inferred: true},
			[]string{"VirtualMachineClusterPreference that a volume names"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			it, preference := instancetype.NamesOf(parse(test.vm))
			if diff := cmp.Diff(test.instancetype, it); diff != "" {
				t.Errorf("instance type (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.preference, preference); diff != "" {
				t.Errorf("preference (-want +got):\n%s", diff)
			}
			var texts []string
			for _, n := range []*instancetype.Named{it, preference} {
				if n != nil {
					texts = append(texts, n.String())
				}
			}
			if diff := cmp.Diff(test.texts, texts); diff != "" {
				t.Errorf("texts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExpandNamed(t *testing.T) {
	const both = `{"kind": "VirtualMachine", "spec": {"instancetype": {"name": "u1.large"}, "preference": {"name": "fedora"},
		"template": {"spec": {"domain": {}}}}}`
	type cpu = map[string]any
	for _, test := range []struct {
		name, vm, instancetype, preference string
		want                               cpu
		unknown, err                       string
	}{
		{"both", both, u1Large, fedora, cpu{"sockets": int64(1), "cores": int64(4), "threads": int64(1)}, "", ""},
		{"no preference", both, u1Large, "", cpu{}, "the VirtualMachineClusterPreference fedora is not given", ""},
		{"another preference", both, u1Large, `{"metadata": {"name": "rhel"}}`, cpu{},
			"the VM names the VirtualMachineClusterPreference fedora, and the rhel is given", ""},
		{"no preference, and one vCPU", both, oneVCPU, "", cpu{"sockets": int64(1), "cores": int64(1), "threads": int64(1)},
			"the VirtualMachineClusterPreference fedora is not given", ""},
		{"no instance type", both, "", fedora, nil, "", "the VirtualMachineClusterInstancetype u1.large is not given"},
		{"an instance type of another kind", both, fedora, fedora, nil, "",
			"the VM names the VirtualMachineClusterInstancetype u1.large, and the VirtualMachineClusterPreference fedora is given"},
		{"neither", both, "", "", nil, "", "the VirtualMachineClusterInstancetype u1.large is not given, " +
			"and the VirtualMachineClusterPreference fedora is not given"},
		{"objects that the VM does not name", `{"spec": {"template": {"spec": {"domain": {"cpu": {}}}}}}`, u1Large, fedora, cpu{}, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := meter.New(1e9, 1e6)
			e, unknown, err := expandNamed(&m, parse(test.vm), parseIfAny(test.instancetype), parseIfAny(test.preference))
			if errorText(err) != test.err {
				t.Fatalf("error %q, want %q", errorText(err), test.err)
			}
			if err != nil {
				return
			}
			if got := errorText(unknown); got != test.unknown {
				t.Errorf("unknown %q, want %q", got, test.unknown)
			}
			got := e.VM["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)["domain"].(map[string]any)["cpu"]
			if diff := cmp.Diff(any(test.want), got); diff != "" {
				t.Errorf("cpu (-want +got):\n%s", diff)
			}
			if work, kept := m.Left(); work >= 1e9 || kept >= 1e6 {
				t.Errorf("nothing was paid: %d and %d are left", work, kept)
			}
		})
	}
}

// A Meter that is used up stays so.
func TestBudget(t *testing.T) {
	m := meter.New(1e9, 100)
	for range 2 {
		if _, _, err := expandNamed(&m, parse(`{"spec": {"instancetype": {"name": "u1.large"}, "template": {}}}`), parse(u1Large), nil); !errors.Is(err, meter.ErrKept) && !errors.Is(err, meter.ErrWork) {
			t.Errorf("error %v", err)
		}
	}
	if work, kept := m.Left(); work != 0 || kept != 0 {
		t.Errorf("%d and %d are left", work, kept)
	}
}

func parseIfAny(text string) map[string]any {
	if text == "" {
		return nil
	}
	return parse(text)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestIsNamespaced(t *testing.T) {
	for kind, want := range map[string][2]bool{
		"VirtualMachineInstancetype":        {true, true},
		"VirtualMachineClusterInstancetype": {false, true},
		"VirtualMachinePreference":          {true, true},
		"VirtualMachineClusterPreference":   {false, true},
		"virtualmachineinstancetype":        {false, false},
		"VirtualMachine":                    {false, false},
		"":                                  {false, false},
	} {
		namespaced, known := instancetype.IsNamespaced(kind)
		if got := [2]bool{namespaced, known}; got != want {
			t.Errorf("%q: got %v, want %v", kind, got, want)
		}
	}
}
