// Package model judges objects by validation rules as the texts of the format
// say, and with nothing else in mind: no plan, no cache, no bounds. It exists to
// be compared with the library, and was written without a look at its code.
//
// It reads annotations that the library accepts; what the library refuses is not
// its business. Where the texts are silent, README.md says what both do.
package model

import (
	"strings"

	jsoniter "github.com/json-iterator/go"
)

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

// exactJSON knows maps with keys of any type, and keeps every digit of numbers.
var exactJSON = jsoniter.Config{EscapeHTML: true, SortMapKeys: true, UseNumber: true}.Froze()

// plainJSON returns what the JSON of a value says, whatever decoder or Go code
// made it: the same object decoded differently gives the same report (design 4:
// JSONPath).
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

// object returns the members of a value, none if it is no object.
func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// at returns what names with dots between them select from v, nil where nothing is
// there.
func at(v any, names string) any {
	for _, name := range strings.FieldsFunc(names, func(r rune) bool { return r == '.' }) {
		v = object(v)[name]
	}
	return v
}

// text returns v if it is a string.
func text(v any) string {
	s, _ := v.(string)
	return s
}
