package jsontext_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/meter"
)

// TestPlaces: values have their places and digits, and members their keys, in the order of the
// text.
func TestPlaces(t *testing.T) {
	const text = ` [ {"é": 1.50, "b" : [true, null]}, "a\n\ud83d\ude00", [], {} ] `
	node := func(start, end int, value any) jsontext.Node {
		return jsontext.Node{Start: start, End: end, Value: value}
	}
	object := node(3, 35, json.Delim('{'))
	list := node(22, 34, json.Delim('['))
	list.Items = []jsontext.Node{node(23, 27, true), node(29, 33, nil)}
	object.Members = []jsontext.Member{
		{Key: "é", Start: 4, Value: node(10, 14, json.Number("1.50"))},
		{Key: "b", Start: 16, Value: list},
	}
	want := node(1, 64, json.Delim('['))
	want.Items = []jsontext.Node{object, node(37, 54, "a\n😀"), node(56, 58, json.Delim('[')), node(60, 62, json.Delim('{'))}
	got, errs := read(text)
	if diff := cmp.Diff(want, got); diff != "" || errs != nil {
		t.Errorf("(-want +got):\n%s\n%v", diff, errs)
	}
}

// TestFlaws: errors that leave the text readable are reported together, each with its item and
// key.
func TestFlaws(t *testing.T) {
	many := `"0": 0`
	for i := range 40 {
		many += fmt.Sprintf(`, "%d": 0`, i)
	}
	tests := []struct {
		text string
		want []jsontext.Error
	}{
		{`[{"a": 1, "b": 2, "a": 3}]`, []jsontext.Error{
			{Offset: 18, Kind: jsontext.Duplicate, Key: "a", Message: `the key "a" is given twice in one object: keep one of them`},
		}},
		{`[1, {"a": [{"b": 1, "\u0062": 2}]}, {"a": 0}]`, []jsontext.Error{
			{Offset: 20, Kind: jsontext.Duplicate, Item: 1, Key: "a",
				Message: `the key "b" is given twice in one object: keep one of them`},
		}},
		{`["\ud800", {"k": "\uD83D\\\uDE00"}, "\ud83d\ude00"]`, []jsontext.Error{
			{Offset: 2, Message: `\ud800 is half of a surrogate pair: write the character itself, or both halves`},
			{Offset: 18, Item: 1, Key: "k", Message: `\uD83D is half of a surrogate pair: write the character itself, or both halves`},
			{Offset: 26, Item: 1, Key: "k", Message: `\uDE00 is half of a surrogate pair: write the character itself, or both halves`},
		}},
		{`{"a": {"b": 1, "b": "\udc00"}}`, []jsontext.Error{
			{Offset: 15, Kind: jsontext.Duplicate, Item: -1, Message: `the key "b" is given twice in one object: keep one of them`},
			{Offset: 21, Item: -1, Message: `\udc00 is half of a surrogate pair: write the character itself, or both halves`},
		}},
		{`[{` + many + `}]`, []jsontext.Error{
			{Offset: 10, Kind: jsontext.Duplicate, Key: "0", Message: `the key "0" is given twice in one object: keep one of them`},
		}},
		{`[{` + many + `, "39": 1}]`, []jsontext.Error{
			{Offset: 10, Kind: jsontext.Duplicate, Key: "0", Message: `the key "0" is given twice in one object: keep one of them`},
			{Offset: 4 + len(many), Kind: jsontext.Duplicate, Key: "39",
				Message: `the key "39" is given twice in one object: keep one of them`},
		}},
	}
	for _, test := range tests {
		root, errs := read(test.text)
		if diff := cmp.Diff(test.want, errs); diff != "" || root.IsZero() {
			t.Errorf("%s: no node: %v; errors (-want +got):\n%s", test.text, root.IsZero(), diff)
		}
	}
}

// TestMeter: values and errors are charged to the meter before they are made.
func TestMeter(t *testing.T) {
	format := jsontext.Format{Name: "the list", Root: "an array of things", Item: "thing", MaxItems: 100, MaxDepth: maxDepth}
	spent := func(text string) (work, kept int) {
		m := meter.New(1_000_000, 1_000_000)
		jsontext.Read(text, format, &m)
		work, kept = m.Left()
		return 1_000_000 - work, 1_000_000 - kept
	}
	oneWork, oneKept := spent("[]")
	if oneWork <= 0 || oneKept <= 0 {
		t.Fatalf("a value costs %d and %d", oneWork, oneKept)
	}
	if work, kept := spent(`[1, "a", {"k": null}]`); work != 5*oneWork || kept != 5*oneKept {
		t.Errorf("5 values cost %d and %d; 1 costs %d and %d", work, kept, oneWork, oneKept)
	}
	flawWork, flawKept := spent(`["\ud800"]`)
	if flawWork <= 2*oneWork || flawKept <= 2*oneKept {
		t.Errorf("an error costs nothing: %d and %d", flawWork, flawKept)
	}

	tests := []struct {
		work, kept int
		text       string
		want       []jsontext.Error
	}{
		{3 * oneWork, math.MaxInt, "[1, 2]", nil},
		{3*oneWork - 1, math.MaxInt, "[1, 2]",
			[]jsontext.Error{{Offset: 4, Kind: jsontext.TooCostly, Item: -1, Message: meter.ErrWork.Error()}}},
		{math.MaxInt, 3*oneKept - 1, "[1, 2]",
			[]jsontext.Error{{Offset: 4, Kind: jsontext.TooCostly, Item: -1, Message: meter.ErrKept.Error()}}},
		{0, 0, "x", []jsontext.Error{{Kind: jsontext.TooCostly, Item: -1, Message: meter.ErrWork.Error()}}},
		{flawWork - 1, math.MaxInt, `["\ud800", 1]`,
			[]jsontext.Error{{Offset: 11, Kind: jsontext.TooCostly, Item: -1, Message: meter.ErrWork.Error()}}},
		{flawWork - 1, math.MaxInt, `["\ud800"]`, nil}, // which the meter says
	}
	for _, test := range tests {
		m := meter.New(test.work, test.kept)
		root, errs := jsontext.Read(test.text, format, &m)
		if diff := cmp.Diff(test.want, errs); diff != "" || root.IsZero() != (errs != nil) {
			t.Errorf("%s for %d and %d: no node: %v; errors (-want +got):\n%s", test.text, test.work, test.kept, root.IsZero(), diff)
		}
		if refused := m.Err() != nil; refused != (test.want != nil || test.work < flawWork && strings.Contains(test.text, "ud800")) {
			t.Errorf("%s for %d and %d: the meter says %v", test.text, test.work, test.kept, m.Err())
		}
	}
}
