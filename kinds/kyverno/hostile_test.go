package kyverno

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

func newRules(pattern string) (vmrules.Rules, error) {
	return vmrules.NewRules([]vmrules.Rule{{
		Kind: "pattern", Name: "r", Path: everything, Message: "m",
		Unknown: map[string]json.RawMessage{"pattern": json.RawMessage(pattern)},
	}}, append(Kinds(), vmrules.WholeObjects())...)
}

func rulesOf(t testing.TB, pattern string) vmrules.Rules {
	t.Helper()
	rules, err := newRules(pattern)
	if err != nil {
		t.Fatalf("%.200s: %v", pattern, err)
	}
	return rules
}

func repeated(n int, item func(i int) any) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = item(i)
	}
	return list
}

func textOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestHostile would not end if the work had no bound.
func TestHostile(t *testing.T) {
	if raceDetector {
		t.Skip("it takes long, and has one goroutine only")
	}
	type object = map[string]any
	deep := any(object{"z": repeatedNames(5000)})
	for range 40 {
		deep = object{"d": deep}
	}
	long := strings.Repeat("a", 1<<20)
	const satisfied, bound, kind = string(vmrules.OutcomeSatisfied), string(vmrules.DoubtBound), string(vmrules.DoubtKind)
	for _, c := range []struct {
		name, pattern string
		value         object
		want          string // the Outcome, or the Doubt if that is Undecided
	}{
		{"thousands of stars", textOf(object{"a": strings.Repeat("*a", 5000) + "b"}), object{"a": long}, bound},
		{"stars side by side", textOf(object{"a": strings.Repeat("*", 60) + "b"}), object{"a": strings.Repeat("a", 60)}, bound},
		{
			"stars in an optional field of a list", `{"l": [{"=(a)": "*a*a*a*a*a*a*a*b"}]}`,
			object{"l": repeated(1000, func(int) any { return object{"a": strings.Repeat("a", 100)} })}, bound,
		},
		{"a star and a long text", `{"a": "?*"}`, object{"a": long}, bound},
		{"any text, however long", `{"a": "*"}`, object{"a": long}, satisfied},
		{
			"a long list", `{"l": [{"a": "x", "b": ">1"}]}`,
			object{"l": repeated(20_000, func(int) any { return object{"a": "x", "b": int64(2)} })}, satisfied,
		},
		{
			"a large pattern and a long list", textOf(object{"l": []any{deep}}),
			object{"l": repeated(20_000, func(int) any { return object{"d": object{}} })}, bound,
		},
		{
			"each item compared with each", textOf(object{"^(l)": repeated(5000, func(i int) any { return object{"a": fmt.Sprint(i)} })}),
			object{"l": repeated(5000, func(int) any { return object{"a": "x"} })}, bound,
		},
		{
			"long texts compared with many patterns", textOf(object{"^(l)": repeated(500, func(i int) any { return object{"a": fmt.Sprint(i)} })}),
			object{"l": repeated(5, func(int) any { return object{"a": long} })}, bound,
		},
		{"a number of many digits", `{"a": ">1"}`, object{"a": strings.Repeat("9", 1<<20)}, kind},
		{"an exponent of many digits", `{"a": ">1"}`, object{"a": "1e" + strings.Repeat("9", 30)}, kind},
		{"an exponent behind zeros", `{"a": ">1"}`, object{"a": "1e" + strings.Repeat("0", 99) + "999999999"}, kind},
		{"a long text that is not a number", `{"a": "!1"}`, object{"a": strings.Repeat("1", 99) + "x"}, satisfied},
		{"a map of many members", `{"a": {"b": {"c": "x"}}, "m": "x"}`, object{"m": repeatedNames(300_000)}, bound},
		{"slashes", textOf(slashes(300)), slashes(300).(object), satisfied},
	} {
		t.Run(c.name, func(t *testing.T) {
			report := vmrules.Validate(rulesOf(t, c.pattern), c.value)
			if got := reached(report); got != c.want {
				t.Errorf("%s, want %s\n%.500s", got, c.want, report)
			}
		})
	}
}

// reached returns the Outcome of the only rule, or its Doubt if it is Undecided.
func reached(report *vmrules.Report) string {
	result := report.Results()[0]
	if result.Outcome == vmrules.OutcomeUndecided {
		return string(result.Doubt)
	}
	return string(result.Outcome)
}

// A limit counts wherever it is reached, before what else cannot be decided.
func TestLimits(t *testing.T) {
	long, phrase := strings.Repeat("a", maxWildText+1), "conditional anchor mismatch"
	object := map[string]any{
		"apiVersion": "v1", "kind": "Thing", "metadata": map[string]any{"name": long},
		"long": long, "phrase": phrase, "list": []any{phrase, long, phrase},
	}
	for _, rule := range []string{
		`"rule": "pattern", "path": "jsonpath::.long", "pattern": "?*"`,
		`"rule": "pattern", "path": "jsonpath::.list[*]", "pattern": "?*"`,
		`"rule": "kyverno", "path": "jsonpath::$", "match": {"resources": {"kinds": ["Thing"]}}, "pattern": {"long": "?*"}`,
		`"rule": "kyverno", "path": "jsonpath::$", "match": {"resources": {"kinds": ["Thing"]}}, "anyPattern": [{"long": "?*"}, {"phrase": "?*"}]`,
		`"rule": "kyverno", "path": "jsonpath::$", "match": {"resources": {"name": "?*"}}, "pattern": {"x": null}`,
	} {
		rules, err := vmrules.ParseRules(`[{"name": "r", "message": "m", `+rule+`}]`, append(Kinds(), vmrules.WholeObjects())...)
		if err != nil {
			t.Fatal(err)
		}
		report := vmrules.Validate(rules, object)
		if got := reached(report); got != string(vmrules.DoubtBound) {
			t.Errorf("%s: %s, want %s\n%.500s", rule, got, vmrules.DoubtBound, report)
		}
	}
}

func repeatedNames(n int) map[string]any {
	m := map[string]any{}
	for i := range n {
		m[fmt.Sprintf("name%d", i)] = "x"
	}
	return m
}

func slashes(n int) any {
	v := any("x")
	for range n {
		v = map[string]any{"a": v, "a/a": "x"}
	}
	return v
}

// A pattern that would take long to read is refused before it is read.
func TestHostileRules(t *testing.T) {
	for _, pattern := range []string{
		textOf(repeated(1, func(int) any { return strings.Repeat("<1e99999999|", 10_000) + "1" })),
		textOf(map[string]any{"a": ">1e-99999999"}),
		textOf(">" + strings.Repeat("9", 200_000)),
		strings.Repeat(`{"a":`, 500) + `">"` + strings.Repeat(`}`, 500),
		textOf(strings.Repeat("$(./a) ", 10_000)),
		strings.Repeat("1|", 150_000),
		strings.Repeat(`{"`+strings.Repeat("n", 1000)+`":`, 60) + textOf(repeatedNames(20_000)) + strings.Repeat("}", 60),
	} {
		if _, err := newRules(pattern); err == nil {
			t.Errorf("%.100s is accepted", pattern)
		}
	}
}

// Reading and judging are paid for from the budget of the call.
func TestWithBudget(t *testing.T) {
	const pattern = `{"l": [{"a": "x|y|z"}]}`
	text := `[{"rule": "pattern", "name": "r", "path": "jsonpath::$", "message": "m", "pattern": ` + pattern + `}]`
	if _, err := vmrules.ParseRules(text, append(Kinds(), vmrules.WithBudget(vmrules.Budget{Time: 50 * time.Microsecond}))...); err == nil {
		t.Error("the pattern is read with a small budget")
	}
	rules := rulesOf(t, pattern)
	object := map[string]any{"l": repeated(2000, func(int) any { return map[string]any{"a": "x"} })}
	got := map[string]string{}
	for name, b := range map[string]vmrules.Budget{"small": {Time: 5 * time.Millisecond}, "usual": {}} {
		got[name] = reached(vmrules.Validate(rules, object, vmrules.WithBudget(b)))
	}
	want := map[string]string{"small": string(vmrules.DoubtBound), "usual": string(vmrules.OutcomeSatisfied)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Concurrent calls do not share their work, and do not write into the pattern.
func TestShared(t *testing.T) {
	rules := rulesOf(t, `{"metadata": {"labels": {"app": "!x?*"}}, "spec": {"(a)": "<=5"}}`)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			value := fmt.Sprintf("x%d", i)
			object := map[string]any{"metadata": map[string]any{"labels": map[string]any{"app": value}}, "spec": map[string]any{"a": 1}}
			for range 50 {
				want := []string{fmt.Sprintf(`Violated; metadata.labels.app: Invalid value: %[1]q: m (%[1]q does not match the pattern "!x?*")`, value)}
				if diff := cmp.Diff(want, verdicts(vmrules.Validate(rules, object))); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
	wait.Wait()
}

// TestHostilePolicies would not end if problems were not found and placed in one pass.
func TestHostilePolicies(t *testing.T) {
	const head = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n"
	const pods = "name: r%d, match: {any: [{resources: {kinds: [Pod]}}]}, validate: "
	times := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "%d", fmt.Sprint(i)))
		}
		return b.String()
	}
	nested := func(n int, open string) string {
		return strings.Repeat("{"+open+": ", n) + "'>'" + strings.Repeat("}", n)
	}
	for _, c := range []struct{ name, policy, want string }{
		{"unknown keys", head + "  rules: [{" + pods + "{pattern: {a: b}}}]\n" + times(10_000, "  k%d: 1\n"), "100 problems"},
		{"rules with problems", head + "  rules:\n" + times(2_000, "  - {name: r%d, match: 1, validate: 2}\n"), "problems"},
		{"too many rules", head + "  rules:\n" + times(10_001, "  - {"+pods+"{pattern: {a: b}}}\n"), "more than 10000 rules"},
		{"anchors in anchors", head + "  rules: [{" + pods + "{pattern: " + nested(60, "=(a)") + "}}]\n", "has no operand"},
		{"nested deeply", head + "  rules: [{" + pods + "{pattern: " + nested(5_000, "a") + "}}]\n", "nested deeper"},
		{"problems behind a long name", head + "  rules: [{" + pods + "{pattern: {" + strings.Repeat("a.", 400) + ": {" + times(500, "k%d: '>', ") + "}}}}]\n", "500 problems"},
		{
			"problems in aliases", head + "  rules: [{" + pods + "{pattern: {a: &a {k: '>', l: '>'}, b: &b {k: *a, l: *a}, c: &c {k: *b, l: *b}, d: {k: *c, l: *c}}}}]\n",
			"30 problems",
		},
		{"many documents", strings.Repeat("---\n", 20_000) + "a", "more than one document"},
		{"many documents behind a policy", head + "  rules: [{" + pods + "{pattern: {a: b}}}]\n" + strings.Repeat("---\n", 20_000) + "a", "more than one document"},
	} {
		if _, err := Rules([]byte(c.policy)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.500v", c.name, err)
		}
	}
}
