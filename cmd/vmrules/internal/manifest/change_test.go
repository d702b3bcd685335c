package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/lint"
)

// Each edit puts the text behind | in the place of what stands between » and « in the annotation.
func TestWith(t *testing.T) {
	const head = "\uFEFFkind: Template\r\nparameters: [{name: A, value: xy}]\r\nobjects:\r\n- metadata:\n   annotations:\r\n    vm.kubevirt.io/validations: "
	tests := []struct{ name, marked, want string }{
		{"plain", "a »b«|c« d  # comment\r\n", "a c d  # comment\r\n"},
		{"single quotes", "'a »b«|''« d'\n", "'a '''' d'\n"},
		{"double quotes", `"\u0061 »\u0062«|\"« d"`, `"\u0061 \\\" d"`},
		{"an insertion", "|\r\n      a»«|,«\r\n      b\r\n", "|\r\n      a,\r\n      b\r\n"},
		{"an insertion behind a blank", "|\r\n      a »«|,«b\r\n", "|\r\n      a ,b\r\n"},
		{"beside a parameter", "'${A}»b«|c«${A}'", "'${A}c${A}'"},
		{"a parameter", "'»${A}«|c«'", ""},
		{"the end of a plain text", "a »b«|c # d«\n", ""},
		{"the end of a text in quotes", "'a »b«|c''', d: '«'\n", "'a c'''''', d: '''\n"},
		{"a line end in a block", "|\n      a\n      »b«|c\nd: e«\n", ""},
	}
	for _, test := range tests {
		before, rest, _ := strings.Cut(test.marked, "»")
		was, rest, _ := strings.Cut(rest, "«|")
		with, after, _ := strings.Cut(rest, "«")
		file, err := Parse("file", head+before+was+after)
		if err != nil {
			t.Fatal(err)
		}
		filled, err := file.Objects()[0].Fill(nil)
		if err != nil {
			t.Fatal(err)
		}
		a := filled.Annotations()[0]
		marked := filledAnnotation(t, head+before+"»"+was+"«"+after).Text()
		start := strings.Index(marked, "»")
		c, ok := a.Change([]Edit{{Span{start, strings.Index(marked, "«") - len("»")}, with}})
		got := ""
		if changed, fits := file.With([]Change{c}); ok && fits {
			got = strings.TrimPrefix(changed.Raw, head)
		}
		if strings.Contains(test.name, "double") {
			got = strings.TrimSpace(got)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// An edit of a value to which aliases refer changes them too. In rules that are a document, nobody
// has asked for that.
func TestWithAlias(t *testing.T) {
	file, err := Parse("file", "- &a {name: x, rule: y}\n- *a\n")
	if err != nil {
		t.Fatal(err)
	}
	d := file.Documents()[0]
	text, err := d.JSON()
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(text, "x")
	c, ok := d.Change([]Edit{{Span{at, at + 1}, "z"}})
	if _, fits := file.With([]Change{c}); !ok || fits {
		t.Errorf("%v, %v", ok, fits)
	}
}

// Two changes in the same place cannot be made together, nor a key that is there already.
func TestWithout(t *testing.T) {
	file, err := Parse("file", "a: 1\nb: 2\n")
	if err != nil {
		t.Fatal(err)
	}
	key := func(end int, meant string) Change {
		return file.ChangeKey(lint.Finding{Offset: 0, End: end, Suggestion: meant})
	}
	if changed, ok := file.With([]Change{key(1, "c")}); !ok || changed.Raw != "c: 1\nb: 2\n" {
		t.Errorf("%v", ok)
	}
	for name, changes := range map[string][]Change{"twice": {key(1, "c"), key(1, "c")}, "taken": {key(1, "b")}, "too much": {key(4, "c: 1")}} {
		if _, ok := file.With(changes); ok {
			t.Errorf("%s: made", name)
		}
	}
}

// Of JSON, only heads are kept: a change of anything below them is seen all the same.
func TestWithJSON(t *testing.T) {
	const text = `{"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": "[ab]"}}, "spec": {"x": 1}}`
	file, err := Parse("file", text)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(text, "1}")
	c, ok := file.Objects()[0].Loaded().Annotations()[0].Change([]Edit{{Span{1, 2}, "c"}})
	if changed, fits := file.With([]Change{c}); !ok || !fits || changed.Raw != strings.Replace(text, "ab", "cb", 1) {
		t.Errorf("%v, %v", ok, fits)
	}
	c.inFile = append(c.inFile, Edit{Span{at, at + 1}, "2"})
	if _, fits := file.With([]Change{c}); fits {
		t.Error("another value is changed too")
	}
}
