package crd

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/vmrules/vmrules"
)

// maxProblems is the largest number of problems that are reported for one rule.
const maxProblems = 100

// A reading reads the value of a rule's key, and collects its problems.
type reading struct {
	source   vmrules.RuleSource
	key      string
	value    any // of the key, as encoding/json decodes it with UseNumber
	problems []vmrules.Problem
	patterns map[string]patternPrice // the regular expressions that are paid for
	unpaid   bool                    // whether the budget of the call is spent
}

// at adds a problem with a place in the value of the key, unless the same problem is there.
func (r *reading) at(steps []any, where string, reason vmrules.Reason, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if where != "" {
		message = shortened(where) + ": " + message
	}
	p := r.source.Problem(r.key, reason, "%s", message)
	p.Offset = r.source.PositionIn(r.key, steps...)
	isSame := func(other vmrules.Problem) bool { return other.Message == p.Message && other.Offset == p.Offset }
	if !r.isFull() && !slices.ContainsFunc(r.problems, isSame) {
		r.problems = append(r.problems, p)
	}
}

// isFull reports whether further problems are left out.
func (r *reading) isFull() bool { return len(r.problems) >= maxProblems }

// problem adds a problem with a place in the value, whose path begins the message; without steps, with
// the whole value.
func (r *reading) problem(steps []any, reason vmrules.Reason, format string, args ...any) {
	if r.isFull() {
		return // saves looking up the place
	}
	r.at(steps, pathOf(steps), reason, format, args...)
}

// pathOf returns the path of a schema in a schema as Kubernetes writes it.
func pathOf(steps []any) string {
	var path strings.Builder
	isKey := false
	for _, step := range steps {
		name, _ := step.(string)
		if isKey || name == "" {
			fmt.Fprintf(&path, "[%v]", step)
		} else {
			path.WriteString("." + name)
		}
		isKey = name == "properties" && !isKey
	}
	return strings.TrimPrefix(path.String(), ".")
}

// refused holds the fields of a schema that no CustomResourceDefinition may have, and what to
// do instead.
var refused = map[string]string{
	"id":                "remove it",
	"$schema":           "remove it",
	"$ref":              "write the schema itself here",
	"definitions":       "write each schema where it is used",
	"patternProperties": "write properties for known names, or additionalProperties for any name",
	"dependencies":      "write a rule of x-kubernetes-validations, such as !has(self.a) || has(self.b)",
	"additionalItems":   "write items, with one schema for all items",
}

var (
	typeSchema  = reflect.TypeFor[v1.JSONSchemaProps]()
	typeJSON    = reflect.TypeFor[v1.JSON]()
	typeOrArray = reflect.TypeFor[v1.JSONSchemaPropsOrArray]()
	typeOrBool  = reflect.TypeFor[v1.JSONSchemaPropsOrBool]()
)

// fits checks that the JSON value at some steps has the shape of a Go type of Kubernetes. Kubernetes
// itself drops unknown fields, and with them misspelled ones. fits uses reflection, so that it knows
// all fields of the types.
func (r *reading) fits(v any, steps []any, t reflect.Type) {
	_, isBool := v.(bool)
	_, isList := v.([]any)
	switch {
	case t == typeJSON, t == typeOrBool && isBool:
		return
	case t == typeOrArray && isList:
		r.problem(steps, vmrules.ReasonTypeInvalid, "a list of schemas is not supported: write one schema for all items")
		return
	case t == typeOrArray, t == typeOrBool:
		t = typeSchema
	}
	switch t.Kind() {
	case reflect.Pointer:
		r.fits(v, steps, t.Elem())
	case reflect.Struct:
		r.fitsStruct(v, steps, t)
	case reflect.Map:
		object := typed[map[string]any](r, v, steps, "an object")
		for _, name := range slices.Sorted(maps.Keys(object)) {
			r.fits(object[name], append(steps, name), t.Elem())
		}
	case reflect.Slice:
		for i, item := range typed[[]any](r, v, steps, "an array") {
			r.fits(item, append(steps, i), t.Elem())
		}
	case reflect.String:
		typed[string](r, v, steps, "a string")
	case reflect.Bool:
		typed[bool](r, v, steps, "true or false")
	case reflect.Int64:
		number, ok := v.(json.Number)
		if i, err := strconv.ParseInt(string(number), 10, 64); !ok || err != nil || i < 0 {
			r.mistyped(v, steps, "a whole number of 0 or more, without fraction or exponent")
		}
	case reflect.Float64:
		if number := typed[json.Number](r, v, steps, "a number"); number != "" {
			r.fitsFloat(number, steps)
		}
	}
}

// typed returns a value that must have a type. If it has another one, that is a problem.
func typed[T any](r *reading, v any, steps []any, want string) T {
	value, ok := v.(T)
	if !ok {
		r.mistyped(v, steps, want)
	}
	return value
}

func (r *reading) mistyped(v any, steps []any, want string) {
	noun := "null"
	switch v := v.(type) {
	case map[string]any:
		noun = "an object"
	case []any:
		noun = "an array"
	case string:
		noun = "a string"
	case bool:
		noun = "a boolean"
	case json.Number:
		noun = "the number " + v.String()
	}
	r.problem(steps, vmrules.ReasonTypeInvalid, "must be %s, not %s", want, noun)
}

func (r *reading) fitsStruct(v any, steps []any, t reflect.Type) {
	object := typed[map[string]any](r, v, steps, "an object")
	known := fieldsOf(t)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		member, at := object[name], append(steps, name)
		f, ok := known[name]
		switch {
		case t == typeSchema && refused[name] != "":
			r.problem(at, vmrules.ReasonInvalid, "is not supported in Kubernetes' schemas: %s", refused[name])
		case !ok:
			r.problem(at, vmrules.ReasonInvalid, "is not known: Kubernetes' %s has no such field; correct its name, or remove it", t.Name())
		case member == nil && f != reflect.PointerTo(typeJSON): // Kubernetes takes null as absent
		default:
			r.fits(member, at, f)
		}
	}
}

// fieldsOf returns the types of a Kubernetes type's fields, by their names in JSON.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	all := make(map[string]reflect.Type, t.NumField())
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all[name] = f.Type
	}
	return all
}

// fitsFloat checks that a bound is exact as a float64, in which Kubernetes stores it.
func (r *reading) fitsFloat(number json.Number, steps []any) {
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil || math.Abs(f) >= 1<<63 {
		r.problem(steps, vmrules.ReasonInvalid, "%s is too large: its absolute value must be less than 2^63 (9223372036854775808)", shortened(number.String()))
		return
	}
	if f != math.Trunc(f) {
		return
	}
	if len(number) > 400 {
		r.problem(steps, vmrules.ReasonInvalid, "the number is longer than 400 characters: write fewer digits")
		return
	}
	exact, ok := new(big.Rat).SetString(string(number))
	if !ok || exact.Cmp(new(big.Rat).SetInt64(int64(f))) != 0 {
		r.problem(steps, vmrules.ReasonInvalid, "Kubernetes would read %s as %.0f: write a number that is exact as a float64", number, f)
	}
}

// maxShown is the largest number of bytes that a message shows of a name, an expression or
// another message.
const maxShown = 500

func shortened(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + "…"
}
