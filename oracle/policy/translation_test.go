package policy_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/internal/seeds"
	"github.com/vmrules/vmrules/policy"
)

func sorted(all []vmPlace) []vmPlace {
	slices.SortFunc(all, func(a, b vmPlace) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return all
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

const (
	generatedRules = 400
	generatedVMs   = 20
)

// of returns the generator that makes the n-th rule of a seed.
func (g generator) of(seed, n uint64) *generator {
	g.Rand = rand.New(rand.NewPCG(seed, n))
	return &g
}

func parseOne(t testing.TB, rule map[string]any) vmrules.Rules {
	t.Helper()
	text, err := json.Marshal([]any{rule})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := vmrules.ParseRules(string(text))
	if err != nil {
		return vmrules.Rules{} // such as a min that is a string without a number
	}
	return rules
}

// parseAll is for rules without problems.
func parseAll(t testing.TB, rules ...any) vmrules.Rules {
	t.Helper()
	text, err := json.Marshal(rules)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := vmrules.ParseRules(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// want returns whether the expression must be true, and the outcome of the rule.
func want(rules vmrules.Rules, object map[string]any) (bool, vmrules.Outcome) {
	outcome := vmrules.Validate(rules, object).Results()[0].Outcome
	return outcome == vmrules.OutcomeSatisfied || outcome == vmrules.OutcomeSkipped, outcome
}

// An evaluator evaluates one translated rule on a VM.
type evaluator func(object map[string]any) (celResult, error)

// A vmSource makes rules and VMs for them, and counts the results.
type vmSource struct {
	name string
	generator
	counts map[string]int
}

// A translated rule is true for exactly those VMs for which the rule is Satisfied or Skipped.
func TestTranslate(t *testing.T) {
	t.Parallel()
	seed := seeds.Of(1)
	for _, c := range []struct {
		name    string
		sources []vmSource // which make the same rules, so that each is translated once
		compile func(*testing.T, vmrules.Rules) (string, evaluator)
	}{
		{
			"policy", []vmSource{{name: "without null", generator: generator{noNulls: true}}, {name: "with null"}},
			policyOf,
		},
		{
			"policy with declared types", []vmSource{{generator: generator{noNulls: true, noFloats: true, declared: true}}},
			typedPolicyOf,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for i := range c.sources {
				c.sources[i].counts = map[string]int{}
			}
			for n := range uint64(generatedRules) {
				compareRule(t, seed, n, c.sources, c.compile)
			}
			for _, s := range c.sources {
				s.check(t)
			}
		})
	}
}

// compareRule compares the n-th rule of the sources with its translation, on the VMs of each.
func compareRule(t *testing.T, seed, n uint64, sources []vmSource, compile func(*testing.T, vmrules.Rules) (string, evaluator)) {
	var translated vmrules.Rules
	var expression string
	var eval evaluator
	for i, s := range sources {
		s.generator = *s.of(seed, n)
		rules := parseOne(t, s.rule())
		if rules.Len() == 0 {
			return
		}
		if i == 0 {
			translated = rules
			expression, eval = compile(t, rules)
		}
		if !rules.Equal(translated) {
			t.Fatalf("the sources make different rules: %s and %s", translated, rules)
		}
		if eval == nil {
			s.counts["refused"]++
			continue
		}
		s.compare(t, rules, expression, eval)
	}
}

// compare compares a rule with its translation on some VMs.
func (s *vmSource) compare(t *testing.T, rules vmrules.Rules, expression string, eval evaluator) {
	for range generatedVMs {
		object := s.vm()
		holds, outcome := want(rules, object)
		got, err := eval(object)
		s.counts[fmt.Sprintf("%s: %s", outcome, got)]++
		if !disagrees(object, holds, got) {
			continue
		}
		text, _ := json.Marshal(object)
		t.Errorf("%s: rules %s\nexpression %s\nobject %s\nvmrules %s, CEL %s (%v)", s.name, rules, expression, text, outcome, got, err)
		if s.counts["different"]++; s.counts["different"] > 5 {
			t.FailNow()
		}
	}
}

// check fails the test if there were too few of some results.
func (s *vmSource) check(t *testing.T) {
	t.Log(s.name, table(s.counts))
	for _, result := range []string{"Satisfied: true", "Skipped: true", "Violated: false", "Violated: error", "Undecided: false", "refused"} {
		if s.counts[result] < 10 {
			t.Errorf("%s: %s only %d times", s.name, result, s.counts[result])
		}
	}
}

// disagrees reports whether an expression has a result that it must not have for a VM that
// satisfies the rule, or does not.
func disagrees(vm map[string]any, holds bool, got celResult) bool {
	if !holds {
		return got == celTrue
	}
	return got != celTrue && !mayDeny(vm)
}

// mayDeny reports whether the expression for a rule that a VM satisfies may be false: the VM names an
// instance type or a preference, or has null, which KubeVirt's CRD denies.
func mayDeny(vm map[string]any) bool { return namesSetter(vm) || hasNull(vm) }

// namesSetter reports whether a VM names an instance type or a preference.
func namesSetter(object map[string]any) bool {
	spec, _ := object["spec"].(map[string]any)
	return spec["instancetype"] != nil || spec["preference"] != nil
}

// hasNull reports whether a value contains null.
func hasNull(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), hasNull)
	case []any:
		return slices.ContainsFunc(v, hasNull)
	}
	return v == nil
}

func policyOf(t *testing.T, rules vmrules.Rules) (string, evaluator) {
	expression := expressionOf(t, rules, false)
	if expression == "" {
		return "", nil
	}
	program := compilePolicy(t, expression)
	return expression, func(object map[string]any) (celResult, error) { return evalPolicy(program, object) }
}

func table(counts map[string]int) string {
	var s strings.Builder
	for _, about := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&s, "\n%7d %s", counts[about], about)
	}
	return s.String()
}

// readVectors returns the rules of the vectors of package policy. They have no names and no messages.
func readVectors(t testing.TB) (all []map[string]any) {
	t.Helper()
	for _, v := range readJSON[struct{ Rule map[string]any }](t, "../../policy/testdata/vectors.json") {
		all = append(all, v.Rule)
	}
	return all
}

func readJSON[T any](t testing.TB, file string) (all []T) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// Of promises nothing about numbers in a VM that CEL does not represent exactly. Each
// case fails once CEL represents its number.
func TestNumbersBeyond(t *testing.T) {
	for _, c := range []struct {
		name  string
		rule  map[string]any
		value string // JSON
		want  vmrules.Outcome
		got   celResult
	}{
		{"integers of 19 digits", map[string]any{"rule": "integer"}, `"9223372036854775807"`, vmrules.OutcomeSatisfied, celFalse},
		{"integers beyond int64", map[string]any{"rule": "integer"}, `9223372036854775808`, vmrules.OutcomeSatisfied, celFalse},
		{"digits beyond double", map[string]any{"rule": "enum", "max": 0.1}, `0.10000000000000000001`, vmrules.OutcomeViolated, celTrue},
		{"finer than nano", map[string]any{"rule": "string", "min": 1}, `"0.99999999999"`, vmrules.OutcomeViolated, celTrue},
		{"with an exponent as text", map[string]any{"rule": "enum", "values": []any{"1000000"}}, `1e6`, vmrules.OutcomeSatisfied, celFalse},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.rule["name"], c.rule["message"], c.rule["path"] = "r", "m", "jsonpath::.spec.limits.a"
			rules := parseOne(t, c.rule)
			object := map[string]any{"kind": "VirtualMachine", "spec": map[string]any{"template": map[string]any{
				"spec": map[string]any{"limits": map[string]any{"a": json.RawMessage(c.value)}}}}}
			text, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			_, outcome := want(rules, conformance.DecodeExactly(text))
			_, eval := policyOf(t, rules)
			got, _ := eval(decoded(object))
			if outcome != c.want || got != c.got {
				t.Errorf("vmrules %s, CEL %s, want %s, %s", outcome, got, c.want, c.got)
			}
		})
	}
}

// For any rules, each is translated or listed as untranslated, and all expressions of the policies
// compile, in which any text may be the name of a template.
func FuzzOf(f *testing.F) {
	for _, rule := range readVectors(f) {
		text, err := json.Marshal([]any{rule})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(strings.Replace(string(text), "{", `{"name":"r","message":"m",`, 1))
	}
	f.Fuzz(func(t *testing.T, annotation string) {
		rules, err := vmrules.ParseRules(annotation)
		if err != nil || rules.Len() > 3 {
			return
		}
		policies, untranslated := policiesOf(t, rules, policy.Scope{Template: annotation, Namespace: annotation, Annotation: annotation})
		n := len(untranslated)
		for _, p := range policies {
			n += len(p.Policy.Spec.Validations)
			checkObject(t, p.Policy)
		}
		if n != rules.Len() {
			t.Errorf("%d of %d rules", n, rules.Len())
		}
	})
}
