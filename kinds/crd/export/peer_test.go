package export

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
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
	expression = strings.ReplaceAll(expression, "variables."+wasInScope, "oldObject != null")
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

// A crdValidator validates objects by a CRD's schema, with rules at its root.
type crdValidator struct {
	structural *structuralschema.Structural
	rules      *schemacel.Validator
	values     validation.SchemaValidator
}

func compileCRD(t *testing.T, props *apiextensionsv1.JSONSchemaProps) crdValidator {
	t.Helper()
	structural, err := structuralOf(props)
	if err != nil {
		t.Fatal(err)
	}
	if errs := structuralschema.ValidateStructural(field.NewPath("schema"), structural); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, &internal, nil); err != nil {
		t.Fatal(err)
	}
	values, _, err := validation.NewSchemaValidator(&internal)
	if err != nil {
		t.Fatal(err)
	}
	return crdValidator{structural, schemacel.NewValidator(structural, true, celconfig.PerCallLimit), values}
}

// denies returns an error if an object does not fit the schema, apart from its rules.
func (v crdValidator) denies(object map[string]any) error {
	return validation.ValidateCustomResource(nil, object, v.values).ToAggregate()
}

func (v crdValidator) eval(object map[string]any) (celResult, error) {
	errs, _ := v.rules.Validate(context.Background(), nil, v.structural, object, nil, celconfig.RuntimeCELCostBudget)
	if len(errs) == 0 {
		return celTrue, nil
	}
	err := errs.ToAggregate()
	if strings.Contains(err.Error(), "evaluating rule") || strings.Contains(err.Error(), "compil") {
		return celError, err
	}
	return celFalse, err
}
