package manifest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestParse compares files with their documents as JSON, one in each line.
func TestParse(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"nothing", "", ""},
		{"comments", "# nothing\n---\n", ""},
		{"documents", "a: 1\n---\nb: 2\n...\n", `{"a":1}` + "\n" + `{"b":2}`},
		{"numbers keep their digits", "[9007199254740993123456789, 2.50, 1e3, -0, 0x10, 0o17]", `[9007199254740993123456789,2.50,1e3,-0,16,15]`},
		{"not numbers", "[1.2.3, 007a, 1Gi, .inf, 2020-01-01]", `["1.2.3","007a","1Gi",".inf","2020-01-01"]`},
		{"booleans of YAML 1.1", "[true, yes, off, 'yes']", `[true,true,false,"yes"]`},
		{"nulls", "a:\nb: ~\nc: null", `{"a":null,"b":null,"c":null}`},
		{"tags", "[!!str 1, !!str x, !!str &a 2, !own z]", `["1","x","2","z"]`},
		{"keys", "1: a\n\"b c\": d\ntrue: e", `{"1":"a","b c":"d","true":"e"}`},
		{"items with one key", "- a: 1\n- b: 2", `[{"a":1},{"b":2}]`},
		{"anchors", "a: &x {b: 1}\nc: *x", `{"a":{"b":1},"c":{"b":1}}`},
		{
			"merge keys", "x: &x {a: 1, b: 1}\ny: &y {a: 2, c: 2}\nz: {<<: *x, b: 3}\nw:\n  <<: [*x, *y]",
			`{"w":{"a":1,"b":1,"c":2},"x":{"a":1,"b":1},"y":{"a":2,"c":2},"z":{"a":1,"b":3}}`,
		},
		{"a sequence of JSON objects", "{\"a\": [1.0]}\n{\"b\": null}\n", `{"a":[1.0]}` + "\n" + `{"b":null}`},
		{"JSON with tabs", "{\n\t\"a\":\t{}\n}", `{"a":{}}`},
		{"octal, binary and long numbers", "[010, 0b11, 1_000, 0xffff, +12, 08]", `[8,3,1000,65535,12,8]`},
		{
			"fractions", "[.5, 1., +1.50, -.25e3, 1_0.5, 123456789012345678901234567890.10]",
			`[0.5,1,1.50,-0.25e3,10.5,123456789012345678901234567890.10]`,
		},
		{"other tags, as kubectl reads them", "[!own 1, !own ~, !!int \"1\", !!bool 'true', !!null '', !!float 2]", `["1","~",1,true,null,2]`},
		{"a merge key in quotes", "a: {\"<<\": {b: 1}}", `{"a":{"\u003c\u003c":{"b":1}}}`},
		{"line ends of YAML 1.1", "a: 1\rb: \"x\u2028y\"\u0085c: z", `{"a":1,"b":"x\u2028y","c":"z"}`},
		{"a literal block", "a: |\n  b\n\n   c\n", `{"a":"b\n\n c\n"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file, err := Parse("file", test.file)
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, document := range file.documents {
				text, err := json.Marshal(file.source.whole(document).plain())
				if err != nil {
					t.Fatal(err)
				}
				lines = append(lines, string(text))
			}
			if got := strings.Join(lines, "\n"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// A » marks where a mistake is reported.
func TestYAMLMistakes(t *testing.T) {
	const before = "a: 1\nb:\n  c: {x: [1, 2], y: \"é\"}\n"
	tests := []struct{ name, file, want string }{
		{"a tab", before + "»\td: 1\n", "a tab cannot indent a line: write spaces"},
		{"a tab behind blanks", before + "  »\td: 1\n", "a tab cannot indent a line: write spaces"},
		{"a bracket that is not opened", before + "  d: \"é\"», \"b\"]\n  e: 2\n", "did not find expected key, in the object that begins in line 3"},
		{"a bracket that is not closed", before + "  d: [1,\n    2\n  e»: 2\n", "did not find expected ',' or ']', in the [ ] that begins in line 4"},
		{"a comma that is missing", before + "  d: [\"1\"\n    »\"2\"]\n", "did not find expected ',' or ']', in the [ ] that begins in line 4"},
		{"a quote that is not closed", before + "  d: »\"1\n  e: 2\n", "found unexpected end of stream"},
		{"a line that begins too early", before + " »d: 1\n", "this line is indented by 1, and line 3 by 2: indent them alike, or write the key that is missing around one of them"},
		{"a line that begins too late", before + "   »d: 1\n", "this line is indented by 3, and line 3 by 2: indent them alike, or write the key that is missing around one of them"},
		{"a first line that begins too late", "a:\n  b: 1\nc:\n   »d: 1\n  e: 2\n", "this line is indented by 3, and line 5 by 2: indent them alike, or write the key that is missing around one of them"},
		{"a level that is left out", "a:\n  b:\n  »c:\n      d: 1\n    e: 2\n", "this line is indented by 2, and line 5 by 4: indent them alike, or write the key that is missing around one of them"},
		{"a level that is left out behind a value", "a:\n  »b: 1\n    c:\n      d: 1\n", "this line is indented by 2, and line 3 by 4: indent them alike, or write the key that is missing around one of them"},
		{"lines that are indented alike", "a:\n  b: 1\n  »c, d\n  e: 1\n", "could not find expected ':'"},
		{"a line of a text that begins too early", "# a\na:\n  b: |\n    [\n\n      1,\n   »\"2\",\n    ]\n  c: 1\n", "this line is indented by 3, and line 6 by 6: indent them alike, or write the key that is missing around one of them"},
		{"a dash that is left out", "a:\n  b:\n    »c: 1\n    d: 2\n  - c: 2\n", `line 5 begins an item of the array: write "- " before its first item too`},
		{"a colon in a text", "a:\n  b: c, d»: e\n", "a text with a colon in it needs quotes around it"},
		{"a quote in double quotes", "a:\n  b: \"\n    c\\\"d »\"e: f\" g: h\"\n", `the text in quotes ends here: write \" or '' for a quote in it, or | and the text in the lines below`},
		{"an apostrophe in single quotes", "a:\n  b: 'it''s, that»'s: it'\n", `the text in quotes ends here: write \" or '' for a quote in it, or | and the text in the lines below`},
		{"a conflict", "a:\n»<<<<<<< HEAD\n  b: 1\n=======\n  b: 2\n>>>>>>> branch\n", "this marks a merge conflict: keep one of its sides, and remove the marks"},
		{"a conflict in the second document", "a: 1\n---\nb:\n  c: 1\n»=======\n  c: 2\n", "this marks a merge conflict: keep one of its sides, and remove the marks"},
		{"a key among items", "a:\n  - 1\n  b»: 2\n", "did not find expected '-' indicator, in the array that begins in line 2"},
		{"a reserved character", before + "  d: »@é\n", "found character that cannot start any token"},
		{"a control character", before + "  d: é »\x01\n", "control characters are not allowed"},
		{"the second document", before + "---\nd: »@\n", "found character that cannot start any token"},
		{"a long file", before + strings.Repeat("  - é # comment\n", maxSearched/16), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := strings.Replace(test.file, "»", "", 1)
			line, column := newSource(test.file).place(max(strings.Index(test.file, "»"), 0))
			_, err := Parse("file", file)
			want := fmt.Sprintf("file:%d:%d: %s", line, column, test.want)
			if test.want == "" {
				want = "file:3:3: did not find expected key, somewhere in the object that begins here"
			}
			if err == nil || err.Error() != want {
				t.Errorf("got error %v, want %s", err, want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	laughs := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i, next := 0, 1; next < 10; i, next = i+1, next+1 {
		name := string(rune('0' + i))
		laughs += fmt.Sprintf("a%d: &a%[1]d [%s*a%s]\n", next, strings.Repeat("*a"+name+", ", 9), name)
	}
	tests := []struct{ name, file, want string }{
		{"YAML", "a: 1\nb: [\n", "file:2:4: did not find expected node content"},
		{"a key given twice", "a: 1\na: 2\n", `file:2:1: the key "a" is given twice`},
		{"JSON that ends too early", "{\"a\":\n [1,", "file:2:5: the text ends too early"},
		{"JSON with the wrong bracket", "{\"a\": 1]", "file:1:8: "},
		{"an alias without an anchor", "a: *x", "file:1:4: no value that ends before the alias *x has the anchor &x"},
		{"an alias inside its own value", "a: &x [*x]", "file:1:8: no value that ends before the alias *x has the anchor &x"},
		{"aliases of aliases", laughs, "stand for more than"},
		{"deep JSON", strings.Repeat("[", 100_000), "nested more than 1000 levels"},
		{"deep YAML", "a: " + strings.Repeat("[", 1_001) + strings.Repeat("]", 1_001), ""},
		{"not UTF-8", "a: \xff", "file:1:1: the file is not UTF-8"},
		{"an object as a key", "? {a: b}\n: c", "file:1:3: a key must be a string"},
		{"deep lists", strings.Repeat("- ", 2_000) + "a", "file:1:2001: values are nested more than 1000 levels"},
		{"lists too deep for the parser", strings.Repeat("- ", 100_000), "exceeded max depth"},
		{"brackets too deep for the parser", "a: " + strings.Repeat("[", 100_000), "exceeded max depth"},
		{"braces too deep for the parser", "- " + strings.Repeat("{a: ", 100_000), "exceeded max depth"},
		{"an object merged many times", "a: &a {" + keys(1_000) + "}\nb:\n  <<: [" + strings.Repeat("*a, ", 200) + "*a]", "file:3:"},
		{
			"merge keys inside each other", "a: " + strings.Repeat("{<<: ", 900) + "{" + keys(1_000) + "}" + strings.Repeat("}", 900),
			"stand for more than",
		},
		{"a string to merge", "a:\n  <<: b", "file:2:3: << takes an object"},
		{"an array of strings to merge", "a: {<<: [b]}", "file:1:5: << takes an object"},
		{"NUL", "a: b\x00", "control characters are not allowed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("file", test.file)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}

// keys returns the text of n members of an object.
func keys(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, "k%d: %d, ", i, i)
	}
	return s.String()
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("kind: VirtualMachine\nmetadata:\n  annotations:\n    vm.kubevirt.io/validations: |\n      []"))
	f.Add([]byte("a: &x {<<: *x, ? b: !!str c}\n--- >-\n x\n"))
	f.Add([]byte(`{"kind": "List", "items": [{"metadata": {"annotations": {"vm.kubevirt.io/validations": "\u00fc"}}}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		file, err := Parse("file", string(content))
		if err != nil {
			if _, ok := err.(*Error); !ok {
				t.Fatalf("the error is a %T, want an *Error", err)
			}
			return
		}
		for _, o := range file.Objects() {
			if _, err := o.Fill(nil); err != nil {
				continue
			}
			for _, a := range o.Annotations() {
				for offset := range len(a.Text()) + 1 {
					if line, column := a.place(offset); file.source.line(line) == "" && line > 1 && column > 1 {
						t.Fatalf("%d:%d is not in the file", line, column)
					}
				}
			}
		}
	})
}
