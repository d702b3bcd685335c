package lint_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/lint"
)

// A vector is a case of testdata/lint.json: an annotation, written as in the conformance
// vectors, and all findings about it, in order.
type vector struct {
	Name       string
	Annotation json.RawMessage
	Old        bool // in version 201901-1
	Strict     bool
	Findings   []wantFinding
}

// A wantFinding is a lint.Finding without the offset, and with part of the message.
type wantFinding struct {
	Severity             lint.Severity
	ID, Rule, Key        string
	Index, Line, Column  int
	Suggestion, Contains string
}

func readVectors(t testing.TB) []vector {
	t.Helper()
	text, err := os.ReadFile("testdata/lint.json")
	if err != nil {
		t.Fatal(err)
	}
	var content struct{ Vectors []vector }
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&content); err != nil {
		t.Fatal(err)
	}
	return content.Vectors
}

func (v vector) text() string {
	return conformance.Vector{Annotation: v.Annotation}.Text()
}

func (v vector) options() []vmrules.ParseOption {
	opts := []vmrules.ParseOption{}
	if v.Old {
		opts = append(opts, vmrules.V201901())
	}
	if v.Strict {
		opts = append(opts, vmrules.Strict())
	}
	return opts
}

func TestAnnotation(t *testing.T) {
	for _, v := range readVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			text := v.text()
			findings := lint.Annotation(text, v.options()...)
			var got []wantFinding
			for i, f := range withoutSSP(findings) {
				g := wantFinding{f.Severity, f.ID, f.Rule, f.Key, f.Index, f.Line, f.Column, f.Suggestion, f.Message}
				if i < len(v.Findings) && strings.Contains(f.Message, v.Findings[i].Contains) {
					g.Contains = v.Findings[i].Contains
				}
				got = append(got, g)
			}
			if diff := cmp.Diff(v.Findings, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			checkFindings(t, text, findings, v.options()...)
		})
	}
}

// withoutSSP returns the findings that are not about KubeVirt's template validator. TestSSP
// tests these.
func withoutSSP(findings []lint.Finding) []lint.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f lint.Finding) bool { return strings.HasPrefix(f.ID, "ssp-") })
}

// refusesVMs lists the checks whose errors ParseRules accepts: every VM fails such a rule.
var refusesVMs = []string{
	"wrong-kind", "unsatisfiable-range", "empty-values", "unsatisfiable-values", "contradicting-rules",
	"path-from-vm", "misspelt-field", "misplaced-field", "missing-wildcard", "not-an-array", "not-a-scalar",
}

// checkFindings checks the properties of findings about any annotation.
func checkFindings(t *testing.T, text string, findings []lint.Finding, opts ...vmrules.ParseOption) {
	t.Helper()
	if findings == nil {
		t.Fatal("the findings are nil, which JSON writes as null")
	}
	if diff := cmp.Diff(findings, lint.Annotation(text, opts...)); diff != "" {
		t.Fatalf("the second call has different findings:\n%s", diff)
	}
	refused := []vmrules.Problem{}
	for i, f := range findings {
		if !slices.ContainsFunc(lint.Checks(), func(c lint.Check) bool { return c.ID == f.ID }) || f.Severity == "" || f.Message == "" {
			t.Fatalf("the finding has no check, severity or message: %v", f)
		}
		if i > 0 && (f.Offset < findings[i-1].Offset || f.Offset == findings[i-1].Offset && f.ID < findings[i-1].ID) {
			t.Fatalf("not sorted: %v", f)
		}
		checkPlace(t, text, f)
		if f.Refuses && !slices.Contains(refusesVMs, f.ID) {
			refused = append(refused, vmrules.Problem{
				Code: f.ID, Rule: f.Rule, Index: f.Index, Key: f.Key, Offset: f.Offset, Line: f.Line, Column: f.Column, Message: f.Message,
				Suggestion: f.Suggestion,
			})
		}
		checkReplaced(t, text, f, opts...)
	}
	byMessage := cmpopts.SortSlices(func(a, b vmrules.Problem) bool {
		return a.Offset < b.Offset || a.Offset == b.Offset && a.Message < b.Message
	})
	if diff := cmp.Diff(problemsIn(text, opts...), refused, cmpopts.IgnoreFields(vmrules.Problem{}, "Reason"), byMessage,
		cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("the errors are not the problems of ParseRules (-problems +errors):\n%s", diff)
	}
}

func problemsIn(text string, opts ...vmrules.ParseOption) []vmrules.Problem {
	_, err := vmrules.ParseRules(text, opts...)
	var parsed *vmrules.ParseError
	if !errors.As(err, &parsed) {
		return nil
	}
	return parsed.Problems
}

// checkPlace checks that lines and columns agree with the offsets, and that the finding ends behind
// its beginning.
func checkPlace(t *testing.T, text string, f lint.Finding) {
	t.Helper()
	if f.Offset < 0 || f.Offset > f.End || f.End > len(text) {
		t.Fatalf("the finding is not in the text: %+v", f)
	}
	if f.Offset == f.End && strings.TrimSpace(text[f.Offset:]) == text[f.Offset:] && f.Offset < len(text) {
		t.Fatalf("the finding has no text: %+v", f)
	}
	place := func(offset int) [2]int {
		before := text[:offset]
		return [2]int{1 + strings.Count(before, "\n"), 1 + len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))}
	}
	if diff := cmp.Diff([2][2]int{place(f.Offset), place(f.End)}, [2][2]int{{f.Line, f.Column}, {f.EndLine, f.EndColumn}}); diff != "" {
		t.Fatalf("%+v has the wrong lines and columns (-want +got):\n%s", f, diff)
	}
}

// checkReplaced replaces what the finding replaces, and checks that the finding is then gone, and that
// ParseRules does not refuse what is there instead.
func checkReplaced(t *testing.T, text string, f lint.Finding, opts ...vmrules.ParseOption) {
	t.Helper()
	start, end, with := f.Replaced(text)
	if with == "" {
		return
	}
	if !json.Valid([]byte(text[start:end])) || !json.Valid([]byte(with)) || f.Offset < start || f.End > end {
		t.Fatalf("%q, instead of which there should be %q, is not that of the finding: %v", text[start:end], with, f)
	}
	mended := text[:start] + with + text[end:]
	for _, again := range lint.Annotation(mended, opts...) {
		if again.Offset == f.Offset && again.Message == f.Message {
			t.Fatalf("%v\nis still there with %s:\n%v", f, with, again)
		}
	}
	for _, p := range problemsIn(mended, opts...) {
		if start <= p.Offset && p.Offset < start+len(with) {
			t.Fatalf("%v\nis fixed with %s, which is refused:\n%v", f, with, p)
		}
	}
}

func TestFindingString(t *testing.T) {
	findings := lint.Annotation("[\n" + `{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "min": 3, "max": 2}]`)
	want := `error: line 2, column 105: rule "cores": min: 3 is more than max 2, so no value is allowed (unsatisfiable-range)`
	if len(findings) != 1 || findings[0].String() != want {
		t.Errorf("%v; want %s", findings, want)
	}
}

func TestFindingJSON(t *testing.T) {
	text, err := json.Marshal(lint.Annotation(`[{"name": "r", "rule": "enum", "path": "jsonpath::.spec.hostnam", "message": "m", "values": ["a"]}]`))
	want := `[{"severity":"error","id":"misspelt-field","rule":"r","index":0,"key":"path","offset":55,"line":1,"column":56,` +
		`"end":63,"endLine":1,"endColumn":64,"message":"unknown field \"hostnam\" in .spec: did you mean \"hostname\"?","suggestion":"jsonpath::.spec.hostname"}]`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
}
