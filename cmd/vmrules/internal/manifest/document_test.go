package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// A » marks the same place in the file, from which it is removed, and in the wanted JSON. If the
// wanted JSON has no », its beginning is tested.
func TestDocuments(t *testing.T) {
	tests := []struct {
		name, file string
		want       []string // type, JSON with », line and column of »
	}{
		{"JSON", "[\n {\"ü\": »1.0}]", []string{" [\n {\"ü\": »1.0}] 2:8"}},
		{"JSON with half of a surrogate pair and a key given twice", `»["\ud800", {"a":1,"a":2}]`, []string{
			` »["\ud800", {"a":1,"a":2}] 1:1`,
		}},
		{"a sequence of JSON values", "{\"kind\": \"List\", \"items\": [{\"apiVersion\": \"a/v1\", \"kind\": \"B\"}]}\n[»1]", []string{
			`B.a {"apiVersion": "a/v1", "kind": "B"} 1:28`, ` [»1] 2:2`,
		}},
		{"YAML", "# rules\n- ü: »1.50\n  b: [x, 0x10]\n", []string{` [{"ü":»1.50,"b":["x",16]}] 2:6`}},
		{"a key", "- a: x\n  »b: z\n", []string{` [{"a":"x",»"b":"z"}] 2:3`}},
		{"inside a string", "- a: |\n    x\n  b: »'it''s'\n", []string{` [{"a":"x\n","b":"it»'s"}] 3:9`}},
		{"an object in a list", "- a: 1\n-   »b: 2\n", []string{` [{"a":1},»{"b":2}] 2:5`}},
		{"merged", "- &a {x: 1, y: 2}\n- <<: *a\n  »x: 3\n", []string{` [{"x":1,"y":2},{"y":2,»"x":3}] 3:3`}},
		{"an alias", "a: &a »[1]\nb: *a\n", []string{` {"a":[1],"b":»[1]} 1:7`}},
		{"the core group", "apiVersion: v1\nkind: Service\n---\nkind: X\n---\ntrue\n", []string{
			`Service {"apiVersion":"v1","kind":"Service"} 1:1`, `X {"kind":"X"} 4:1`, ` true 6:1`,
		}},
		{"items of a typed list", "apiVersion: kubevirt.io/v1\nkind: VirtualMachineList\nitems:\n- metadata: {}\n", []string{
			`VirtualMachine.kubevirt.io {"metadata":{}} 4:3`,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file, err := manifest.Parse("file", strings.Replace(test.file, "»", "", 1))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, d := range file.Documents() {
				text, err := d.JSON()
				if err != nil {
					t.Fatal(err)
				}
				marked, offset := text, 0
				if i < len(test.want) && strings.Contains(test.want[i], "»") {
					_, wanted, _ := strings.Cut(test.want[i], " ")
					offset = min(strings.Index(wanted, "»"), len(text))
					marked = text[:offset] + "»" + text[offset:]
				}
				line, column := d.Place(offset)
				got = append(got, fmt.Sprintf("%s %s %d:%d", d.Type(), marked, line, column))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLooksLikeRules(t *testing.T) {
	tests := []struct {
		file string
		want bool
	}{
		{`[1, {"name": "a", "path": "b"}]`, true},
		{"- rule: a\n  message: b", true},
		{`[]`, false},
		{`[{"op": "remove", "path": "/spec"}]`, false},
		{`{"name": "a", "rule": "b", "path": "c"}`, false},
	}
	for _, test := range tests {
		file, err := manifest.Parse("file", test.file)
		if err != nil {
			t.Fatal(err)
		}
		if got := file.Documents()[0].LooksLikeRules(); got != test.want {
			t.Errorf("%s: %v", test.file, got)
		}
	}
}

// Aliases cannot make the JSON of a document larger than its limit.
func TestDocumentIsBounded(t *testing.T) {
	const of = 2_000
	text := fmt.Sprintf("- &a %s\n- [%s*a]\n", strings.Repeat("x", 100_000), strings.Repeat("*a, ", of))
	file, err := manifest.Parse("file", text)
	if err != nil {
		t.Fatal(err)
	}
	d := file.Documents()[0]
	if text, err := d.JSON(); err == nil || text != "" {
		t.Errorf("%d bytes, error %v", len(text), err)
	}
	if line, column := d.Place(0); line != 1 || column != 1 {
		t.Errorf("it is at %d:%d", line, column)
	}
}

// A finding about a document as a whole is placed at its first key, value or bracket.
func TestPlaceWhole(t *testing.T) {
	for text, want := range map[string]int{"rules\n": 6, "{a: b}\n": 2, "a: b\n": 1} {
		file, err := manifest.Parse("file.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		d := file.Documents()[0]
		if _, err := d.JSON(); err != nil {
			t.Fatal(err)
		}
		var f lint.Finding
		if d.PlaceFinding(&f); f.Line != 1 || f.Column != 1 || f.EndLine != 1 || f.EndColumn != want {
			t.Errorf("%q: %d:%d to %d:%d, want the end at %d", text, f.Line, f.Column, f.EndLine, f.EndColumn, want)
		}
	}
}
