package command

import (
	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
)

// A selection says which parts of a value to keep, so that rules judge them as they would
// judge the whole value. With names, it keeps these members of an object. With items, it
// keeps all items of an array. It keeps any other value whole: a scalar, an array in place of
// an object, or an object in place of an array. The zero selection keeps an empty object.
type selection struct {
	isWhole bool
	members []*selected
	items   *selection
}

// whole keeps any value.
var whole = &selection{isWhole: true}

type selected struct {
	name string
	selection
}

// Rules are hostile input. A selection with more names is searched too slowly, and one with
// more levels takes too much memory, so it keeps the whole value instead.
const (
	maxNames  = 32
	maxLevels = 32
)

// addRules adds what rules need of what they call $. It returns false if they may need what is
// around that, too.
func (s *selection) addRules(rules vmrules.Rules) bool {
	if rules.WholeObjects() {
		return false
	}
	for _, rule := range rules.All() {
		if !rule.Kind.IsOfFormat() {
			return false // a kind of the build may look at the whole object
		}
		s.addPath(rule.Path)
		s.addPath(rule.Valid)
		for _, arguments := range rule.Arguments() {
			for _, argument := range arguments {
				path, _ := argument.Path()
				s.addPath(path)
			}
		}
	}
	return true
}

func (s *selection) addPath(path vmrules.Path) {
	if !path.IsZero() {
		s.addSteps(fieldpath.Steps(path), maxLevels)
	}
}

// addSteps adds what steps select, and what they look at on the way.
func (s *selection) addSteps(steps []fieldpath.Step, levels int) {
	if len(steps) == 0 || levels == 0 {
		s.isWhole = true
		return
	}
	rest := steps[1:]
	switch step := steps[0].(type) {
	case fieldpath.Name:
		s.addMember(string(step)).addSteps(rest, levels-1)
	case fieldpath.Index, fieldpath.Slice, fieldpath.Items:
		s.addItems().addSteps(rest, levels-1)
	case fieldpath.Filter:
		for _, operand := range []fieldpath.Operand{step.Left(), step.Right()} {
			if inItem, isPath := operand.Steps(); isPath {
				s.addItems().addSteps(inItem, levels-1)
			}
		}
		s.addItems().addSteps(rest, levels-1)
	default: // several names, any name, or any depth
		s.isWhole = true
	}
}

// addMember returns the selection of a member, which it adds if necessary.
func (s *selection) addMember(name string) *selection {
	if member := s.member([]byte(name)); member != nil {
		return &member.selection
	}
	if len(s.members) == maxNames {
		s.isWhole = true
		return &selection{}
	}
	s.members = append(s.members, &selected{name: name})
	return &s.members[len(s.members)-1].selection
}

// member finds a member; nil if it is not selected.
func (s *selection) member(name []byte) *selected {
	for _, member := range s.members {
		if member.name == string(name) {
			return member
		}
	}
	return nil
}

// of returns the name of a member and what to keep of it; nil for nothing.
func (s *selection) of(name []byte) (string, *selection) {
	if s.isWhole {
		return string(name), whole
	}
	if member := s.member(name); member != nil {
		return member.name, &member.selection
	}
	return "", nil
}

func (s *selection) addItems() *selection {
	if s.items == nil {
		s.items = &selection{}
	}
	return s.items
}
