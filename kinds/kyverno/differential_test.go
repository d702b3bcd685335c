package kyverno

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/kyverno/kyverno/ext/wildcard"
	"github.com/kyverno/kyverno/pkg/engine/validate"
	"k8s.io/apimachinery/pkg/api/resource"
	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/seeds"
)

var (
	somePatterns = []any{
		"x", "y*", "?", "?*", "*", "!x", "!y*", "x | y*", ">1", ">=2 & <5", "1-3", "1!-3", "2Gi", ">1Gi", "1h | 2h", ">30m",
		"*a*b*", "<=3", "!5", "0", nil, "", 1, 2, true, false, 0.5, "true",
	}
	someValues = []any{
		"x", "y", "yes", "", "1", "2", "3Gi", "1024Mi", "90m", "1h", "ab", "cacbc", "true", nil, 0, 1, 2, 4, 7, true, false, 0.5, 2.25,
		[]any{}, []any{"x"}, []any{"yes", "y"}, map[string]any{},
	}
	someNames   = []string{"a", "b", "c", "b/c"}
	someAnchors = []string{"", "", "", "", "()", "=()", "X()", "<()", "^()"}
)

func oneOf[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func randomPattern(r *rand.Rand, depth int) any {
	switch {
	case depth == 0 || r.IntN(5) == 0:
		return oneOf(r, somePatterns)
	case r.IntN(3) == 0:
		return []any{randomPattern(r, depth-1)}
	}
	m := map[string]any{}
	for range 1 + r.IntN(3) {
		before, after, _ := strings.Cut(oneOf(r, someAnchors), "()")
		key, value := oneOf(r, someNames), randomPattern(r, depth-1)
		if before+after != "" || r.IntN(4) == 0 {
			key = before + "(" + key + ")"
		}
		switch before {
		case "X":
			value = "null"
		case "^":
			value = []any{randomMap(r, depth-1), randomMap(r, depth-1)}[:1+r.IntN(2)]
		}
		m[key] = value
	}
	return m
}

func randomMap(r *rand.Rand, depth int) any {
	if m, ok := randomPattern(r, depth).(map[string]any); ok {
		return m
	}
	return map[string]any{oneOf(r, someNames): oneOf(r, somePatterns)}
}

// randomValue returns a value that often matches the pattern.
func randomValue(r *rand.Rand, pattern any, depth int) any {
	switch p := pattern.(type) {
	case map[string]any:
		m := map[string]any{}
		for key, value := range p {
			if name := strings.Trim(key, "()=X<^"); r.IntN(6) > 0 {
				m[name] = randomValue(r, value, depth-1)
			}
		}
		return m
	case []any:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, randomValue(r, p[0], depth-1))
		}
		return list
	case string:
		if r.IntN(2) == 0 {
			return strings.Trim(p, "!*?<>=")
		}
	}
	if r.IntN(2) == 0 && pattern != "" {
		return pattern
	}
	return oneOf(r, someValues)
}

// outcomeOf returns Kyverno's own result.
func outcomeOf(value, pattern any) vmrules.Outcome {
	err := validate.MatchPattern(logr.Discard(), value, pattern)
	var failed *validate.PatternError
	switch {
	case err == nil:
		return vmrules.OutcomeSatisfied
	case errors.As(err, &failed) && failed.Skip:
		return vmrules.OutcomeSkipped
	}
	return vmrules.OutcomeViolated
}

// plainly returns a value with the types that Kyverno's own decoder gives.
func plainly(t *testing.T, v any) any {
	t.Helper()
	var plain any
	if err := kjson.Unmarshal([]byte(textOf(v)), &plain); err != nil {
		t.Fatal(err)
	}
	return plain
}

// compareWithKyverno compares a random pattern and value with Kyverno's own result. It returns the
// outcome, or "" if the pattern was refused or translated.
func compareWithKyverno(t *testing.T, n uint64) vmrules.Outcome {
	t.Helper()
	r := rand.New(rand.NewPCG(n, seeds.Of(1)))
	pattern := randomPattern(r, 4)
	value := map[string]any{"v": randomValue(r, pattern, 4)}
	rules, err := vmrules.NewRules([]vmrules.Rule{{
		Kind: "pattern", Name: "r", Path: everything, Message: "m",
		Unknown: map[string]json.RawMessage{"pattern": json.RawMessage(textOf(map[string]any{"v": pattern}))},
	}}, append(Kinds(), vmrules.WholeObjects())...)
	if err != nil {
		return ""
	}
	untranslated := plainly(t, map[string]any{"v": pattern})
	if o, _ := readOverlay(vmrules.RuleSource{}, []byte(textOf(untranslated))); o == nil || !reflect.DeepEqual(o.root.pattern, untranslated) {
		return ""
	}
	result := vmrules.Validate(rules, value).Results()[0]
	if want := outcomeOf(plainly(t, value), untranslated); result.Outcome != want && result.Outcome != vmrules.OutcomeUndecided {
		t.Errorf("case %d: %s, Kyverno says %s\npattern %s\nvalue %s", n, result.Outcome, want, textOf(pattern), textOf(value))
	}
	for _, v := range result.Violations {
		if v.Detail == "" || v.Detail == vague {
			t.Errorf("case %d: the detail %q is too vague\npattern %s\nvalue %s", n, v.Detail, textOf(pattern), textOf(value))
		}
	}
	return result.Outcome
}

func TestAsKyverno(t *testing.T) {
	seen := map[vmrules.Outcome]int{}
	for n := range uint64(4000) {
		seen[compareWithKyverno(t, n)]++
	}
	for _, outcome := range []vmrules.Outcome{vmrules.OutcomeSatisfied, vmrules.OutcomeViolated, vmrules.OutcomeSkipped, vmrules.OutcomeUndecided} {
		if seen[outcome] == 0 {
			t.Errorf("want some patterns that are %s", outcome)
		}
	}
}

func FuzzAsKyverno(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, n uint64) { compareWithKyverno(t, n) })
}

// Any pattern and value end with a verdict, and without a panic.
func FuzzPattern(f *testing.F) {
	for _, pair := range [][2]string{
		{`{"a": "*a*b | >1Gi & !2Gi", "=(b)": [{"(c)": "1-5", "X(d)": null}]}`, `{"a": "cacb", "b": [{"c": 3}, {"c": "x", "d": 1.5}]}`},
		{`{"metadata": {"labels": {"app*": "?*"}}, "l": [{"^(n)": "*", "m": "$(<=./../k)", "k": "2"}]}`,
			`{"metadata": {"labels": {"app1": "x"}}, "l": [{"n": 1, "m": "1e3", "k": 2}]}`},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, pattern, object string) {
		rules, err := vmrules.ParseRules(`[{"name": "r", "rule": "pattern", "path": "jsonpath::$", "message": "m", "pattern": `+pattern+`}]`,
			append(Kinds(), vmrules.WholeObjects())...)
		if err != nil {
			if strings.Contains(err.Error(), "cannot read this rule") {
				t.Fatal(err)
			}
			return
		}
		var value map[string]any
		if json.Unmarshal([]byte(object), &value) != nil {
			return
		}
		for _, v := range vmrules.Validate(rules, value).Violations() {
			if strings.HasPrefix(v.Detail, "the kind ") { // package vmrules reports a panic like this
				t.Error(v.Detail)
			}
		}
	})
}

// wildcardSteps returns at least the steps of Kyverno's matcher, which matchCounting counts.
func FuzzWildcardSteps(f *testing.F) {
	for _, pair := range [][2]string{{"*a*b", "aaaa"}, {"?*", "é"}, {"**", ""}, {"a?c", "abc"}, {"*a*a*", "banana"}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		p, s := []rune(pattern), []rune(text)
		if len(p) > 12 || len(s) > 12 {
			return
		}
		matched, steps := matchCounting(p, s)
		if got := wildcardSteps(p, s); got < steps {
			t.Errorf("%q %q: got %d steps, want at least %d", pattern, text, got, steps)
		}
		if matched != wildcard.Match(pattern, text) {
			t.Errorf("%q %q: matchCounting does not match as Kyverno does", pattern, text)
		}
	})
}

func matchCounting(p, s []rune) (bool, int) {
	switch {
	case len(p) == 0:
		return len(s) == 0, 0
	case p[0] == '*':
		matched, steps := matchCounting(p[1:], s)
		if !matched && len(s) > 0 {
			again, more := matchCounting(p, s[1:])
			return again, steps + more + 1
		}
		return matched, steps + 1
	case len(s) == 0 || p[0] != '?' && p[0] != s[0]:
		return false, 1
	}
	matched, steps := matchCounting(p[1:], s[1:])
	return matched, steps + 1
}

// mayBeQuantity is true for all quantities of Kyverno, and an exact quantity has the value that is
// written.
func FuzzQuantity(f *testing.F) {
	for _, text := range []string{"1", "1.5Gi", "-3m", "1e3", "5E", "M", ".", "+.5k", "1E+03", "0.0000000001", "9Ei"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxNumberLength || strings.ContainsAny(text, "eE") && len(text) > 6 {
			return
		}
		if got, want := mayBeQuantity(text), isQuantity(text); got != want {
			t.Errorf("%q: %t, Kyverno says %t", text, got, want)
		}
	})
}

func isQuantity(text string) bool {
	_, err := resource.ParseQuantity(text)
	return err == nil
}
