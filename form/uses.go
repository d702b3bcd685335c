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

// A Use is a place in a template that has the value of a parameter.
type Use struct {
	Field   string `json:"field"`   // as in vmrules.Violation
	Pointer string `json:"pointer"` // as in vmrules.Violation; of a key, that of its object
	As      UsedAs `json:"as"`
}

// UsedAs says how a place has the value of a parameter.
type UsedAs string

// The ways to use a parameter.
const (
	UsedWhole UsedAs = "whole" // "${NAME}": the field is its value, as a string
	UsedJSON  UsedAs = "json"  // "${{NAME}}": the field is its value, read as JSON
	UsedPart  UsedAs = "part"  // "x-${NAME}": the field has it, beside something else
	UsedKey   UsedAs = "key"   // the name of a field has it
	UsedRules UsedAs = "rules" // the rules themselves have it
)

// walk finds the uses in a value and in all below it.
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
	textWork   = 100 // looking for parameters in a byte
	memberSize = 100 // a member of an object that is copied
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

// isRules reports whether rules are at a place.
func isRules(at jsonpath.Location) bool {
	n := len(at)
	return n > 1 && at[n-1] == jsonpath.Member(vmrules.Annotation) && at[n-2] == jsonpath.Member("annotations")
}

// inRules fills in the parameters of the rules.
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

// replaced returns a copy of a value with another text at a place. What is beside the
// way there is shared.
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

// use notes that a place has the value of a parameter, if that is declared; once, however
// often it has it.
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
