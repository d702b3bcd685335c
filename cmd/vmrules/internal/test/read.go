package test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A suite is a document of tests.
type suite struct {
	rules, template string // names of files
	parameters      map[string]string
	with            []string
	cases           []suiteCase
}

type suiteCase struct {
	name   string
	file   string         // of the VM
	vm     map[string]any // if it is not in a file
	expect expectation
}

// An expectation holds the expected outcomes of rules, by their names.
type expectation map[string]vmrules.Outcome

// A suiteReader reads a suite, and collects all mistakes in it.
type suiteReader struct {
	file    string
	locator *manifest.Locator
	wrong   []*manifest.Error
}

// fail adds the mistakes at a JSON Pointer, of which errors.Join may have joined several.
func (r *suiteReader) fail(at string, err error) {
	line, column, _ := r.locator.Place(at)
	for _, err := range cli.Unjoined(err) {
		r.wrong = append(r.wrong, &manifest.Error{File: r.file, Line: line, Column: column, Message: err.Error()})
	}
}

// read reads a suite, and checks what does not need other files.
func (r *suiteReader) read(written map[string]any) suite {
	s := suite{parameters: map[string]string{}}
	known := r.hasOnly("", written, "rules", "template", "parameters", "with", "cases")
	s.rules, s.template = r.text("/rules", written["rules"]), r.text("/template", written["template"])
	for _, key := range []string{"rules", "template"} {
		if v, isWritten := written[key]; isWritten && !isGiven(v) {
			r.fail("/"+key, mustBe(key, "the name of a file"))
		}
	}
	for name, value := range read[map[string]any](r, "/parameters", written["parameters"], "an object") {
		s.parameters[name] = manifest.AsText(value)
	}
	for i, name := range r.array("/with", written["with"]) {
		at := fmt.Sprintf("/with/%d", i)
		s.with = append(s.with, r.text(at, name))
		if !isGiven(name) {
			r.fail(at, mustBe(at, "the name of a file"))
		}
	}
	for i, c := range r.array("/cases", written["cases"]) {
		s.cases = append(s.cases, r.suiteCase(fmt.Sprintf("/cases/%d", i), c))
	}
	isRules, isTemplate := isGiven(written["rules"]), isGiven(written["template"])
	if isRules && isTemplate {
		r.fail("", errors.New(`the tests name two sources of rules: write either "rules" or "template", with the name of a file`))
	} else if !isTemplate && written["parameters"] != nil && known {
		r.fail("/parameters", errors.New(`"parameters" are those of a "template", which is missing`))
	}
	if list, isList := written["cases"].([]any); len(list) == 0 && (isList || written["cases"] == nil) {
		r.fail("/cases", errors.New("no cases: write at least one"))
	}
	return s
}

// escape escapes a name as a JSON Pointer does.
var escape = strings.NewReplacer("~", "~0", "/", "~1")

func isGiven(v any) bool { return v != nil && v != "" }

func (r *suiteReader) hasOnly(at string, written map[string]any, known ...string) bool {
	all := true
	for key := range written {
		if !slices.Contains(known, key) {
			r.fail(at+"/"+escape.Replace(key), fmt.Errorf("unknown key %.100q: \"vmrules help test\" lists the keys", key))
			all = false
		}
	}
	return all
}

func (r *suiteReader) suiteCase(at string, v any) suiteCase {
	written, ok := v.(map[string]any)
	if !ok {
		r.fail(at, mustBe(at, "an object"))
		return suiteCase{}
	}
	known := r.hasOnly(at, written, "name", "vm", "expect")
	c := suiteCase{name: r.text(at+"/name", written["name"])}
	switch vm := written["vm"].(type) {
	case nil:
	case string:
		c.file = vm
	case map[string]any:
		c.vm = vm
	default:
		r.fail(at+"/vm", errors.New(`"vm" must be the name of a file, or a VM`))
	}
	expect, isExpected := written["expect"]
	if isExpected {
		c.expect = r.expectation(at+"/expect", expect)
	}
	if known && !(isGiven(written["name"]) && isGiven(written["vm"]) && isExpected) {
		r.fail(at, errors.New(`the case is not complete: write "name", "vm" and "expect"`))
	}
	return c
}

var errExpectation = errors.New(`"expect" must be "valid", or lists of the names of rules, such as {violated: [cores]}: put names such as yes, n and 5 in quotes`)

func (r *suiteReader) expectation(at string, v any) expectation {
	e := expectation{}
	lists, _ := v.(map[string]any)
	if len(lists) == 0 && v != "valid" {
		r.fail(at, errExpectation)
	}
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		at := at + "/" + escape.Replace(key)
		outcome := slices.IndexFunc(byWeight, func(o vmrules.Outcome) bool { return strings.ToLower(string(o)) == key })
		if outcome < 0 {
			r.fail(at, fmt.Errorf("%.100q is not an outcome: write violated, warned, undecided, ignored, skipped or satisfied", key))
			continue
		}
		names, ok := lists[key].([]any)
		if !ok && lists[key] != nil {
			r.fail(at, errExpectation)
		}
		for i, v := range names {
			at := fmt.Sprintf("%s/%d", at, i)
			name, ok := v.(string)
			before, twice := e[name]
			switch {
			case !ok:
				r.fail(at, errExpectation)
			case twice:
				r.fail(at, fmt.Errorf("the rule %.100q is listed twice, as %s and %s", name, strings.ToLower(string(before)), key))
			default:
				e[name] = byWeight[outcome]
			}
		}
	}
	return e
}

// text reads a string; "" if there is none.
func (r *suiteReader) text(at string, v any) string {
	return read[string](r, at, v, "a string: write it in quotes")
}

func (r *suiteReader) array(at string, v any) []any { return read[[]any](r, at, v, "an array") }

// read reads what must be a T, if there is anything.
func read[T any](r *suiteReader, at string, v any, what string) T {
	found, ok := v.(T)
	if !ok && v != nil {
		r.fail(at, mustBe(at, what))
	}
	return found
}

func mustBe(at, what string) error {
	return fmt.Errorf("%.100q must be %s", strings.TrimPrefix(at, "/"), what)
}
