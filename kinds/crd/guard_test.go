package crd

import (
	"fmt"
	"strings"
	"testing"

	celgo "github.com/google/cel-go/cel"

	"github.com/vmrules/vmrules"
)

// operands has a value of each type.
var operands = []any{
	"a1b", "1", int64(2), 1.5, true, nil, map[string]any{"a": int64(1)}, []any{},
	[]any{int64(3), int64(1)}, []any{"x", "y"}, []any{[]any{int64(1)}, "x"},
}

// Without bounds that it reaches, a call has the result that it has in Kubernetes, for operands of
// all types. Where that is an error, || absorbs it.
func TestGuardIsKubernetes(t *testing.T) {
	t.Parallel()
	env, err := plainEnv()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[vmrules.Outcome]int{}
	for _, call := range []string{
		"A.replace(B, 'x')", "A.replace('1', B)", "A.replace('1', 'x', B)", "A.join()", "A.join(B)", "A.format(B)", "'%s'.format(A)",
		"'%d %.2f'.format([A, B])", "A.matches(B)", "matches(A, B)", "A.find(B)", "A.findAll(B)", "A.findAll('1', B)", "A.split(B)", "A.split('1', B)",
		"sets.contains(A, B)", "sets.equivalent(A, B)", "sets.intersects(A, B)", "A.indexOf(B)", "A.indexOf('1', B)", "A.lastIndexOf(B)",
		"quantity(A)", "isQuantity(A)", "quantity(A).isLessThan(B)", "semver(A)", "semver(A, B)", "isSemver(A)",
		"isSemver(A, B)", "A + B", "A.distinct()", "A.sort()", "A.sum()", "A.max()", "A.slice(B, 2)", "A.reverse()",
		"ip(A)", "isIP(A)", "cidr(A).containsIP(B)", "url(A).getHost()", "isURL(A)", "A.contains(B)", "A.startsWith(B)", "A.substring(B)",
		"A.charAt(B)", "A.lowerAscii()", "A.trim()", "size(A)", "A == B", "A in B", "A < B", "A[B]", "A - B", "string(A)", "type(A) == type(B)",
	} {
		call = strings.NewReplacer("A", "self.a", "B", "self.b").Replace(call)
		for _, format := range []string{"dyn(%s) == 'x' || true", "dyn(%s) == %[1]s", "dyn(%s) == 'x'"} {
			for outcome, n := range compareWithKubernetes(t, env, fmt.Sprintf(format, call)) {
				seen[outcome] += n
			}
		}
	}
	for _, outcome := range []vmrules.Outcome{vmrules.OutcomeSatisfied, vmrules.OutcomeViolated, vmrules.OutcomeUndecided} {
		if seen[outcome] < 500 {
			t.Errorf("%s %d times, want 500 at least", outcome, seen[outcome])
		}
	}
}

// compareWithKubernetes judges an expression with all pairs of operands. It returns how many times
// each outcome was.
func compareWithKubernetes(t *testing.T, env *celgo.Env, expression string) map[vmrules.Outcome]int {
	t.Helper()
	ast, issues := env.Compile(expression)
	if issues.Err() != nil {
		return nil // there is no such function
	}
	program, err := env.Program(ast)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := vmrules.ParseRules(fmt.Sprintf(`[{"name": "r", "rule": "cel", "path": "jsonpath::.x", "message": "m", "expression": %q}]`, expression), append(Kinds(), vmrules.WholeObjects())...)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[vmrules.Outcome]int{}
	for _, a := range operands {
		for _, b := range operands {
			self := map[string]any{"a": a, "b": b}
			want := vmrules.OutcomeViolated
			switch value, _, err := program.Eval(map[string]any{varSelf: self}); {
			case err != nil:
				want = vmrules.OutcomeUndecided
			case value.Value() == true:
				want = vmrules.OutcomeSatisfied
			}
			seen[want]++
			if got := vmrules.Validate(rules, map[string]any{"x": self}).Results()[0]; got.Outcome != want {
				t.Errorf("%s of %v and %v: %s, Kubernetes says %s: %s", expression, a, b, got.Outcome, want, got.Violations)
			}
		}
	}
	return seen
}
