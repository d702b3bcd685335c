package form

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/inside"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/parameter"
	"github.com/vmrules/vmrules/internal/value"
)

// Fill returns a copy of a template in which the parameters have values, as OpenShift fills
// them in: a value from values, else the one that the template declares, else a generated
// one. RulesFor and Validate, or ValidateOwn, then validate the result. A value is a string, a
// number or a boolean.
//
// ${NAME}, anywhere in a string or in the name of a field, is replaced with the value. A
// string that is nothing but ${{NAME}} becomes the JSON value that the parameter contains, of
// any type; text that is not JSON remains a string. A required parameter without a value
// is left as it is: rules that need it are then Undecided.
//
// A generated value depends on the parameter alone, so that repeated calls agree. Fill never
// changes the template, and the result shares no object or array with it. It returns an
// error for an object that is not a template, a value that cannot be used, a generator that is
// not "expression", and a result that is too large for the Budget. It has no type of its own: to find
// a user's mistakes before, compare the names of the values with those of Parameters.
func Fill(template map[string]any, values map[string]any, opts ...vmrules.ParseOption) (map[string]any, error) {
	budget, _, _ := inside.Vmrules.Options(opts)
	m := &budget.Meter
	r, _, err := newParameterReader(template, m)
	if err != nil {
		return nil, err
	}
	given := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		s, isScalar := value.ScalarOf(value.Resolve(values[name]))
		if _, ok := r.byName[name]; !ok {
			return nil, fmt.Errorf("the template does not declare the parameter %s", value.Quoted(name))
		}
		if !isScalar || s.Err() != nil {
			return nil, fmt.Errorf("the value of the parameter %s must be a string, a number or a boolean", name)
		}
		given[name] = s.String()
	}
	filler, err := NewFiller(r.all, given)
	if err != nil {
		return nil, err
	}
	f := filling{Filler: filler, meter: m}
	filled := f.fill(r.filled)
	if err := errors.Join(f.err, m.Err()); err != nil {
		return nil, fmt.Errorf("the template cannot be filled in: %w", err)
	}
	result, _ := filled.(map[string]any)
	return result, nil
}

type filling struct {
	*Filler
	meter *meter.Meter
	err   error
}

// fill returns a value with its parameters filled in. It copies objects and arrays.
func (f *filling) fill(v any) any {
	n := value.ChildCount(v)
	if f.meter.Spend(jsonpath.NodeWork+meter.Times(n, ruleWork), meter.Times(n, memberSize)) != nil {
		return nil
	}
	switch v := v.(type) {
	case string:
		return f.text(v)
	case []any:
		filled := make([]any, len(v))
		for i, item := range v {
			filled[i] = f.fill(item)
		}
		return filled
	case map[string]any:
		return f.members(v)
	}
	return v
}

func (f *filling) members(v map[string]any) any {
	filled := make(map[string]any, len(v))
	for _, name := range value.Names(v) {
		made := f.replaced(name)
		if _, isTwice := filled[made]; isTwice {
			f.err = fmt.Errorf("two fields of one object would have the name %s", value.Quoted(made))
			return nil
		}
		filled[made] = f.fill(v[name])
	}
	return filled
}

func (f *filling) text(s string) any {
	for r := range References(s) {
		if text, ok := f.Value(r.Name); ok && r.As == UsedJSON {
			return f.json(text)
		}
	}
	return f.replaced(s)
}

// json returns the JSON value in a text; the text itself if there is none.
func (f *filling) json(text string) any {
	if f.meter.Spend(meter.Times(len(text), textWork), meter.Times(len(text), memberSize)) != nil {
		return nil
	}
	if v, err := value.ThroughJSON(json.RawMessage(text)); err == nil {
		return v
	}
	return text
}

// replaced returns a text with the values of its parameters.
func (f *filling) replaced(s string) string {
	if !strings.Contains(s, parameter.Mark) || f.meter.Spend(meter.Times(len(s), textWork), 0) != nil {
		return s
	}
	var filled strings.Builder
	end := 0 // of the part that is copied already
	for r := range References(s) {
		text, ok := f.Value(r.Name)
		if !ok || r.As == UsedJSON {
			continue
		}
		if f.meter.Spend(len(text), 2*(r.Start-end+len(text))) != nil {
			return ""
		}
		filled.WriteString(s[end:r.Start])
		filled.WriteString(text)
		end = r.End
	}
	filled.WriteString(s[end:])
	return filled.String()
}

// A Filler knows the values of a template's parameters, for programs that have templates in
// another form than Fill takes. References finds the places for the values.
type Filler struct {
	values  map[string]string
	missing []string
}

// maxAllGenerated is the largest number of bytes that all generated values may have together.
const maxAllGenerated = 1 << 20

// NewFiller returns the values of the parameters that a template declares, if these are given by
// name. It returns an error, which has no type of its own, if a value cannot be generated.
func NewFiller(declared []Parameter, given map[string]string) (*Filler, error) {
	f := &Filler{values: map[string]string{}}
	generated := 0
	for _, p := range declared {
		text, isGiven := given[p.Name]
		if !isGiven {
			text = p.Value
		}
		if !isGiven && text == "" && p.Generate != "" {
			var err error
			if text, err = p.generated(); err != nil {
				return nil, err
			}
			if generated += len(text); generated > maxAllGenerated {
				return nil, fmt.Errorf("more than %d bytes would be generated: use fewer or shorter expressions", maxAllGenerated)
			}
		}
		if text == "" && p.Required {
			f.missing = append(f.missing, p.Name)
			continue
		}
		f.values[p.Name] = text
	}
	return f, nil
}

// Missing returns the required parameters without a value, which are not replaced.
func (f *Filler) Missing() []string {
	if f == nil {
		return nil
	}
	return f.missing
}

// Value returns the value of a parameter. It returns false for a parameter that is missing or
// not declared, whose references stay as they are.
func (f *Filler) Value(name string) (text string, ok bool) {
	if f == nil {
		return "", false
	}
	text, ok = f.values[name]
	return text, ok
}
