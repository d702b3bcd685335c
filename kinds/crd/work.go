package crd

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/vmrules/vmrules"
)

// Rules and objects are hostile input. What expressions may cost is Kubernetes'
// own decision, for one evaluation and for all of one call of Validate; what the
// rest of a schema may cost, the API server bounds by the size of a request and
// by who may write schemas. Here it is estimated before the validators run.
const (
	callLimit = "1,000,000" // celconfig.PerCallLimit
	maxNodes  = 10_000_000  // steps of all schemas of one call, less than a second
	maxTime   = time.Second // of all expressions of one call: their cost says little about their time
)

var (
	errBudget = errors.New("the expressions cost more than all of one validation may, 10,000,000")
	errTime   = errors.New("the expressions take longer than a second")
	errWork   = errors.New("the schemas take too many steps for the values that they judge")
)

// spent is what is left for all rules of one call of Validate.
type spent struct {
	cost  int64 // for expressions, in CEL's units
	nodes int64
	time  time.Duration
	exact map[uintptr]exactness // of whole objects
}

type spentKey struct{}

func spentIn(in *vmrules.Input) *spent {
	return in.PerCall(spentKey{}, func() any {
		return &spent{cost: celconfig.RuntimeCELCostBudget, nodes: maxNodes, time: maxTime, exact: map[uintptr]exactness{}}
	}).(*spent)
}

// work takes steps from what is left.
func (s *spent) work(steps int64) bool {
	s.nodes -= steps
	return s.nodes >= 0
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
	if f.spent.isExact(f.in.Object) && f.spent.isExact(f.in.OldObject) {
		return nil
	}
	if n := inexact(v); n != "" {
		return fmt.Errorf("the number %s is too large or too precise for Kubernetes' validators", shortened(n))
	}
	return nil
}

func (s *spent) isExact(object any) bool {
	members, ok := object.(map[string]any)
	if !ok {
		return inexact(object) == ""
	}
	at := reflect.ValueOf(members).Pointer()
	known, ok := s.exact[at]
	if !ok {
		known = exactness{object, inexact(object) == ""}
		s.exact[at] = known
	}
	return known.isExact
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
func sizeOf(v any) int64 {
	size := int64(0)
	each(v, func(any) { size++ })
	return size
}

// workOfDefaults counts what filling in defaults takes, up to a limit: each item
// of a list may get a copy of a large one.
func workOfDefaults(s *spec.Schema, v any, limit int64) int64 {
	if s == nil || limit < 0 {
		return 0
	}
	work := int64(1)
	switch v := v.(type) {
	case map[string]any:
		work += int64(len(s.Properties))
		for name := range s.Properties {
			if _, ok := v[name]; !ok && s.Properties[name].Default != nil {
				work += sizeOf(s.Properties[name].Default)
			}
			if work > limit {
				return work
			}
		}
		for name, member := range v {
			work += workOfDefaults(below(s, name), member, limit-work)
		}
	case []any:
		for _, item := range v {
			if s.Items == nil || work > limit {
				return work
			}
			work += workOfDefaults(s.Items.Schema, item, limit-work)
		}
	}
	return work
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

// An estimate is of what it takes to judge one value.
type estimate struct {
	sizes map[string]int // of patterns
	// pairs are how often a value meets a schema. Each may give an error, and the
	// validators compare each error with all others.
	pairs int64
}

// workOf counts the steps that judging a value takes, up to a limit: a value is
// looked at by each schema for it, and by all fields that an object may have; a
// text by its pattern, character by character.
func (e *estimate) workOf(s *spec.Schema, v any, limit int64) int64 {
	if s == nil || limit < 0 {
		return 0
	}
	e.pairs++
	work := 5 + 2*int64(len(s.Enum)+len(s.Required)+len(s.Properties))
	for _, list := range [][]spec.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range list {
			work += e.workOf(&list[i], v, limit-work)
		}
	}
	work += e.workOf(s.Not, v, limit-work)
	switch v := v.(type) {
	case string:
		work += int64(len(v)) * (1 + int64(e.sizes[s.Pattern])) / 10
	case map[string]any:
		for name, member := range v {
			work += 1 + e.workOf(below(s, name), member, limit-work)
		}
	case []any:
		for _, item := range v {
			if s.Items == nil {
				break
			}
			work += e.workOf(s.Items.Schema, item, limit-work)
		}
	}
	return work
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
