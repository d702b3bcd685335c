package bench

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
)

// opaPeer has one Rego module for all rules, in which violated is a set of names.
type opaPeer struct {
	query  rego.PreparedEvalQuery
	broken []any
}

func prepareOPA(set ruleSet) (judge, error) {
	if err := set.needsOnlyRE2(); err != nil {
		return nil, err
	}
	module := regoHead
	for _, r := range set.rules {
		module += regoRule(r)
	}
	query, err := rego.New(rego.Query("data.vm.violated"), rego.Module("vm.rego", module)).PrepareForEval(context.Background())
	return &opaPeer{query: query}, err
}

func (j *opaPeer) judge(vm map[string]any) {
	input, err := ast.InterfaceToValue(vm) // faster than rego.EvalInput, which encodes the VM first
	if err != nil {
		panic(err)
	}
	results, err := j.query.Eval(context.Background(), rego.EvalParsedInput(input))
	if err != nil {
		panic(err)
	}
	j.broken = results[0].Expressions[0].Value.([]any)
}

func (j *opaPeer) violated() []string {
	var names []string
	for _, name := range j.broken {
		names = append(names, name.(string))
	}
	return names
}

const regoHead = `package vm

number(v) := v if is_number(v)

number(v) := units.parse(v) if is_string(v)

at_least(v, least) if {
	n := number(v)
	n == floor(n)
	n >= least
}

between(v, least, most) if {
	n := number(v)
	n == floor(n)
	n >= least
	n <= most
}

length_between(v, least, most) if {
	is_string(v)
	count(v) >= least
	count(v) <= most
}
`

// regoRule adds the rule's name to violated if a value is wrong: any value in a list, or
// the single value of a required field.
func regoRule(r rule) string {
	path := "input.spec.template." + strings.ReplaceAll(strings.Join(r.steps(), "."), ".*", "[_]")
	if r.optional() {
		return fmt.Sprintf("\nviolated contains %q if {\n\tv := %s\n\tnot %s\n}\n", r.Name, path, regoHolds(r, "v"))
	}
	return fmt.Sprintf("\nviolated contains %q if not %s\n", r.Name, regoHolds(r, path))
}

// regoHolds is an expression that is true if the value at a place satisfies the rule.
func regoHolds(r rule, at string) string {
	switch r.Kind {
	case "integer":
		if r.Max == nil {
			return fmt.Sprintf("at_least(%s, %d)", at, r.Min)
		}
		return fmt.Sprintf("between(%s, %d, %d)", at, r.Min, r.Max)
	case "string":
		return fmt.Sprintf("length_between(%s, %d, %d)", at, r.MinLength, r.MaxLength)
	case "regex":
		return fmt.Sprintf("regex.match(%s, %s)", strconv.Quote(r.Regex), at)
	}
	var values []string
	for _, v := range r.Values {
		values = append(values, strconv.Quote(v.(string)))
	}
	return fmt.Sprintf("%s in {%s}", at, strings.Join(values, ", "))
}
