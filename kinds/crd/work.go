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
	errBudget = fmt.Errorf("the expressions cost more than all of one validation may, 10,000,000")
	errTime   = errors.New("the expressions take longer than a second")
	errWork   = errors.New("the schemas take too many steps for the values that they judge")
)

// spent is what is left for all rules of one call of Validate.
type spent struct {
	cost  int64 // for expressions, in CEL's units
	nodes int64
	time  time.Duration
	facts map[uintptr]facts
}

// facts are what is known about an object or array.
type facts struct {
	of      any // kept, so that nothing else gets its address
	inexact string
}

type spentKey struct{}

func spentIn(in *vmrules.Input) *spent {
	return in.PerCall(spentKey{}, func() any {
		return &spent{cost: celconfig.RuntimeCELCostBudget, nodes: maxNodes, time: maxTime, facts: map[uintptr]facts{}}
	}).(*spent)
}

// work takes steps from what is left.
func (s *spent) work(steps int64) bool {
	s.nodes -= steps
	return s.nodes >= 0
}

// usable tells why a value cannot be judged: Kubernetes' validators would round
// its numbers.
func (s *spent) usable(v any) error {
	if n := s.inexact(v); n != "" {
		return fmt.Errorf("the number %s is too large or too precise for Kubernetes' validators", shortened(n))
	}
	return nil
}

// inexact is the first number that fits neither int64 nor float64. What is found
// about an object or array is kept: many rules look at the same.
func (s *spent) inexact(v any) string {
	if n, ok := v.(json.Number); ok {
		return string(n)
	}
	value := reflect.ValueOf(v)
	if k := value.Kind(); k != reflect.Map && k != reflect.Slice || value.Len() == 0 {
		return ""
	}
	if known, ok := s.facts[value.Pointer()]; ok {
		return known.inexact
	}
	found := ""
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			if found = s.inexact(member); found != "" {
				break
			}
		}
	case []any:
		for _, item := range v {
			if found = s.inexact(item); found != "" {
				break
			}
		}
	}
	s.facts[value.Pointer()] = facts{v, found}
	return found
}

// sizeOf counts what a copy takes.
func sizeOf(v any) int64 {
	size := int64(1)
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			size += sizeOf(member)
		}
	case []any:
		for _, item := range v {
			size += sizeOf(item)
		}
	}
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

// workOf counts the steps that judging a value takes, up to a limit: a value is
// looked at by each schema for it, and by all fields that an object may have; a
// text by its pattern, character by character.
func workOf(s *spec.Schema, v any, limit int64) int64 {
	if s == nil || limit < 0 {
		return 0
	}
	work := 5 + 2*int64(len(s.Enum)+len(s.Required)+len(s.Properties))
	for _, list := range [][]spec.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range list {
			work += workOf(&list[i], v, limit-work)
		}
	}
	work += workOf(s.Not, v, limit-work)
	switch v := v.(type) {
	case string:
		work += int64(len(v)) * (1 + int64(len(s.Pattern))) / 10
	case map[string]any:
		for name, member := range v {
			work += 1 + workOf(below(s, name), member, limit-work)
		}
	case []any:
		for _, item := range v {
			if s.Items == nil {
				break
			}
			work += workOf(s.Items.Schema, item, limit-work)
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
