package vmrules

import (
	"encoding/json"
	"fmt"
	"slices"
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
	for i, outcome := range []Outcome{OutcomeSatisfied, OutcomeWarned, OutcomeSkipped, OutcomeUndecided, OutcomeViolated, OutcomeSatisfied, OutcomeViolated, OutcomeUndecided} {
		r := Result{
			Index: i, Rule: fmt.Sprint("r",
				i), Kind: KindEnum, Path: MustParsePath("jsonpath::.a"), Message: strings.Repeat("<", 50*i), Outcome: outcome,
		}
		violations := map[Outcome]int{OutcomeWarned: 20, OutcomeViolated: 20, OutcomeUndecided: 1}[outcome]
		for n := range violations {
			r.Violations = append(r.Violations, Violation{
				Rule: r.Rule, Message: r.Message, Field: fmt.Sprintf("a[%d]", n), Value: json.Number("1"), Limit: limit,
				Reason: ReasonInvalid, Warned: outcome == OutcomeWarned || i == 3, Detail: strings.Repeat("\n", n),
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
	whole := sort.Search(maxOutput, func(room int) bool {
		kept, omitted := cut(results, room)
		return omitted == 0 && NewReport(kept).Equal(report)
	})
	for room := 0; room <= whole; room += whole / 200 {
		kept, omitted := cut(results, room)
		written, err := json.Marshal(kept)
		if err != nil {
			t.Fatal(err)
		}
		if most := room + results[4].sizeAlone() + 100; len(written) > most {
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
	if written, err := json.Marshal(results); err != nil || whole > 2*len(written) {
		t.Errorf("a report of %d bytes is cut in a room of %d: %v", len(written), whole, err)
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
	if diff := cmp.Diff([]Result{{Index: 4, Outcome: OutcomeViolated, Omitted: 20}}, kept); diff != "" || omitted != 7 {
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
	r := Result{Outcome: OutcomeViolated, Violations: []Violation{{Field: field}, {Field: field}, {Field: field}, {Field: field}, {Field: field}}}
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

// TestManyCauses: a response has at most a hundred causes.
func TestManyCauses(t *testing.T) {
	for _, n := range []int{100, 101, 2000} {
		report := NewReport([]Result{{Outcome: OutcomeViolated, Violations: slices.Repeat([]Violation{{Reason: ReasonInvalid}}, n)}})
		last := report.Causes()[99].Message
		want := ""
		if n > 100 {
			want = fmt.Sprintf("%d more are left out because there are too many", n-99)
		}
		if got := len(report.Causes()); got != 100 || want != "" && last != want || len(report.Violations()) != n {
			t.Errorf("%d of %d, the last %q", got, n, last)
		}
	}
}

// checkRoundTrip fails the test unless a report that is read from its JSON is Equal to the first,
// and has the same JSON.
func checkRoundTrip(t *testing.T, report *Report) {
	t.Helper()
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var read Report
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if diff := cmp.Diff(report.Results(), read.Results()); diff != "" || !read.Equal(report) {
		t.Errorf("read from its JSON, the report is different (-made +read):\n%s", diff)
	}
	again, err := json.Marshal(&read)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), string(again)); diff != "" {
		t.Errorf("the JSON is different the second time (-first +second):\n%s", diff)
	}
	if read.Valid() != report.Valid() || read.String() != report.String() {
		t.Errorf("it says %s, and read from its JSON %s", report, &read)
	}
}

func TestReportFromItsJSON(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	checked := 0
	for _, vectors := range readVectors(t) {
		for _, v := range vectors {
			report, _ := v.run(t, decodeExactly)
			if report == nil {
				continue
			}
			checkRoundTrip(t, report)
			checked += len(report.Violations())
		}
	}
	if checked < 500 {
		t.Errorf("only %d violations were checked", checked)
	}
}

// TestNumbersOfReports: limits and values of any size keep their digits.
func TestNumbersOfReports(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	numbers := []string{"0", "-0", "1", "-1.50", "1e400", "1e-400", "18446744073709551616", "0.1", "123456789.000000001"}
	for _, limit := range numbers {
		for _, rule := range []string{
			`"integer", "min": N, "max": N`, `"enum", "values": [N, "a", true]`, `"enum", "values": []`, `"string", "max": "N"`,
			`"regex", "maxLength": 0, "regex": "^$"`, `"integer", "max": "jsonpath::.limit"`,
		} {
			rules := mustParse(t,
				`[{"name": "n", "path": "jsonpath::.v", "message": "m", "rule": `+strings.ReplaceAll(rule, "N", limit)+`}]`)
			for _, value := range append(numbers, "1e1001") {
				for _, v := range []any{json.Number(value), value, true, "", []any{1}, nil} {
					checkRoundTrip(t, Validate(rules, map[string]any{"v": v, "limit": json.Number(limit)}))
				}
			}
		}
	}
}

// TestLimitsOfKinds: the limit and value of a Checker are read from their JSON with exact
// numbers. A list of strings becomes a []string.
func TestLimitsOfKinds(t *testing.T) {
	for _, test := range []struct {
		text string
		want any
	}{
		{`1e400`, json.Number("1e400")}, {`"a"`, "a"}, {`true`, true}, {`null`, nil},
		{`["a", "b"]`, []string{"a", "b"}}, {`[]`, []string{}}, {`["a", 1.50]`, []any{"a", json.Number("1.50")}},
		{`{"a": [1.0]}`, map[string]any{"a": []any{json.Number("1.0")}}},
	} {
		var v Violation
		if err := json.Unmarshal([]byte(`{"rule": "n", "unknown": 1, "limit": `+test.text+`}`), &v); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Violation{Rule: "n", Limit: test.want}, v); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
	}
	for _, bad := range []string{"", "[]", `{"limit": }`, `{"rule": 1}`} {
		var v Violation
		if err := v.UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("%q is read as %+v", bad, v)
		}
	}
}
