package admission_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	ctrl "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/admission"
)

// written returns a template with parameters, the rules of its VM, and the domain of that.
func written(parameters, annotation, domain string) string {
	text, _ := json.Marshal(annotation)
	return fmt.Sprintf(`{"apiVersion": "template.openshift.io/v1", "kind": "Template", "metadata": {"name": "linux", "namespace": "templates"},
		"parameters": [%s], "objects": [%s]}`, parameters, vm(fmt.Sprintf(`, "annotations": {"vm.kubevirt.io/validations": %s}`, text), "", domain))
}

func TestWrittenTemplates(t *testing.T) {
	refuse := []admission.Option{admission.WithRefusedTemplates()}
	of := func(operation, object, old string) ctrl.Request {
		return ofKind(request(operation, object, old), "template.openshift.io/v1", "Template")
	}
	create := func(object string) ctrl.Request { return of("CREATE", object, "") }
	ofKubeVirt := func(text string) ctrl.Request {
		return ofKind(request("CREATE", text, ""), "template.kubevirt.io/v1beta1", "VirtualMachineTemplate")
	}
	between := func(low, high string) string {
		return "[" + rule("cores", "integer", "cpu.cores", "cores", fmt.Sprintf(`"min": %s, "max": %s`, low, high)) + "]"
	}
	unreadable := "error: line 1, column 2: \"]\" is missing: the array that begins at line 1 is not closed (unreadable)"
	unsatisfiable := `error: line 1, column 110: rule "cores": min: 9 is more than max 8, so no value is allowed (unsatisfiable-range)`
	ownVM := "the template's own VM does not satisfy its rules: objects[0].spec.template.spec.domain.cpu.cores: Invalid value: 12: cores (12 is more than max 8)"
	open := func(name string) string {
		return "the validation rules are not checked: the parameter " + name + " in them has no default"
	}
	no := func(message string) answer { return answer{Code: 422, Causes: []string{": " + message}} }
	good, broken := written("", between("1", "8"), cores1), written("", "[", cores1)
	beside := func(vm string) string { return strings.TrimSuffix(good, "]}") + "," + vm + "]}" }
	pool := func(rules string) string {
		return `{"apiVersion": "pool.kubevirt.io/v1beta1", "kind": "VirtualMachinePool", "spec": {"virtualMachineTemplate": {"metadata": {"annotations": {"vm.kubevirt.io/validations": "` + rules + `"}}, "spec": {}}}}`
	}
	onTemplate := func(high string) string {
		text, _ := json.Marshal("[" + rule("cores", "integer", "cpu.cores", "at most ${MAX}", `"max": `+high) + "]")
		return strings.Replace(written(`{"name": "MAX", "value": "8"}`, " ", cores1), `"name": "linux"`, `"name": "linux", "annotations": {"validations": `+string(text)+`}`, 1)
	}
	maxIs := func(value string) string { return `{"name": "MAX", "required": true` + value + `}` }
	run(t, []testCase{
		{"good", refuse, nil, create(good), allowed},
		{"without rules", refuse, nil, create(template("templates", "linux")), allowed},
		{"with rules of its own", refuse, nil, create(linux), warned("the template's own VM does not satisfy its rules: objects[0].spec.template.spec.domain.cpu.cores: Required value: at most 8 cores (the field is not set)")},
		{"unreadable", nil, nil, create(broken), warned(unreadable)},
		{"unreadable, and refused", refuse, nil, create(broken), no(unreadable)},
		{"that fails every VM", nil, nil, create(written("", between("9", "8"), cores1)), warned(unsatisfiable)},
		{"that fails every VM, and refused", refuse, nil, create(written("", between("9", "8"), cores1)), no(unsatisfiable)},
		{"of KubeVirt, that fails every VM", refuse, nil, ofKubeVirt(kubeVirtTemplate("v1beta1", "templates", "linux", strings.Trim(between("9", "8"), "[]"))), no(unsatisfiable)},
		{"whose own VM fails", refuse, nil, create(written("", between("1", "8"), cores12)), warned(ownVM)},
		{"whose own VM is exempt", refuse, nil, create(strings.Replace(broken, `"annotations": {`, `"annotations": {"vm.kubevirt.io/skip-validations": "", `, 1)), allowed},
		{"whose VM has a number for rules", refuse, nil, create(strings.Replace(broken, `"["`, "7", 1)), no("the validation rules cannot be used: VM: the annotation vm.kubevirt.io/validations must be a string that holds JSON, not 7")},
		{"without a VM", refuse, nil, create(strings.Replace(broken, `"VirtualMachine"`, `"Secret"`, 1)), allowed},
		{"with a default", refuse, nil, create(written(maxIs(`, "value": "8"`), between("1", "${MAX}"), cores1)), allowed},
		{"with a default that fails", refuse, nil, create(written(maxIs(`, "value": "8"`), between("9", "${MAX}"), cores1)), no(unsatisfiable)},
		{"without a default", refuse, nil, create(written(maxIs(""), between("9", "${MAX}"), cores1)), warned(open("MAX"))},
		{"without a default in its VM", refuse, nil, create(written(maxIs(""), between("1", "8"), `"cpu": {"cores": "${MAX}"}`)), allowed},
		{"with an instance type", refuse, nil, create(strings.Replace(good, `"template": {"spec": {"domain": {"cpu": {"cores": 1}}}}`, `"instancetype": {"name": "u1"}, "template": {"spec": {"domain": {}}}`, 1)), allowed},
		{"beside a VM with rules that fail every VM", refuse, nil, create(beside(vm(withRules(rule("cores", "integer", "cpu.cores", "m", `"min": 9, "max": 8`)), "", cores12))), no(strings.Replace(unsatisfiable, "110", "106", 1))},
		{"beside a VM of another API", refuse, nil, create(beside(strings.Replace(vm(withRules("7"), "", cores1), "kubevirt.io/v1", "example.com/v1", 1))), allowed},
		{"an update of the rules of a pool", refuse, nil, of("UPDATE", beside(pool("[")), beside(pool("[]"))), no(unreadable)},
		{"that takes too much to be checked", append(refuse, admission.WithParseOptions(vmrules.WithBudget(vmrules.Budget{Memory: 8 << 20}))), nil,
			create(written("", `[{"name": "r", "rule": "enum", "path": "jsonpath::.a", "message": "m", "Values": ["jsonpath::.`+strings.Repeat("a", 50_000)+`"]}]`, cores1)), warned("warning: line 1, column 1: the annotation is checked only in part: the budget for memory is used up (not-checked)")},
		{"on the template, where parameters stay", refuse, nil, create(onTemplate("${MAX}")), no(`error: line 1, column 119: "${MAX" is not allowed here, where a value is expected (unreadable)`)},
		{"on the template, with a parameter in a text", refuse, nil, create(onTemplate("8")), allowed},
		{"an update of something else", refuse, nil, of("UPDATE", broken, written("", "[", cores12)), warned(unreadable)},
		{"an update of the rules", refuse, nil, of("UPDATE", broken, good), no(unreadable)},
		{"an update of a parameter", refuse, nil, of("UPDATE", written(maxIs(`, "value": "8"`), between("9", "${MAX}"), cores1), written(maxIs(`, "value": "9"`), between("9", "${MAX}"), cores1)), no(unsatisfiable)},
		{"an update while it is deleted", refuse, nil, of("UPDATE", strings.Replace(broken, `"name"`, `"deletionTimestamp": "2026-01-01T00:00:00Z", "name"`, 1), good), warned(unreadable)},
		{"a deletion", refuse, nil, of("DELETE", "", broken), allowed},
		{"with an optional parameter", refuse, nil, create(written(`{"name": "MAX"}`, between("9", "${MAX}"), cores1)), warned(open("MAX"))},
		{"with a generated parameter", refuse, nil, create(written(`{"name": "MAX", "generate": "expression", "from": "[0-9]{2}"}`, between("9", "${MAX}"), cores1)), warned(open("MAX"))},
		{"with parameters that collide", refuse, nil, create(written(`{"name": "A", "value": "x"}, {"name": "A", "value": "y"}`, between("1", "8"), `"${A}": 1, "x": 2`)), warned(`the template cannot be filled in: two fields of one object would have the name "x"`)},
		{"of hundreds of objects", refuse, nil, create(strings.Replace(broken, `"objects": [`, `"objects": [`+strings.Repeat(`{"kind": "Secret"},`, 300), 1)), no(unreadable)},
		{"of long rules", refuse, nil, create(written("", "["+strings.Repeat(" ", 250_000), cores1)), no("error: line 1, column 2: \"]\" is missing: the array that begins at line 1 is not closed (unreadable)")},
	})
}
