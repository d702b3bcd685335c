package vmrules_test

import (
	"errors"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/apitest"
)

func TestAPI(t *testing.T) {
	var codes []string
	for _, code := range vmrules.Codes {
		codes = append(codes, "code "+code)
	}
	apitest.Check(t, codes...)
}

func TestExportedNames(t *testing.T) { apitest.CheckCount(t, 230) }

func TestZeroValues(t *testing.T) {
	apitest.CheckZero(t,
		vmrules.Argument{}, vmrules.Input{}, vmrules.InvalidError{}, vmrules.Kind(""), vmrules.ParseError{},
		vmrules.Path{}, vmrules.Problem{}, vmrules.Report{}, vmrules.Result{}, vmrules.Rule{}, vmrules.RuleSource{},
		vmrules.Rules{}, vmrules.Violation{},
	)
}

// TestNilOption: a nil option changes nothing.
func TestNilOption(t *testing.T) {
	const text = `[{"name": "r", "rule": "integer", "path": "jsonpath::.spec.x", "message": "m"}]`
	rules, err := vmrules.ParseRules(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	vm := map[string]any{"kind": "VirtualMachine", "metadata": map[string]any{"annotations": map[string]any{vmrules.Annotation: text}},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"x": 1}}}}
	own, err := vmrules.ValidateOwn(vm, nil, vmrules.WithParseOptions(nil))
	report := vmrules.Validate(rules, vm, nil)
	if err != nil || !report.Valid() || !own.Equal(report) || len(own.Results()) != 1 {
		t.Errorf("%s\n%s %v", report, own, err)
	}
	again, err := vmrules.RulesFor(vm, nil, nil)
	built, builtErr := vmrules.NewRules([]vmrules.Rule{first(rules)}, nil)
	if errors.Join(err, builtErr) != nil || !again.Equal(rules) || !built.Equal(rules) {
		t.Errorf("%s\n%s\n%v", again, built, errors.Join(err, builtErr))
	}
}

func first(rules vmrules.Rules) vmrules.Rule {
	r, _ := rules.Named("r")
	return r
}
