package ssp_test

import (
	"fmt"

	"github.com/vmrules/vmrules/lint/ssp"
)

// Before a template is published, its own VM is judged as OpenShift's webhook would.
func ExampleJudge() {
	const annotation = `[
		{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "at most 8 cores", "max": 8},
		{"name": "memory", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "at least 1 GiB", "min": 1073741824, "justWarning": true}
	]`
	verdict := ssp.Judge(annotation, map[string]any{"kind": "VirtualMachine", "spec": map[string]any{"template": map[string]any{
		"spec": map[string]any{"domain": map[string]any{"cpu": map[string]any{"cores": 12}, "memory": map[string]any{"guest": "512Mi"}}},
	}}})
	fmt.Println(verdict.Accepted)
	for _, rule := range verdict.Failed {
		fmt.Println(rule, verdict.Key[rule], verdict.Why[rule])
	}
	fmt.Println(verdict.Warned)
	// Output:
	// false
	// cores max the value 12 is more than 8
	// memory min the value 536870912 is less than 1073741824
	// [memory]
}

func ExampleCheckPath() {
	for _, path := range []string{"jsonpath::.spec.domain.cpu.cores", "jsonpath::{.spec.domain.cpu.cores}"} {
		fmt.Println(ssp.CheckPath(path))
	}
	// Output:
	// <nil>
	// '{' is not allowed there
}
