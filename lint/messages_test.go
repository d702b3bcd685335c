package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/lint"
)

// TestMessagesAboutPaths checks that a message shows where a path is wrong and what would
// be right, in the spelling of the path.
func TestMessagesAboutPaths(t *testing.T) {
	tests := []struct {
		path string
		want []string
	}{
		{".spec.template.spec.hostname", []string{`paths start at the VM's spec.template: remove .spec.template`}},
		{".spec['domain'].cpus.cores", []string{`unknown field "cpus" in .spec['domain']: did you mean "cpu"?`}},
		{"..bootOrdr", []string{`unknown field "bootOrdr" in $: did you mean "bootOrder"?`}},
		{".spec.devices.disks[*].name", []string{`unknown field "devices" in .spec: did you mean .domain.devices?`}},
		{".spec.colour", []string{`unknown field "colour" in .spec: it has "architecture", "dnsPolicy", "evictionStrategy", "hostname", ` +
			`"priorityClassName", "schedulerName", "serviceAccountName", "startStrategy", "subdomain", "terminationGracePeriodSeconds"`}},
		{".spec.volumes.name", []string{`.spec.volumes is an array, so .name selects nothing in it: write [*].name`}},
		{".spec.domain[0].cpu.cores", []string{`.spec.domain is not an array, so [0] selects nothing in it: remove [0]`}},
		{".spec.hostname.*", []string{`.* selects nothing that is known in .spec.hostname`}},
		{".spec.domain.cpu",
			[]string{`the path selects an object, but must select a string, number or boolean: add the name of a field in it`}},
		{".spec.volumes",
			[]string{`the path selects an array, but must select a string, number or boolean: add [*] and the name of a field in its items`}},
		{".spec.volumes[?(@.nam=='a')].name", []string{`in the filter, unknown field "nam" in @: did you mean "name"?`}},
		{".spec.volumes[?(@[0].x=='a')].name", []string{
			`in the filter, @ is not an array, so [0] selects nothing in it: remove [0]`,
			`in the filter, unknown field "x" in @`,
		}},
	}
	for _, test := range tests {
		annotation := fmt.Sprintf(`[{"name": "r", "rule": "string", "path": "jsonpath::%s", "message": "m", "maxLength": 9}]`, test.path)
		var got []string
		for _, f := range withoutSSP(lint.Annotation(annotation)) {
			if f.Key == "path" {
				got = append(got, f.Message)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.path, diff)
		}
	}
}

// TestMessagesAboutQuotedBounds checks that a message names the number to write, if there is one.
func TestMessagesAboutQuotedBounds(t *testing.T) {
	for bound, want := range map[string]string{
		"4Gi": "write 4294967296, without quotes", "500m": "write a whole number, without quotes",
	} {
		annotation := fmt.Sprintf(`[{"name": "r", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "m", "min": %q}]`, bound)
		var got []string
		for _, f := range lint.Annotation(annotation) {
			if f.ID == "ssp-bound" {
				got = append(got, f.Message)
			}
		}
		all := "KubeVirt's template validator refuses an annotation with a quantity or a number in quotes: " + want
		if diff := cmp.Diff([]string{all}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", bound, diff)
		}
	}
}

// TestMessagesNameFewRules checks that a message names three of the rules that refuse all values.
func TestMessagesNameFewRules(t *testing.T) {
	annotation := `[{"name": "list", "rule": "enum", "path": "jsonpath::.spec.hostname", "message": "m", "values": ["a", "b", "c", "d"]}`
	for _, c := range "abcd" {
		annotation += fmt.Sprintf(`, {"name": "no-%c", "rule": "regex", "path": "jsonpath::.spec.hostname", "message": "m", "regex": "^[^%c]$"}`, c, c)
	}
	const want = `the rules for the same path, including "no-a", "no-b", "no-c", allow none of these values`
	for _, f := range lint.Annotation(annotation + "]") {
		if strings.HasPrefix(f.Message, want) {
			return
		}
		t.Log(f.Message)
	}
	t.Errorf("there is no message that begins with: %s", want)
}
