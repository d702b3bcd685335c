// Package model judges objects by validation rules, strictly as specified: without plans,
// caches or bounds. It is for comparison with the library, and its author did not read the
// library's code.
//
// It reads only annotations that the library accepts. Where the specifications are silent,
// README.md says what both do.
package model

import (
	"strings"

	jsoniter "github.com/json-iterator/go"
)

// An Outcome is the outcome of a rule for one target.
type Outcome string

// The outcomes, by the library's names.
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
	Warned                  bool
}

// A Result is the result of one rule for one target.
type Result struct {
	Target     string
	Rule       string
	Outcome    Outcome
	Violations []Violation
}

// A Default is the value of a field that is not set. Nil means that the field has no
// default.
type Default struct {
	Path  string
	Value any
}

// Options change how rules are read and objects are judged.
type Options struct {
	V201901    bool // the annotation is of version 201901-1
	Partial    bool // the object is a form that is not completely filled in
	RootObject bool // the rules' $ is the whole object
	Defaults   []Default
}

// Judge reads an annotation and judges an object by its rules: first all rules for the
// first target, then all for the second, and so on.
func Judge(annotation string, object any, opts Options) ([]Result, error) {
	rules, err := readRules(annotation, opts.V201901)
	if err != nil {
		return nil, err
	}
	plain, err := plainJSON(object)
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, t := range targetsOf(plain, opts) {
		fields, err := fieldsOf(t)
		if err != nil {
			return nil, err
		}
		b := builder{inTemplate: t.inTemplate, settable: unsure}
		if opts.Partial {
			b.settable = waiting
		}
		root := b.node(t.at, t.root, fields)
		for _, r := range rules {
			j := judgement{rule: r, target: t, root: root}
			results = append(results, j.result())
		}
	}
	return results, nil
}

// exactJSON writes maps with keys of any type, and keeps every digit of a number.
var exactJSON = jsoniter.Config{EscapeHTML: true, SortMapKeys: true, UseNumber: true}.Froze()

// plainJSON converts a value through its JSON form, so that the same object decoded
// differently gives the same report (vmrules: JSONPath).
func plainJSON(v any) (any, error) {
	text, err := exactJSON.MarshalToString(v)
	if err != nil {
		return nil, err
	}
	return decode(text)
}

func decode(text string) (v any, err error) {
	err = exactJSON.UnmarshalFromString(text, &v)
	return v, err
}

// object returns the members of a value, or none if it is not an object.
func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// at returns the value at a dotted path in v, and nil if it is missing.
func at(v any, names string) any {
	for _, name := range strings.FieldsFunc(names, func(r rune) bool { return r == '.' }) {
		v = object(v)[name]
	}
	return v
}

// text returns v if it is a string, and "" otherwise.
func text(v any) string {
	s, _ := v.(string)
	return s
}
