package form

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/parameter"
	"github.com/vmrules/vmrules/internal/value"
)

// A Use is a place in a template that uses a parameter.
type Use struct {
	Field   string `json:"field"`   // as in vmrules.Violation
	Pointer string `json:"pointer"` // as in vmrules.Violation; for a key, the pointer of its object
	As      UsedAs `json:"as"`
	// Before and After are the text around the parameter, if it is UsedPart and the only one
	// in the field. Then the field is Before, the value and After.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Must and Should say what the rules ask of the whole field, if it is UsedPart.
	Must   Constraints `json:"must,omitzero"`
	Should Constraints `json:"should,omitzero"`
}

// UsedAs says how a place uses a parameter.
type UsedAs string

// A template can use a parameter in these ways.
const (
	UsedWhole UsedAs = "whole" // "${NAME}": the field is the value, as a string
	UsedJSON  UsedAs = "json"  // "${{NAME}}": the field is the value, read as JSON
	UsedPart  UsedAs = "part"  // "x-${NAME}": the field contains the value beside other text
	UsedKey   UsedAs = "key"   // the name of a field contains the value
	UsedRules UsedAs = "rules" // the validation rules contain the value
)

// walk finds the uses in a value and in everything below it.
func (r *parameterReader) walk(v any, at jsonpath.Location) {
	if r.meter.Spend(jsonpath.NodeWork, 0) != nil {
		return
	}
	switch v := v.(type) {
	case string:
		r.inText(v, at, "")
	case []any:
		for i, item := range v {
			r.walk(item, append(at, jsonpath.Item(i)))
		}
	case map[string]any:
		for _, name := range value.Names(v) {
			r.inText(name, at, UsedKey)
			r.walk(v[name], append(at, jsonpath.Member(name)))
		}
	}
}

// A Reference is a reference to a parameter in a string, between two offsets. It is UsedWhole
// or UsedJSON if the string is nothing else, and UsedPart otherwise.
type Reference struct {
	Name       string
	Start, End int
	As         UsedAs
}

// References yields the references to parameters in a string, in order.
func References(s string) iter.Seq[Reference] {
	return func(yield func(Reference) bool) {
		for start, end := range parameter.References(s) {
			text, as := s[start:end], UsedPart
			switch {
			case parameter.OfAnyType(text) != "":
				as = UsedJSON
			case text == s:
				as = UsedWhole
			}
			if !yield(Reference{parameter.Name(text), start, end, as}) {
				return
			}
		}
	}
}

const (
	textWork   = 100  // the work of searching a byte for parameters
	memberSize = 100  // the bytes of a member of an object that is copied
	useSize    = 1000 // about the size in bytes of a Use and its copy, without texts
)

// inText finds the uses in a text, each as itself tells unless the text is a key, or the rules. There, it
// also fills in the parameters.
func (r *parameterReader) inText(s string, at jsonpath.Location, as UsedAs) {
	if !strings.Contains(s, parameter.Mark) || r.meter.Spend(meter.Times(len(s), textWork), 2*len(s)) != nil {
		return
	}
	if as == "" && isRules(at) {
		as = UsedRules
	}
	isAlone := strings.Count(s, parameter.Mark) == 1
	for ref := range References(s) {
		use := Use{As: cmp.Or(as, ref.As)}
		switch {
		case as == UsedKey && ref.As == UsedJSON: // Fill leaves it as it is
			continue
		case use.As == UsedPart && isAlone:
			use.Before, use.After = s[:ref.Start], s[ref.End:]
		}
		r.use(ref.Name, at, use)
	}
	if as == UsedRules {
		f := filling{Filler: &Filler{values: r.own}, meter: r.meter}
		r.filled = r.replaced(r.filled, at, f.replaced(s))
	}
}

// isRules reports whether a place is the annotation with the rules.
func isRules(at jsonpath.Location) bool {
	n := len(at)
	return n > 1 && at[n-1] == jsonpath.Member(vmrules.Annotation) && at[n-2] == jsonpath.Member("annotations")
}

// replaced returns a copy of a value with another text at a place. It copies only the
// objects and arrays on the way to that place, and shares the rest.
func (r *parameterReader) replaced(v any, at jsonpath.Location, text string) any {
	n := value.ChildCount(v)
	if len(at) == 0 || r.meter.Spend(meter.Times(n, ruleWork), meter.Times(n, memberSize)) != nil {
		return text
	}
	switch v := v.(type) {
	case map[string]any:
		copied := maps.Clone(v)
		copied[at[0].Name()] = r.replaced(v[at[0].Name()], at[1:], text)
		return copied
	case []any:
		copied := slices.Clone(v)
		copied[at[0].Index()] = r.replaced(v[at[0].Index()], at[1:], text)
		return copied
	}
	return v
}

// use records that a place uses a parameter, if the template declares it. It records each
// place once.
func (r *parameterReader) use(name string, at jsonpath.Location, use Use) {
	i, ok := r.byName[name]
	if !ok || r.meter.Spend(sayWork, useSize) != nil || r.meter.Spend(0, at.TextSize()+len(use.Before)+len(use.After)) != nil {
		return
	}
	use.Field, use.Pointer = at.String(), at.Pointer()
	uses := r.all[i].Uses
	if n := len(uses); n > 0 && uses[n-1].Pointer == use.Pointer && uses[n-1].As == use.As {
		return
	}
	if use.As != UsedKey && use.As != UsedRules {
		r.byPointer[use.Pointer] = append(r.byPointer[use.Pointer], useAt{i, len(uses)})
	}
	r.all[i].Uses = append(uses, use)
}
