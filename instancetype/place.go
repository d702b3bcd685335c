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

// places returns the places of a field of the VM: one for each item of a list, and one for
// each member of what is given if the field is of any name.
func (e *expansion) places(f vmfields.Field, given any) ([]place, error) {
	s := placeSearch{e: e, given: given}
	steps := strings.Split("spec.template."+strings.ReplaceAll(f.To, "[*]", ".[*]"), ".")
	err := s.follow(nil, e.vm, steps)
	return s.found, err
}

type placeSearch struct {
	e     *expansion
	given any
	found []place
}

func (s *placeSearch) follow(at jsonpath.Location, v any, steps []string) error {
	if err := s.e.spend(jsonpath.NodeWork, 0); err != nil {
		return err
	}
	if steps[0] == "[*]" {
		return s.followItems(at, v, steps[1:])
	}
	parent, err := asObject(v)
	if err != nil {
		return fmt.Errorf("the VM's %s %w", at.Shown(), err)
	}
	switch {
	case steps[0] == "*":
		for _, name := range value.Names(s.given) {
			if err := s.add(at, name, parent); err != nil {
				return err
			}
		}
		return nil
	case len(steps) == 1:
		return s.add(at, steps[0], parent)
	}
	return s.follow(at.Join(jsonpath.Members(steps[0])), parent[steps[0]], steps[1:])
}

const placeSize = 32 // in bytes, without its location

func (s *placeSearch) add(at jsonpath.Location, name string, parent map[string]any) error {
	at = at.Join(jsonpath.Members(name))
	s.found = append(s.found, place{at, parent})
	return s.e.spend(0, placeSize+len(at)*jsonpath.ElementSize)
}

func (s *placeSearch) followItems(at jsonpath.Location, v any, steps []string) error {
	list, ok := v.([]any)
	if v != nil && !ok {
		return fmt.Errorf("the VM's %s is %s, not a list", at.Shown(), value.Describe(v))
	}
	for i, item := range list {
		in := at.Join(jsonpath.Location{jsonpath.Item(i)})
		if item == nil {
			return fmt.Errorf("the VM's %s is null, not an object", in.Shown())
		}
		if err := s.follow(in, item, steps); err != nil {
			return err
		}
	}
	return nil
}
