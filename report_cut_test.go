package vmrules

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/racetest"
)

// longReport returns a report with violations and warnings that have long texts, and with a rule
// that reached a bound.
func longReport() *Report {
	limit := make([]string, 100)
	for i := range limit {
		limit[i] = strings.Repeat("v", i)
	}
	var results []Result
	for i, outcome := range []Outcome{Satisfied, Warned, Skipped, Undecided, Violated, Satisfied, Violated, Undecided} {
		r := Result{
			Index: i, Rule: fmt.Sprint("r",
				i), Kind: KindEnum, Path: MustParsePath("jsonpath::.a"), Message: strings.Repeat("<", 50*i), Outcome: outcome,
		}
		violations := map[Outcome]int{Warned: 20, Violated: 20, Undecided: 1}[outcome]
		for n := range violations {
			r.Violations = append(r.Violations, Violation{
				Rule: r.Rule, Message: r.Message, Field: fmt.Sprintf("a[%d]", n), Value: json.Number("1"), Limit: limit,
				Reason: ReasonInvalid, Warning: outcome == Warned || i == 3, Detail: strings.Repeat("\n", n),
			})
		}
		results = append(results, r)
	}
	return NewReport(results)
}

// TestCut: results that do not fit are left out and counted. The verdict and the outcomes do
// not change.
func TestCut(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	report := longReport()
	results := report.Results()
	whole := sort.Search(maxOutput, func(room int) bool { return fits(results, room) })
	for room := 0; room <= whole; room += whole / 200 {
		kept, omitted := cut(results, room)
		written, err := json.Marshal(kept)
		if err != nil {
			t.Fatal(err)
		}
		if most := room + results[4].outlineSize() + 100; len(written) > most {
			t.Errorf("%d bytes in a room of %d", len(written), room)
		}
		if got := NewReport(kept).Valid(); got != report.Valid() {
			t.Errorf("in a room of %d, valid is %v", room, got)
		}
		if len(kept)+omitted != len(results) {
			t.Errorf("in a room of %d: %d results and %d left out", room, len(kept), omitted)
		}
		for _, r := range kept {
			was := results[r.Index]
			if r.Outcome != was.Outcome || len(r.Violations)+r.Omitted != len(was.Violations) {
				t.Errorf("in a room of %d: %s", room, r)
			}
		}
	}
	if kept, omitted := cut(results, whole); omitted != 0 || !NewReport(kept).Equal(report) {
		t.Errorf("a report that fits is cut: %s", kept)
	}
	if !NewReport(results).Equal(longReport()) {
		t.Errorf("the results themselves are changed: %s", results)
	}
}

// TestCutSmall: even without any room, a report keeps its verdict.
func TestCutSmall(t *testing.T) {
	results := longReport().Results()
	kept, omitted := cut(results, 0)
	for i, r := range kept {
		kept[i] = Result{Index: r.Index, Outcome: r.Outcome, Omitted: r.Omitted}
	}
	if diff := cmp.Diff([]Result{{Index: 4, Outcome: Violated, Omitted: 20}}, kept); diff != "" || omitted != 7 {
		t.Errorf("in no room, %d are left out (-want +got):\n%s", omitted, diff)
	}
	if kept, omitted := cut(results[:3], 0); !NewReport(kept).Valid() || omitted != 3 {
		t.Errorf("in no room: %d, and %s", omitted, kept)
	}
}

// TestLongOutput: if a report has many violations with a long message, its texts are cut, and
// say how much is missing.
func TestLongOutput(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	message := strings.Repeat("m", 200_000)
	rules := mustParse(t, `[{"name": "n", "rule": "integer", "path": "jsonpath::.l[*]", "message": "`+message+`"},
		{"name": "w", "rule": "integer", "path": "jsonpath::.l[*]", "message": "m", "justWarning": true}]`)
	const values = 4000
	list := make([]any, values)
	for i := range list {
		list[i] = fmt.Sprint("x", i)
	}
	report := Validate(rules, map[string]any{"l": list})
	written, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var read Report
	if err := json.Unmarshal(written, &read); err != nil {
		t.Fatal(err)
	}
	if len(written) > maxOutput+1000 || len(written) < maxOutput/2 || read.Valid() {
		t.Errorf("%d bytes, valid is %v", len(written), read.Valid())
	}
	if got := read.Results()[0]; len(got.Violations)+got.Omitted != values || got.Omitted == 0 {
		t.Errorf("%d violations, and %d left out", len(got.Violations), got.Omitted)
	}
	if want := "more are left out"; !strings.Contains(read.Results()[0].String(), want) {
		t.Errorf("%s; want %s", read.Results()[0], want)
	}
	for name, made := range map[string]any{"violations": report.Err(), "causes": report.Causes(), "text": report.String(),
		"warnings": report.AdmissionWarnings()} {
		written, err := json.Marshal(made)
		if err != nil {
			t.Fatal(err)
		}
		if len(written) > 2*maxOutput {
			t.Errorf("%s: %d bytes", name, len(written))
		}
	}
}

// TestLongCauses: if there are too many causes, the last one says how many are missing.
func TestLongCauses(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	field := strings.Repeat("f", maxOutput/4)
	r := Result{Outcome: Violated, Violations: []Violation{{Field: field}, {Field: field}, {Field: field}, {Field: field}, {Field: field}}}
	causes := NewReport([]Result{r}).Causes()
	if last := causes[len(causes)-1]; len(causes) != 4 || last.Message != "2 more are left out because there are too many" {
		t.Errorf("%d causes, the last: %q", len(causes), last.Message)
	}
	problems := &ParseError{Problems: []Problem{{Key: field}, {Key: field}, {Key: field}, {Key: field}, {Key: field}}}
	causes = problems.Causes()
	if last := causes[len(causes)-1]; len(causes) != 4 || last.Message != "2 more are left out because there are too many" {
		t.Errorf("%d causes, the last: %q", len(causes), last.Message)
	}
	written, err := json.Marshal(problems)
	if err != nil {
		t.Fatal(err)
	}
	if len(written) > maxOutput || !strings.HasSuffix(string(written), `"omitted":2}`) {
		t.Errorf("%d bytes, at the end %s", len(written), written[len(written)-20:])
	}
}
