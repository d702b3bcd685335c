package vmrules

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/racetest"
)

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
