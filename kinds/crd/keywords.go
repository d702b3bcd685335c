package crd

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/vmrules/vmrules"
)

// maxProblems is the largest number of problems that are reported for one rule.
const maxProblems = 100

// A reading reads the value of a rule's key, and collects its problems.
type reading struct {
	source   vmrules.RuleSource
	key      string
	problems []vmrules.Problem
	patterns map[string]patternPrice // the regular expressions that are paid for
	unpaid   bool                    // whether the budget of the call is spent
}

// at adds a problem at an offset in the value of the key, unless the same problem is there.
func (r *reading) at(offset int, where string, reason vmrules.Reason, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if where != "" {
		message = shortened(where) + ": " + message
	}
	for _, p := range r.problems {
		if p.Message == message && p.Offset == r.source.PositionIn(r.key)+offset {
			return
		}
	}
	if r.isFull() {
		return
	}
	p := r.source.Problem(r.key, reason, "%s", message)
	p.Offset += offset
	r.problems = append(r.problems, p)
}

// offset returns the offset of a node in the value of the key.
func (r *reading) offset(n *node) int {
	return r.source.PositionIn(r.key, n.path()...) - r.source.PositionIn(r.key)
}

// wrong adds a problem with the whole value.
func (r *reading) wrong(reason vmrules.Reason, format string, args ...any) {
	r.at(0, "", reason, format, args...)
}

// isFull reports whether further problems are left out.
func (r *reading) isFull() bool { return len(r.problems) >= maxProblems }

// problem adds a problem with a node. The path of the node begins its message.
func (r *reading) problem(n *node, reason vmrules.Reason, format string, args ...any) {
	if r.isFull() {
		return // saves looking up the place
	}
	where := ""
	if path := fieldPath(n.path()); path != nil {
		where = path.String()
	}
	r.at(r.offset(n), where, reason, format, args...)
}

// fieldPath returns the path of a schema in a schema as Kubernetes writes it, nil for no steps.
func fieldPath(steps []any) *field.Path {
	var path *field.Path
	isKey := false
	for _, step := range steps {
		name, isName := step.(string)
		switch {
		case !isName:
			path = path.Index(step.(int))
		case isKey:
			path = path.Key(name)
		default:
			path = path.Child(name)
		}
		isKey = name == "properties" && !isKey
	}
	return path
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

// fits checks that a JSON value has the shape of a Go type of Kubernetes. Kubernetes itself
// drops unknown fields, and with them misspelled ones. fits uses reflection, so that it knows
// all fields of the types.
func (r *reading) fits(n *node, t reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == typeJSON:
	case t == typeOrBool:
		if _, ok := n.value.(bool); !ok {
			r.fits(n, typeSchema)
		}
	case t == typeOrArray:
		if _, ok := n.value.([]any); ok {
			r.problem(n, vmrules.ReasonTypeInvalid, "a list of schemas is not supported: write one schema for all items")
			return
		}
		r.fits(n, typeSchema)
	case t.Kind() == reflect.Struct:
		r.fitsStruct(n, t)
	case t.Kind() == reflect.Map:
		if _, ok := n.value.(map[string]any); !ok {
			r.mistyped(n, "an object")
			return
		}
		for _, name := range n.names() {
			r.fits(n.member(name), t.Elem())
		}
	case t.Kind() == reflect.Slice:
		list, ok := n.value.([]any)
		if !ok {
			r.mistyped(n, "an array")
			return
		}
		for i, item := range list {
			r.fits(&node{n, i, item}, t.Elem())
		}
	default:
		r.fitsScalar(n, t)
	}
}

func (r *reading) mistyped(n *node, want string) {
	r.problem(n, vmrules.ReasonTypeInvalid, "must be %s, not %s", want, n.noun())
}

func (r *reading) fitsStruct(n *node, t reflect.Type) {
	if _, ok := n.value.(map[string]any); !ok {
		r.mistyped(n, "an object")
		return
	}
	known := fieldsOf(t)
	for _, name := range n.names() {
		member := n.member(name)
		f, ok := known[name]
		switch {
		case t == typeSchema && refused[name] != "":
			r.problem(member, vmrules.ReasonInvalid, "is not supported in Kubernetes' schemas: %s", refused[name])
		case !ok:
			r.problem(member, vmrules.ReasonInvalid, "is not known: Kubernetes' %s has no such field; correct its name, or remove it", t.Name())
		case member.value == nil && f != typeJSON: // Kubernetes takes null as absent
		default:
			r.fits(member, f)
		}
	}
}

// fieldsOf returns the types of a Kubernetes type's fields, by their names in JSON.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	all := make(map[string]reflect.Type, t.NumField())
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fieldType := f.Type
		if fieldType.Kind() == reflect.Pointer {
			fieldType = fieldType.Elem()
		}
		all[name] = fieldType
	}
	return all
}

func (r *reading) fitsScalar(n *node, t reflect.Type) {
	switch t.Kind() {
	case reflect.String:
		if _, ok := n.value.(string); !ok {
			r.mistyped(n, "a string")
		}
	case reflect.Bool:
		if _, ok := n.value.(bool); !ok {
			r.mistyped(n, "true or false")
		}
	case reflect.Int64:
		number, ok := n.value.(json.Number)
		if i, err := strconv.ParseInt(string(number), 10, 64); !ok || err != nil || i < 0 {
			r.mistyped(n, "a whole number of 0 or more, without fraction or exponent")
		}
	case reflect.Float64:
		r.fitsFloat(n)
	}
}

// fitsFloat checks that a bound is exact as a float64, in which Kubernetes stores it.
func (r *reading) fitsFloat(n *node) {
	number, ok := n.value.(json.Number)
	if !ok {
		r.mistyped(n, "a number")
		return
	}
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil || math.Abs(f) >= 1<<63 {
		r.problem(n, vmrules.ReasonInvalid, "%s is too large: its absolute value must be less than 2^63 (9223372036854775808)", shortened(number.String()))
		return
	}
	if f != math.Trunc(f) {
		return
	}
	if len(number) > 400 {
		r.problem(n, vmrules.ReasonInvalid, "the number is longer than 400 characters: write fewer digits")
		return
	}
	exact, ok := new(big.Rat).SetString(string(number))
	if !ok || exact.Cmp(new(big.Rat).SetInt64(int64(f))) != 0 {
		r.problem(n, vmrules.ReasonInvalid, "Kubernetes would read %s as %.0f: write a number that is exact as a float64", number, f)
	}
}

// maxShown is the largest number of bytes that a message shows of a name, an expression or
// another message.
const maxShown = 500

// shortened returns a text, cut to maxShown bytes.
func shortened(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + "…"
}
