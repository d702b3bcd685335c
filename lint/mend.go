package lint

import (
	"fmt"
	"slices"

	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/spelling"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmapi"
)

// mend guesses what a step that selects nothing was meant to select. It returns those
// fields and the corrected step, or no fields if it has no guess.
func (s *pathSearch) mend(step fieldpath.Step, written string) ([]*field, string) {
	isItem := true
	switch step := step.(type) {
	case fieldpath.Name:
		return s.mendName(step, written)
	case fieldpath.Wildcard:
		isItem = false
	case fieldpath.Union:
		_, isName := step.Keys()[0].(fieldpath.Name)
		isItem = !isName
	}
	if !isItem {
		s.find("unknown-field", false, "%s selects nothing that is known in %s", value.Shortened(written), s.soFar())
		return nil, written
	}
	_, isFilter := step.(fieldpath.Filter)
	if s.deep != nil || isFilter {
		s.find("not-an-array", false, "%s is not an array, so %s selects nothing in it", s.soFar(), value.Shortened(written))
		return nil, written
	}
	s.find("not-an-array", true, "%[1]s is not an array, so %[2]s selects nothing in it: remove %[2]s", s.soFar(), value.Shortened(written))
	return s.fields, ""
}

func (s *pathSearch) mendName(name fieldpath.Name, written string) ([]*field, string) {
	if next := stepAll(itemsOf(s.fields), name); len(next) > 0 {
		s.find("missing-wildcard", true, "%[1]s is an array, so %[2]s selects nothing in it: write [*]%[2]s", s.soFar(), value.Shortened(written))
		return next, "[*]" + written
	}
	names := namesIn(s.fields)
	if s.budget.Spend(compareWork*len(names), 0) != nil {
		return nil, written
	}
	if meant := spelling.Nearest(string(name), names); meant != "" {
		s.find("misspelt-field", true, "unknown field %s in %s: did you mean %q?", value.Quoted(string(name)), s.soFar(), meant)
		next := stepAll(s.fields, fieldpath.Name(meant))
		if s.deep != nil {
			return next, meant
		}
		return next, "." + meant
	}
	if next, mended, ok := s.moved(name, written); ok {
		return next, mended
	}
	s.find("unknown-field", false, "unknown field %s in %s%s", value.Quoted(string(name)), s.soFar(), s.scalarsHere(names))
	return nil, written
}

// scalarsHere says which fields the last name of a path may mean; "" if that is not known.
func (s *pathSearch) scalarsHere(names []string) string {
	scalars := slices.DeleteFunc(names, func(name string) bool {
		return !slices.ContainsFunc(stepAll(s.fields, fieldpath.Name(name)), oneScalar.fits)
	})
	if len(s.rest) != 1 || s.deep != nil || len(scalars) == 0 {
		return ""
	}
	return fmt.Sprintf(": it has %s", value.AppendList(nil, scalars))
}

// compareWork is the cost of comparing two names of fields.
const compareWork = 1000

func itemsOf(fields []*field) []*field {
	var items []*field
	for _, f := range fields {
		if f.Shape == vmapi.Array {
			items = append(items, f.Items)
		}
	}
	return unique(items)
}
