// Package model judges objects by validation rules as the texts of the format
// say, and with nothing else in mind: no plan, no cache, no bounds. It exists to
// be compared with the library, and was written without a look at its code.
//
// It reads annotations that the library accepts; what the library refuses is not
// its business. Where the texts are silent, README.md says what both do.
package model

import "strings"

// An Outcome is what became of a rule for one target.
type Outcome string

// The outcomes, in the words of the library.
const (
	Satisfied Outcome = "Satisfied"
	Violated  Outcome = "Violated"
	Warned    Outcome = "Warned"
	Skipped   Outcome = "Skipped"
	Ignored   Outcome = "Ignored"
	Undecided Outcome = "Undecided"
)

// A Violation is one value that breaks one constraint, a value that is missing,
// or, with the reason InternalError, a rule that could not be judged.
type Violation struct {
	Field, Reason, Argument string
	Warning                 bool
}

// A Result is what became of one rule for one target.
type Result struct {
	Target     string
	Rule       string
	Outcome    Outcome
	Violations []Violation
}

// A Default is what a field counts as where it is not set: nil for a field that
// has no default.
type Default struct {
	Path  string
	Value any
}

// Options change how rules are read and objects are judged.
type Options struct {
	V201901    bool // the annotation is of version 201901-1
	Partial    bool // a form that is not filled in yet
	RootObject bool // the rules' $ is the whole object
	Defaults   []Default
}

// Judge reads an annotation and judges an object by it: all rules for the first
// target, then all for the second.
func Judge(annotation string, object any, opts Options) ([]Result, error) {
	rules, err := readRules(annotation, opts.V201901)
	if err != nil {
		return nil, err
	}
	plain, err := plainJSON(object)
	if err != nil {
		return nil, err
	}
	fields, err := existingFields(opts)
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, t := range targetsOf(plain, opts) {
		s := &search{defaults: fields, implied: t.implied, inTemplate: t.inTemplate}
		for _, r := range rules {
			results = append(results, judge(r, t, s, opts.Partial))
		}
	}
	return results, nil
}

// A rule is one object of the annotation (201902-2: Mandatory Keys, Optional Keys).
type rule struct {
	name, kind  string
	path, valid path
	hasValid    bool
	justWarning bool
	arguments   map[string]any // what the annotation has; paths are of type path
}

// argumentKeys are the arguments in the order in which they are judged (design 4:
// Arguments).
var argumentKeys = []string{"min", "max", "minLength", "maxLength", "values", "regex"}

func readRules(annotation string, old bool) ([]rule, error) {
	if strings.TrimSpace(annotation) == "" {
		return nil, nil
	}
	v, err := decode([]byte(annotation))
	if err != nil {
		return nil, err
	}
	var rules []rule
	for _, item := range v.([]any) {
		r, err := readRule(item.(map[string]any), old)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// readRule reads one rule. A key that is null is absent; one that is not known is
// ignored (design 4: Reading the annotation).
func readRule(keys map[string]any, old bool) (rule, error) {
	r := rule{arguments: map[string]any{}}
	r.name, _ = keys["name"].(string)
	r.kind, _ = keys["rule"].(string)
	r.justWarning, _ = keys["justWarning"].(bool)
	if old && keys["values"] == nil {
		keys["values"] = keys["included"] // 201901-1: included
	}
	var err error
	if r.path, err = parsePath(keys["path"].(string)); err != nil {
		return r, err
	}
	if text, ok := keys["valid"].(string); ok {
		r.hasValid = true
		if r.valid, err = parsePath(text); err != nil {
			return r, err
		}
	}
	if !knownKinds[r.kind] {
		return r, nil
	}
	for _, key := range argumentKeys {
		if keys[key] == nil {
			continue
		}
		if r.arguments[key], err = readArgument(keys[key], old); err != nil {
			return r, err
		}
	}
	return r, nil
}

// readArgument returns a literal, a path, or for values a list of both (201902-2:
// Rule arguments).
func readArgument(v any, old bool) (any, error) {
	switch v := v.(type) {
	case string:
		if isPath(v, old) {
			return parsePath(v)
		}
	case []any:
		list := []any{}
		for _, item := range v {
			a, err := readArgument(item, old)
			if err != nil {
				return nil, err
			}
			list = append(list, a)
		}
		return list, nil
	}
	return v, nil
}

var knownKinds = map[string]bool{"integer": true, "string": true, "enum": true, "regex": true}

// object returns the members of a value, none if it is no object.
func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// at returns what names select from v, nil where nothing is there.
func at(v any, names ...string) any {
	for _, name := range names {
		v = object(v)[name]
	}
	return v
}

// text returns v if it is a string.
func text(v any) string {
	s, _ := v.(string)
	return s
}
