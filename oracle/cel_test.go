package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/seeds"
)

// CEL is a second opinion on the verdict. Each generated rule is written as an annotation
// and, following the specification, as a CEL expression over the same VM. Both must have
// the same outcome. cel_exceptions.md lists what CEL cannot express; it is not generated.

const (
	celDefaultSeed = 20190202

	celRuleSets  = 2000 // of 1 to 4 rules
	celVMsForSet = 4
)

func TestCEL(t *testing.T) {
	t.Parallel()
	seed := generatorSeed(t, celDefaultSeed)
	counts, generated := celCounts{}, 0
	for n := range uint64(celRuleSets * factor(t)) {
		g := newCELGen(seed, n)
		rules := g.rules()
		set := newCELSet(t, rules, celExpressions)
		for range celVMsForSet {
			c := g.vm(rules)
			generated += len(rules)
			if !set.compare(c, counts) {
				t.Fatal(celFailure(t, seed, c, celExpressions))
			}
		}
	}
	t.Logf("%d rule-VM pairs compared\n%s", counts["compared"], counts)
	if counts["compared"] != generated || generated < 19_000 {
		t.Errorf("%d of %d rule-VM pairs were compared", counts["compared"], generated)
	}
	counts.check(t)
}

// celExpressions returns the CEL expressions of rules.
func celExpressions(rules []celRule) []string {
	var all []string
	for _, r := range rules {
		all = append(all, r.outcome())
	}
	return all
}

// celVerdict is true if the object is valid.
const celVerdict = "rules.all(r, r.justWarning || !(r.outcome in ['Violated', 'Undecided']))"

// A celSet is rules that both sides are ready to judge by.
type celSet struct {
	rules    vmrules.Rules
	of       []celRule
	programs []cel.Program
	verdict  cel.Program
}

func newCELSet(t *testing.T, rules []celRule, expressions func([]celRule) []string) *celSet {
	t.Helper()
	annotation := celAnnotation(rules)
	parsed, err := vmrules.ParseRules(annotation)
	if err != nil {
		t.Fatalf("%s\nis refused: %v", annotation, err)
	}
	set := &celSet{rules: parsed, of: rules, verdict: celProgram(t, celVerdict)}
	for _, expression := range expressions(rules) {
		set.programs = append(set.programs, celProgram(t, expression))
	}
	return set
}

// celProgram leaves type checks to run time: CEL's checker would infer the type of a
// dynamic value from its first use.
func celProgram(t *testing.T, expression string) cel.Program {
	t.Helper()
	ast, issues := celEnv.Parse(expression)
	if issues.Err() != nil {
		t.Fatalf("%s\n%v", expression, issues.Err())
	}
	program, err := celEnv.Program(ast)
	if err != nil {
		t.Fatalf("%s\n%v", expression, err)
	}
	return program
}

// celEnv is CEL with Kubernetes' quantities. RE2 reads some patterns differently from
// PCRE: re2 has the RE2 spelling of each generated pattern.
var celEnv = func() *cel.Env {
	env, err := cel.NewEnv(
		cel.Variable("self", cel.DynType),
		cel.Variable("rules", cel.ListType(cel.MapType(cel.StringType, cel.DynType))),
		cel.Variable("re2", cel.MapType(cel.StringType, cel.StringType)),
		ext.Bindings(), ext.Lists(), library.Quantity(),
	)
	if err != nil {
		panic(err)
	}
	return env
}()

// compare reports whether both sides agree about each rule and the whole VM. It counts
// what was compared.
func (s *celSet) compare(c celCase, counts celCounts) bool {
	outcomes, valid := s.saysCEL(c)
	report := vmrules.Validate(s.rules, c.object())
	results := report.Results()
	if len(results) != len(outcomes) || report.Valid() != valid {
		return false
	}
	for i, result := range results {
		if string(result.Outcome) != outcomes[i] {
			return false
		}
		counts.add(s.of[i], result)
		counts.addValues(c, result)
	}
	return true
}

// saysCEL returns CEL's outcome of each rule, and whether the VM is valid. An error in CEL
// becomes an outcome that the library does not have.
func (s *celSet) saysCEL(c celCase) (outcomes []string, valid bool) {
	var results []any
	self := celValue(c.object())
	for i, program := range s.programs {
		outcome := celEval(program, map[string]any{"self": self, "re2": c.re2})
		outcomes = append(outcomes, fmt.Sprint(outcome))
		results = append(results, map[string]any{"outcome": outcome, "justWarning": s.of[i].JustWarning})
	}
	return outcomes, celEval(s.verdict, map[string]any{"rules": results}) == true
}

func celEval(program cel.Program, variables map[string]any) any {
	v, _, err := program.Eval(variables)
	if err != nil {
		return "error: " + err.Error()
	}
	return v.Value()
}

// celFailure shows the smallest case on which both sides still disagree.
func celFailure(t *testing.T, seed uint64, c celCase, expressions func([]celRule) []string) string {
	t.Helper()
	c = c.shrunk(func(c celCase) bool { return celDisagree(t, c, expressions) })
	set := newCELSet(t, c.rules, expressions)
	outcomes, valid := set.saysCEL(c)
	report := vmrules.Validate(set.rules, c.object())
	object, err := json.Marshal(c.object())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s=%d\nrules:   %s\nobject:  %s\nlibrary: %s\nCEL:     valid: %t %v\n%s", seeds.Variable, seed,
		celAnnotation(c.rules), object, report, valid, outcomes, strings.Join(expressions(c.rules), "\n"))
}

// celCounts count comparisons by topic.
type celCounts map[string]int

func (n celCounts) add(r celRule, result vmrules.Result) {
	n["compared"]++
	n["outcome "+string(result.Outcome)]++
	n[fmt.Sprintf("%s %s", r.Kind, result.Outcome)]++
	if r.Valid.exists() {
		n[fmt.Sprintf("valid, skipped: %t", result.Outcome == vmrules.OutcomeSkipped)]++
	}
	for _, step := range r.Path.Steps {
		n[fmt.Sprintf("path with %T %s", step, result.Outcome)]++
	}
	for key, operand := range r.Arguments {
		about := fmt.Sprintf("%s %s %s ", r.Kind, key, operand.form())
		switch {
		case result.Outcome == vmrules.OutcomeSatisfied, result.Outcome == vmrules.OutcomeUndecided:
			n[about+string(result.Outcome)]++
		case slices.ContainsFunc(result.Violations, func(v vmrules.Violation) bool { return v.Argument == key }):
			n[about+string(vmrules.OutcomeViolated)]++
		}
	}
}

// addValues counts the values that the rule found in the VM.
func (n celCounts) addValues(c celCase, result vmrules.Result) {
	if found, _ := result.Path.Find(c.content); len(found) > 1 {
		n["several values "+string(result.Outcome)]++
	}
	for _, v := range result.Violations {
		n["reason "+string(v.Reason)]++
		if v.Origin == vmrules.OriginDefault {
			n["by a default"]++
		}
	}
	if celHasNull(c.content) {
		n["VM with null "+string(result.Outcome)]++
	}
}

func celHasNull(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), celHasNull)
	case []any:
		return slices.ContainsFunc(v, celHasNull)
	}
	return v == nil
}

func (n celCounts) String() string {
	var s strings.Builder
	for _, about := range slices.Sorted(maps.Keys(n)) {
		fmt.Fprintf(&s, "%6d  %s\n", n[about], about)
	}
	return s.String()
}

// check fails the test unless each topic was compared often, with both verdicts.
func (n celCounts) check(t *testing.T) {
	for about, least := range celWanted() {
		if n[about] < least {
			t.Errorf("%q only %d times, want %d", about, n[about], least)
		}
	}
}

func celWanted() map[string]int {
	wanted := map[string]int{
		"outcome Ignored": 500, "outcome Warned": 1000, "outcome Skipped": 1000, "outcome Undecided": 300,
		"valid, skipped: true": 1000, "valid, skipped: false": 1000, "by a default": 200,
		"reason FieldValueRequired": 300, "reason FieldValueTypeInvalid": 1000,
		celUnknownKind + " Ignored": 200, "enum Ignored": 100, "regex Ignored": 100,
	}
	for _, verdict := range []string{"Satisfied", "Violated"} {
		wanted["several values "+verdict] = 300
		wanted["VM with null "+verdict] = 1000
		for _, step := range []any{"", 0, celEach{}} {
			wanted[fmt.Sprintf("path with %T %s", step, verdict)] = 500
		}
		for _, kind := range celKinds {
			wanted[kind+" "+verdict] = 800
			for _, key := range celArguments {
				wanted[fmt.Sprintf("%s %s literal %s", kind, key, verdict)] = 50
				wanted[fmt.Sprintf("%s %s path %s", kind, key, verdict)] = 15
			}
			wanted[fmt.Sprintf("%s values items with paths %s", kind, verdict)] = 10
		}
	}
	return wanted
}

// TestCELFindsMistakes plants mistakes in the CEL expressions. The comparison has to find
// them, and to show them in a small case.
func TestCELFindsMistakes(t *testing.T) {
	for _, mistake := range []struct{ name, old, new string }{
		{"min is exclusive", "!quantity(string(v)).isLessThan(quantity(string(min[0])))", "quantity(string(v)).isGreaterThan(quantity(string(min[0])))"},
		{"max is exclusive", "!quantity(string(v)).isGreaterThan(quantity(string(max[0])))", "quantity(string(v)).isLessThan(quantity(string(max[0])))"},
		{"minLength is exclusive", ".compareTo(quantity(string(minLength[0]))) >= 0", ".compareTo(quantity(string(minLength[0]))) > 0"},
		{"maxLength is exclusive", ".compareTo(quantity(string(maxLength[0]))) <= 0", ".compareTo(quantity(string(maxLength[0]))) < 0"},
		{"one value is enough", "found.exists(v,", "found.all(v,"},
		{"nothing there is satisfied", "size(found) == 0 ||", ""},
		{"null is there", " != null", " != 'null'"},
		{"values in any form of numbers", "string(a))", "a)"},
		{"regex is anchored", ".matches(re2[regex[0]])", ".matches('^(?:' + re2[regex[0]] + ')$')"},
		{"quantities are not integers", "isQuantity(v)", "false"},
		{"only canonical integers", "q.isInteger() ||", "q.isInteger() || false &&"},
		{"valid is ignored", "== 0 ? 'Skipped'", "< 0 ? 'Skipped'"},
		{"a negative index counts from the start", "x[size(x) - 1]", "x[0]"},
		{"justWarning fails", "'Warned'", "'Violated'"},
		{"unusable is satisfied", "'Undecided'", "'Satisfied'"},
		{"no defaults", ": dyn(", ": dyn('-') == '-' ? dyn('no') : dyn("},
	} {
		t.Run(mistake.name, func(t *testing.T) {
			mistaken := func(rules []celRule) []string {
				all := celExpressions(rules)
				for i := range all {
					all[i] = strings.ReplaceAll(all[i], mistake.old, mistake.new)
				}
				return all
			}
			c, ok := celDisagreement(t, mistaken)
			if !ok {
				t.Fatal("not found")
			}
			least := c.shrunk(func(c celCase) bool { return celMistakes(t, c, mistaken) })
			if len(least.rules) != 1 || len(least.rules[0].Arguments) > 1 {
				t.Errorf("not small: %s", celAnnotation(least.rules))
			}
		})
	}
}

// celDisagreement returns the first generated case that shows a mistake.
func celDisagreement(t *testing.T, mistaken func([]celRule) []string) (celCase, bool) {
	for n := range uint64(celRuleSets) {
		g := newCELGen(celDefaultSeed, n)
		rules := g.rules()
		set := newCELSet(t, rules, mistaken)
		for range celVMsForSet {
			if c := g.vm(rules); !set.compare(c, celCounts{}) && celMistakes(t, c, mistaken) {
				return c, true
			}
		}
	}
	return celCase{}, false
}

// celMistakes reports whether both sides disagree, and only because of the mistake.
func celMistakes(t *testing.T, c celCase, mistaken func([]celRule) []string) bool {
	return celDisagree(t, c, mistaken) && !celDisagree(t, c, celExpressions)
}

func celDisagree(t *testing.T, c celCase, expressions func([]celRule) []string) bool {
	return !newCELSet(t, c.rules, expressions).compare(c, celCounts{})
}
