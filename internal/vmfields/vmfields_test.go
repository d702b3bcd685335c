package vmfields_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/vmfields"
)

func parse(t *testing.T, path string) *jsonpath.Path {
	t.Helper()
	parsed, err := jsonpath.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func object(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestDefaults(t *testing.T) {
	field := func(path string, v any) vmfields.Default {
		f := parse(t, path)
		if !f.IsField() {
			t.Fatalf("%s is not the path of a field", path)
		}
		return vmfields.Default{Field: f, Value: v}
	}
	more := []vmfields.Default{
		field(".spec.domain.cpu.cores", 2), field(".spec.domain.cpu.cores", 4),
		field(".spec.domain.machine.type", nil), field(".spec.hostname", "h"),
	}
	type known struct {
		Default any
		Zero    bool // is not set
	}
	for _, test := range []struct {
		path           string
		vm, over, only known
	}{
		{".spec.domain.cpu.cores", known{1, true}, known{4, true}, known{4, true}},
		{".spec.domain.cpu.threads", known{1, true}, known{1, true}, known{nil, true}},
		{".spec.domain.machine.type", known{"", false}, known{}, known{}},
		{".spec.domain.devices.interfaces[0].ports[1].port", known{0, false}, known{0, false}, known{}},
		{".spec.hostname", known{}, known{"h", false}, known{"h", false}},
		{".spec", known{}, known{}, known{}},
	} {
		steps := parse(t, test.path).Steps()
		at := func(tree *jsonpath.Implied) known {
			found := tree.Of(steps)
			return known{found.Default(), found.ZeroIsUnset()}
		}
		got := [...]known{at(vmfields.OfVM(nil)), at(vmfields.OfVM(more)), at(vmfields.OfOpenVM(more)), at(vmfields.OfObject(more))}
		if diff := cmp.Diff([...]known{test.vm, test.over, test.over, test.only}, got); diff != "" {
			t.Errorf("%s: a VM, with more defaults, left open, any object (-want +got):\n%s", test.path, diff)
		}
	}
}

func TestSettersOf(t *testing.T) {
	for _, test := range []struct {
		spec string
		want jsonpath.Setters
	}{
		{`null`, 0},
		{`[]`, 0},
		{`{"instancetype": null}`, 0},
		{`{"instancetype": {}}`, vmfields.ByInstancetype},
		{`{"preference": {"name": "p"}}`, vmfields.ByPreference},
		{`{"instancetype": {"name": "i"}, "preference": {"name": "p"}}`, vmfields.ByInstancetype | vmfields.ByPreference},
	} {
		if diff := cmp.Diff(test.want, vmfields.SettersOf(object(t, test.spec))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.spec, diff)
		}
	}
}

// TestSettable checks who may set the fields that a path selects, depending on the VM's other
// fields.
func TestSettable(t *testing.T) {
	const (
		none       jsonpath.Setters = 0
		preference                  = vmfields.ByPreference
		either                      = vmfields.ByPreference | vmfields.ByInstancetype
		disk                        = ".spec.domain.devices.disks[*]"
		nic                         = ".spec.domain.devices.interfaces[*]"
	)
	disks := func(text string) string { return `{"spec": {"domain": {"devices": {"disks": [` + text + `]}}}}` }
	nics := func(text, networks string) string {
		return `{"spec": {"networks": [` + networks + `], "domain": {"devices": {"interfaces": [` + text + `]}}}}`
	}
	domain := func(text string) string { return `{"spec": {"domain": ` + text + `}}` }
	for _, test := range []struct {
		path, object string
		want         jsonpath.Setters
	}{
		{".spec.domain.cpu.cores", domain(`{"cpu": {"cores": 0}}`), vmfields.ByInstancetype},
		{".spec.domain.cpu.cores", domain(`{"cpu": {"cores": 2}}`), none},
		{".spec.domain.cpu.maxSockets", domain(`{"cpu": {"maxSockets": 2}}`), vmfields.ByInstancetype},
		{".metadata.annotations.any", `{"metadata": {}}`, either},
		{".spec.hostname", `{"spec": {}}`, none},
		{".spec.domain.launchSecurity", domain(`{}`), either},
		{".spec.domain.resources.limits.cpu", domain(`{}`), none},
		{".spec.domain.clock", domain(`{}`), preference},
		{".spec.domain.clock", domain(`{"clock": {}}`), none},

		{disk + ".disk", disks(`{}`), preference},
		{disk + ".disk", disks(`{"lun": {}}`), none},
		{disk + ".disk.bus", disks(`{"disk": {}}`), preference},
		{disk + ".disk.bus", disks(`{"disk": {"bus": "sata"}}`), none},
		{disk + ".cache", disks(`{"disk": {}}`), preference},
		{disk + ".cache", disks(`{"cdrom": {}}`), none},
		{disk + ".dedicatedIOThread", disks(`{}`), preference},
		{disk + ".dedicatedIOThread", disks(`{"disk": {"bus": "virtio"}}`), preference},
		{disk + ".dedicatedIOThread", disks(`{"disk": {"bus": "sata"}}`), none},

		{nic + ".masquerade", nics(`{"name": "a"}`, `{"name": "b"}, {"name": "a", "pod": {}}`), preference},
		{nic + ".masquerade", nics(`{"name": "a"}`, `{"name": "a", "multus": {}}, {"name": "a", "pod": {}}`), none},
		{nic + ".masquerade", nics(`{"name": "a", "bridge": {}}`, `{"name": "a", "pod": {}}`), none},
		{nic + ".masquerade", nics(`{"name": "a"}`, ``), none},

		{".spec.domain.firmware.bootloader.efi", domain(`{}`), preference},
		{".spec.domain.firmware.bootloader.efi", domain(`{"firmware": {"bootloader": {"bios": {}}}}`), none},
		{".spec.domain.clock.timezone", domain(`{"clock": {"utc": {}}}`), none},
	} {
		if diff := cmp.Diff(test.want, setBy(t, test.path, object(t, test.object))); diff != "" {
			t.Errorf("%s in %s (-want +got):\n%s", test.path, test.object, diff)
		}
	}
}

// setBy returns who may set the fields that a path selects.
func setBy(t *testing.T, path string, object any) jsonpath.Setters {
	t.Helper()
	m := meter.OrDefault(0, 0)
	w := jsonpath.Search{
		Meter: &m, Implied: vmfields.OfOpenVM(nil), Open: vmfields.ByInstancetype | vmfields.ByPreference,
		Visitor: jsonpath.VisitorFunc(func(*jsonpath.Search, any) bool { return true }),
	}
	if err := w.Run(parse(t, path), object); err != nil {
		t.Fatal(err)
	}
	if left, ok := w.Doubt().(*jsonpath.OpenField); ok {
		return left.By
	}
	return 0
}
