package manifest

import (
	"strings"
	"testing"
)

// Each file has one annotation, in which » marks the place to find.
func TestPlace(t *testing.T) {
	const head = "kind: VirtualMachine\nmetadata:\n  annotations:\n    vm.kubevirt.io/validations: "
	const jsonHead = `{"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": `
	tests := []struct {
		name, file string
		line       int
		column     int
	}{
		{"literal block", head + "|\n      [\n        {»\"a\": 1}\n      ]\n", 6, 10},
		{"literal block behind blank lines", head + "|\n\n\n      [ü, »1]\n", 7, 11},
		{"literal block with an indentation indicator", head + "|2-\n        [\n      »1]\n", 6, 7},
		{"literal block with a comment", head + "|+ # rules\n      [»1]\n\n", 5, 8},
		{"literal block with a tag and an anchor", head + "!!str &rules |\n      [»1]\n", 5, 8},
		{"folded block", head + ">-\n      [1,\n      2,\n\n        3,\n      »4]\n", 9, 7},
		{"plain", head + "x1\n      x2\n\n      »x3 # comment\n", 7, 7},
		{"single quotes", head + "'[''a'',\n      \"b\", »c]'\n", 5, 12},
		{"double quotes", head + `"[\"a\",\n\u00fc \U0001f600 \x41 \` + "\n" + `      \ »b]"`, 5, 9},
		{"double quotes over two lines", head + "\"[1,\n\n      »2]\"\n", 6, 7},
		{"a value on the next line", head + "\n      \"[»2]\"\n", 5, 9},
		{"Windows' line ends", strings.ReplaceAll(head+"|\n      [\n        »1]\n", "\n", "\r\n"), 6, 9},
		{"a byte order mark", "\uFEFF" + head + "|\n      [»1]\n", 5, 8},
		{"the second document", "# one\n---\n- |\n  x\n...\n---\n" + head + "|\n      [»1]\n", 11, 8},
		{"JSON", jsonHead + `"[\n\t{\"a\": »\"b\"}]"}}}`, 1, 101},
		{"JSON with tabs", strings.ReplaceAll(jsonHead, " ", "\n\t") + `"[\u00fc\ud83d\ude00»1]"}}}`, 6, 22},
		{"YAML that looks like JSON", strings.ReplaceAll(jsonHead, `"kind"`, `kind`) + `"[»1]"}}}`, 1, 87},
		{"the end of the text", head + "|\n      [1»\n", 5, 9},
		{"an alias", "x: &rules \"[»1]\"\n" + head + "*rules\n", 1, 13},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			// The first file still has the mark, which gives its offset in the annotation.
			marked, err := Parse("marked", test.file)
			if err != nil {
				t.Fatal(err)
			}
			offset := strings.Index(annotation(t, marked).Text(), "»")
			if offset < 0 {
				t.Fatal("there is no mark in the annotation")
			}
			file, err := Parse("file", strings.Replace(test.file, "»", "", 1))
			if err != nil {
				t.Fatal(err)
			}
			line, column := annotation(t, file).place(offset)
			if line != test.line || column != test.column {
				t.Errorf("got %d:%d, want %d:%d in\n%s", line, column, test.line, test.column, test.file)
			}
		})
	}
}

// A » marks the same place in the file and in the annotation with its parameters filled in.
func TestPlaceOfFilled(t *testing.T) {
	const head = "kind: Template\nparameters: [{name: A, value: \"12345\"}, {name: B}, {name: R, value: '\"[1]\"'}]\n" +
		"objects:\n- metadata:\n    annotations:\n      vm.kubevirt.io/validations: "
	tests := []struct{ name, file, filled string }{
		{"before a value", head + "|\n        [»1, ${A}]\n", "[»1, 12345]\n"},
		{"at the beginning of a value", head + "|\n        [1, »${A}]\n", "[1, »12345]\n"},
		{"inside a value", head + "|\n        [1, »${A}]\n", "[1, 12»345]\n"},
		{"behind a value", head + "|\n        [1, ${A}»]\n", "[1, 12345»]\n"},
		{"behind several values", head + "'[${B}${A},\n          \"it''s\", ${A}, »x ${C}]'\n", "[12345, \"it's\", 12345, »x ${C}]"},
		{"behind an escape", head + `"[\"ü\u00fc\", ${A}, »2]"`, `["üü", 12345, »2]`},
		{"an annotation that is a value", head + `»"${{R}}"`, "[»1]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file, err := Parse("file", strings.Replace(test.file, "»", "", 1))
			if err != nil {
				t.Fatal(err)
			}
			filled, err := file.Objects()[0].Fill(nil)
			if err != nil {
				t.Fatal(err)
			}
			a := filled.Annotations()[0]
			if got, want := a.Text(), strings.Replace(test.filled, "»", "", 1); got != want {
				t.Fatalf("the annotation is %q, want %q", got, want)
			}
			marked := newSource(test.file)
			wantLine, wantColumn := marked.place(strings.Index(test.file, "»"))
			if line, column := a.place(strings.Index(test.filled, "»")); line != wantLine || column != wantColumn {
				t.Errorf("got %d:%d, want %d:%d in\n%s", line, column, wantLine, wantColumn, test.file)
			}
		})
	}
}

// A given value may contain rules, and be longer than the file.
func TestPlaceInGivenValue(t *testing.T) {
	file, err := Parse("file", "kind: Template\nparameters: [{name: A}]\nobjects:\n- ${{A}}\n")
	if err != nil {
		t.Fatal(err)
	}
	given := `{"metadata": {"annotations": {"vm.kubevirt.io/validations": "` + strings.Repeat(" ", 1_000) + `[1]"}}}`
	filled, err := file.Objects()[0].Fill(map[string]string{"A": given})
	if err != nil {
		t.Fatal(err)
	}
	a := filled.Annotations()[0]
	if line, column := a.place(1_001); line != 4 || column != 3 {
		t.Errorf("got %d:%d, want 4:3", line, column)
	}
}

func annotation(t *testing.T, f *File) Annotation {
	t.Helper()
	var all []Annotation
	for _, o := range f.Objects() {
		all = append(all, o.Annotations()...)
	}
	if len(all) != 1 {
		t.Fatalf("%d annotations, want 1", len(all))
	}
	return all[0]
}

func (a Annotation) place(offset int) (line, column int) {
	return a.Object.File.source.place(a.locate(a.finder(), Span{offset, offset}).Start)
}

// An annotation that cannot be found in the text of the file has the place of its beginning.
func TestPlaceUnknown(t *testing.T) {
	a := Annotation{Object: Object{File: &File{source: newSource("a: b")}}, value: &node{at: 3, scalar: "other"}}
	if line, column := a.place(2); line != 1 || column != 4 {
		t.Errorf("got %d:%d, want 1:4", line, column)
	}
}

// In each file, » and « enclose a part of the annotation.
func TestLocate(t *testing.T) {
	const head = "kind: VirtualMachine\nmetadata:\n  annotations:\n    vm.kubevirt.io/validations: "
	const jsonHead = `{"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": `
	tests := map[string]string{
		"literal block":     head + "|\n      [\n        {»\"ä\"«: 1}\n      ]\n",
		"several lines":     head + "|\n      [\n        »{\"a\": 1,\n         \"b\": 2}«\n      ]\n",
		"folded block":      head + ">-\n      [1,\n      »2,\n\n        3«,\n      4]\n",
		"plain":             head + "x1\n      »x2\n\n      x3« # comment\n",
		"single quotes":     head + "'[»''ä b''«,\n      \"b\", c]'\n",
		"double quotes":     head + `"[»\"\u00fc\n \U0001f600\"«, 1]"` + "\n",
		"inside an escape":  head + `"[\"a»\\n«\"]"` + "\n",
		"JSON":              jsonHead + `"[\n\t{»\"\u002e😀\"«: \"b\"}]"}}}`,
		"JSON inside JSON":  jsonHead + `"[»\"a\\\"\\u002e\"«]"}}}`,
		"up to the end":     head + "'»[1]«'",
		"an alias":          "x: &rules \"[»1«]\"\n" + head + "*rules\n",
		"behind parameters": "kind: Template\nparameters: [{name: A, value: \"12345\"}]\nobjects:\n- metadata:\n   annotations:\n    vm.kubevirt.io/validations: '[${A}, »\"1\"«, ${A}]'",
	}
	for name, marked := range tests {
		t.Run(name, func(t *testing.T) {
			text := filledAnnotation(t, marked).Text()
			a := filledAnnotation(t, strings.NewReplacer("»", "", "«", "").Replace(marked))
			start, end := strings.Index(text, "»"), strings.Index(text, "«")-len("»")
			inMarked := Span{strings.Index(marked, "»"), strings.Index(marked, "«") - len("»")}
			if got, ok := a.Locate(Span{start, end}); got != inMarked || !ok {
				t.Errorf("got %v, %v; want %v in\n%s", got, ok, inMarked, marked)
			}
		})
	}
}

func filledAnnotation(t *testing.T, text string) Annotation {
	t.Helper()
	file, err := Parse("file", text)
	if err != nil {
		t.Fatal(err)
	}
	filled, err := file.Objects()[0].Fill(nil)
	if err != nil {
		t.Fatal(err)
	}
	return filled.Annotations()[0]
}

// A part with a parameter's value is not in the file: the reference is.
func TestLocateParameter(t *testing.T) {
	const text = "kind: Template\nparameters: [{name: A, value: \"12345\"}]\nobjects:\n- metadata:\n   annotations:\n    vm.kubevirt.io/validations: '[1, ${A}, 2]'"
	for _, part := range []string{"12345", "1, 12", "345, 2"} {
		a := filledAnnotation(t, text)
		start := strings.Index(a.Text(), part)
		want := map[string]string{"12345": "${A}", "1, 12": "1, ${A}", "345, 2": "${A}, 2"}[part]
		if got, ok := a.Locate(Span{start, start + len(part)}); ok || text[got.Start:got.End] != want {
			t.Errorf("%s is %s in the file, %v; want %s", part, text[got.Start:got.End], ok, want)
		}
	}
}
