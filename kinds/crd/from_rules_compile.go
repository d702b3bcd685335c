package crd

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

// What is translated is given to Kubernetes' own compiler before anybody else
// sees it, as of the first version that has all of what is used.
var baseEnv = sync.OnceValue(func() *environment.EnvSet { return environment.MustBaseEnvSet(version.MajorMinor(1, 30)) })

var policyEnv = sync.OnceValues(func() (*celgo.Env, error) {
	return withVariables(baseEnv(), celgo.Variable(varObject, celgo.DynType))
})

// checkPolicy says why an expression is none that a policy could have.
func checkPolicy(expression string) error {
	env, err := policyEnv()
	if err != nil {
		return err
	}
	ast, issues := env.Compile(expression)
	switch {
	case issues.Err() != nil:
		return refuse("", "the expression does not compile: %.200s", issues.Err())
	case !ast.OutputType().IsExactType(celgo.BoolType):
		return refuse("", "the expression is a %s", ast.OutputType())
	}
	return nil
}

// checkCRD says why the rules of a schema are none that a CRD could have: they
// do not compile, or would be too much work for the longest lists.
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
			return refuse("", "the API server would estimate the cost as %d, of at most %d, with up to %d items in a list and %d characters in a string",
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
