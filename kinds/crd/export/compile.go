package export

import (
	"fmt"
	"sync"

	celgo "github.com/google/cel-go/cel"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// baseEnv is Kubernetes' environment of the first version that has all functions that the
// expressions use. All expressions are compiled with it before Translate returns them.
var baseEnv = sync.OnceValue(func() *environment.EnvSet { return environment.MustBaseEnvSet(version.MajorMinor(1, 30)) })

var policyEnv = sync.OnceValues(func() (*celgo.Env, error) {
	return baseEnv().NewExpressionsEnv().Extend(
		celgo.Variable("object", celgo.DynType), celgo.Variable("oldObject", celgo.DynType), celgo.Variable("variables", celgo.DynType))
})

// checkPolicy returns an error if a policy cannot have an expression.
func checkPolicy(expression string) error { return checkType(expression, celgo.BoolType) }

// checkMessage returns an error if a policy cannot have a messageExpression.
func checkMessage(expression string) error { return checkType(expression, celgo.StringType) }

func checkType(expression string, want *celgo.Type) error {
	env, err := policyEnv()
	if err != nil {
		return err
	}
	ast, issues := env.Compile(expression)
	switch {
	case issues.Err() != nil:
		return refuse("", "the expression does not compile: %.200s", issues.Err())
	case !ast.OutputType().IsExactType(want):
		return refuse("", "the expression has type %s, not %s", ast.OutputType(), want)
	}
	return nil
}

// checkCRD returns an error if a CRD cannot have the rules of a schema: they do not compile, or
// the API server would estimate their cost as too high.
func checkCRD(props *apiextensionsv1.JSONSchemaProps) error {
	s, err := structuralOf(props)
	if err != nil {
		return err
	}
	results, err := cel.Compile(s, model.SchemaDeclType(s, true), celconfig.PerCallLimit, baseEnv(), cel.NewExpressionsEnvLoader())
	if err != nil {
		return err
	}
	for _, r := range results {
		switch {
		case r.Error != nil:
			return refuse("", "the expression does not compile: %.200s", r.Error.Detail)
		case r.MaxCost > crdvalidation.StaticEstimatedCostLimit:
			return refuse("", "the API server would estimate its cost as %d, more than the limit of %d, for lists of %d items and strings of %d characters",
				r.MaxCost, crdvalidation.StaticEstimatedCostLimit, schemaItems, schemaLength)
		}
	}
	return nil
}

func structuralOf(props *apiextensionsv1.JSONSchemaProps) (*structural.Structural, error) {
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, &internal, nil); err != nil {
		return nil, fmt.Errorf("the schema cannot be converted: %w", err)
	}
	return structural.NewStructural(&internal)
}
