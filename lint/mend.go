package lint

import (
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/spelling"
	"github.com/vmrules/vmrules/internal/value"
)

// mend is what a step that leads to nothing was probably meant to select, and how
// to write it; nothing where that cannot be told.
func (s *pathSearch) mend(step vmrules.Step, written string) ([]*field, string) {
	isItem := true
	switch step := step.(type) {
	case vmrules.NameStep:
		return s.mendName(step, written)
	case vmrules.WildcardStep:
		isItem = false
	case vmrules.UnionStep:
		_, isName := step.Keys()[0].(vmrules.NameStep)
		isItem = !isName
	}
	if !isItem {
		s.find("unknown-field", false, "no VM is known to have %s below %s", value.Shortened(written), s.soFar())
		return nil, written
	}
	_, isFilter := step.(vmrules.FilterStep)
	if s.deep != nil || isFilter {
		s.find("not-an-array", false, "%s is no array, in which %s selects nothing", s.soFar(), value.Shortened(written))
		return nil, written
	}
	s.find("not-an-array", true, "%s is no array, in which %s selects nothing: leave that out", s.soFar(), value.Shortened(written))
	return s.fields, ""
}

func (s *pathSearch) mendName(name vmrules.NameStep, written string) ([]*field, string) {
	if next := stepAll(itemsOf(s.fields), name); len(next) > 0 {
		s.find("missing-wildcard", true, "%s is an array, in which a name selects nothing: write [*] between them", s.soFar())
		return next, "[*]" + written
	}
	names := namesIn(s.fields)
	if s.budget.Spend(compareWork*len(names), 0) != nil {
		return nil, written
	}
	if meant := spelling.Nearest(string(name), names); meant != "" {
		s.find("misspelt-field", true, "no VM has a field %s in %s: did you mean %q?", value.Quoted(string(name)), s.soFar(), meant)
		next := stepAll(s.fields, vmrules.NameStep(meant))
		if s.deep != nil {
			return next, meant
		}
		return next, "." + meant
	}
	if parent := s.parentOf(name); parent != "" {
		s.find("misplaced-field", true, "no VM has a field %s in %s: did you mean the one in %s?", value.Quoted(string(name)), s.soFar(), parent)
		return stepAll(stepAll(s.fields, parent), name), parent.String() + written
	}
	s.find("unknown-field", false, "no VM is known to have a field %s in %s", value.Quoted(string(name)), s.soFar())
	return nil, written
}

// compareWork is what comparing the name of a field with another costs.
const compareWork = 1000

// parentOf is the step that was left out before a name, if it can only be one.
func (s *pathSearch) parentOf(name vmrules.NameStep) vmrules.NameStep {
	found := vmrules.NameStep("")
	if s.deep != nil {
		return "" // it would have been found
	}
	for _, parent := range namesIn(s.fields) {
		below := stepAll(s.fields, vmrules.NameStep(parent))
		hasName := slices.ContainsFunc(below, func(f *field) bool { return f.members[string(name)] != nil })
		if hasName && found != "" {
			return ""
		}
		if hasName {
			found = vmrules.NameStep(parent)
		}
	}
	return found
}

func itemsOf(fields []*field) []*field {
	var items []*field
	for _, f := range fields {
		if f.shape == arrayField {
			items = append(items, f.items)
		}
	}
	return unique(items)
}
