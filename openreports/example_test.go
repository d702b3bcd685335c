package openreports_test

import (
	"fmt"
	"time"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/openreports"
)

// A program that audits VMs writes what it finds where dashboards read it, and warns of a VM whose copy of the
// rules is gone.
func ExampleNew() {
	parse := func(text string) map[string]any {
		object, err := vmrules.ParseObject([]byte(text))
		if err != nil {
			panic(err)
		}
		return object
	}
	template := parse(`{"kind": "VirtualMachineTemplate", "apiVersion": "template.kubevirt.io/v1alpha1", "spec": {"virtualMachine": {"metadata": {"annotations": {
		"vm.kubevirt.io/validations": "[{\"name\": \"cores\", \"rule\": \"integer\", \"path\": \"jsonpath::.spec.domain.cpu.cores\", \"message\": \"at most 8 cores\", \"max\": 8}]"
	}}}}}`)
	vm := parse(`{"kind": "VirtualMachine", "apiVersion": "kubevirt.io/v1", "metadata": {"name": "desk", "namespace": "office", "uid": "11-22",
		"labels": {"vm.kubevirt.io/template": "linux", "vm.kubevirt.io/template.namespace": "templates"}},
		"spec": {"template": {"spec": {"domain": {"cpu": {"cores": 12}}}}}}`)
	report := vmrules.ValidateOwn(vm, vmrules.WithTemplates(func(vmrules.TemplateRef) (*vmrules.Template, error) {
		return &vmrules.Template{Object: template}, nil
	}))

	fmt.Println("lost:", openreports.LostRules(vm, template, report))
	written := openreports.New(vm, openreports.Validation{
		Policy: "templates/linux", Template: template, Report: report, Time: time.Unix(1700000000, 0),
	})
	fmt.Println(written["metadata"].(map[string]any)["name"], written["summary"])
	for _, result := range written["results"].([]any) {
		r := result.(map[string]any)
		fmt.Println(r["result"], r["message"])
	}
	// Output:
	// lost: [{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "at most 8 cores", "max": 8}]
	// vmrules-11-22 map[error:0 fail:1 pass:0 skip:0 warn:1]
	// fail at most 8 cores (12 is more than max 8)
	// warn the VM has lost the annotation vm.kubevirt.io/validations, which its template has for its VMs
}
