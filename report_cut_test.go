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

// TestTextSize: a text takes as many bytes as encoding/json writes.
func TestTextSize(t *testing.T) {
	texts := []string{"", "plain", `a "quoted" \ one`, "<a&b>", "é€😀", "\u2028\u2029", "a\xffb\xc3", "\uFFFD"}
	for c := range rune(0x100) {
		texts = append(texts, string(c))
	}
	for _, s := range texts {
		written, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got, most := textSize(s)+len(`""`), len(written); got < most || got > most+5*strings.Count(s, "\n")+5*strings.Count(s, "\r")+5*strings.Count(s, "\t")+10 {
			t.Errorf("%q: %d, written %d", s, got, most)
		}
	}
}

// longReport has violations and warnings with long texts, and a rule whose
// bound was reached.
func longReport() *Report {
	limit := make([]string, maxListed)
	for i := range limit {
		limit[i] = strings.Repeat("v", i)
	}
	report := &Report{}
	for i, outcome := range []Outcome{Satisfied, Warned, Skipped, Undecided, Violated, Satisfied, Violated, Undecided} {
		r := Result{
			Index: i, Rule: fmt.Sprint("r", i), Kind: KindEnum, Path: MustParsePath("jsonpath::.a"), Message: strings.Repeat("<", 50*i), Outcome: outcome,
		}
		violations := map[Outcome]int{Warned: 20, Violated: 20, Undecided: 1}[outcome]
		for n := range violations {
			r.Violations = append(r.Violations, Violation{
				Rule: r.Rule, Message: r.Message, Field: fmt.Sprintf("a[%d]", n), Value: json.Number("1"), Limit: limit,
				Reason: ReasonInvalid, Warning: outcome == Warned || i == 3, Detail: strings.Repeat("\n", n),
			})
		}
		report.Results = append(report.Results, r)
	}
	return report
}

// TestCut: what does not fit is left out and counted, and neither the verdict nor
// an outcome changes.
func TestCut(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	report := longReport()
	whole := sort.Search(maxOutput, report.fits)
	for room := 0; room <= whole; room += whole / 200 {
		cut := report.cut(room)
		written, err := json.Marshal(cut)
		if err != nil {
			t.Fatal(err)
		}
		if most := room + report.Results[4].outlineSize() + 100; len(written) > most {
			t.Errorf("%d bytes in a room of %d", len(written), room)
		}
		if cut.Valid() != report.Valid() {
			t.Errorf("in a room of %d, valid is %v", room, cut.Valid())
		}
		if len(cut.Results)+cut.Omitted != len(report.Results) {
			t.Errorf("in a room of %d: %d results and %d left out", room, len(cut.Results), cut.Omitted)
		}
		for _, r := range cut.Results {
			was := report.Results[r.Index]
			if r.Outcome != was.Outcome || len(r.Violations)+r.Omitted != len(was.Violations) {
				t.Errorf("in a room of %d: %s", room, r)
			}
		}
	}
	if cut := report.cut(whole); cut != report {
		t.Errorf("what fits is cut: %s", cut)
	}
	for i, was := range longReport().Results {
		if got := report.Results[i]; len(got.Violations) != len(was.Violations) || got.Omitted != 0 {
			t.Errorf("the report itself is changed: %s", got)
		}
	}
}

// TestCutSmall: a report that fails nothing stays valid, and one that fails says so
// though there is room for nothing.
func TestCutSmall(t *testing.T) {
	fails := longReport()
	got := fails.cut(0)
	want := &Report{Results: []Result{{Index: 4, Outcome: Violated, Omitted: 20}}, Omitted: 7}
	for i := range got.Results {
		got.Results[i] = Result{Index: got.Results[i].Index, Outcome: got.Results[i].Outcome, Omitted: got.Results[i].Omitted}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("in no room (-want +got):\n%s", diff)
	}
	passes := &Report{Results: fails.Results[:3]}
	if cut := passes.cut(0); !cut.Valid() || cut.Omitted != 3 {
		t.Errorf("in no room: %s", cut)
	}
}

// TestLongOutput: what is made of a report with a long message for each of many
// violations stays short, and says what is missing.
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
	if got := read.Results[0]; len(got.Violations)+got.Omitted != values || got.Omitted == 0 {
		t.Errorf("%d violations, and %d left out", len(got.Violations), got.Omitted)
	}
	if want := "more are left out"; !strings.Contains(read.Results[0].String(), want) {
		t.Errorf("%s; want %s", read.Results[0], want)
	}
	for name, made := range map[string]any{"violations": report.Err(), "causes": report.Causes(), "text": report.String(), "warnings": report.AdmissionWarnings()} {
		written, err := json.Marshal(made)
		if err != nil {
			t.Fatal(err)
		}
		if len(written) > 2*maxOutput {
			t.Errorf("%s: %d bytes", name, len(written))
		}
	}
}

// TestLongCauses: of very many causes, the last one says how many are missing.
func TestLongCauses(t *testing.T) {
	t.Parallel()
	field := strings.Repeat("f", maxOutput/4)
	r := Result{Outcome: Violated, Violations: []Violation{{Field: field}, {Field: field}, {Field: field}, {Field: field}, {Field: field}}}
	causes := (&Report{Results: []Result{r}}).Causes()
	if last := causes[len(causes)-1]; len(causes) != 4 || last.Message != "2 more are left out, since there are too many" {
		t.Errorf("%d causes, the last: %q", len(causes), last.Message)
	}
	problems := &ParseError{Problems: []Problem{{Key: field}, {Key: field}, {Key: field}, {Key: field}, {Key: field}}}
	causes = problems.Causes()
	if last := causes[len(causes)-1]; len(causes) != 4 || last.Message != "2 more are left out, since there are too many" {
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
