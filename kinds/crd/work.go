package crd

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
)

// Rules and objects are hostile input. For expressions, these bounds use the cost that
// Kubernetes counts, with lower limits. For the rest of a schema, Kubernetes has no cost: it
// relies on the size of requests, and on who may write schemas. So an estimate is paid for
// before the validators run.
const (
	maxExpressionCost = 200_000 // cost of one expression, which is paid for after it
	maxValueCost      = 200_000 // cost of all expressions of a schema on one value

	// maxLooped is the largest number of items of a list or map if an expression has a loop.
	// CEL's count takes quadratic time: each step of a loop goes through all earlier steps.
	maxLooped = 5_000

	// maxCopy is the largest number of bytes that a copy of a value may take. A request
	// that Kubernetes accepts reaches it only if it consists of empty objects.
	maxCopy = 48 << 20

	formatSteps = 30 // steps for ten characters of the slowest format, which is isbn
)

// maxEvaluation is the time after which the expressions of a rule are interrupted on one
// value, in case the cost that CEL counts is too low. Being interrupted uses up the budget of
// the call. The tests allow more, since they must not depend on how busy the machine is.
var maxEvaluation = time.Second

const errHostileQuantity = boundError("a text may be a quantity that is too long or too large to read")

func (f *findings) work(steps int64) error { return f.in.Spend(times(steps, stepWork), 0) }

// times returns n times each, or about the longest Duration if that is less.
func times(n int64, each time.Duration) time.Duration {
	return min(time.Duration(n), math.MaxInt64/each) * each
}

// measured pays for measuring a value. It returns an error if Kubernetes' validators would round a
// number in it.
func (f *findings) measured(v any) (measure, error) {
	m := measureOf(v)
	if m.inexact != "" {
		return m, fmt.Errorf("the number %s is too large or too precise for Kubernetes' validators", shortened(m.inexact))
	}
	return m, f.in.Spend(times(m.values, measureWork), 0)
}

// loopable returns an error if a list or map in the value is too long for a loop.
func (m measure) loopable() error {
	if m.longest > maxLooped {
		return boundErrorf("a list or map has %d items: expressions with loops are evaluated for at most %d", m.longest, maxLooped)
	}
	return nil
}

// A measure says what a value and all values in it have together.
type measure struct {
	values  int64 // how many they are
	text    int64 // the bytes of all strings
	copied  int   // roughly the bytes that a copy takes
	longest int   // the length of the longest list or map
	// inexact is the first number that fits neither int64 nor float64, in the order of their texts,
	// or "" if there is none. Only such numbers are still a json.Number.
	inexact string
}

func measureOf(v any) (m measure) {
	m.add(v)
	return m
}

func (m *measure) add(v any) {
	m.values++
	m.copied += 25
	switch v := v.(type) {
	case map[string]any:
		m.copied += 325 + 50*len(v)
		m.longest = max(m.longest, len(v))
		for _, member := range v {
			m.add(member)
		}
	case []any:
		m.copied += 25 + 25*len(v)
		m.longest = max(m.longest, len(v))
		for _, item := range v {
			m.add(item)
		}
	case string:
		m.text += int64(len(v))
	case json.Number:
		if m.inexact == "" || string(v) < m.inexact {
			m.inexact = string(v)
		}
	}
}

// An estimate pays for checking one value, before the value is checked. It stops when the budget
// of the call is spent.
type estimate struct {
	*findings
	patterns map[string]patternPrice
	err      error

	// pairs counts pairs of a value and a schema. Each pair may give an error, and the
	// validators compare each error with all others.
	pairs int64
}

func (e *estimate) pay(steps, bytes int64) bool {
	if e.err == nil {
		e.err = e.in.Spend(times(steps, stepWork), bytes)
	}
	return e.err == nil
}

// judging pays for the steps of the validators. They check a value by each schema for it and,
// if it is an object, look for each field that the schema declares. They compare it with all values of
// an enum, which an error lists, and match a string with its pattern character by character. A default
// is paid for as a value where it will be filled in: a large one may be copied into each item of a list.
// path is the length of the field path, which each error has.
func (e *estimate) judging(s *apiextensions.JSONSchemaProps, v any, path int64) {
	if s == nil || e.err != nil {
		return
	}
	e.pairs++
	var enum measure
	for _, v := range s.Enum {
		enum.add(v)
	}
	steps := 5 + 2*int64(len(s.Required)+len(s.Properties)) + e.pairs/10 + path/500 + 5*enum.values + enum.text/10
	if !e.pay(steps, path+10*enum.values+enum.text) {
		return
	}
	for _, list := range [][]apiextensions.JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range list {
			e.judging(&list[i], v, path)
		}
	}
	e.judging(s.Not, v, path)
	switch v := v.(type) {
	case string:
		steps := int64(1)
		if s.Pattern != "" {
			steps += int64(e.patterns[s.Pattern].steps)
		}
		if s.Format != "" {
			steps += formatSteps
		}
		e.pay(int64(len(v))*steps/10, 0)
	case map[string]any:
		for name, member := range v {
			e.judging(property(s, name), member, path+int64(len(name)+1))
		}
		for name, p := range s.Properties {
			if _, ok := v[name]; !ok && p.Default != nil {
				size := measureOf(*p.Default).values
				e.pay(size, size*valueSize)
				e.judging(&p, *p.Default, path+int64(len(name)+1))
			}
		}
	case []any:
		for _, item := range v {
			e.judging(itemsOf(s), item, path+usualIndex)
		}
	}
}

// normalizeNumbers applies toNumbers to the enum and the default of a schema, as it is applied to the
// values: to the validators, an int64 and a float64 differ.
func normalizeNumbers(s, spine *apiextensions.JSONSchemaProps, _ []any) {
	for i := range s.Enum {
		s.Enum[i] = toNumbers(s.Enum[i], spine)
	}
	if s.Default != nil {
		*s.Default = toNumbers(*s.Default, spine)
	}
}

// toNumbers replaces each whole number with a float64 if its type in the schema is number and that is
// exact, and otherwise with an int64 if it fits.
func toNumbers(v any, s *apiextensions.JSONSchemaProps) any {
	isNumber := s != nil && s.Type == "number"
	switch v := v.(type) {
	case int64:
		if f := float64(v); isNumber && strconv.FormatFloat(f, 'f', 0, 64) == strconv.FormatInt(v, 10) {
			return f
		}
	case float64:
		if !isNumber && v == math.Trunc(v) && math.Abs(v) < 1<<63 {
			return int64(v)
		}
	case map[string]any:
		for name, member := range v {
			v[name] = toNumbers(member, property(s, name))
		}
	case []any:
		for i, item := range v {
			v[i] = toNumbers(item, itemsOf(s))
		}
	}
	return v
}
