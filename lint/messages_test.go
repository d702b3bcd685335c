package lint_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/lint"
)

// TestMessagesAboutPaths: a message shows where in the path something is wrong, and what
// would be right, as the path is written.
func TestMessagesAboutPaths(t *testing.T) {
	tests := []struct {
		path string
		want []string
	}{
		{".spec.template.spec.hostname", []string{`paths begin at the VM's spec.template already: leave .spec.template out`}},
		{".spec['domain'].cpus.cores", []string{`no VM has a field "cpus" in .spec['domain']: did you mean "cpu"?`}},
		{"..bootOrdr", []string{`no VM has a field "bootOrdr" in $: did you mean "bootOrder"?`}},
		{".spec.devices.disks[*].name", []string{`no VM has a field "devices" in .spec: did you mean the one in .domain?`}},
		{".spec.colour", []string{`no VM is known to have a field "colour" in .spec`}},
		{".spec.volumes.name", []string{`.spec.volumes is an array, in which a name selects nothing: write [*] between them`}},
		{".spec.domain[0].cpu.cores", []string{`.spec.domain is no array, in which [0] selects nothing: leave that out`}},
		{".spec.hostname.*", []string{`no VM is known to have .* below .spec.hostname`}},
		{".spec.domain.cpu", []string{`this selects an object, where a string, number or boolean is needed: go on to a field in it`}},
		{".spec.volumes", []string{`this selects an array, where a string, number or boolean is needed: write [*] behind it, and go on to a field in its items`}},
		{".spec.volumes[?(@.nam=='a')].name", []string{`in the filter, no VM has a field "nam" in @: did you mean "name"?`}},
		{".spec.volumes[?(@[0].x=='a')].name", []string{
			`in the filter, @ is no array, in which [0] selects nothing: leave that out`, `in the filter, no VM is known to have a field "x" in @`,
		}},
	}
	for _, test := range tests {
		annotation := fmt.Sprintf(`[{"name": "r", "rule": "string", "path": "jsonpath::%s", "message": "m", "maxLength": 9}]`, test.path)
		var got []string
		for _, f := range lint.Annotation(annotation) {
			got = append(got, f.Message)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.path, diff)
		}
	}
}
