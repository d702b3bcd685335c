// Package conformance reads test vectors and compares results with what the vectors want.
// The tests of every module of this repository share it. It knows reports and errors only
// by their JSON, so that package vmrules can use it too.
// testdata/conformance/README.md documents the format of vectors.
package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Suite is the version of the suite of vectors that this package reads.
const Suite = "1"

// A Vector is a call and its expected result.
type Vector struct {
	Name       string
	Spec       string // the numbers that it tests, of docs/format.md
	Annotation json.RawMessage
	Version    string
	Call       string
	Template   json.RawMessage
	Options    struct {
		Strict, Partial bool
		Ratcheting      bool
		Defaults        map[string]any
		Root            string // "" or "object"
		Lookup          string // of templates: "", or "fails", "panics", "nil" or "whole"
		WarnIfUndecided []string

		WithoutInstancetypes bool
	}
	Object                   json.RawMessage
	Old                      json.RawMessage   // nil if there is none
	Instancetype, Preference json.RawMessage   // for all VMs; nil if there is none
	Templates                []json.RawMessage // for WithTemplates; nil: it is not among the options
	Cluster                  []json.RawMessage
	Want                     struct {
		Problems   []Problem
		Outcomes   []string
		Targets    []string // of the outcomes
		Coverage   []Target // if it is nil, it and the next two are not compared
		Valid      bool
		Passed     bool
		Notes      []string
		Doubts     []string
		Violations []Violation
	}
}

// IsOld reports whether the annotation is of version 201901-1.
func (v Vector) IsOld() bool { return v.Version == "201901-1" }

// A Problem is what a vector says about a problem.
type Problem struct {
	Rule, Key, Reason, Source, Contains string
	Index, Line, Column                 int
}

// A Target is what a vector says about a target of a report.
type Target struct {
	Name, From, Template, Coverage, Doubt, Note string
	Rules                                       int
	IsInvalid                                   bool `json:"invalid"`
}

// A Violation is what a vector says about a violation.
type Violation struct {
	Rule, Message, Field, Reason, Argument string
	Warned                                 bool
	Limit, Value                           json.RawMessage
	Pointer, Origin                        *string
	Contains                               string
}

// Read returns the vectors of each file in the directory, by the file's name without its
// extension. An unknown key is an error, and so is another version of the suite.
func Read(t testing.TB, dir string) map[string][]Vector {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors in %s: %v", dir, err)
	}
	all := map[string][]Vector{}
	for _, file := range files {
		content := struct {
			Suite   string
			Vectors []Vector
		}{Suite: Suite} // the vectors of a kind beyond the format are of no suite
		readJSON(t, file, &content)
		if content.Suite != Suite {
			t.Fatalf("%s is of version %q of the suite, and this reader of version %s", file, content.Suite, Suite)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = content.Vectors
	}
	return all
}

// readJSON reads a file in which an unknown key is an error.
func readJSON(t testing.TB, file string, to any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		err = decoder.Decode(to)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// Text returns the annotation, which is a string or an array in the file.
func (v Vector) Text() string {
	if len(v.Annotation) == 0 || v.Annotation[0] != '"' {
		return string(v.Annotation)
	}
	return decoded[string](v.Annotation)
}

// Find returns a function that finds those instance types and preferences in Cluster that a
// VM names. It never fails.
func (v Vector) Find(decode func(json.RawMessage) map[string]any) func(vm map[string]any) (_, _ map[string]any, _ error) {
	return func(vm map[string]any) (instancetype, preference map[string]any, err error) {
		for _, text := range v.Cluster {
			object := decode(text)
			name, kind := textAt(object, "metadata", "name"), textAt(object, "kind")
			switch {
			case strings.HasSuffix(kind, "Instancetype") && name == textAt(vm, "spec", "instancetype", "name"):
				instancetype = object
			case strings.HasSuffix(kind, "Preference") && name == textAt(vm, "spec", "preference", "name"):
				preference = object
			}
		}
		return instancetype, preference, nil
	}
}

// FindTemplate returns the template in Templates with a namespace and a name; nil if there is none.
func (v Vector) FindTemplate(namespace, name string) map[string]any {
	for _, text := range v.Templates {
		object := DecodeExactly(text)
		if textAt(object, "metadata", "namespace") == namespace && textAt(object, "metadata", "name") == name {
			return object
		}
	}
	return nil
}

// textAt returns the text at a path of members, in the types of any decoder; "" if it is
// missing.
func textAt(v any, names ...string) string {
	for _, name := range names {
		members := reflect.ValueOf(v)
		if v = nil; members.Kind() != reflect.Map {
			return ""
		}
		for key, member := range members.Seq2() {
			if fmt.Sprint(key.Interface()) == name {
				v = member.Interface()
			}
		}
	}
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// Run checks that a call has the result that the vector wants, however the objects are
// decoded.
func Run[Report any](t testing.TB, v Vector, call func(decode func(json.RawMessage) map[string]any) (Report, error)) {
	t.Helper()
	if v.Spec == "" {
		t.Error("the vector does not say which sentence of the specification it tests")
	}
	report, err := call(DecodeExactly)
	v.Compare(t, report, err)
	other, otherErr := call(DecodeOddly)
	if diff := cmp.Diff(err, otherErr); diff != "" {
		t.Errorf("the problems depend on how the object is decoded (-exact +odd):\n%s", diff)
	}
	if diff := cmp.Diff(report, other); diff != "" {
		t.Errorf("the report depends on how the object is decoded (-exact +odd):\n%s", diff)
	}
}

// Compare checks that a report, which may be nil, and an error are what the vector wants.
func (v Vector) Compare(t testing.TB, report any, err error) {
	t.Helper()
	var got struct {
		Valid, Passed bool
		Targets       []gotTarget
		Results       []struct {
			Outcome, Target, Note, Doubt string
			Violations                   []gotViolation
		}
	}
	viaJSON(t, report, &got)
	compare := func(what string, want, found any) {
		t.Helper()
		if diff := cmp.Diff(want, found, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf(what+" (-want +got):\n%s\n%v %v", diff, report, err)
		}
	}
	problems := problemsIn(t, err)
	for i := range got.Targets {
		problems = append(problems, got.Targets[i].Problems...)
	}
	compare("problems", v.Want.Problems, reduced(problems, v.Want.Problems, gotProblem.reduced))
	if v.Want.Coverage != nil {
		compare("coverage", v.Want.Coverage, reduced(got.Targets, v.Want.Coverage, gotTarget.reduced))
		if got.Valid != v.Want.Valid || got.Passed != v.Want.Passed {
			t.Errorf("valid is %t and passed %t", got.Valid, got.Passed)
		}
	}
	var outcomes, targets, notes, doubts []string
	var violations []gotViolation
	for i, r := range got.Results {
		outcomes = append(outcomes, r.Outcome)
		targets = append(targets, r.Target)
		if i < len(v.Want.Notes) && v.Want.Notes[i] != "" {
			r.Note = partOf(r.Note, v.Want.Notes[i])
		}
		notes = append(notes, r.Note)
		doubts = append(doubts, r.Doubt)
		violations = append(violations, r.Violations...)
	}
	compare("outcomes", v.Want.Outcomes, outcomes)
	compare("targets", v.Want.Targets, onlyIf(v.Want.Targets != nil, targets))
	compare("notes", v.Want.Notes, onlyIf(v.Want.Notes != nil, notes))
	compare("doubts", v.Want.Doubts, onlyIf(v.Want.Doubts != nil, doubts))
	compare("violations", v.Want.Violations, reduced(violations, v.Want.Violations, gotViolation.reduced))
}

// The JSON of a problem and of a violation has the keys of the vectors, and texts of which a
// vector contains a part.
type (
	gotTarget struct {
		Target
		Valid    bool
		Problems []gotProblem
	}
	gotProblem struct {
		Problem
		Message string
	}
	gotViolation struct {
		Violation
		Detail string
	}
)

func viaJSON(t testing.TB, from, to any) {
	t.Helper()
	text, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// partOf returns the wanted part of a text if the text contains it, so that a comparison
// succeeds. Otherwise it returns the whole text.
func partOf(text, wanted string) string {
	if strings.Contains(text, wanted) {
		return wanted
	}
	return text
}

// problemsIn returns the problems in an error. An error of another type is one problem.
func problemsIn(t testing.TB, err error) []gotProblem {
	t.Helper()
	if err == nil {
		return nil
	}
	var list struct{ Problems []gotProblem }
	var parsed interface{ Unwrap() []error }
	if errors.As(err, &parsed) {
		viaJSON(t, parsed, &list)
	}
	if len(list.Problems) == 0 {
		list.Problems = []gotProblem{{Problem{Index: -1}, err.Error()}}
	}
	return list.Problems
}

// reduced reduces what was got to what the vector says about it. Nothing is said of what is got beyond that.
func reduced[G, W any](got []G, wanted []W, reduce func(G, W) W) []W {
	all := make([]W, len(got))
	for i, g := range got {
		var w W
		if i < len(wanted) {
			w = wanted[i]
		}
		all[i] = reduce(g, w)
	}
	return all
}

func (p gotProblem) reduced(w Problem) Problem {
	g := p.Problem
	g.Line, g.Column = onlyIf(w.Line != 0, g.Line), onlyIf(w.Column != 0, g.Column)
	g.Source = onlyIf(w.Source != "", g.Source)
	g.Contains = partOf(p.Message, w.Contains)
	return g
}

func (t gotTarget) reduced(w Target) Target {
	g := t.Target
	g.IsInvalid, g.Note = !t.Valid, partOf(t.Note, w.Note)
	return g
}

func (v gotViolation) reduced(w Violation) Violation {
	g := v.Violation
	g.Message = onlyIf(w.Message != "", g.Message)
	g.Limit, g.Value = orWanted(w.Limit, g.Limit), orWanted(w.Value, g.Value)
	g.Pointer, g.Origin = orZero(w.Pointer, g.Pointer), orZero(w.Origin, g.Origin)
	g.Contains = partOf(v.Detail, w.Contains)
	return g
}

func onlyIf[T any](wanted bool, got T) T {
	if wanted {
		return got
	}
	var none T
	return none
}

// orZero returns nil if nothing is wanted, because a report omits zero values.
func orZero[T any](want, got *T) *T {
	if want != nil && got == nil {
		return new(T)
	}
	return onlyIf(want != nil, got)
}

// orWanted returns the wanted value if it is absent or the same JSON value, so that a
// comparison succeeds. A report omits null values.
func orWanted(want, got json.RawMessage) json.RawMessage {
	if got == nil {
		got = json.RawMessage("null")
	}
	if want == nil || reflect.DeepEqual(decoded[any](want), decoded[any](got)) {
		return want
	}
	return got
}
