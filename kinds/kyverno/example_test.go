package kyverno_test

import (
	"fmt"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/kinds/kyverno"
)

func Example() {
	rules, err := vmrules.ParseRules(`[{
		"name": "image", "rule": "pattern", "message": "name the version of the image",
		"path": "jsonpath::.spec.volumes[*].containerDisk",
		"pattern": {"image": "!*:latest"}
	}]`, kyverno.Kinds()...)
	if err != nil {
		fmt.Println(err)
		return
	}
	disk := map[string]any{"name": "root", "containerDisk": map[string]any{"image": "fedora:latest"}}
	vm := map[string]any{"kind": "VirtualMachine", "spec": map[string]any{
		"template": map[string]any{"spec": map[string]any{"volumes": []any{disk}}},
	}}
	fmt.Println(vmrules.Validate(rules, vm).Err())
	// Output:
	// the object is not valid: spec.template.spec.volumes[0].containerDisk.image: Invalid value: "fedora:latest": name the version of the image ("fedora:latest" does not match the pattern "!*:latest")
}

func ExampleRules() {
	rules, err := kyverno.Rules([]byte(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: labels}
spec:
  rules:
  - name: check-label
    match: {any: [{resources: {kinds: [Deployment, StatefulSet]}}]}
    validate:
      message: The label app is required
      pattern: {spec: {template: {metadata: {labels: {app: "?*"}}}}}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	deployment := map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "spec": map[string]any{
		"template": map[string]any{"metadata": map[string]any{"labels": map[string]any{"tier": "web"}}},
	}}
	fmt.Println(vmrules.Validate(rules, deployment).Err())
	pod := map[string]any{"apiVersion": "v1", "kind": "Pod"}
	fmt.Println(vmrules.Validate(rules, pod))
	// Output:
	// the object is not valid: spec.template.metadata.labels.app: Required value: The label app is required (not set, but the pattern asks for "?*")
	// valid: 1 skipped
	// Skipped    check-label: the rule is not about this object: its kind is Pod
}
