package manifest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// TestPlaceProblems checks that each problem of ValidateOwn is placed in the annotation that has
// it, also if another VM has the same one.
func TestPlaceProblems(t *testing.T) {
	const text = `kind: Template
metadata: {annotations: {validations: '[{"name": "t"}]'}}
parameters: [{name: MIN, value: much}]
objects:
- kind: VirtualMachine
  metadata: {name: a, annotations: {vm.kubevirt.io/validations: "[{}]"}}
- kind: VirtualMachine
  metadata: {name: b, annotations: {vm.kubevirt.io/validations: "[{}]"}}
- kind: VirtualMachine
  metadata: {name: c, annotations: {vm.kubevirt.io/validations: [1]}}
- kind: VirtualMachine
  metadata:
    name: d
    annotations:
      vm.kubevirt.io/validations: |
        [{"name": "d", "rule": "integer", "message": "m", "path": "jsonpath::.x", "max": 1,
          "min": "${MIN}"}]
`
	file, err := Parse("f.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	filled, err := file.Objects()[0].Fill(nil)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := vmrules.Problem{Message: "elsewhere", Line: 7}
	problems := []vmrules.Problem{elsewhere}
	for _, target := range vmrules.ValidateOwn(filled.Content()).Targets() {
		for _, p := range target.Problems {
			if p.Source += " " + target.Name; p.Key == "" || p.Key == "name" || p.Key == "min" {
				problems = append(problems, p)
			}
		}
	}
	files := map[*vmrules.Problem]string{}
	filled.PlaceProblems(problems, files)
	var got []string
	for i, p := range problems {
		got = append(got, fmt.Sprintf("%s:%d:%d %s %s", files[&problems[i]], p.Line, p.Column, p.Source, p.Key))
	}
	want := []string{
		":7:0  ",
		"f.yaml:6:67 VM objects[0] name", "f.yaml:8:67 VM objects[1] name", "f.yaml:10:37 VM objects[2] ", "f.yaml:17:18 VM objects[3] min",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
