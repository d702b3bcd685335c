package vmrules

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seedVectors returns some annotations and objects of the conformance vectors. It does not
// return all, because a fuzzer runs its seeds first, and TestConformance runs them anyway.
func seedVectors(f *testing.F, add func(annotation, object string)) {
	for _, vectors := range readVectors(f) {
		for i, v := range vectors {
			if i%20 == 0 {
				add(v.Text(f), string(v.Object))
			}
		}
	}
}

func fuzzedOptions(old, strict bool) []ParseOption {
	var opts []ParseOption
	if old {
		opts = append(opts, WithVersion(V201901))
	}
	if strict {
		opts = append(opts, Strict())
	}
	return opts
}

// FuzzParseRules: reading does not panic, and accepts only what encoding/json accepts; every
// problem has a position in the text; the rules can be written and read again.
func FuzzParseRules(f *testing.F) {
	seedVectors(f, func(annotation, _ string) { f.Add(annotation, false, false) })
	f.Add("\f\u00a0", false, false)
	f.Fuzz(func(t *testing.T, annotation string, old, strict bool) {
		opts := fuzzedOptions(old, strict)
		problems := problemsIn(t, annotation, opts...)
		checkPlaces(t, annotation, problems)
		if problems != nil {
			return
		}
		if strings.TrimSpace(annotation) != "" && !json.Valid([]byte(annotation)) {
			t.Fatal("accepted a text that is not JSON")
		}
		rules := mustParse(t, annotation, opts...)
		text, err := json.Marshal(rules)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > maxAnnotation {
			return
		}
		if again := mustParse(t, string(text)); !again.Equal(rules) {
			t.Fatalf("not the same after %s:\n%s", text, cmp.Diff(rules, again))
		}
	})
}

func checkPlaces(t *testing.T, annotation string, problems []Problem) {
	for i, p := range problems {
		if p.Offset < 0 || p.Offset > len(annotation) || p.Line < 1 || p.Column < 1 || p.Message == "" || p.Reason == "" {
			t.Fatalf("problem without position or message: %+v", p)
		}
		before := annotation[:p.Offset]
		if line := 1 + strings.Count(before, "\n"); p.Line != line {
			t.Fatalf("line %d, want %d: %v", p.Line, line, p)
		}
		if column := 1 + len([]rune(before[strings.LastIndexByte(before, '\n')+1:])); p.Column != column {
			t.Fatalf("column %d, want %d: %v", p.Column, column, p)
		}
		if i > 0 && p.Offset < problems[i-1].Offset {
			t.Fatal("problems are not in the order of the text")
		}
	}
}

// decodes reports whether a text is a JSON object that Go decoders accept.
func decodes(text string) bool {
	var object map[string]any
	return len(text) < 10_000 && json.Unmarshal([]byte(text), &object) == nil
}

// FuzzValidate: Validate does not panic or hang, and does not change the object. The report
// can be written. It is the same on each run, for both decoders, without the plan, and with
// the rules as other kinds.
func FuzzValidate(f *testing.F) {
	seedVectors(f, func(annotation, object string) { f.Add(annotation, object, false) })
	f.Fuzz(func(t *testing.T, annotation, text string, partial bool) {
		rules, err := ParseRules(annotation)
		if err != nil || !decodes(text) {
			return
		}
		// Without backtracking no verdict depends on a clock.
		opts := []ValidateOption{WithRegexBudget(0)}
		if partial {
			opts = append(opts, Partial())
		}
		object := decodeExactly(json.RawMessage(text))
		report := Validate(rules, object, opts...)
		if !reflect.DeepEqual(object, decodeExactly(json.RawMessage(text))) {
			t.Fatal("the object is changed")
		}
		if diff := cmp.Diff(report, Validate(rules, object, opts...)); diff != "" {
			t.Fatalf("another report the second time:\n%s", diff)
		}
		if diff := cmp.Diff(report, Validate(rules, decodeOddly(json.RawMessage(text)), opts...)); diff != "" {
			t.Fatalf("another report from another decoder:\n%s", diff)
		}
		checkReport(t, rules, report)
		checkPlan(t, rules, object, opts...)
		checkPlan(t, rules, decodePlainly(json.RawMessage(text)), opts...)
		checkOtherKinds(t, rules, object, opts...)
	})
}

func checkReport(t *testing.T, rules Rules, report *Report) {
	if rules.Len() > 0 && len(report.Results())%rules.Len() != 0 {
		t.Fatalf("%d results of %d rules", len(report.Results()), rules.Len())
	}
	valid := true
	for _, r := range report.Results() {
		fails := r.Outcome == Violated || r.Outcome == Undecided
		if hasViolations := fails || r.Outcome == Warned; hasViolations != (len(r.Violations) > 0) {
			t.Fatalf("%s with %d violations", r.Outcome, len(r.Violations))
		}
		for _, v := range r.Violations {
			valid = valid && v.Warning
			if v.Detail == "" || v.Reason == "" || (v.Field == "") != (v.Reason == ReasonInternal) {
				t.Fatalf("%+v", v)
			}
		}
	}
	if report.Valid() != valid || (report.Err() == nil) != valid || len(report.Causes()) != len(report.Violations()) {
		t.Fatalf("valid: %v\n%s", report.Valid(), report)
	}
	if text, err := json.Marshal(report); err != nil || strings.ContainsRune(report.String(), 0x1b) {
		t.Fatalf("%s, %v", text, err)
	}
}
