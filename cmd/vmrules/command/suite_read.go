package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A suite is a document of tests.
type suite struct {
	Rules      string                   `json:"rules"`
	Template   string                   `json:"template"`
	Parameters map[string]parameterText `json:"parameters"`
	With       []string                 `json:"with"`
	Cases      []suiteCase              `json:"cases"`
}

type suiteCase struct {
	Name   string      `json:"name"`
	VM     suiteVM     `json:"vm"`
	Expect expectation `json:"expect"`
}

// A suiteVM is the name of a file, or a VM.
type suiteVM struct {
	file   string
	object map[string]any
}

// A parameterText is the value of a parameter, which need not be in quotes.
type parameterText string

// An expectation holds the expected outcomes of rules, by their names. It is nil if there is
// none.
type expectation map[string]vmrules.Outcome

// readSuite reads a suite, and checks what does not need other files.
func readSuite(d *manifest.Document) (suite, *manifest.Error) {
	fail := func(pointer string, err error) *manifest.Error {
		line, column := d.NewLocator().Place(pointer)
		return &manifest.Error{File: d.File().Name, Line: line, Column: column, Message: err.Error()}
	}
	var s suite
	text, err := d.JSON()
	if err != nil {
		return s, fail("", err)
	}
	err = jsonv2.Unmarshal([]byte(text), &s, jsonv2.RejectUnknownMembers(true))
	if wrong := (*jsonv2.SemanticError)(nil); errors.As(err, &wrong) {
		return s, fail(string(wrong.JSONPointer), explainedMember(wrong))
	}
	if err != nil {
		return s, fail("", err)
	}
	if (s.Rules == "") == (s.Template == "") {
		return s, fail("", errors.New(`the tests must name the rules to test: write either "rules" or "template", with the name of a file`))
	}
	if s.Template == "" && s.Parameters != nil {
		return s, fail("/parameters", errors.New(`"parameters" are those of a "template", which is missing`))
	}
	if len(s.Cases) == 0 {
		return s, fail("/cases", errors.New("no cases: write at least one"))
	}
	for i, c := range s.Cases {
		if c.Name == "" || c.VM.file == "" && c.VM.object == nil || c.Expect == nil {
			return s, fail(fmt.Sprintf("/cases/%d", i), errors.New(`the case is not complete: write "name", "vm" and "expect"`))
		}
	}
	return s, nil
}

// explainedMember says in our words why a value cannot be read.
func explainedMember(wrong *jsonv2.SemanticError) error {
	switch {
	case errors.Is(wrong.Err, jsonv2.ErrUnknownName):
		return fmt.Errorf("unknown key %.100q: \"vmrules help test\" lists the keys", wrong.JSONPointer.LastToken())
	case wrong.Err != nil:
		return wrong.Err
	}
	return fmt.Errorf("%.100q must be %s", strings.TrimPrefix(string(wrong.JSONPointer), "/"), wanted(wrong.GoType))
}

// wanted describes what a Go type is read from.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string: write it in quotes"
	case reflect.Slice:
		return "an array"
	}
	return "an object"
}

func (v *suiteVM) UnmarshalJSON(written []byte) error {
	if json.Unmarshal(written, &v.file) == nil {
		return nil
	}
	object, err := vmrules.ParseObject(written)
	if err != nil {
		return errors.New(`"vm" must be the name of a file, or a VM`)
	}
	v.object = object
	return nil
}

func (p *parameterText) UnmarshalJSON(written []byte) error {
	var s string
	if json.Unmarshal(written, &s) != nil {
		s = string(written)
	}
	*p = parameterText(s)
	return nil
}

// outcomes holds the keys of "expect".
var outcomes = map[string]vmrules.Outcome{
	"violated": vmrules.Violated, "warned": vmrules.Warned, "undecided": vmrules.Undecided,
	"ignored": vmrules.Ignored, "skipped": vmrules.Skipped, "satisfied": vmrules.Satisfied,
}

func (e *expectation) UnmarshalJSON(written []byte) error {
	*e = expectation{}
	var word string
	if json.Unmarshal(written, &word) == nil && word == "valid" {
		return nil
	}
	var lists map[string][]string
	if err := json.Unmarshal(written, &lists); err != nil || len(lists) == 0 {
		return errors.New(`"expect" must be "valid", or lists of the names of rules, such as {violated: [cores]}: put names such as yes, n and 5 in quotes`)
	}
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		outcome, ok := outcomes[key]
		if !ok {
			return fmt.Errorf("%.100q is not an outcome: write violated, warned, undecided, ignored, skipped or satisfied", key)
		}
		for _, name := range lists[key] {
			if before, twice := (*e)[name]; twice {
				return fmt.Errorf("the rule %.100q is listed twice, as %s and %s", name, strings.ToLower(string(before)), key)
			}
			(*e)[name] = outcome
		}
	}
	return nil
}
