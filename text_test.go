package vmrules_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// TestTexts: what people read of a violation has sizes as people write them; the Detail is exact.
func TestTexts(t *testing.T) {
	const memory, cores = "memory.guest", "cpu.cores"
	for _, test := range []struct{ path, arguments, value, detail, text string }{
		{memory, `"min": 1610612736`, `"1Gi"`, `"1Gi" is less than min 1610612736`, "1 GiB is less than min 1.5 GiB"},
		{memory, `"min": "1.5Gi"`, `1073741824`, `1073741824 is less than min 1.5Gi`, "1 GiB is less than min 1.5 GiB"},
		{memory, `"min": 1610612736`, `1073741824`, `1073741824 is less than min 1610612736`, "1 GiB is less than min 1.5 GiB"},
		{memory, `"max": "2Gi"`, `"2049Mi"`, `"2049Mi" is more than max 2Gi`, "2049 MiB is more than max 2 GiB"},
		{memory, `"max": "1G"`, `"1Gi"`, `"1Gi" is more than max 1G`, "1 GiB is more than max 1 GB"},
		{memory, `"min": "512M"`, `4`, `4 is less than min 512M`, "4 B is less than min 512 MB"},
		{memory, `"min": "1Gi"`, `1073741823`, `1073741823 is less than min 1Gi`, "1073741823 B is less than min 1 GiB"},
		{memory, `"min": "5000Gi"`, `"1Ti"`, `"1Ti" is less than min 5000Gi`, "1 TiB is less than min 5000 GiB"},
		{memory, `"max": "16Ei"`, `"17Ei"`, `"17Ei" is more than max 16Ei`, ""}, // more than 64 bits
		{memory, `"max": "jsonpath::.spec.domain.memory.maxGuest"`, `"2Gi"`,
			`"2Gi" is more than max 1Gi, read from jsonpath::.spec.domain.memory.maxGuest`, "2 GiB is more than max 1 GiB"},
		{memory, ``, `"1GB"`, `"1GB" is not an integer`, `write a size such as 2Gi, not "1GB": perhaps 1Gi`},
		{memory, ``, `"2gi"`, `"2gi" is not an integer`, `write a size such as 2Gi, not "2gi": perhaps 2Gi`},
		{memory, ``, `"1.5 Gi"`, `"1.5 Gi" is not an integer`, `write a size such as 2Gi, not "1.5 Gi": perhaps 1.5Gi`},
		{memory, ``, `"much"`, `"much" is not an integer`, ""},
		{cores, `"max": 8`, `12`, "12 is more than max 8", ""},
		{cores, `"max": 1048576`, `2097152`, "2097152 is more than max 1048576", ""},
		{cores, ``, `"4GB"`, `"4GB" is not an integer`, ""},
		{"other", `"min": "1Gi"`, `"1Mi"`, `"1Mi" is less than min 1Gi`, "1 MiB is less than min 1 GiB"},
		{"other", `"min": 2097152`, `1048576`, "1048576 is less than min 2097152", ""},
		{"other", `"minLength": 4096`, `"1Gi"`, `"1Gi" has 3 characters, fewer than minLength 4096`, ""},
	} {
		if test.arguments != "" {
			test.arguments = ", " + test.arguments
		}
		rules := rulesOf(t, fmt.Sprintf(`[{"name": "r", "rule": "integer", "path": "jsonpath::.spec.domain.%s", "message": "m"%s}]`, test.path, test.arguments))
		text := fmt.Sprintf(`{"%s": %s}`, test.path, test.value)
		if of, name, ok := strings.Cut(test.path, "."); ok {
			text = fmt.Sprintf(`{"%s": {"%s": %s, "maxGuest": "1Gi"}}`, of, name, test.value)
		}
		vm, err := vmrules.ParseObject(fmt.Appendf(nil, `{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": %s}}}}`, text))
		if err != nil {
			t.Fatal(err)
		}
		all := vmrules.Validate(rules, vm).Violations()
		if len(all) != 1 {
			t.Errorf("%s: %v", text, all)
			continue
		}
		if diff := cmp.Diff([]string{test.detail, test.text}, []string{all[0].Detail, all[0].Text}); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", test.path, test.value, diff)
		}
		again, _ := json.Marshal(all[0])
		var read vmrules.Violation
		if err := json.Unmarshal(again, &read); err != nil || read.Text != test.text {
			t.Errorf("%s is read as %q, %v", again, read.Text, err)
		}
	}
}

// TestTextsOfOrigins: where the value is from is said to people, too.
func TestTextsOfOrigins(t *testing.T) {
	rules := rulesOf(t, `[{"name": "r", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "m", "min": "1Gi"}]`)
	vm := object(`{"kind": "VirtualMachine", "spec": {"instancetype": {"name": "u1"}, "template": {"spec": {"domain": {}}}}}`)
	small := object(`{"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "u1"}, "spec": {"cpu": {"guest": 1}, "memory": {"guest": "512Mi"}}}`)
	all := vmrules.Validate(rules, vm, vmrules.WithInstancetype(small, nil)).Violations()
	if len(all) != 1 {
		t.Fatal(all)
	}
	want := []string{`"512Mi", from instance type u1, is less than min 1Gi`, "512 MiB, from instance type u1, is less than min 1 GiB"}
	if diff := cmp.Diff(want, []string{all[0].Detail, all[0].Text}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want := "m (" + want[1] + ")"; all[0].Error() != "spec.template.spec.domain.memory.guest: Invalid value: \"512Mi\": "+want {
		t.Errorf("the error is %v", all[0])
	}
}
