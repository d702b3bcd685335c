package instancetype

import (
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// A place is where a field of the VM is, or would be.
type place struct {
	at     jsonpath.Location
	parent map[string]any // the object around it; nil if that is missing
}

func (p place) name() string { return p.at[len(p.at)-1].Name() }

// value returns what is there; nil if nothing is.
func (p place) value() any { return p.parent[p.name()] }

// places returns what an object gives in a field, and the places of the VM's field: one for each item of
// a list, and one for each member of what is given if the field is of any name. If nothing is given, there
// are none.
func (e *expansion) places(from *object, f vmfields.Field) (given any, found []place, err error) {
	if given = from.at(f); given == nil || f.To == "" {
		return nil, nil, nil
	}
	steps := strings.Split("spec.template."+strings.ReplaceAll(f.To, "[*]", ".[*]"), ".")
	found, err = e.follow(nil, e.vm, steps, given)
	return given, found, err
}

const placeSize = 32 // in bytes, without its location

// follow returns the places to which steps lead from a value of the VM.
func (e *expansion) follow(at jsonpath.Location, v any, steps []string, given any) ([]place, error) {
	if err := e.spend(jsonpath.NodeWork, 0); err != nil {
		return nil, err
	}
	if steps[0] == "[*]" {
		return e.followItems(at, v, steps[1:], given)
	}
	parent, err := asObject(v)
	if err != nil {
		return nil, fmt.Errorf("the VM's %s %w", at.Shown(), err)
	}
	names := steps
	switch {
	case steps[0] == "*":
		names = value.Names(given)
	case len(steps) > 1:
		return e.follow(at.Join(jsonpath.Members(steps[0])), parent[steps[0]], steps[1:], given)
	}
	var found []place
	for _, name := range names {
		at := at.Join(jsonpath.Members(name))
		found = append(found, place{at, parent})
		if err := e.spend(0, placeSize+len(at)*jsonpath.ElementSize); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (e *expansion) followItems(at jsonpath.Location, v any, steps []string, given any) (found []place, err error) {
	list, ok := v.([]any)
	if v != nil && !ok {
		return nil, fmt.Errorf("the VM's %s is %s, not a list", at.Shown(), value.Describe(v))
	}
	for i, item := range list {
		in := at.Join(jsonpath.Location{jsonpath.Item(i)})
		if item == nil {
			return nil, fmt.Errorf("the VM's %s is null, not an object", in.Shown())
		}
		more, err := e.follow(in, item, steps, given)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}
