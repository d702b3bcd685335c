package jsontext_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/meter"
)

// FuzzRead: nothing panics. A text is readable if it is UTF-8 and encoding/json accepts it. If
// it has no errors, the values are those of encoding/json. Every value and every error has a
// place. ObjectOf has the values of encoding/json whatever the errors.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`[{"name": "n", "min": 1.50, "x": [true, false, null, 1e400, -0]}]`, "[{“a”: 1}]", `[{'a': 1,}]`, "\ufeff[]", "- a: 1",
		`["\ud83d\ude00", "\ud83d", "\u0041\/\b"]`, `{"a": {"a": 1, "a": 2}}`, "[1 // one\n]", "[\"\xff\"]", "[\"\t\"]", `["a\`, `"`, ``,
		" 1 ", `[01]`, `[1}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Count(text, "[")+strings.Count(text, "{") > 9_000 {
			return // encoding/json has a bound of 10,000 levels
		}
		m := meter.New(math.MaxInt, math.MaxInt)
		format := jsontext.Format{Name: "the list", Root: "an array of things", Item: "thing", MaxItems: math.MaxInt,
			MaxDepth: math.MaxInt}
		root, errs := jsontext.Read(text, format, &m)
		format.Plain = true
		plain, same := jsontext.Read(text, format, &m)
		if diff := cmp.Diff(errs, same); diff != "" || plain.Start != root.Start || plain.End != root.End {
			t.Fatalf("read as plain values (-places +plain):\n%s", diff)
		}
		if isText := json.Valid([]byte(text)) && utf8.ValidString(text); isText == root.IsZero() {
			t.Fatalf("JSON: %v; read: %v", isText, errs)
		}
		if object, err := jsontext.ObjectOf(json.RawMessage(text)); err == nil {
			if diff := cmp.Diff(decoded(t, text), any(object)); diff != "" {
				t.Fatalf("another object than encoding/json has (-json +read):\n%s", diff)
			}
		}
		if root.IsZero() && len(errs) != 1 {
			t.Fatalf("%d errors, want 1: %v", len(errs), errs)
		}
		for _, e := range errs {
			if e.Offset < 0 || e.Offset > len(text) || e.Message == "" || !utf8.ValidString(e.Message) || len(e.Message) > 1_000 {
				t.Fatalf("%+v", e)
			}
		}
		if root.IsZero() {
			return
		}
		checkNode(t, text, root)
		if len(errs) > 0 {
			return // a decoder replaces halves of pairs, and drops members
		}
		if diff := cmp.Diff(decoded(t, text), valueOf(root)); diff != "" {
			t.Fatalf("another value than encoding/json has (-json +read):\n%s", diff)
		}
		if diff := cmp.Diff(decoded(t, text), plain.Value); diff != "" {
			t.Fatalf("another plain value than encoding/json has (-json +read):\n%s", diff)
		}
		if diff := cmp.Diff(decoded(t, text), decoded(t, string(root.Raw()))); diff != "" {
			t.Fatalf("another value through Raw (-text +raw):\n%s", diff)
		}
	})
}

// checkNode checks that a value is at its place, and that it is the same value if that part of
// the text is read alone.
func checkNode(t *testing.T, text string, n jsontext.Node) {
	if n.Start < 0 || n.End > len(text) || n.Start >= n.End || !json.Valid([]byte(text[n.Start:n.End])) {
		t.Fatalf("%v is not JSON from %d to %d", n.Value, n.Start, n.End)
	}
	if first := text[n.Start]; strings.IndexByte(" \t\r\n", first) >= 0 || strings.IndexByte(" \t\r\n", text[n.End-1]) >= 0 {
		t.Fatalf("blanks around %v from %d to %d", n.Value, n.Start, n.End)
	}
	for _, item := range n.Items {
		checkNode(t, text, item)
	}
	for _, m := range n.Members {
		if text[m.Start] != '"' || m.Start >= m.Value.Start {
			t.Fatalf("the key %q is not at %d", m.Key, m.Start)
		}
		checkNode(t, text, m.Value)
	}
}

func decoded(t *testing.T, text string) (value any) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// valueOf converts a Node to the types of encoding/json.
func valueOf(n jsontext.Node) any {
	switch n.Value {
	case json.Delim('['):
		list := []any{}
		for _, item := range n.Items {
			list = append(list, valueOf(item))
		}
		return list
	case json.Delim('{'):
		object := map[string]any{}
		for _, m := range n.Members {
			object[m.Key] = valueOf(m.Value)
		}
		return object
	}
	return n.Value
}
