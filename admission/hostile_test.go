package admission_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/admission"
)

// An answer is small, however much a user has written into it.
func TestAnswerIsBounded(t *testing.T) {
	disks := make([]string, 0, 9_000)
	for i := range cap(disks) {
		disks = append(disks, fmt.Sprintf(`{"name": "d%d", "disk": {"bus": "sata"}}`, i))
	}
	long := strings.Repeat("long ", 10_000)
	bus := `{"name": "bus%d", "rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "message": "` + long + `", "values": ["virtio"], "justWarning": %t}`
	refused, warned := fmt.Sprintf(bus, 1, false), fmt.Sprintf(bus, 2, true)
	resp := reviewer(t, cluster(t)).Handle(t.Context(), request("CREATE", vm(withRules(refused, warned), "", `"devices": {"disks": [`+strings.Join(disks, ",")+`]}`), ""))
	text, err := json.Marshal(resp)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(resp.Result.Details.Causes); resp.Allowed || n != 100 || len(text) > 200_000 {
		t.Errorf("%d causes, %d bytes", n, len(text))
	}
	if last, want := resp.Result.Details.Causes[99].Message, "8901 more are left out because there are too many"; last != want {
		t.Errorf("the last cause is %q", last)
	}
}

// A bound that is exceeded refuses a VM, whatever else is not known.
func TestBoundIsNotAWayIn(t *testing.T) {
	var opts []admission.Option
	for _, d := range []vmrules.Doubt{vmrules.DoubtParameter, vmrules.DoubtTemplate, vmrules.DoubtInstancetype, vmrules.DoubtPreference} {
		opts = append(opts, admission.WithUndecided(d, admission.Warn))
	}
	r := reviewer(t, cluster(t), opts...)
	full := strings.TrimSuffix(strings.Repeat(`{"disk": {"bus": "virtio"}},`, 20_000), ",")
	bus := `{"name": "bus", "rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "message": "m", "values": ["virtio"]}`
	for name, text := range map[string]string{
		"more values than are read":                      vm(withRules(bus), "", `"devices": {"disks": [`+full+`]}`),
		"the same, and a preference that is missing":     vm(withRules(bus), `"preference": {"name": "p"}, `, `"devices": {"disks": [`+full+`]}`),
		"the same, and a preference for the first value": vm(withRules(bus), `"preference": {"name": "p"}, `, `"devices": {"disks": [{"disk": {}},`+full+`]}`),
		"the same, and a preference for the last value":  vm(withRules(bus), `"preference": {"name": "p"}, `, `"devices": {"disks": [`+full+`,{"disk": {}}]}`),
		"a regular expression that backtracks":           vm(withRules(`{"name": "r", "rule": "regex", "path": "jsonpath::.spec.hostname", "message": "m", "regex": "^(?=(a|aa)+$)(a|aa)+b$"}`), `"preference": {"name": "p"}, `, ""),
	} {
		t.Run(name, func(t *testing.T) {
			text = strings.Replace(text, `"spec": {"domain"`, `"spec": {"hostname": "`+strings.Repeat("a", 5_000)+`", "domain"`, 1)
			resp := r.Handle(t.Context(), request("CREATE", text, ""))
			if resp.Allowed {
				t.Errorf("allowed: %v", resp.Warnings)
			}
		})
	}
}

// Whatever a request holds, there is one answer, which says why.
func FuzzHandle(f *testing.F) {
	for _, text := range []string{
		vm(fromLinux, "", cores12), vm(withRules(coresRule, memoryRule), `"instancetype": {"name": "u1", "revisionName": "r"}, `, ""), vm(exempt, "", ""),
		`{"metadata": {"labels": 1, "annotations": {"vm.kubevirt.io/validations": []}}, "spec": [], "status": ""}`, "{", "",
	} {
		f.Add(text, text, "UPDATE", "VirtualMachine")
		f.Add(text, "", "CREATE", "VirtualMachineInstance")
		f.Add(text, text, "DELETE", "VirtualMachineInstanceReplicaSet")
	}
	r := reviewer(f, cluster(f, linux, instanceType("u1", 1, "1Gi"), revision("r", "", instanceType("u1", 1, "1Gi"))), admission.WithProtectedTemplates())
	f.Fuzz(func(t *testing.T, object, old, operation, kind string) {
		resp := r.Handle(t.Context(), ofKind(request(operation, object, old), "kubevirt.io/v1", kind))
		switch {
		case resp.Allowed && resp.Result != nil:
			t.Errorf("allowed with %+v", resp.Result)
		case !resp.Allowed && (resp.Result == nil || resp.Result.Message == "" || resp.Result.Code >= 500):
			t.Errorf("refused with %+v", resp.Result)
		}
	})
}
