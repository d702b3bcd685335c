// Package engine offers the library as calls of text: JSON goes in and JSON comes out. It has
// no state but what it has read lately.
package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/lint"
)

// An Engine answers calls, one at a time.
type Engine struct {
	kept store
	own  *keptOwn // nil at first
}

// New returns an Engine.
func New() *Engine { return &Engine{} }

// An operation returns a result, an error, or both. What it returns is written as JSON.
type operation func(*call) (any, error)

var operations = map[string]operation{
	"countRules":        func(c *call) (any, error) { return c.rules().Len(), nil },
	"rulesOf":           func(c *call) (any, error) { return c.rules(), nil }, // in the current version
	"check":             check,
	"validate":          judging(validate),
	"validateOwn":       validateOwn,
	"lint":              lintAnnotation,
	"checks":            func(*call) (any, error) { return lint.Checks(), nil },
	"knownFields":       knownFields,
	"limits":            judging(form.Limits),
	"schema":            judging(form.Schema),
	"parameters":        parameters,
	"fill":              fill,
	"expand":            expand,
	"checkRequirements": checkRequirements,
}

// Call carries out an operation. The header has its name and those of its texts: see newCall. Call
// returns the result and the error as JSON, each "" if there is none.
// It never panics.
func (e *Engine) Call(header, texts string) (result, failure string) {
	c, err := newCall(e, header, texts)
	if err != nil {
		return "", failureOf(err)
	}
	defer func() {
		if p := recover(); p != nil {
			text, _ := json.Marshal(Failure{Message: fmt.Sprintf("%s panicked, which is a mistake in vmrules: %v", c.operation, p), Code: "internal"})
			result, failure = "", string(text)
		}
	}()
	operation, ok := operations[c.operation]
	if !ok {
		return "", failureOf(fmt.Errorf("there is no operation %q", c.operation))
	}
	value, err := operation(c)
	if wrong := cmp.Or(c.wrong, c.failed); wrong != nil {
		value, err = nil, wrong
	}
	if value != nil {
		text, wrong := json.Marshal(value)
		if wrong != nil {
			return "", failureOf(fmt.Errorf("%s has a result that cannot be written: %w", c.operation, wrong))
		}
		result = string(text)
	}
	if err != nil {
		failure = failureOf(err)
	}
	return result, failure
}

// A Failure is the JSON of an error.
type Failure struct {
	Message string `json:"message"`
	Code    string `json:"code,omitempty"` // where the rest does not say it
	// Problems say what is wrong with an annotation, if the error is about one.
	Problems []vmrules.Problem `json:"problems,omitempty"`
	// Omitted counts the problems that are left out because they are too long.
	Omitted int `json:"omitted,omitempty"`
}

func failureOf(err error) string {
	f := Failure{Message: err.Error()}
	var parse *vmrules.ParseError
	if errors.As(err, &parse) {
		text, _ := parse.MarshalJSON() // problems always have a JSON form
		_ = json.Unmarshal(text, &f)   // it is that of a Failure
	}
	text, _ := json.Marshal(f)
	return string(text)
}
