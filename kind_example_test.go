package vmrules_test

import (
	"encoding/json"
	"fmt"

	"github.com/vmrules/vmrules"
)

// A product rule limits the product of some members of an object:
//
//	{ "rule": "product", "of": ["sockets", "cores"], "atMost": 16, ... }
type product struct {
	of     []string
	atMost int64
}

func compileProduct(s vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) {
	var p product
	var problems []vmrules.Problem
	if of, _ := s.Value("of"); json.Unmarshal(of, &p.of) != nil {
		problems = append(problems, s.Problem("of", vmrules.ReasonTypeInvalid, `"of" must be an array of names`))
	}
	if atMost, _ := s.Value("atMost"); json.Unmarshal(atMost, &p.atMost) != nil {
		problems = append(problems, s.Problem("atMost", vmrules.ReasonTypeInvalid, `"atMost" must be a whole number`))
	}
	return p, problems
}

func (p product) Check(in *vmrules.Input) vmrules.Verdict {
	verdict := vmrules.Verdict{Outcome: vmrules.Satisfied}
	for i, m := range in.Values {
		members, _ := m.Value.(map[string]any)
		product := 1.0 // which cannot overflow
		for _, name := range p.of {
			if n, ok := members[name].(int64); ok {
				product *= float64(n)
			}
		}
		if product > float64(p.atMost) {
			v := in.Violation(i)
			v.Detail = fmt.Sprintf("the product of %v is %v, more than %d", p.of, product, p.atMost)
			verdict.Outcome = vmrules.Violated
			verdict.Violations = append(verdict.Violations, v)
		}
	}
	return verdict
}

func ExampleWithKind() {
	annotation := `[{
		"name": "vcpus", "rule": "product", "path": "jsonpath::.spec.domain.cpu",
		"of": ["sockets", "cores", "threads"], "atMost": 16,
		"message": "a VM can have at most 16 vCPUs"
	}]`
	rules, err := vmrules.ParseRules(annotation, vmrules.WithKind("product", compileProduct))
	if err != nil {
		fmt.Println(err)
		return
	}
	vm := map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
		"domain": map[string]any{"cpu": map[string]any{"sockets": 2, "cores": 12}},
	}}}}
	fmt.Println(vmrules.Validate(rules, vm))

	_, err = vmrules.ParseRules(`[{"name": "vcpus", "rule": "product", "path": "jsonpath::.spec.domain.cpu",
		"of": "cores", "atMost": 16, "message": "a VM can have at most 16 vCPUs"}]`, vmrules.WithKind("product", compileProduct))
	fmt.Println(err)
	// Output:
	// invalid: 1 violated
	// Violated   vcpus: a VM can have at most 16 vCPUs
	//            spec.template.spec.domain.cpu: the product of [sockets cores threads] is 24, more than 16
	// the validation rules cannot be used: line 2, column 9: rule "vcpus": "of" must be an array of names
}
