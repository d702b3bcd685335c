package lint_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/vmtarget"
	"github.com/vmrules/vmrules/lint"
)

func TestAnnotationKey(t *testing.T) {
	const rules = `[{"name": "r", "rule": "integer"}]`
	tests := []struct {
		key, text  string
		ofTemplate bool
		want       string // the suggestion
	}{
		{"vm.kubevirt.io/validations", rules, false, ""},
		{"vm.kubevirt.io/skip-validations", "", false, ""},
		{"validations", rules, true, ""},
		{"vm.kubevirt.io/validation", rules, false, "vm.kubevirt.io/validations"},
		{"vm.kubevirt.io/validation", "", false, "vm.kubevirt.io/validations"},
		{"VM.kubevirt.io/Validations", rules, true, "vm.kubevirt.io/validations"},
		{"vm.kubevirt.io/skip-validation", "", false, "vm.kubevirt.io/skip-validations"},
		{"validation", "", true, "validations"},
		{"validation", "", false, ""},
		{"validations", rules, false, "vm.kubevirt.io/validations"},
		{"validations", "by hand", false, ""},
		{"kubevirt.io/validations", rules, false, "vm.kubevirt.io/validations"},
		{"template.kubevirt.io/validation", " " + rules, true, "vm.kubevirt.io/validations"},
		{"example.com/validations", "[]", false, ""},
		{"vm.kubevirt.io/os", rules, false, "vm.kubevirt.io/validations"},
		{"vm.kubevirt.io/os", "windows", false, ""},
		{"vm.kubevirt.io/rules", rules, false, "vm.kubevirt.io/validations"},
		{"vm.kubevirt.io/rules", "[]", false, ""},
		{"template.kubevirt.io/constraints", rules, false, "vm.kubevirt.io/validations"},
		{"vm.kubevirt.io", rules, false, "vm.kubevirt.io/validations"},
		{"validation-rules", rules, false, "vm.kubevirt.io/validations"},
		{"rules", rules, false, "vm.kubevirt.io/validations"},
		{"example.com/rules", rules, false, ""},
		{"example.com/validation-rules", rules, false, "vm.kubevirt.io/validations"},
		{"ignore-check.vmrules.io/no-arguments", rules, false, ""},
		{"", rules, false, ""},
		{"/", rules, false, ""},
		{"note", rules, false, ""},
	}
	for _, test := range tests {
		f, found := lint.AnnotationKey(test.key, test.text, test.ofTemplate)
		if found != (test.want != "") || f.Suggestion != test.want {
			t.Errorf("%s on a template %v: %v, %v; want %q", test.key, test.ofTemplate, f, found, test.want)
		}
	}
	got, _ := lint.AnnotationKey("vm.kubevirt.io/validation", "", false)
	want := lint.Finding{
		Severity: lint.SeverityError, ID: "misspelt-annotation", Index: -1, Suggestion: "vm.kubevirt.io/validations",
		Message: `the annotation "vm.kubevirt.io/validation" is not read: did you mean vm.kubevirt.io/validations?`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestObjectFields(t *testing.T) {
	inTemplate := func(vm string) string {
		return `{"apiVersion": "template.openshift.io/v1", "kind": "Template", "objects": [{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", ` + vm + `}]}`
	}
	inDomain := func(domain string) string {
		return `{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": ` + domain + `}}}}`
	}
	const domain = "/spec/template/spec/domain"
	inProcessed := func(spec string) string {
		return `{"kind": "VirtualMachineTemplate", "spec": {"virtualMachine": {"spec": {` + spec + `}}}}`
	}
	const at = "/spec/virtualMachine/spec/"
	const dropped = at + `template/spec/domain/cpu/quantum virt-template drops "quantum" in silence: KubeVirt 1.8, whose API it has, does not have this field here: remove it, or correct its name`
	tests := []struct {
		name, object string
		want         []string
	}{
		{"a misspelt key", inTemplate(`"metdata": {"nmae": "a"}`), []string{
			`/objects/0/metdata nobody reads "metdata": did you mean "metadata"?`,
			`/objects/0/metdata/nmae nobody reads "nmae": did you mean "name"?`,
		}},
		{"an abbreviation", `{"kind": "Template", "params": []}`, []string{`/params nobody reads "params": did you mean "parameters"?`}},
		{"an abbreviation that is too short", `{"kind": "Template", "par": []}`, nil},
		{"nearly a key that is there", inDomain(`{"memory": {}, "meory": {}}`), nil},
		{"a key of a newer version", inDomain(`{"quantum": {}}`), nil},
		{"a level left out", inTemplate(`"annotations": {}`), []string{`/objects/0/annotations nobody reads "annotations" here: move it into "metadata"`}},
		{"a level that may be one of two", inDomain(`{"enabled": true}`), nil},
		{"a level too many", inTemplate(`"metadata": {"labels": {"annotations": null, "a/b": null, "labels": "x"}}`),
			[]string{`/objects/0/metadata/labels/annotations "annotations" does not belong in here: indent it less`}},
		{"a dash left out", inDomain(`{"devices": {"disks": {"nmae": "a"}}}`), []string{
			domain + `/devices/disks this must be an array: write "- " before the first key of each item`,
			domain + `/devices/disks/nmae nobody reads "nmae": did you mean "name"?`,
		}},
		{"in an item", inDomain(`{"devices": {"disks": [{"name": "a", "disc": {}}]}}`), []string{domain + `/devices/disks/0/disc nobody reads "disc": did you mean "disk"?`}},
		{"a unit", inDomain(`{"memory": {"guest": "8GB", "maxGuest": "8Gi"}}`), []string{domain + `/memory/guest "8GB" is no quantity: did you mean "8Gi"?`}},
		{"parameters", inDomain(`{"memory": {"guest": "${MEMORY}"}, "devices": {"disks": "${{DISKS}}"}}`), nil},
		{"a slash in a key", `{"kind": "VirtualMachine", "meta~/data": {}}`, []string{`/meta~0~1data nobody reads "meta~/data": did you mean "metadata"?`}},
		{"a kind and a group that are nearly right", `{"apiVersion": "template.openshift.io/v1", "kind": "Templat", "objects": [{"apiVersion": "kubevirt/v1", "kind": "VirtualMachine", "metdata": {}}]}`,
			[]string{`/objects/0/metdata nobody reads "metdata": did you mean "metadata"?`}},
		{"a VM of others", `{"apiVersion": "vmoperator.vmware.com/v1", "kind": "VirtualMachine", "metdata": {}}`, nil},
		{"another object", `{"apiVersion": "v1", "kind": "ConfigMap", "metdata": {}}`, nil},
		{"a template of the core", `{"apiVersion": "v1", "kind": "Template", "metdata": {}}`, []string{`/metdata nobody reads "metdata": did you mean "metadata"?`}},
		{"no kind", `{"metdata": {}}`, nil},
		{"a field that virt-template drops", inProcessed(`"template": {"spec": {"domain": {"cpu": {"quantum": 1}}}}`), []string{dropped}},
		{"fields of KubeVirt 1.9", inProcessed(`"template": {"spec": {"serviceAccountName": "a", "networks": [{"name": "n", "resourceClaim": {}}], "domain": {"devices": {"interfaces": [{"portRanges": []}]}}}}`), []string{
			strings.NewReplacer("domain/cpu/quantum", "domain/devices/interfaces/0/portRanges", "quantum", "portRanges").Replace(dropped),
			strings.NewReplacer("domain/cpu/quantum", "networks/0/resourceClaim", "quantum", "resourceClaim").Replace(dropped),
			strings.NewReplacer("domain/cpu/quantum", "serviceAccountName", "quantum", "serviceAccountName").Replace(dropped),
		}},
		{"a field that it refuses", inProcessed(`"template": {"quantum": 1}, "${KEY}": 1`), []string{
			at + `template/quantum virt-template refuses "quantum": KubeVirt 1.8, whose API it has, does not have this field here: remove it, or correct its name`}},
		{"a fraction", inProcessed(`"template": {"spec": {"domain": {"cpu": {"cores": 1.5, "sockets": 2.0, "threads": 1}}}}`), []string{
			at + `template/spec/domain/cpu/cores virt-template refuses 1.5: it must be an integer`}},
		{"a fraction where the server may refuse it", inDomain(`{"cpu": {"cores": 1.5}}`), nil},
		{"outside of the VM", `{"kind": "VirtualMachineTemplate", "spec": {"quantum": 1}}`, nil},
	}
	for _, test := range tests {
		object, err := vmrules.ParseObject([]byte(test.object))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		lint.ObjectFields(object, func(pointer string, f lint.Finding) {
			got = append(got, pointer+" "+f.Message)
		})
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestFieldsOfKinds checks that the fields of all kinds that hold VMs are known.
func TestFieldsOfKinds(t *testing.T) {
	for kind, groups := range vmtarget.Kinds {
		object := map[string]any{"apiVersion": groups[0] + "/v1", "kind": kind, "metdata": nil}
		found := false
		lint.ObjectFields(object, func(string, lint.Finding) { found = true })
		if !found {
			t.Errorf("%s: not known", kind)
		}
	}
}

// TestManyUnknownFields checks that the work for unknown keys is limited.
func TestManyUnknownFields(t *testing.T) {
	object := map[string]any{"kind": "VirtualMachine"}
	for i := range 100_000 {
		object[fmt.Sprint("metdata", i%10, i)] = nil
	}
	begin := time.Now()
	lint.ObjectFields(object, func(string, lint.Finding) {})
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestMisplacedAnnotation(t *testing.T) {
	want := lint.Finding{
		Severity: lint.SeverityError, ID: "misplaced-annotation", Index: -1,
		Message: "nobody reads vm.kubevirt.io/validations here: move it to the annotations in the VM's own metadata",
	}
	if diff := cmp.Diff(want, lint.MisplacedAnnotation("in the VM's own metadata")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTemplateAnnotation(t *testing.T) {
	want := lint.Finding{
		Severity: lint.SeverityError, ID: "misplaced-annotation", Index: -1, Suggestion: vmrules.Annotation,
		Message: "no VM has these rules: write those of VMs to the annotations in the VM, as vm.kubevirt.io/validations",
	}
	if diff := cmp.Diff(want, lint.TemplateAnnotation("validations", "in the VM")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want.Suggestion, want.Message = "", "only the console's form for CPUs reads these rules: write those of VMs to the annotations in the VM"
	if diff := cmp.Diff(want, lint.TemplateAnnotation(vmrules.Annotation, "in the VM")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestUndeclaredParameter(t *testing.T) {
	tests := []struct {
		name, want string
		declared   []string
		isRefused  bool
		severity   lint.Severity
	}{
		{"SOCKETS", "the template has no parameter SOCKETS: did you mean SOKCETS?", []string{"NAME", "SOKCETS"}, false, lint.SeverityError},
		{"HOME", "the template has no parameter HOME: declare it, or correct its name", []string{"NAME"}, false, lint.SeverityWarning},
		{"HOME", "the template has no parameter HOME, so virt-template refuses it: declare it, or correct its name; in a script, write $HOME", nil, true, lint.SeverityError},
	}
	for _, test := range tests {
		got := lint.UndeclaredParameter(test.name, test.declared, test.isRefused)
		want := lint.Finding{Severity: test.severity, ID: "undeclared-parameter", Index: -1, Message: test.want}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
