package crd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/vmrules/vmrules"
)

const keySchema = "schema"

// Schema compiles a rule of kind "schema". Its key "schema" holds a schema as in a
// CustomResourceDefinition: a JSONSchemaProps, which may have rules of
// x-kubernetes-validations:
//
//	vmrules.ParseRules(annotation, vmrules.WithKind("schema", crd.Schema))
//
// Each value that the rule's path selects is checked as the API server would validate a field
// with this schema: unknown fields are removed, defaults are filled in, then the API server's
// own validators decide. A schema that the API server would refuse is a Problem.
func Schema(source vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) {
	r := &reading{source: source, key: keySchema, patterns: map[string]patternPrice{}}
	raw, ok := source.Value(keySchema)
	if !ok {
		r.problem(nil, vmrules.ReasonRequired, `a rule of kind %q needs the key "schema", such as {"type": "integer", "maximum": 8}`, source.Rule().Kind)
		return nil, r.problems
	}
	if r.payText(raw); r.unpaid {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&r.value) // the text is valid
	j := r.compile(raw)
	if !r.failed() {
		return j, nil
	}
	// The API server finds them in the random order of maps.
	slices.SortStableFunc(r.problems, func(a, b vmrules.Problem) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Message, b.Message))
	})
	return nil, r.problems
}

// A judge checks each value by the API server's validators for one schema, which is wrapped as the field
// valueField of an object, because they need an object at the root. It is safe for concurrent use.
type judge struct {
	schema     *apiextensions.JSONSchemaProps
	structural *structural.Structural
	values     validation.SchemaValidator
	patterns   map[string]patternPrice
	regexes    int  // the steps of all regular expressions in expressions
	loops      bool // whether an expression has a loop
	formats    bool // whether one with a loop also formats texts
	quantities bool // whether an expression reads quantities
	usesOld    bool // whether an expression uses oldSelf
	// ruleNames has each rule of x-kubernetes-validations as Kubernetes calls it in errors: by its
	// message, or else by its text. The value is whether that is its text.
	ruleNames map[string]bool

	// expressions and duplicates validate the rules of x-kubernetes-validations, and are nil
	// if the schema has none. Those with the reason FieldValueDuplicate are in duplicates,
	// without the reason: an error of that type loses its message.
	expressions, duplicates *cel.Validator
}

// valueField is the field of the object in which a value is wrapped to be validated.
const valueField = "value"

// compile makes a judge from the schema that is the value of the key. If it cannot, it adds problems to
// the reading and returns nil.
func (r *reading) compile(raw []byte) *judge {
	if r.fits(r.value, nil, typeSchema); r.failed() {
		return nil
	}
	schema, err := convert(raw)
	if err != nil {
		r.problem(nil, vmrules.ReasonInvalid, "the schema cannot be read: %s", shortened(err.Error()))
		return nil
	}
	if r.limit(&schema); r.unpaid {
		return nil
	}
	j := &judge{ruleNames: map[string]bool{}}
	walk(&schema, &schema, nil, func(s, spine *apiextensions.JSONSchemaProps, steps []any) {
		r.checkNumbers(s, spine, steps)
		r.checkValues(s, spine, steps)
		r.checkRules(s.XValidations, steps, j)
	})
	if r.failed() {
		return nil
	}
	r.addIncomplete(&schema)
	schema = apiextensions.JSONSchemaProps{
		Type: "object", Properties: map[string]apiextensions.JSONSchemaProps{valueField: schema},
	}
	for _, e := range checkDefinition(&schema) {
		r.add(e)
	}
	if r.failed() {
		return nil
	}
	walk(&schema, &schema, nil, normalizeNumbers)
	j.schema, j.patterns = &schema, r.patterns
	if j.structural, err = structural.NewStructural(&schema); err == nil {
		j.values, _, err = validation.NewSchemaValidator(&schema)
	}
	if err != nil {
		r.problem(nil, vmrules.ReasonInvalid, "the schema cannot be used: %s", shortened(err.Error()))
		return nil
	}
	j.expressions = cel.NewValidator(withRules(j.structural, false), false, maxExpressionCost)
	j.duplicates = cel.NewValidator(withRules(j.structural, true), false, maxExpressionCost)
	return j
}

func convert(raw []byte) (schema apiextensions.JSONSchemaProps, err error) {
	var read v1.JSONSchemaProps
	if err = json.Unmarshal(raw, &read); err == nil {
		err = v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&read, &schema, nil)
	}
	return schema, err
}

// addIncomplete makes the one check that the API server makes only at the root of a schema:
// what allOf, anyOf, oneOf and not say about a field counts only if the field is also declared
// outside of them.
func (r *reading) addIncomplete(schema *apiextensions.JSONSchemaProps) {
	s, _ := structural.NewStructural(schema) // checkDefinition reports an error
	for _, e := range structural.ValidateStructural(nil, s) {
		if strings.HasPrefix(e.Detail, "because it is defined in") {
			r.add(e)
		}
	}
}

// checkDefinition returns the errors for which the API server would refuse a schema, except
// those about the estimated cost of a simple messageExpression. Kubernetes' estimate is so high
// that it refuses the example in Kubernetes' own documentation, which appends string(self.max).
// The exception is safe: a messageExpression is evaluated only if its rule is violated, within
// the limits for all expressions, and if it fails, the rule's message replaces it.
func checkDefinition(schema *apiextensions.JSONSchemaProps) field.ErrorList {
	errs := errorsIn(schema)
	if !slices.ContainsFunc(errs, isAboutCost) {
		return errs
	}
	silent := schema.DeepCopy()
	crdvalidation.SchemaHas(silent, func(s *apiextensions.JSONSchemaProps) bool {
		for i := range s.XValidations {
			if parse(s.XValidations[i].MessageExpression).isSimple() {
				s.XValidations[i].MessageExpression = ""
			}
		}
		return false
	})
	errs = slices.DeleteFunc(errs, isAboutCost)
	for _, e := range errorsIn(silent) {
		if isAboutCost(e) {
			errs = append(errs, e)
		}
	}
	return errs
}

func isAboutCost(e *field.Error) bool {
	return e.Type == field.ErrorTypeForbidden && (strings.Contains(e.Detail, "exceeds budget by factor") || strings.Contains(e.Detail, "exceeding cost limit"))
}

// errorsIn returns the errors of the API server about a CustomResourceDefinition with a schema. Everything
// else in it is valid, so that they are about the schema. The API server has no function that makes all
// checks of a schema alone.
func errorsIn(schema *apiextensions.JSONSchemaProps) field.ErrorList {
	return crdvalidation.ValidateCustomResourceDefinition(context.Background(), &apiextensions.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "values.vmrules.example"},
		Spec: apiextensions.CustomResourceDefinitionSpec{
			Group:                 "vmrules.example",
			Scope:                 apiextensions.ClusterScoped,
			PreserveUnknownFields: new(bool),
			Names:                 apiextensions.CustomResourceDefinitionNames{Plural: "values", Singular: "value", Kind: "Value", ListKind: "ValueList"},
			Conversion:            &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter},
			Validation:            &apiextensions.CustomResourceValidation{OpenAPIV3Schema: schema},
			Versions:              []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}},
		},
		Status: apiextensions.CustomResourceDefinitionStatus{StoredVersions: []string{"v1"}},
	})
}

type visitor func(s, spine *apiextensions.JSONSchemaProps, steps []any)

// walk visits a schema and all schemas in it. spine is the schema of the same value outside of allOf,
// anyOf, oneOf and not, which has the types, or s itself if there is none.
func walk(s, spine *apiextensions.JSONSchemaProps, steps []any, visit visitor) {
	visit(s, spine, steps)
	next := func(below, spine *apiextensions.JSONSchemaProps, more ...any) {
		walk(below, spine, append(steps, more...), visit)
	}
	for list, schemas := range map[string][]apiextensions.JSONSchemaProps{"allOf": s.AllOf, "anyOf": s.AnyOf, "oneOf": s.OneOf} {
		for i := range schemas {
			next(&schemas[i], spine, list, i)
		}
	}
	if s.Not != nil {
		next(s.Not, spine, "not")
	}
	for name, property := range s.Properties {
		outside, ok := spine.Properties[name]
		if !ok {
			outside = property
		}
		next(&property, &outside, "properties", name)
	}
	if items := itemsOf(s); items != nil {
		next(items, cmp.Or(itemsOf(spine), items), "items")
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		next(s.AdditionalProperties.Schema, s.AdditionalProperties.Schema, "additionalProperties")
	}
}

// checkNumbers, checkValues and checkRules add problems for what the API server accepts in a schema,
// but does not apply as written.
func (r *reading) checkNumbers(s, spine *apiextensions.JSONSchemaProps, steps []any) {
	for name, bound := range map[string]*float64{"minimum": s.Minimum, "maximum": s.Maximum, "multipleOf": s.MultipleOf} {
		switch {
		case bound == nil:
		case name == "multipleOf" && *bound <= 0:
			r.problem(append(steps, name), vmrules.ReasonInvalid, "must be more than 0: otherwise no value satisfies it")
		case *bound != math.Trunc(*bound) && spine.Type != "number":
			r.problem(append(steps, name), vmrules.ReasonInvalid, "%v has a fraction, which Kubernetes drops for whole numbers: write a whole number, or \"type\": \"number\"", *bound)
		}
	}
}

func (r *reading) checkValues(s, spine *apiextensions.JSONSchemaProps, steps []any) {
	if len(steps) == 0 && s.Default != nil {
		r.problem(append(steps, "default"), vmrules.ReasonInvalid, "has no effect at the root of the schema, because a missing value is a violation: remove it")
	}
	for i, item := range s.Enum {
		text, ok := item.(string)
		if ok && utf8.RuneCountInString(text) == 1 && spine.Type != "string" {
			r.problem(append(steps, "enum", i), vmrules.ReasonInvalid, "Kubernetes would also take the number %d for %q: write \"type\": \"string\", or a rule of x-kubernetes-validations", []rune(text)[0], text)
		}
	}
	if s.Default != nil && measureOf(*s.Default).values > maxDefault {
		r.problem(append(steps, "default"), vmrules.ReasonTooLong, "has more than %d values: write a smaller default", maxDefault)
	}
	if s.Format == "" {
		return
	}
	asOpenAPI, ofType := &spec.Schema{SchemaProps: spec.SchemaProps{Format: s.Format}}, ""
	if s.Type != "" {
		asOpenAPI.Type, ofType = spec.StringOrArray{s.Type}, " for the type "+s.Type
	}
	if len(validation.GetUnrecognizedFormats(asOpenAPI, environment.DefaultCompatibilityVersion())) > 0 {
		r.problem(append(steps, "format"), vmrules.ReasonInvalid, "Kubernetes does not know the format %q%s, and would not check it: write a pattern or a rule of x-kubernetes-validations", shortened(s.Format), ofType)
	}
}

// checkRules also tells the judge what the rules use. It removes unknown reasons from rules, as if they
// had none.
func (r *reading) checkRules(rules []apiextensions.ValidationRule, steps []any, j *judge) {
	for i := range rules {
		j.ruleNames[strings.TrimSpace(cmp.Or(rules[i].Message, rules[i].Rule))] = rules[i].Message == ""
		if reason := rules[i].Reason; reason != nil && !slices.Contains(knownReasons, *reason) {
			rules[i].Reason = nil
		}
		for name, text := range map[string]string{"rule": rules[i].Rule, "messageExpression": rules[i].MessageExpression} {
			at := append(steps, "x-kubernetes-validations", i, name)
			if len(text) > maxExpression {
				r.problem(at, vmrules.ReasonTooLong, tooLongExpression, len(text), maxExpression)
				continue
			}
			e := parse(text)
			regexes, tooLarge := r.payRegexes(e)
			if name == "rule" {
				j.regexes += regexes
				j.usesOld = j.usesOld || e.usesOldSelf()
				if e.usesOldSelf() && !r.hasOldValue() {
					r.problem(at, vmrules.ReasonInvalid, noOldValue)
				}
			}
			j.loops = j.loops || e.loops()
			j.formats = j.formats || e.loops() && e.uses("format")
			j.quantities = j.quantities || e.uses(quantityFunctions...)
			if tooLarge {
				r.problem(at, vmrules.ReasonTooLong, "has "+largePattern, "regular expression", maxPatternSteps, maxPatternSize)
			} else if function := e.unbounded(); function != "" {
				r.problem(at, vmrules.ReasonInvalid, "the function %q may cost more here than Kubernetes estimates: %s, or write a rule of kind \"cel\"", function, boundedUse[function])
			}
		}
	}
}

// tooLongExpression is formatted with the length and the limit.
const tooLongExpression = "has %d bytes: write a shorter expression, of at most %d bytes"

// add makes problems of an error of the API server about the definition.
func (r *reading) add(e *field.Error) {
	if r.isFull() {
		return // saves looking up the place
	}
	const schema = "spec.validation.openAPIV3Schema"
	const root = schema + ".properties[" + valueField + "]"
	path := strings.TrimPrefix(strings.TrimPrefix(e.Field, root), ".")
	path = strings.TrimPrefix(path, schema)
	steps, _ := locate(path, r.value, nil, e.Type == field.ErrorTypeRequired)
	if found := celErrors.FindAllStringSubmatch(e.Detail, -1); found != nil {
		for _, match := range found {
			line, _ := strconv.Atoi(match[1])
			column, _ := strconv.Atoi(match[2])
			r.at(steps, path, vmrules.ReasonInvalid, "%s", expressionError(line, column, match[3], "self and oldSelf"))
		}
		return
	}
	detail := e.Detail
	switch e.Type {
	case field.ErrorTypeNotSupported:
		detail = fmt.Sprintf("%q is not supported; %s", shortened(fmt.Sprint(e.BadValue)), e.Detail)
	case field.ErrorTypeRequired:
		detail = "is missing: " + e.Detail
	case field.ErrorTypeForbidden:
		detail = "is not allowed: " + e.Detail
	}
	detail = strings.ReplaceAll(strings.ReplaceAll(detail, root+".", ""), root, "the schema")
	r.at(steps, path, vmrules.ReasonInvalid, "%s", plainWords(detail, ""))
}

// celErrors matches each error in a text of CEL: its line, column and message.
var celErrors = regexp.MustCompile(`ERROR: <input>:(\d+):(\d+): (.*)`)

var knownReasons = []apiextensions.FieldValueErrorReason{
	apiextensions.FieldValueRequired, apiextensions.FieldValueDuplicate, apiextensions.FieldValueInvalid, apiextensions.FieldValueForbidden,
}
