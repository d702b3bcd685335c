package policy_test

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/cel-go/cel"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/openapi"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/vmrules/vmrules"
)

// declaredVM returns a schema of VirtualMachines like that of KubeVirt's CRD: below
// spec.template.spec, it declares all fields of the API, from the table of package lint. The
// metadata of spec.template has no declared fields.
var declaredVM = sync.OnceValue(func() *spec.Schema { return declaredWith(anyFields()) })

// valuesOfVM is declaredVM for values: with a declared type, CEL does not see other fields.
var valuesOfVM = sync.OnceValue(func() *spec.Schema {
	texts := *spec.MapProperty(spec.StringProperty())
	return declaredWith(*objectOf(map[string]spec.Schema{"labels": texts, "annotations": texts}))
})

func declaredWith(metadata spec.Schema) *spec.Schema {
	text, err := os.ReadFile("../../internal/vmapi/fields.txt")
	if err != nil {
		panic(err)
	}
	table := fieldTable{}
	var of string
	for line := range strings.Lines(string(text)) {
		switch words := strings.Fields(line); {
		case len(words) == 0 || words[0] == "#":
		case line[0] != '\t':
			of = words[0]
		default:
			table[of] = append(table[of], words...)
		}
	}
	reference := *objectOf(map[string]spec.Schema{"name": *spec.StringProperty(), "kind": *spec.StringProperty()})
	template := objectOf(map[string]spec.Schema{"metadata": metadata, "spec": table.schema("VirtualMachineInstanceSpec")})
	vm := objectOf(map[string]spec.Schema{"instancetype": reference, "preference": reference, "template": *template})
	return objectOf(map[string]spec.Schema{"spec": *vm})
}

func objectOf(fields map[string]spec.Schema) *spec.Schema {
	return &spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}, Properties: fields}}
}

func anyFields() spec.Schema {
	s := *objectOf(nil)
	s.VendorExtensible.AddExtension("x-kubernetes-preserve-unknown-fields", true)
	return s
}

// A fieldTable has the fields of each type as internal/vmapi/fields.txt writes them.
type fieldTable map[string][]string

// schema returns the schema of a type in the table.
func (t fieldTable) schema(of string) spec.Schema {
	inside, isArray := strings.CutPrefix(of, "[]")
	if isArray {
		items := t.schema(inside)
		return *spec.ArrayProperty(&items)
	}
	inside, isMap := strings.CutPrefix(of, "{}")
	if isMap {
		values := t.schema(inside)
		return *spec.MapProperty(&values)
	}
	switch of = strings.TrimPrefix(of, "*"); of {
	case "", "string":
		return *spec.StringProperty()
	case "int":
		return *spec.Int64Property()
	case "bool":
		return *spec.BooleanProperty()
	case "time":
		return *spec.DateTimeProperty()
	case "any":
		return anyFields()
	case "quantity", "int-or-string":
		s := spec.Schema{SchemaProps: spec.SchemaProps{AnyOf: []spec.Schema{*spec.Int64Property(), *spec.StringProperty()}}}
		s.VendorExtensible.AddExtension("x-kubernetes-int-or-string", true)
		return s
	}
	if slices.ContainsFunc(t[of], func(f string) bool { return strings.HasPrefix(f, "=") }) {
		return *spec.StringProperty()
	}
	fields := map[string]spec.Schema{}
	for _, field := range t[of] {
		name, of, _ := strings.Cut(field, ":")
		fields[name] = t.schema(of)
	}
	return *objectOf(fields)
}

// A vmResolver resolves VirtualMachines alone.
type vmResolver struct{}

func (vmResolver) ResolveSchema(schema.GroupVersionKind) (*spec.Schema, error) {
	return declaredVM(), nil
}

// warnings returns what Kubernetes' type checker says about a policy.
func warnings(policy *admissionv1.ValidatingAdmissionPolicy) []admissionv1.ExpressionWarning {
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(schema.GroupVersionKind{Group: "kubevirt.io", Version: "v1", Kind: "VirtualMachine"}, meta.RESTScopeNamespace)
	checker := validating.TypeChecker{SchemaResolver: vmResolver{}, RestMapper: mapper}
	return checker.Check(policy)
}

// typedEnv declares the variable object with the types of KubeVirt's API.
var typedEnv = sync.OnceValue(func() *cel.Env {
	declared := openapi.SchemaDeclType(declaredVM(), true).MaybeAssignTypeName("VirtualMachine")
	set, err := baseEnv().Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("object", declared.CelType())},
		DeclTypes:         []*apiservercel.DeclType{declared},
	})
	if err != nil {
		panic(err)
	}
	return set.NewExpressionsEnv()
})

// typedPolicyOf is policyOf for VMs whose fields have declared types. The API server only
// compiles policies with these; here they are evaluated too.
func typedPolicyOf(t *testing.T, rules vmrules.Rules) (string, evaluator) {
	expression := expressionOf(t, rules, false)
	if expression == "" {
		return "", nil
	}
	ast, issues := typedEnv().Compile(expression)
	if issues.Err() != nil {
		t.Fatalf("%s\n%v", expression, issues.Err())
	}
	program, err := typedEnv().Program(ast)
	if err != nil {
		t.Fatal(err)
	}
	return expression, func(object map[string]any) (celResult, error) {
		v, _, err := program.Eval(map[string]any{"object": openapi.UnstructuredToVal(object, valuesOfVM())})
		if err != nil {
			return celError, err
		}
		return map[bool]celResult{true: celTrue, false: celFalse}[v.Value() == true], nil
	}
}
