package form

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// A Use is a place in a template that uses a parameter.
type Use struct {
	Field   string `json:"field"`   // as in vmrules.Violation
	Pointer string `json:"pointer"` // as in vmrules.Violation; for a key, the pointer of its object
	As      UsedAs `json:"as"`
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
		r.inText(v, at)
	case []any:
		for i, item := range v {
			r.walk(item, append(at, jsonpath.Item(i)))
		}
	case map[string]any:
		for _, name := range value.Names(v) {
			r.inKey(name, at)
			r.walk(v[name], append(at, jsonpath.Member(name)))
		}
	}
}

var (
	wholeJSON = regexp.MustCompile(`^\$\{\{([a-zA-Z0-9_]+)\}\}$`)
	reference = regexp.MustCompile(`\$\{([a-zA-Z0-9_]+)\}`)
)

const (
	textWork   = 100 // the work of searching a byte for parameters
	memberSize = 100 // the bytes of a member of an object that is copied
)

func (r *parameterReader) inText(s string, at jsonpath.Location) {
	if !strings.Contains(s, "${") || r.meter.Spend(len(s)*textWork, 2*len(s)) != nil {
		return
	}
	if isRules(at) {
		r.inRules(s, at)
		return
	}
	if m := wholeJSON.FindStringSubmatch(s); m != nil {
		r.use(m[1], at, UsedJSON)
		return
	}
	for _, m := range reference.FindAllStringSubmatch(s, -1) {
		if m[0] == s {
			r.use(m[1], at, UsedWhole)
			return
		}
		r.use(m[1], at, UsedPart)
	}
}

func (r *parameterReader) inKey(name string, at jsonpath.Location) {
	if !strings.Contains(name, "${") || r.meter.Spend(len(name)*textWork, 2*len(name)) != nil {
		return
	}
	for _, m := range reference.FindAllStringSubmatch(name, -1) {
		r.use(m[1], at, UsedKey)
	}
}

// isRules reports whether a place is the annotation with the rules.
func isRules(at jsonpath.Location) bool {
	n := len(at)
	return n > 1 && at[n-1] == jsonpath.Member(vmrules.Annotation) && at[n-2] == jsonpath.Member("annotations")
}

// inRules finds the uses in the rules, and fills in the parameters there.
func (r *parameterReader) inRules(s string, at jsonpath.Location) {
	size := len(s)
	for _, m := range reference.FindAllStringSubmatch(s, -1) {
		r.use(m[1], at, UsedRules)
		if i, ok := r.byName[m[1]]; ok {
			size += len(r.all[i].Value)
		}
	}
	if r.meter.Spend(size*textWork, size) != nil {
		return
	}
	filled := reference.ReplaceAllStringFunc(s, func(text string) string {
		i, ok := r.byName[reference.FindStringSubmatch(text)[1]]
		if !ok || r.all[i].Value == "" && (r.all[i].Required || r.all[i].Generate != "") {
			return text
		}
		return r.all[i].Value
	})
	r.filled = r.replaced(r.filled, at, filled)
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
func (r *parameterReader) use(name string, at jsonpath.Location, as UsedAs) {
	i, ok := r.byName[name]
	if !ok || r.meter.Spend(sayWork, at.TextSize()+saySize) != nil {
		return
	}
	use, uses := Use{at.String(), at.Pointer(), as}, r.all[i].Uses
	if n := len(uses); n > 0 && uses[n-1] == use {
		return
	}
	r.all[i].Uses = append(uses, use)
	if as == UsedWhole || as == UsedJSON {
		r.byPointer[use.Pointer] = i
	}
}
