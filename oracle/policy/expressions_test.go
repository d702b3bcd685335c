package policy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	celgo "github.com/google/cel-go/cel"
	gocmp "github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/policy"
)

// baseEnv is Kubernetes' environment of the first version that has all functions that the
// expressions use.
var baseEnv = sync.OnceValue(func() *environment.EnvSet { return environment.MustBaseEnvSet(version.MajorMinor(1, 32)) })

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
		return fmt.Errorf("the expression does not compile: %.200w", issues.Err())
	case !ast.OutputType().IsExactType(want):
		return fmt.Errorf("the expression has type %s, not %s", ast.OutputType(), want)
	}
	return nil
}

// What the expressions have of the VM's fields, in the words of the package that writes them.
const wasInScope = "variables.wasInScope"

var (
	setters    = []string{"instancetype", "preference"}
	namedItems = []string{"disks", "volumes", "interfaces", "networks"}
)

// A fieldType is the JSON type of a field in KubeVirt's API.
type fieldType int

const (
	anyType fieldType = iota
	integerType
	stringType
	quantityType
)

// A policyAndBinding is a policy as the API server reads it.
type policyAndBinding struct {
	Policy  *admissionv1.ValidatingAdmissionPolicy
	Binding *admissionv1.ValidatingAdmissionPolicyBinding
}

// policiesOf returns the policies of a scope, and the rules that are not in them.
func policiesOf(t testing.TB, rules vmrules.Rules, s policy.Scope) ([]policyAndBinding, []policy.Untranslated) {
	t.Helper()
	s.Name, s.Partial = "windows", true
	documents, untranslated, err := policy.Of(rules, s)
	if err != nil {
		t.Fatal(err)
	}
	var all []policyAndBinding
	for i := 0; i < len(documents); i += 2 {
		p := policyAndBinding{&admissionv1.ValidatingAdmissionPolicy{}, &admissionv1.ValidatingAdmissionPolicyBinding{}}
		decodeStrictly(t, documents[i], p.Policy)
		decodeStrictly(t, documents[i+1], p.Binding)
		all = append(all, p)
	}
	return all, untranslated
}

// decodeStrictly reads a document that has only fields that Kubernetes knows, and that is the same
// once Kubernetes' type has written it.
func decodeStrictly(t testing.TB, document map[string]any, into any) {
	t.Helper()
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, into); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	again, err := json.Marshal(into)
	if err != nil {
		t.Fatal(err)
	}
	var read map[string]any
	if err := json.Unmarshal(again, &read); err != nil {
		t.Fatal(err)
	}
	delete(read, "status")
	if diff := gocmp.Diff(document, read); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
}

// validationsOf returns what the policy that denies has of rules, each expression in one line.
func validationsOf(t testing.TB, rules vmrules.Rules, ratcheting bool) []admissionv1.Validation {
	t.Helper()
	policies, _ := policiesOf(t, rules, policy.Scope{WithoutRatcheting: !ratcheting})
	if len(policies) == 0 || policies[0].Binding.Spec.ValidationActions[0] != admissionv1.Deny {
		return nil
	}
	all := policies[0].Policy.Spec.Validations
	for i := range all {
		all[i].Expression = strings.ReplaceAll(all[i].Expression, "\n", " ")
	}
	return all
}

// expressionOf returns the expression of the first rule; "" if it is not translated. It takes less time
// than validationsOf.
func expressionOf(t testing.TB, rules vmrules.Rules, ratcheting bool) string {
	t.Helper()
	return expressionIn(t, rules, policy.Scope{WithoutRatcheting: !ratcheting})
}

// expressionIn is expressionOf for a scope.
func expressionIn(t testing.TB, rules vmrules.Rules, s policy.Scope) string {
	t.Helper()
	s.Name, s.Partial = "windows", true
	documents, _, err := policy.Of(rules, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(documents) == 0 {
		return ""
	}
	validation := documents[0]["spec"].(map[string]any)["validations"].([]any)[0].(map[string]any)
	return strings.ReplaceAll(validation["expression"].(string), "\n", " ")
}

// conditionsOf returns the conditions of a scope.
func conditionsOf(t testing.TB, s policy.Scope) []admissionv1.MatchCondition {
	t.Helper()
	rules := parseAll(t, map[string]any{"name": "r", "message": "m", "rule": "string", "path": "jsonpath::.spec.hostname"})
	policies, _ := policiesOf(t, rules, s)
	return policies[0].Policy.Spec.MatchConditions
}
