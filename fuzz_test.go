package vmrules

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seedVectors adds one of step conformance vectors. A seed costs a fuzzer as much as twenty
// other inputs, and TestConformance, TestPlanChangesNothing and TestFormatAsOtherKinds judge all vectors.
func seedVectors(t testing.TB, step int, add func(annotation, object string)) {
	for _, vectors := range readVectors(t) {
		for i, v := range vectors {
			if i%step == 0 {
				add(v.Text(t), string(v.Object))
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
	seedVectors(f, 60, func(annotation, _ string) { f.Add(annotation, false, false) })
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
	seedVectors(f, 60, func(annotation, object string) { f.Add(annotation, object, false) })
	f.Fuzz(func(t *testing.T, annotation, text string, partial bool) {
		rules, err := ParseRules(annotation)
		if err != nil || !decodes(text) {
			return
		}
		// Without backtracking no verdict depends on a clock.
		opts := []ValidateOption{WithBudget(Budget{Backtracking: -1})}
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

// FuzzUpdate: with an instance type, a preference and an old object, Validate does not panic or
// hang, and changes none of them. The report is the same for both decoders. Only what fails in
// the old object is forgiven. An update that changes nothing is valid, unless a bound is reached.
func FuzzUpdate(f *testing.F) {
	for _, file := range []string{"expanded", "updates"} {
		for i, v := range readVectors(f)[file] {
			if i%15 == 0 && v.Call == "" {
				f.Add(v.Text(f), string(v.Object), string(v.Old), string(v.Instancetype), string(v.Preference))
			}
		}
	}
	f.Fuzz(func(t *testing.T, annotation, object, old, instancetype, preference string) {
		texts := []string{object, old, instancetype, preference}
		for i, text := range texts {
			if text == "" {
				texts[i] = "null"
			}
			if !decodes(texts[i]) {
				return
			}
		}
		rules, err := ParseRules(annotation)
		if err != nil {
			return
		}
		report := validateUpdate(t, rules, texts, decodeExactly)
		if diff := cmp.Diff(report, validateUpdate(t, rules, texts, decodeOddly)); diff != "" {
			t.Fatalf("another report from another decoder:\n%s", diff)
		}
		checkReport(t, rules, report)
		before := map[string]bool{}
		for _, r := range validateUpdate(t, rules, []string{texts[1], "null", texts[2], texts[3]}, decodeExactly).Results() {
			before[r.Target+" "+r.Rule] = r.fails()
		}
		for _, r := range report.Results() {
			if r.Note == "not changed by this update" && !before[r.Target+" "+r.Rule] {
				t.Fatalf("the old object does not fail:\n%s", r)
			}
		}
		if texts[0] == "null" {
			return
		}
		texts[1] = texts[0]
		for _, r := range validateUpdate(t, rules, texts, decodeExactly).Results() {
			if r.fails() && r.Undecided != DoubtBound && !strings.HasPrefix(r.Note, "not judged: ") {
				t.Fatalf("an update that changes nothing:\n%s", r)
			}
		}
	})
}

// validateUpdate judges an object, and checks that nothing is changed. The texts are those of
// the object, the old object, the instance type and the preference.
func validateUpdate(t *testing.T, rules Rules, texts []string, decode func(json.RawMessage) map[string]any) *Report {
	var given []map[string]any
	for _, text := range texts {
		given = append(given, decode(json.RawMessage(text)))
	}
	report := Validate(rules, given[0], WithOldObject(given[1]), WithInstancetype(given[2], given[3]), Ratcheting(), WithBudget(Budget{Backtracking: -1}))
	for i, text := range texts {
		if !reflect.DeepEqual(given[i], decode(json.RawMessage(text))) {
			t.Fatalf("changed: %s", text)
		}
	}
	return report
}
