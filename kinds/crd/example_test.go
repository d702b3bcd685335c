package crd_test

import (
	"fmt"
	"log"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/kinds/crd"
)

func Example() {
	rules, err := vmrules.ParseRules(`[{
		"rule": "schema", "name": "cpu", "path": "jsonpath::.spec.domain.cpu", "message": "the CPU must fit",
		"schema": {
			"type": "object",
			"properties": {"cores": {"type": "integer", "maximum": 8}, "sockets": {"type": "integer", "default": 1}},
			"x-kubernetes-validations": [{
				"rule": "self.cores * self.sockets <= 16", "message": "no more than 16 CPUs", "fieldPath": ".cores", "reason": "FieldValueForbidden"
			}]
		}
	}, {
		"rule": "cel", "name": "even", "path": "jsonpath::.spec.domain.cpu.cores", "message": "cores come in pairs",
		"expression": "self % 2 == 0", "messageExpression": "string(self) + ' is odd'"
	}]`, crd.Kinds()...)
	if err != nil {
		log.Fatal(err)
	}
	cpu := map[string]any{"cores": 7, "sockets": 3}
	vm := map[string]any{"kind": "VirtualMachine", "spec": map[string]any{"template": map[string]any{"spec": map[string]any{"domain": map[string]any{"cpu": cpu}}}}}
	for _, v := range vmrules.Validate(rules, vm).Violations() {
		fmt.Println(v.Reason, v.Field+":", v.Message)
	}
	// Output:
	// FieldValueForbidden spec.template.spec.domain.cpu.cores: no more than 16 CPUs
	// FieldValueInvalid spec.template.spec.domain.cpu.cores: 7 is odd
}

func ExampleRules() {
	rules, err := crd.Rules([]byte(`
type: object
properties:
  spec:
    type: object
    required: [size]
    properties: {size: {type: integer, minimum: 1}}
`))
	if err != nil {
		log.Fatal(err)
	}
	disk := map[string]any{"apiVersion": "example.io/v1", "kind": "Disk", "spec": map[string]any{"size": 0}}
	fmt.Println(vmrules.Validate(rules, disk).Err())
	// Output:
	// the object is not valid: spec.size: Invalid value: 0: the object must fit its schema (should be greater than or equal to 1)
}
