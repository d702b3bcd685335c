package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const mistaken = `kind: Template
metadata:
  annotations:
    validation: "[]"
    description: made for ${WHOM}
parameters: [{name: SOCKETS}, {name: NAME}]
objects:
- kind: VirtualMachine
  metadata:
    name: ${NAME}
    "label-${NAMES}": x
    annotations:
      vm.kubevirt.io/Validations: |
        [{"rule": "integer", "min": ${MIN}}]
      vm.kubevirt.io/validations: |
        [
          {"message": "${LOST} and ${LOST}"}
        ]
  spec:
    sockets: ${{SOCKET}}
    other: ${{OTHER}}
    userData: |
      echo ${HOME} ${SOKCETS}
      echo $NAME ${OTHER
`

func TestMistakes(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a template", mistaken, []string{
			`4:5 misspelt-annotation: the annotation "validation" is not read: did you mean validations?`,
			`5:27 undeclared-parameter: the template has no parameter WHOM: declare it, or correct its name`,
			`13:7 misspelt-annotation: the annotation "vm.kubevirt.io/Validations" is not read: did you mean vm.kubevirt.io/validations?`,
			`11:12 undeclared-parameter: the template has no parameter NAMES: did you mean NAME?`,
			`14:37 undeclared-parameter: the template has no parameter MIN: declare it, or correct its name`,
			`17:24 undeclared-parameter: the template has no parameter LOST: declare it, or correct its name`,
			`20:14 undeclared-parameter: the template has no parameter SOCKET: did you mean SOCKETS?`,
			`21:12 undeclared-parameter: the template has no parameter OTHER: declare it, or correct its name`,
			`23:20 undeclared-parameter: the template has no parameter SOKCETS: did you mean SOCKETS?`,
		}},
		{"not a template", strings.Replace(mistaken, "kind: Template", "kind: Other", 1), []string{
			`13:7 misspelt-annotation: the annotation "vm.kubevirt.io/Validations" is not read: did you mean vm.kubevirt.io/validations?`,
		}},
		{"KubeVirt's template", `{"kind": "VirtualMachineTemplate", "spec": {"parameters": [{"name": "A"}], "virtualMachine": {"metadata": {"name": "${A}", "${C}": "x", "generateName": "a${{A}}${B}"}}}}`,
			[]string{
				`1:125 undeclared-parameter: the template has no parameter C, so virt-template refuses it: declare it, or correct its name; in a script, write $C`,
				`1:161 undeclared-parameter: the template has no parameter B, so virt-template refuses it: declare it, or correct its name; in a script, write $B`,
			}},
		{"rules on a template that no VM has", `{"kind": "VirtualMachineTemplate", "metadata": {"annotations": {"validations": "[{}]"}}}`,
			[]string{"1:65 misplaced-annotation: no VM has these rules: write those of VMs to the annotations in spec.virtualMachine.metadata, as vm.kubevirt.io/validations"}},
		{"rules on a template beside those of its VM", `{"kind": "VirtualMachineTemplate", "metadata": {"annotations": {"validations": "[{}]"}}, "spec": {"virtualMachine": {"metadata": {"annotations": {"vm.kubevirt.io/validations": "[{}]"}}}}}`,
			[]string{"1:65 misplaced-annotation: no VM has these rules: write those of VMs to the annotations in spec.virtualMachine.metadata, as vm.kubevirt.io/validations"}},
		{"rules on OpenShift's template", `{"kind": "Template", "metadata": {"annotations": {"validations": "[{}]"}}}`, nil},
		{"on a template", `{"kind": "Template", "metadata": {"annotations": {"vm.kubevirt.io/validations": "[]"}}}`, []string{"1:51 misplaced-annotation: only the console's form for CPUs reads these rules: write those of VMs to the annotations in the metadata of the VirtualMachine in objects"}},
		{"on the spec of a VM in a template", `{"kind": "Template", "objects": [{"kind": "List", "items": [{"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": "[{}]"}}, "spec": {"template": {"metadata": {"annotations": {"vm.kubevirt.io/validations": "[{}]"}}}}}]}]}`, []string{"1:208 misplaced-annotation: nobody reads vm.kubevirt.io/validations here: move it to the annotations in the metadata of the VirtualMachine in objects"}},
		{"on the spec of a VM", `{"kind": "VirtualMachine", "spec": {"template": {"metadata": {"annotations": {"vm.kubevirt.io/validations": "[]"}}}}}`, []string{"1:79 misplaced-annotation: nobody reads vm.kubevirt.io/validations here: move it to the annotations in the metadata of the VirtualMachine itself"}},
		{"as a label", `{"kind": "VirtualMachineInstance", "metadata": {"labels": {"vm.kubevirt.io/validations": "[]"}}}`, []string{"1:60 misplaced-annotation: nobody reads vm.kubevirt.io/validations here: move it to the annotations in the metadata of the VirtualMachineInstance itself"}},
		{"on a pool", `{"kind": "VirtualMachinePool", "metadata": {"annotations": {"vm.kubevirt.io/validations": "[]"}}, "spec": {"virtualMachineTemplate": {"metadata": {"annotations": {"vm.kubevirt.io/validations": "[]"}}}}}`, []string{"1:61 misplaced-annotation: nobody reads vm.kubevirt.io/validations here: move it to the annotations in spec.virtualMachineTemplate.metadata"}},
		{"on a replica set", `{"kind": "VirtualMachineInstanceReplicaSet", "metadata": {"annotations": {"vm.kubevirt.io/validations": "[]"}}, "spec": {"template": {"metadata": {"annotations": {"vm.kubevirt.io/validations": "[]"}}}}}`, []string{"1:75 misplaced-annotation: nobody reads vm.kubevirt.io/validations here: move it to the annotations in spec.template.metadata"}},
		{"on KubeVirt's template", `{"kind": "VirtualMachineTemplate", "metadata": {"annotations": {"vm.kubevirt.io/validations": "[{}]"}}, "spec": {"virtualMachine": {"metadata": {"annotations": {"vm.kubevirt.io/validations": "[{}]"}}}}}`, []string{"1:65 misplaced-annotation: only the console's form for CPUs reads these rules: write those of VMs to the annotations in spec.virtualMachine.metadata"}},
		{"where it is read", `{"kind": "VirtualMachineList", "items": [{"metadata": {"annotations": {"vm.kubevirt.io/validations": "[]"}}}]}`, nil},
		{"on an object of another kind", `{"kind": "Other", "metadata": {"annotations": {"vm.kubevirt.io/validations": "[]"}}, "spec": {"template": {"metadata": {"annotations": {"vm.kubevirt.io/validations": "[]"}}}}}`, nil},
		{"a template with an unknown kind", "apiVersion: template.openshift.io/v1\nkind: Templates\nobjects: []\n",
			[]string{`2:7 misspelt-object: the kind "Templates" is unknown, so no rules are read here: did you mean "Template"?`}},
		{"VMs with unknown kinds", "kind: Template\nobjects:\n- {kind: Virtualmachine}\n- {kind: VM}\n- {kind: DataVolume}\n- {kind: VirtualMachine}\n", []string{
			`3:10 misspelt-object: the kind "Virtualmachine" is unknown, so no rules are read here: did you mean "VirtualMachine"?`,
			`4:10 misspelt-object: the kind "VM" is unknown, so no rules are read here: did you mean "VirtualMachine"?`,
		}},
		{"a VM in a nearly right group", "apiVersion: kubvirt.io/v1\nkind: VirtualMachine\n",
			[]string{`1:13 misspelt-object: VirtualMachine is not in kubvirt.io/v1, so no rules are read here: did you mean kubevirt.io/v1?`}},
		{"a template in the group of others", "apiVersion: template.kubevirt.io/v1\nkind: Template\n",
			[]string{`1:13 misspelt-object: Template is not in template.kubevirt.io/v1, so no rules are read here: did you mean template.openshift.io/v1?`}},
		{"a VM in no group", "apiVersion: v1\nkind: VirtualMachine\n",
			[]string{`1:13 misspelt-object: VirtualMachine is not in v1, so no rules are read here: did you mean kubevirt.io/v1?`}},
		{"a VM of others", "apiVersion: vmoperator.vmware.com/v1\nkind: VirtualMachine\n", nil},
		{"kinds that are others", "kind: List\nitems: [{kind: VirtualMachineInstancetype}, {kind: VirtualMachineSnapshot, apiVersion: snapshot.kubevirt.io/v1}, {kind: Templat, apiVersion: example.com/v1}]\n", nil},
		{"an unknown key around annotations", "kind: Template\nobjects:\n- kind: VirtualMachine\n  metadata:\n    annotation:\n      vm.kubevirt.io/validations: '[]'\n",
			[]string{`5:5 misspelt-object: nobody reads "annotation": did you mean "annotations"?`}},
		{"an unknown key around other annotations", "kind: VirtualMachine\nmetadata: {annotation: {vm.kubevirt.io/os: linux}}\n",
			[]string{`2:12 misspelt-object: nobody reads "annotation": did you mean "annotations"?`}},
		{"annotations beside metadata", "kind: VirtualMachine\nmetadata: {name: a}\nannotations:\n  vm.kubevirt.io/validations: '[]'\n",
			[]string{`3:1 misspelt-object: nobody reads "annotations" here: move it into "metadata"`}},
		{"annotations beside the fields of a VM", "kind: Template\nobjects:\n- kind: VirtualMachine\n  metadata:\n    labels:\n      annotations:\n        vm.kubevirt.io/validations: '[]'\n  spec: {}\n",
			[]string{`6:7 misspelt-object: "annotations" does not belong in here: indent it less`}},
		{"rules in metadata", "kind: VirtualMachine\nmetadata:\n  annotations:\n  vm.kubevirt.io/validations: '[]'\n",
			[]string{`4:3 misplaced-annotation: nobody reads vm.kubevirt.io/validations here: move it to the annotations in the metadata of the VirtualMachine itself`}},
		{"on another object in a template", "kind: Template\nobjects:\n- kind: DataVolume\n  metadata: {annotations: {vm.kubevirt.io/validations: '[]'}}\n",
			[]string{`4:28 misplaced-annotation: nobody reads vm.kubevirt.io/validations here: move it to the annotations in the metadata of the VirtualMachine in objects`}},
		{"no rules for the VM of a template", "kind: Template\nobjects:\n- kind: VirtualMachine\n  metadata: {annotations: {vm.kubevirt.io/validations: '[]'}}\n- kind: VirtualMachine\n  metadata: {annotations: {vm.kubevirt.io/validations: ' '}}\n- kind: VirtualMachine\n  metadata: {annotations: {vm.kubevirt.io/validations: ' [ ] '}}\n", []string{
			`4:28 unjudged-template: there are no rules here, so no VM that is made from it has any: write some, or remove the annotation`,
			`6:28 unjudged-template: there are no rules here, so no VM that is made from it has any: write some, or remove the annotation`,
			`8:28 unjudged-template: there are no rules here, so no VM that is made from it has any: write some, or remove the annotation`,
		}},
		{"no rules for the VM, but in the template itself", "kind: Template\nmetadata: {annotations: {validations: '[{}]'}}\nobjects:\n- kind: VirtualMachine\n  metadata: {annotations: {vm.kubevirt.io/validations: ''}}\n- kind: VirtualMachine\n  metadata: {annotations: {vm.kubevirt.io/validations: '[]'}}\n",
			[]string{`7:28 unjudged-template: there are no rules here, so no VM that is made from it has any: write some, or remove the annotation`}},
		{"an exempt VM in a template", "kind: VirtualMachineTemplate\nspec: {virtualMachine: {metadata: {annotations: {vm.kubevirt.io/skip-validations: 'true', vm.kubevirt.io/validations: '[{}]'}}}}\n",
			[]string{`2:50 unjudged-template: vm.kubevirt.io/skip-validations exempts the VM, and all that are made from it, from every rule: remove it`}},
		{"an exempt VM, and one without rules", "kind: VirtualMachine\nmetadata: {annotations: {vm.kubevirt.io/skip-validations: 'true'}}\n---\nkind: VirtualMachine\nmetadata: {annotations: {vm.kubevirt.io/validations: '[]'}}\n", nil},
		{"a script and a configuration of the guest", "kind: Template\nobjects:\n- a: |\n    #!/bin/sh\n    user: ${A}\n- b: |\n    #cloud-config\n    user: ${B}\n    runcmd:\n    - echo ${C}\n    - sh: ${D}\n", []string{
			`8:11 undeclared-parameter: the template has no parameter B: declare it, or correct its name`,
		}},
		{"a VM of an unknown kind in KubeVirt's template", "kind: VirtualMachineTemplate\nspec:\n  virtualMachine: {kind: VirtulaMachine}\n",
			[]string{`3:26 misspelt-object: the kind "VirtulaMachine" is unknown, so no rules are read here: did you mean "VirtualMachine"?`}},
		{"rules in metadata that is misspelt", "kind: VirtualMachine\nmeta:\n  annotations: {vm.kubevirt.io/validations: '[]'}\n",
			[]string{`2:1 misspelt-object: nobody reads "meta": did you mean "metadata"?`}},
		{"an alias of a VM", "kind: Template\nobjects:\n- &a {kind: VM, metadata: {annotations: {vm.kubevirt.io/validations: '[]'}}}\n- *a\n", []string{
			`3:13 misspelt-object: the kind "VM" is unknown, so no rules are read here: did you mean "VirtualMachine"?`,
			`3:42 unjudged-template: there are no rules here, so no VM that is made from it has any: write some, or remove the annotation`,
		}},
		{"an alias", "kind: Template\nobjects:\n- &a {x: \"${A}\"}\n- *a\n", []string{
			`3:11 undeclared-parameter: the template has no parameter A: declare it, or correct its name`,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file, err := Parse("f.yaml", test.text)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range file.Objects() {
				for _, f := range o.Mistakes() {
					got = append(got, fmt.Sprintf("%d:%d %s: %s", f.Line, f.Column, f.ID, f.Message))
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestManyMistakes checks that mistakes, and the work for them, are limited.
func TestManyMistakes(t *testing.T) {
	for _, between := range []string{" ", "\n"} {
		var text strings.Builder
		text.WriteString(`{"kind": "Template", "parameters": [`)
		for i := range 5000 {
			fmt.Fprintf(&text, `{"name": "PARAMETER_%d"},`, i)
		}
		text.WriteString(`{}], "objects": ["`)
		for i := range 100_000 {
			fmt.Fprintf(&text, "${VARIABLE_%d}%s", i, map[string]string{" ": " ", "\n": `\n`}[between])
		}
		text.WriteString(`"]}`)
		file, err := Parse("f.json", text.String())
		if err != nil {
			t.Fatal(err)
		}
		found := len(file.Objects()[0].Mistakes())
		if want := map[string]int{" ": maxMistakes, "\n": 0}[between]; found != want {
			t.Errorf("with %q between references: %d mistakes, want %d", between, found, want)
		}
	}
}
