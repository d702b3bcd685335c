package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// A celResult is the result of an expression in Kubernetes' own environment.
type celResult string

const (
	celTrue  celResult = "true"
	celFalse celResult = "false"
	celError celResult = "error"
)

// policyCompiler compiles expressions like those of ValidatingAdmissionPolicies, for the oldest
// API server with which this version of Kubernetes is compatible.
var policyCompiler = plugincel.NewCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))

type policyExpression string

func (e policyExpression) GetExpression() string  { return string(e) }
func (policyExpression) ReturnTypes() []*cel.Type { return []*cel.Type{cel.BoolType} }

// compilePolicy compiles an expression of a policy, for VMs that were in the scope before each update.
func compilePolicy(t *testing.T, expression string) cel.Program {
	t.Helper()
	expression = strings.ReplaceAll(expression, wasInScope, "oldObject != null")
	compiled := policyCompiler.CompileCELExpression(policyExpression(expression), plugincel.OptionalVariableDeclarations{}, environment.NewExpressions)
	if compiled.Error != nil {
		t.Fatalf("%s\n%v", expression, compiled.Error)
	}
	return compiled.Program
}

func evalPolicy(program cel.Program, object map[string]any) (celResult, error) {
	v, _, err := program.Eval(map[string]any{"object": object})
	if err != nil {
		return celError, err
	}
	return celResult(fmt.Sprint(v.Value())), nil
}
