package bench

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"k8s.io/apiserver/pkg/cel/library"
)

// celPeer has a program for each rule, as a ValidatingAdmissionPolicy has.
type celPeer struct {
	rules  []celRule
	broken []string
}

type celRule struct {
	name    string
	program cel.Program
}

func prepareCEL(set ruleSet) (judge, error) {
	if err := set.needsOnlyRE2(); err != nil {
		return nil, err
	}
	env, err := cel.NewEnv(cel.Variable("object", cel.DynType), cel.Variable("oldObject", cel.DynType), cel.OptionalTypes(), library.Quantity())
	if err != nil {
		return nil, err
	}
	j := &celPeer{}
	for _, r := range set.rules {
		expression, err := celExpression(set, r)
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.Name, err)
		}
		ast, issues := env.Compile(expression)
		if issues.Err() != nil {
			return nil, fmt.Errorf("rule %s: %w", r.Name, issues.Err())
		}
		program, err := env.Program(ast, cel.EvalOptions(cel.OptOptimize))
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.Name, err)
		}
		j.rules = append(j.rules, celRule{r.Name, program})
	}
	return j, nil
}

func (j *celPeer) judge(vm *vm) {
	j.broken = nil
	variables, err := cel.NewActivation(map[string]any{"object": vm.object, "oldObject": vm.old})
	if err != nil {
		panic(err)
	}
	for _, r := range j.rules {
		// An error means that a required field is missing.
		if satisfied, _, err := r.program.Eval(variables); err != nil || satisfied != types.True {
			j.broken = append(j.broken, r.name)
		}
	}
}

func (j *celPeer) violated() []string { return j.broken }

// celExpression is an expression that is true for a VM that satisfies the rule:
//
//	object.spec.template.?spec.?volumes.orValue([]).all(x, !has(x.name) || type(x.name) == string && …)
func celExpression(set ruleSet, r rule) (string, error) {
	switch {
	case r.cel != "":
		return r.cel, nil
	case strings.Contains(r.Path, ".."):
		return "", errors.New("CEL has no recursion")
	case set.own != nil && set.own[0].typed != nil:
		return "", errors.New("Kubernetes gives CEL no Go structs")
	}
	before, after, ok := strings.Cut(strings.Join(r.steps(), "."), ".*.")
	holds := celHolds(r, "object.spec.template."+before)
	switch {
	case !ok && set.name == "partial":
		return fmt.Sprintf("!object.spec.template.?%s.hasValue() || (%s)", strings.ReplaceAll(before, ".", ".?"), holds), nil
	case !ok && set.forgives:
		return fmt.Sprintf("(%s) || object.spec.template.%[2]s == oldObject.spec.template.%[2]s", holds, before), nil
	case !ok:
		return holds, nil
	}
	at, absent := "x", ""
	for name := range strings.SplitSeq(after, ".") {
		at += "." + name
		absent += "!has(" + at + ") || "
	}
	items := ".spec.template.?" + strings.ReplaceAll(before, ".", ".?") + ".orValue([])"
	holds = absent + "(" + celHolds(r, at) + ")"
	if set.forgives {
		holds += fmt.Sprintf(" || oldObject%s.exists(old, old.name == x.name && old.%[2]s == x.%[2]s)", items, after)
	}
	return fmt.Sprintf("object%s.all(x, %s)", items, holds), nil
}

// celHolds is an expression that is true if the value at a place satisfies the rule.
func celHolds(r rule, at string) string {
	switch r.Kind {
	case "integer":
		return fmt.Sprintf("type(%[1]s) == int ? %[2]s : type(%[1]s) == double ? %[1]s == double(int(%[1]s)) && %[2]s : quantity(%[1]s).isInteger() && %[3]s",
			at, celBounds(r, at), celBounds(r, "quantity("+at+").asInteger()"))
	case "string":
		return fmt.Sprintf("type(%[1]s) == string && size(%[1]s) >= %[2]d && size(%[1]s) <= %[3]d", at, r.MinLength, r.MaxLength)
	case "regex":
		return fmt.Sprintf("string(%s).matches(%s)", at, strconv.Quote(r.Regex))
	}
	var values []string
	for _, v := range r.Values {
		values = append(values, strconv.Quote(v.(string)))
	}
	return fmt.Sprintf("%s in [%s]", at, strings.Join(values, ", "))
}

func celBounds(r rule, n string) string {
	bounds := fmt.Sprintf("%s >= %d", n, r.Min)
	switch most := r.Max.(type) {
	case int:
		bounds += fmt.Sprintf(" && %s <= %d", n, most)
	case string:
		bounds += fmt.Sprintf(" && %s <= quantity(object.spec.template%s).asInteger()", n, strings.TrimPrefix(most, "jsonpath::"))
	}
	return bounds
}
