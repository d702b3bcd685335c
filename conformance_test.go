package vmrules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A vector is one case of testdata/conformance; its README documents the form.
type vector struct {
	Name       string
	Spec       string
	Annotation json.RawMessage
	Version    Version
	Call       string
	Template   json.RawMessage
	Options    struct {
		Strict, Partial bool
		Defaults        map[string]any
	}
	Object json.RawMessage
	Want   struct {
		Problems   []wantProblem
		Outcomes   []Outcome
		Targets    []string
		Notes      []string
		Violations []wantViolation
	}
}

type wantProblem struct {
	Rule, Key, Reason, Source, Contains string
	Index, Line, Column                 int
}

type wantViolation struct {
	Rule, Field, Reason, Argument string
	Warning                       bool
	Limit, Value                  json.RawMessage
	Pointer                       *string
	Defaulted                     *bool
	Contains                      string
}

func readVectors(t testing.TB) map[string][]vector {
	t.Helper()
	files, err := filepath.Glob("testdata/conformance/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	all := map[string][]vector{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var content struct{ Vectors []vector }
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&content); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = content.Vectors
	}
	return all
}

// text is the annotation: a string in the file, or the text of an array there.
func (v vector) text(t testing.TB) string {
	if len(v.Annotation) == 0 || v.Annotation[0] != '"' {
		return string(v.Annotation)
	}
	var s string
	if err := json.Unmarshal(v.Annotation, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func (v vector) parseOptions() []ParseOption {
	var opts []ParseOption
	if v.Version != "" {
		opts = append(opts, WithVersion(v.Version))
	}
	if v.Options.Strict {
		opts = append(opts, Strict())
	}
	return opts
}

func (v vector) validateOptions(t testing.TB) []ValidateOption {
	var opts []ValidateOption
	if v.Options.Partial {
		opts = append(opts, Partial())
	}
	for path, value := range v.Options.Defaults {
		p, err := ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		opts = append(opts, WithDefault(p, value))
	}
	return opts
}

// run does what the vector asks for, with objects as this decoder gives them.
func (v vector) run(t testing.TB, decode func(json.RawMessage) map[string]any) (*Report, error) {
	object := decode(v.Object)
	switch v.Call {
	case "", "validate":
		rules, err := ParseRules(v.text(t), v.parseOptions()...)
		if err != nil {
			return nil, err
		}
		return Validate(rules, object, v.validateOptions(t)...), nil
	case "rulesFor":
		rules, err := RulesFor(object, decode(v.Template), v.parseOptions()...)
		if err != nil {
			return nil, err
		}
		return Validate(rules, object, v.validateOptions(t)...), nil
	case "validateOwn":
		return ValidateOwn(object, v.validateOptions(t)...)
	}
	t.Fatalf("unknown call %q", v.Call)
	return nil, nil
}

func TestConformance(t *testing.T) {
	for file, vectors := range readVectors(t) {
		for _, v := range vectors {
			t.Run(file+"/"+v.Name, func(t *testing.T) {
				if v.Spec == "" {
					t.Error("the vector does not say which sentence it is about")
				}
				report, err := v.run(t, decodeExactly)
				v.compare(t, report, err)
				other, otherErr := v.run(t, decodeOddly)
				if diff := cmp.Diff(problemsOf(err, nil), problemsOf(otherErr, nil)); diff != "" {
					t.Errorf("the same object, decoded otherwise, gives other problems (-exact +odd):\n%s", diff)
				}
				if diff := cmp.Diff(report, other); diff != "" {
					t.Errorf("the same object, decoded otherwise, gives another report (-exact +odd):\n%s", diff)
				}
			})
		}
	}
}

func (v vector) compare(t *testing.T, report *Report, err error) {
	t.Helper()
	if diff := cmp.Diff(v.Want.Problems, problemsOf(err, v.Want.Problems), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("problems (-want +got):\n%s\n%v", diff, err)
	}
	if report == nil {
		if len(v.Want.Outcomes) > 0 {
			t.Error("no report")
		}
		return
	}
	var outcomes []Outcome
	var targets, notes []string
	var violations []Violation
	for i, r := range report.Results {
		outcomes = append(outcomes, r.Outcome)
		targets = append(targets, r.Target)
		notes = append(notes, containing(r.Note, v.Want.Notes, i))
		violations = append(violations, r.Violations...)
	}
	if diff := cmp.Diff(v.Want.Outcomes, outcomes, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s\n%s", diff, report)
	}
	if diff := cmp.Diff(v.Want.Targets, targets, cmpopts.EquateEmpty()); diff != "" && v.Want.Targets != nil {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(v.Want.Notes, notes); diff != "" && v.Want.Notes != nil {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(v.Want.Violations, comparable(violations, v.Want.Violations), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("violations (-want +got):\n%s\n%s", diff, report)
	}
}

// containing is the wanted part of a text if the text contains it, so that a
// comparison succeeds; else the whole text.
func containing(text string, wanted []string, i int) string {
	if i < len(wanted) && strings.Contains(text, wanted[i]) && (wanted[i] != "" || text == "") {
		return wanted[i]
	}
	return text
}

// problemsOf reduces problems to what the vector says of them.
func problemsOf(err error, wanted []wantProblem) []wantProblem {
	var parsed *ParseError
	if err == nil {
		return nil
	}
	if !errors.As(err, &parsed) {
		parsed = &ParseError{Problems: []Problem{{Index: -1, Message: err.Error()}}}
	}
	var got []wantProblem
	for i, p := range parsed.Problems {
		g := wantProblem{p.Rule, p.Key, string(p.Reason), p.Source, p.Message, p.Index, p.Line, p.Column}
		if i < len(wanted) {
			w := wanted[i]
			g.Line, g.Column = onlyIf(w.Line != 0, g.Line), onlyIf(w.Column != 0, g.Column)
			g.Source = onlyIf(w.Source != "", g.Source)
			if strings.Contains(p.Message, w.Contains) {
				g.Contains = w.Contains
			}
		}
		got = append(got, g)
	}
	return got
}

// comparable reduces violations to what the vector says of them.
func comparable(violations []Violation, wanted []wantViolation) []wantViolation {
	var got []wantViolation
	for i, v := range violations {
		g := wantViolation{
			Rule: v.Rule, Field: v.Field, Reason: string(v.Reason), Argument: v.Argument, Warning: v.Warning,
			Limit: compact(v.Limit), Value: compact(v.Value), Pointer: &v.Pointer, Defaulted: &v.Defaulted, Contains: v.Detail,
		}
		if i < len(wanted) {
			w := wanted[i]
			g.Limit, g.Value = orWanted(w.Limit, g.Limit), orWanted(w.Value, g.Value)
			g.Pointer = onlyIf(w.Pointer != nil, g.Pointer)
			g.Defaulted = onlyIf(w.Defaulted != nil, g.Defaulted)
			if strings.Contains(v.Detail, w.Contains) {
				g.Contains = w.Contains
			}
		}
		got = append(got, g)
	}
	return got
}

func onlyIf[T any](wanted bool, got T) T {
	if wanted {
		return got
	}
	var none T
	return none
}

// orWanted is what is wanted where that is absent or the same JSON value, so
// that a comparison succeeds.
func orWanted(want, got json.RawMessage) json.RawMessage {
	if want == nil || equalJSON(want, got) {
		return want
	}
	return got
}

func compact(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage(fmt.Sprintf("%q", err))
	}
	return text
}

// decodeExactly keeps every digit.
func decodeExactly(text json.RawMessage) map[string]any {
	var object map[string]any
	if len(text) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&object); err != nil {
		panic(err)
	}
	return object
}

type (
	namedString string
	namedMap    map[namedString]any
	namedList   []any
)

// decodeOddly gives the same object in the types of other decoders and of Go
// code: named and untyped maps, typed lists, numbers of other widths.
func decodeOddly(text json.RawMessage) map[string]any {
	object := decodeExactly(text)
	for name, value := range object {
		object[name] = oddly(value, 1)
	}
	return object
}

func oddly(v any, depth int) any {
	switch v := v.(type) {
	case string:
		if depth%2 == 0 {
			return namedString(v)
		}
		return v
	case json.Number:
		return oddNumber(v, depth)
	case []any:
		list := namedList{}
		for _, item := range v {
			list = append(list, oddly(item, depth+1))
		}
		return list
	case map[string]any:
		return oddMap(v, depth)
	}
	return v
}

// oddNumber is the number in a Go type that holds it exactly.
func oddNumber(n json.Number, depth int) any {
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return []any{i, int(i), float64(i)}[min(depth%3, onlyIf(i < 1<<53, 2))]
	}
	if u, err := strconv.ParseUint(string(n), 10, 64); err == nil {
		return u
	}
	f, err := strconv.ParseFloat(string(n), 64)
	if err == nil && strconv.FormatFloat(f, 'f', -1, 64) == string(n) {
		return f
	}
	return n
}

func oddMap(v map[string]any, depth int) any {
	allStrings := len(v) > 0
	strings, untyped, named := map[string]string{}, map[any]any{}, namedMap{}
	for name, value := range v {
		s, ok := value.(string)
		allStrings = allStrings && ok
		strings[name] = s
		untyped[name] = oddly(value, depth+1)
		named[namedString(name)] = oddly(value, depth+1)
	}
	switch {
	case allStrings:
		return strings
	case depth%2 == 0:
		return untyped
	}
	return named
}
