package manifest

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// A text with too many values for its size is refused, and any number of VMs is not.
func TestTooDense(t *testing.T) {
	const vm = `{"kind":"VirtualMachine","metadata":{"name":"vm"},"spec":{"template":{"spec":{"domain":{"cpu":{"cores":2}}}}}}`
	vmYAML := "---\nkind: VirtualMachine\nspec:\n  template:\n    spec:\n      domain:\n        cpu:\n          cores: 2 # or 4\n"
	tests := []struct {
		name, text string
		refused    bool
	}{
		{"nothing", "", false},
		{"numbers", "[" + strings.Repeat("0,", maxDense) + "0]", true},
		{"fewer numbers", "[" + strings.Repeat("0,", maxDense/2-10) + "0]", false},
		{"keys without values", "{" + strings.Repeat("a,", maxDense) + "a}", true},
		{"items", strings.Repeat("- a\n", maxDense), true},
		{"members, on lines that end in NEL", strings.Repeat("a:\u0085", maxDense), true},
		{"empty documents", strings.Repeat("---\n", 2*maxDense), true},
		{"comments", strings.Repeat("#\n", maxDense), true},
		{"a sequence of values", "[]" + strings.Repeat("[]", maxDense), true},
		{"compact VMs", strings.Repeat(vm+"\n", 50_000), false},
		{"block VMs", strings.Repeat(vmYAML, 50_000), false},
		{"a long text", strings.Repeat("x ", 5*maxDense), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			at, err := tooDense(test.text)
			if (err != nil) != test.refused || at > len(test.text) {
				t.Errorf("error %v at %d", err, at)
			}
		})
	}
}

func TestParseRefusesDense(t *testing.T) {
	_, err := Parse("file", "a:\n"+strings.Repeat("- a\n", maxDense))
	want := fmt.Sprintf("file:%d:1: there are too many values up to here", maxDense/2+1)
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got error %v, want %s", err, want)
	}
}

// Parse returns, with or without an error, for texts that could take minutes or gigabytes.
func TestParseEnds(t *testing.T) {
	const n = 100_000
	tests := []struct{ name, text string }{
		{"items in one line", "a: [" + strings.Repeat("b, ", n) + "]"},
		{"keys in one line", "{" + keys(n) + "}"},
		{"keys in a block", strings.ReplaceAll(keys(n), ", ", "\n")},
		{"an array that only YAML allows", "[" + strings.Repeat("{},", n) + "]"},
		{"an object that only YAML allows", `{"a": [` + strings.Repeat(`"b", `, n) + "]}"},
		{"VMs in one line", `{"kind":"List","items":[` + strings.Repeat(`{"kind":"VirtualMachine"},`, n) + "{}]}"},
		{"documents", strings.Repeat("---\n", n)},
		{"documents in one line", strings.Repeat(`{"kind":"VirtualMachine"}`, n)},
		{"a literal block", "a: |\n" + strings.Repeat("  x\n", n)},
		{"a folded block", "a: >\n" + strings.Repeat("  x\n\n", n)},
		{"anchors", strings.Repeat("- &a x\n", n)},
		{"aliases", "- &a x\n" + strings.Repeat("- *a\n", n-1)},
		{"quotes", strings.Repeat(`"`, n)},
		{"colons", strings.Repeat(":", n)},
		{"question marks", strings.Repeat("? ", n)},
		{"blanks", "a:" + strings.Repeat(" ", 10*n) + "x"},
		{"empty lines", "a:" + strings.Repeat("\n", n) + " x"},
		{"comments", "a:" + strings.Repeat("\n# b", n) + "\n x"},
		{"a comment for each anchor", strings.Repeat("- &a # b\n  c\n", n/2)},
		{"anchors before comments", "- &a\n" + strings.Repeat("# b\n", n) + "  c"},
		{"tags", strings.Repeat("- !!str x\n", n)},
		{"an alias without an anchor behind many anchors", strings.Repeat("- &a x\n", n) + "- *b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file, err := Parse("file", test.text)
			if err == nil {
				file.Objects()
				return
			}
			if _, ok := err.(*Error); !ok {
				t.Errorf("%T: %v", err, err)
			}
		})
	}
}

// A parsed text has at most three more keys and values than beginnings counts.
func FuzzBeginnings(f *testing.F) {
	for _, seed := range []string{
		"{a, b: [c,d,], ? e : f}", "- - a\n- ? b\n- {}\n", "a:\u0085b: c\u2028d:", "[1,2][3]", "--- a\n--- b",
		"a: &x {b: *x}\nc: !!str", "? - a\n: - b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("file", text)
		if err != nil || strings.Contains(text, "<<") { // merge keys copy keys
			return
		}
		made, counted := 0, map[*node]bool{}
		for _, document := range file.documents {
			made += count(document, counted)
		}
		if found, _ := beginnings(file.source.text, math.MaxInt); made > found+3 {
			t.Errorf("got %d beginnings for %d keys and values", found, made)
		}
	})
}

// count counts keys and values. It counts a value with aliases once.
func count(n *node, counted map[*node]bool) int {
	if counted[n] {
		return 0
	}
	counted[n] = true
	all := 1
	for _, m := range n.members {
		all += count(m.value, counted)
		if n.shape == object {
			all++ // the key
		}
	}
	return all
}
