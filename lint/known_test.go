package lint_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

func TestKnownFields(t *testing.T) {
	for path, want := range map[string][]lint.KnownField{
		"": {{Name: "metadata", Shape: "object"}, {Name: "spec", Shape: "object"}},
		"jsonpath::.spec.domain.devices.disks[*].cdrom": {
			{Name: "bus", Shape: "scalar", Values: []string{"scsi", "sata", "virtio", "usb"}},
			{Name: "readonly", Shape: "scalar"},
			{Name: "tray", Shape: "scalar", Values: []string{"open", "closed"}},
		},
		"jsonpath::..cdrom['bus','tray']":   {},
		"jsonpath::.spec.domain.resources":  {{Name: "limits", Shape: "map"}, {Name: "overcommitGuestOverhead", Shape: "scalar"}, {Name: "requests", Shape: "map"}},
		"jsonpath::.spec.nodeSelector":      {},
		"jsonpath::.spec.domain.cpu.cores":  {},
		"jsonpath::.spec.domain.cpu.coress": {},
		"jsonpath::.spec.domain.devices":    nil,
	} {
		var p vmrules.Path
		if path != "" {
			var err error
			if p, err = vmrules.ParsePath(path); err != nil {
				t.Error(path, err)
				continue
			}
		}
		got := lint.KnownFields(p)
		if want == nil { // many
			if len(got) < 20 {
				t.Errorf("%s: got only %v", path, got)
			}
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}
