package manifest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFoldedText checks what Lint says of line ends that YAML's > turns into blanks.
func TestFoldedText(t *testing.T) {
	const head = "kind: VirtualMachine\nmetadata:\n  annotations:\n    vm.kubevirt.io/validations: "
	const name = `[{"name": "r",`
	const path = `"rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores",`
	for _, test := range []struct {
		name, file string
		want       []string
	}{
		{"in a text", head + ">\n      " + name + "\n      " + path + "\n      \"message\": \"one, \\\"\n      two and\n      three\", \"min\": 1}]\n",
			[]string{`7:18 folded-text: YAML's > joins the lines of this text: write | instead, and `}},
		{"in two texts", head + ">-\n      " + name + path + "\"message\": \"one\n      two\", \"min\": 1, \"te\n      xt\": 1}]\n", []string{
			`5:94 folded-text: YAML's > joins the lines of this text: write | instead, and `,
			`6:23 folded-text: YAML's > joins the lines of this text: write | instead, and `,
			`6:23 unknown-key: unknown key "te xt": remove it, or correct its spelling`,
		}},
		{"not in a text, which then is not JSON", head + ">\n      " + name + path + "\"message\": \"one\n        two\"}]\n",
			[]string{`5:98 unreadable: a string cannot hold the control character '\n': close the s`}},
		{"between texts", head + ">\n      " + name + "\n      " + path + "\n      \"message\": \"m\",\n        \"min\": 1}]\n", nil},
		{"between quotes", head + "'" + name + "\n      " + path + "\n      \"message\": \"one\n      two\", \"min\": 1}]'\n", nil},
		{"at a line end that only YAML knows", head + ">\n      " + name + path + "\"message\": \"one\u0085      two\", \"min\": 1}]\n", nil},
		{"not at all", head + "|\n      " + name + "\n      " + path + "\n      \"message\": \"m\", \"min\": 1}]\n", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			file, err := Parse("file", test.file)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range file.Objects()[0].Annotations()[0].Lint() {
				got = append(got, fmt.Sprintf("%d:%d %s: %.60s", f.Line, f.Column, f.ID, f.Message))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", test.file, diff)
			}
		})
	}
}
