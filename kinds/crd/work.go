package crd

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/vmrules/vmrules"
)

// Rules and objects are hostile input. What an expression costs is Kubernetes' own
// count, of which it may have less than there. What the rest of a schema may cost,
// the API server bounds by the size of a request and by who may write schemas. Here
// it is estimated, and paid for, before the validators run.
const (
	maxExpressionCost = 200_000 // of one expression, which is paid for afterwards
	maxValueCost      = 200_000 // of all expressions of a schema on one value

	// maxLooped is how long a list or map is that expressions with loops are
	// evaluated for: with each step of a loop, CEL's count goes through all steps
	// before.
	maxLooped = 5_000

	// maxCopy is how many bytes of a value the validators may copy. A request that
	// Kubernetes takes comes near it only if it consists of empty objects.
	maxCopy = 48 << 20

	formatSteps = 30 // of a format, for ten characters: isbn takes so long
)

// maxEvaluation ends the expressions of a rule on one value in case that CEL's
// cost says too little about their time. Whatever takes so long uses up the budget
// of the call.
const maxEvaluation = time.Second

var errTime = errors.New("the expressions take longer than a second")

// exactObjects remembers of whole objects whether their numbers are exact, for all
// rules of one call of Validate.
type exactObjects map[uintptr]exactness

type exactKey struct{}

func exactIn(in *vmrules.Input) exactObjects {
	return in.Shared(exactKey{}, func() any { return exactObjects{} }).(exactObjects)
}

// work pays for steps of the validators.
func (f *findings) work(steps int64) error { return f.in.Spend(clampWork(steps, stepWork), 0) }

// clampWork is n times each, or the largest int.
func clampWork(n, each int64) int {
	if n > math.MaxInt/each {
		return math.MaxInt
	}
	return int(n * each)
}

// loopable returns an error where a loop over something in a value would take too
// long.
func (f *findings) loopable(v any) error {
	longest, size := 0, 0
	each(v, func(v any) {
		size++
		switch v := v.(type) {
		case map[string]any:
			longest = max(longest, len(v))
		case []any:
			longest = max(longest, len(v))
		}
	})
	if longest > maxLooped {
		return fmt.Errorf("loops are evaluated for lists and maps of at most %d items, and one here has %d", maxLooped, longest)
	}
	return f.in.Spend(size*loopableWork, 0)
}

// An exactness tells of an object whether Kubernetes' validators have all of its
// numbers as they are.
type exactness struct {
	of      any // kept, so that nothing else gets its address
	isExact bool
}

// usable tells why a value of the Input cannot be judged: Kubernetes' validators
// would round its numbers. Many rules look at parts of the same object, so that is
// looked through only once, as long as there is nothing to find.
func (f *findings) usable(v any) error {
	if f.exact.of(f.in.Object) && f.exact.of(f.in.OldObject) {
		return nil
	}
	if n := inexact(v); n != "" {
		return fmt.Errorf("the number %s is too large or too precise for Kubernetes' validators", shortened(n))
	}
	return nil
}

func (known exactObjects) of(object any) bool {
	members, ok := object.(map[string]any)
	if !ok {
		return inexact(object) == ""
	}
	at := reflect.ValueOf(members).Pointer()
	found, ok := known[at]
	if !ok {
		found = exactness{object, inexact(object) == ""}
		known[at] = found
	}
	return found.isExact
}

// each visits a value and all that is in it, in no order.
func each(v any, visit func(any)) {
	visit(v)
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			each(member, visit)
		}
	case []any:
		for _, item := range v {
			each(item, visit)
		}
	}
}

// inexact is a number that fits neither int64 nor float64, of several the first
// as a text; "" for none.
func inexact(v any) string {
	least := ""
	each(v, func(v any) {
		if n, ok := v.(json.Number); ok && (least == "" || string(n) < least) {
			least = string(n)
		}
	})
	return least
}

// sizeOf counts what a copy takes.
// copySize is about how many bytes a copy of a value takes.
func copySize(v any) int {
	size := 0
	each(v, func(v any) {
		switch v := v.(type) {
		case map[string]any:
			size += 350 + 50*len(v)
		case []any:
			size += 50 + 25*len(v)
		default:
			size += 25
		}
	})
	return size
}

func sizeOf(v any) int64 {
	size := int64(0)
	each(v, func(any) { size++ })
	return size
}

func below(s *spec.Schema, name string) *spec.Schema {
	if p, ok := s.Properties[name]; ok {
		return &p
	}
	if s.AdditionalProperties != nil {
		return s.AdditionalProperties.Schema
	}
	return nil
}

// lengthOf counts the bytes of the texts in a value.
func lengthOf(v any) int64 {
	length := int64(0)
	each(v, func(v any) {
		if text, ok := v.(string); ok {
			length += int64(len(text))
		}
	})
	return length
}

// An estimate pays for what it takes to judge one value, before it is judged, and
// ends where the budget of the call does not suffice.
type estimate struct {
	*findings
	sizes map[string]int // of patterns
	err   error

	// pairs are how often a value has met a schema. Each may give an error, and the
	// validators compare each error with all others.
	pairs int64
	path  int64 // the length of the field path, which is part of the error
}

func (e *estimate) pay(steps, kept int64) bool {
	if e.err == nil {
		e.err = e.in.Spend(clampWork(steps, stepWork), clampWork(kept, 1))
	}
	return e.err == nil
}

// defaults pays for filling in defaults: each item of a list may get a copy of a
// large one.
func (e *estimate) defaults(s *spec.Schema, v any) {
	if s == nil || !e.pay(1, 0) {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name := range s.Properties {
			size := int64(0)
			if _, ok := v[name]; !ok && s.Properties[name].Default != nil {
				size = sizeOf(s.Properties[name].Default)
			}
			if !e.pay(1+size, size*valueSize) {
				return
			}
		}
		for name, member := range v {
			e.defaults(below(s, name), member)
		}
	case []any:
		for _, item := range v {
			if s.Items == nil || e.err != nil {
				return
			}
			e.defaults(s.Items.Schema, item)
		}
	}
}

// judging pays for the steps that a value takes: it is looked at by each schema for
// it, and by all fields that an object may have; a text by its pattern, character by
// character.
func (e *estimate) judging(s *spec.Schema, v any) {
	if s == nil {
		return
	}
	e.pairs++
	steps := 5 + 2*int64(len(s.Required)+len(s.Properties)) + e.pairs/10 + e.path/500
	if !e.pay(steps, e.path) || !e.enum(s) {
		return
	}
	for _, list := range [][]spec.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range list {
			e.judging(&list[i], v)
		}
	}
	e.judging(s.Not, v)
	switch v := v.(type) {
	case string:
		steps := 1 + int64(e.sizes[s.Pattern])
		if s.Format != "" {
			steps += formatSteps
		}
		e.pay(int64(len(v))*steps/10, 0)
	case map[string]any:
		for name, member := range v {
			e.below(below(s, name), member, len(name)+1)
		}
	case []any:
		for _, item := range v {
			if s.Items == nil || e.err != nil {
				return
			}
			e.below(s.Items.Schema, item, usualIndex)
		}
	}
}

// enum pays for comparing a value with all values of an enum, and for naming them
// all where none fits.
func (e *estimate) enum(s *spec.Schema) bool {
	if len(s.Enum) == 0 {
		return true
	}
	values, length := int64(0), int64(0)
	for _, v := range s.Enum {
		values += sizeOf(v)
		length += lengthOf(v)
	}
	return e.pay(5*values+length/10, 10*values+length)
}

// usualIndex is how long an index is in a field path.
const usualIndex = 6

// below pays for a value that is a step away.
func (e *estimate) below(s *spec.Schema, v any, step int) {
	e.path += int64(step)
	e.judging(s, v)
	e.path -= int64(step)
}

// normalizeNumbers makes the enums and defaults of a schema float64 where its
// type is number, as toNumbers does with the values: the validators compare a
// whole number and a fraction by the type of the one or the other. at is the
// schema outside of allOf and the like.
func normalizeNumbers(s *apiextensions.JSONSchemaProps, at *structural.Structural) {
	if s == nil || at == nil {
		return
	}
	for i := range s.Enum {
		s.Enum[i] = toNumbers(s.Enum[i], at)
	}
	if s.Default != nil {
		*s.Default = toNumbers(*s.Default, at)
	}
	for _, list := range [][]apiextensions.JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range list {
			normalizeNumbers(&list[i], at)
		}
	}
	normalizeNumbers(s.Not, at)
	for name, p := range s.Properties {
		normalizeNumbers(&p, property(at, name))
	}
	if s.Items != nil {
		normalizeNumbers(s.Items.Schema, at.Items)
	}
	if s.AdditionalProperties != nil && at.AdditionalProperties != nil {
		normalizeNumbers(s.AdditionalProperties.Schema, at.AdditionalProperties.Structural)
	}
}

// toNumbers is a value with float64 for each whole number whose type in the
// schema is number.
func toNumbers(v any, s *structural.Structural) any {
	if s == nil {
		return v
	}
	switch v := v.(type) {
	case int64:
		if f := float64(v); s.Type == "number" && strconv.FormatFloat(f, 'f', 0, 64) == strconv.FormatInt(v, 10) {
			return f
		}
	case map[string]any:
		for name, member := range v {
			v[name] = toNumbers(member, property(s, name))
		}
	case []any:
		for i, item := range v {
			v[i] = toNumbers(item, s.Items)
		}
	}
	return v
}
