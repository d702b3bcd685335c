package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
)

// A question is what an implementation is asked: the keys of a vector but for what is wanted.
type question struct {
	ID, Call, Annotation, Version string
	Object, Old, Template         object
	Instancetype, Preference      object
	Templates, Cluster            []json.RawMessage
	Options                       struct {
		Strict, Partial, Ratcheting, WithoutInstancetypes bool
		Root, Lookup                                      string
		Defaults                                          object
		WarnIfUndecided                                   []vmrules.Doubt
	}
}

// An object has numbers with all of their digits; nil is null.
type object map[string]any

func (o *object) UnmarshalJSON(text []byte) (err error) {
	if string(text) == "null" {
		return nil
	}
	*o, err = vmrules.ParseObject(text)
	return err
}

// answerers are the programs that this test can be: this library, KubeVirt's deployed validator, and the form for
// CPUs of OpenShift's console.
var answerers = map[string]func(*question) answer{"vmrules": (*question).answer, "ssp": (*question).bySSP, "console": (*question).byConsole}

// answerAll answers questions by one of them.
func answerAll(name string, in io.Reader, out io.Writer) error {
	by := answerers[name]
	if by == nil {
		return fmt.Errorf("who answers? There are %s", strings.Join(slices.Sorted(maps.Keys(answerers)), ", "))
	}
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, maxLine)
	encoder := json.NewEncoder(out)
	for scanner.Scan() {
		var q question
		if err := json.Unmarshal(scanner.Bytes(), &q); err != nil {
			return err
		}
		if err := encoder.Encode(by(&q)); err != nil {
			return err
		}
	}
	return scanner.Err()
}

// answer says what the report of the call says.
func (q *question) answer() answer {
	a := answer{ID: q.ID}
	report, err := q.call()
	if err != nil {
		a.Refused = true
		return a
	}
	valid := report.Valid()
	a.Valid, a.Outcomes, a.Violations = &valid, []string{}, []violation{}
	for _, r := range report.Results() {
		a.Outcomes = append(a.Outcomes, string(r.Outcome))
		for _, v := range r.Violations {
			a.Violations = append(a.Violations, violation{v.Rule, v.Field, string(v.Reason)})
		}
	}
	return a
}

// call makes the call.
func (q *question) call() (*vmrules.Report, error) {
	opts, err := q.validateOptions()
	if err != nil {
		return nil, err
	}
	var rules vmrules.Rules
	switch q.Call {
	case "validateOwn":
		return vmrules.ValidateOwn(q.Object, opts...), nil
	case "rulesFor":
		rules, err = vmrules.RulesFor(q.Object, q.Template, q.parseOptions()...)
	default:
		rules, err = vmrules.ParseRules(q.Annotation, q.parseOptions()...)
	}
	if err != nil {
		return nil, err
	}
	return vmrules.Validate(rules, q.Object, opts...), nil
}

func (q *question) parseOptions() (opts []vmrules.ParseOption) {
	for _, o := range []struct {
		isWanted bool
		option   vmrules.ParseOption
	}{
		{q.Version == "201901-1", vmrules.V201901()},
		{q.Options.Strict, vmrules.Strict()},
		{q.Options.Root == "object", vmrules.WholeObjects()},
	} {
		if o.isWanted {
			opts = append(opts, o.option)
		}
	}
	return opts
}

func (q *question) validateOptions() ([]vmrules.ValidateOption, error) {
	opts := []vmrules.ValidateOption{vmrules.WithBudget(vmrules.Budget{Backtracking: time.Minute})} // so that no clock decides
	for _, o := range []struct {
		isWanted bool
		option   vmrules.ValidateOption
	}{
		{q.Options.Partial, vmrules.Partial()},
		{q.Options.Ratcheting, vmrules.Ratcheting()},
		{q.Options.WithoutInstancetypes, vmrules.WithoutInstancetypes()},
		{q.Old != nil, vmrules.WithOldObject(q.Old)},
		{q.Instancetype != nil || q.Preference != nil, vmrules.WithInstancetype(q.Instancetype, q.Preference)},
		{q.Cluster != nil, vmrules.WithInstancetypes(conformance.Vector{Cluster: q.Cluster}.Find(conformance.DecodeExactly))},
		{q.Options.Lookup == "nil", vmrules.WithTemplates(nil)},
		{q.Options.Lookup != "nil" && (q.Templates != nil || q.Options.Lookup != ""), vmrules.WithTemplates(q.lookUp)},
		{q.Options.WarnIfUndecided != nil, vmrules.WarnIfUndecided(q.Options.WarnIfUndecided...)},
	} {
		if o.isWanted {
			opts = append(opts, o.option)
		}
	}
	for path, value := range q.Options.Defaults {
		p, err := vmrules.ParsePath(path)
		if err != nil {
			return nil, err
		}
		d, err := vmrules.NewDefault(p, value)
		if err != nil {
			return nil, err
		}
		opts = append(opts, vmrules.WithDefaults(d))
	}
	return opts, nil
}

// lookUp returns the template that a VM names.
func (q *question) lookUp(ref vmrules.TemplateRef) (*vmrules.Template, error) {
	switch q.Options.Lookup {
	case "fails":
		return nil, errors.New("no connection")
	case "panics":
		panic("no cluster")
	}
	namespace := cmp.Or(ref.Namespace, ref.VMNamespace)
	template := conformance.Vector{Templates: q.Templates}.FindTemplate(namespace, ref.Name)
	switch {
	case template == nil:
		return nil, nil
	case q.Options.Lookup == "whole":
		rules, err := vmrules.RulesFor(nil, template, vmrules.WholeObjects())
		return &vmrules.Template{Namespace: namespace, Rules: rules}, err
	}
	return &vmrules.Template{Namespace: namespace, Object: template}, nil
}
