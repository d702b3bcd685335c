package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/spelling"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmapi"
)

// mend guesses what a step that selects nothing was meant to select. It returns those
// fields and the corrected step, or no fields if it has no guess.
func (s *pathSearch) mend(step fieldpath.Step, written string) ([]*field, string) {
	isOfNames, isFilter := false, false
	switch step := step.(type) {
	case fieldpath.Name:
		return s.mendName(step, written)
	case fieldpath.Wildcard:
		isOfNames = true
	case fieldpath.Union:
		_, isOfNames = step.Keys()[0].(fieldpath.Name)
	case fieldpath.Filter:
		isFilter = true
	}
	switch {
	case isOfNames:
		s.find("unknown-field", false, "%s selects nothing that is known in %s", value.Shortened(written), s.soFar())
	case isFilter || s.deep != nil:
		s.find("not-an-array", false, "%s is not an array, so %s selects nothing in it", s.soFar(), value.Shortened(written))
	default:
		s.find("not-an-array", true, "%[1]s is not an array, so %[2]s selects nothing in it: remove %[2]s", s.soFar(), value.Shortened(written))
		return s.fields, ""
	}
	return nil, written
}

func (s *pathSearch) mendName(name fieldpath.Name, written string) ([]*field, string) {
	if next := stepAll(stepAll(s.named(name), fieldpath.Items{}), name); len(next) > 0 {
		s.find("missing-wildcard", true, "%[1]s is an array, so %[2]s selects nothing in it: write [*]%[2]s", s.soFar(), value.Shortened(written))
		return next, "[*]" + written
	}
	names := slices.Sorted(maps.Keys(membersOf(s.fields)))
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
		return !slices.ContainsFunc(stepAll(s.fields, fieldpath.Name(name)), isScalar)
	})
	if len(s.rest) != 1 || s.deep != nil || len(scalars) == 0 {
		return ""
	}
	return fmt.Sprintf(": it has %s", value.AppendList(nil, scalars))
}

// compareWork is the cost of comparing two names of fields.
const compareWork = 1000

// moved guesses which field a name at the wrong level means: one further down, none behind a scalar,
// or one where the rest of the path would be right. It returns those fields and the corrected step.
func (s *pathSearch) moved(name fieldpath.Name, written string) (next []*field, mended string, ok bool) {
	isOther := func(f *field) bool { return f.Shape != vmapi.Scalar }
	switch {
	case s.deep != nil: // ".." would have found the name
		return nil, "", false
	case len(s.fields) > 0 && !slices.ContainsFunc(s.fields, isOther):
		s.find("misplaced-field", true, "%s has no fields: remove %s", s.soFar(), value.Shortened(written))
		return s.fields, "", true
	case !s.pay(len(s.fields) + len(s.rest)):
		return nil, "", false
	}
	switch below := s.below(name); {
	case len(below) == 1:
		s.find("misplaced-field", true, "unknown field %s in %s: did you mean %s?", value.Quoted(string(name)), s.soFar(), value.Shortened(below[0].steps+written))
		return stepOf(below[0].around, name), below[0].steps + written, true
	case 0 < len(below) && len(below) <= maxNamed:
		s.find("misplaced-field", false, "unknown field %s in %s: did you mean %s?", value.Quoted(string(name)), s.soFar(), oneOf(below, written))
		return nil, written, true
	}
	return s.elsewhere(name)
}

// below returns the nearest places of a name below the fields: those that have the rest of the path or, if
// none does, those one level down.
func (s *pathSearch) below(name fieldpath.Name) []place {
	var all, children []place
	for _, f := range s.fields {
		for _, p := range placesIn(f)[string(name)] {
			if p.depth > 0 && (p.depth <= maxGuessed || len(s.rest) > 1) {
				all = append(all, p)
			}
			if p.depth == 1 {
				children = append(children, p)
			}
		}
	}
	if found := nearest(all, s.rest); found != nil {
		return found
	}
	return children
}

// maxGuessed is how many levels a name may lack that is the last of a path.
const maxGuessed = 3

func oneOf(places []place, written string) string {
	var all []string
	for _, p := range places {
		all = append(all, p.steps+written)
	}
	last := len(all) - 1
	return value.Shortened(strings.Join(all[:last], ", ") + " or " + all[last])
}

// spine has the names with which the right part of a path may begin again.
var spine = []fieldpath.Step{fieldpath.Name("metadata"), fieldpath.Name("spec"), fieldpath.Name("domain"), fieldpath.Name("devices")}

// elsewhere finds the place of the VM that has the rest of the path, of at least two steps, perhaps without
// what is in front of a name of the spine.
func (s *pathSearch) elsewhere(unknown fieldpath.Name) (next []*field, mended string, ok bool) {
	for n := 0; n+1 < len(s.rest); n++ {
		name, isName := s.rest[n].(fieldpath.Name)
		if !isName || n > 0 && !slices.Contains(spine, s.rest[n]) {
			continue
		}
		found := nearest(placesIn(vmapi.OfVM())[string(name)], s.rest[n:])
		if len(found) != 1 {
			continue
		}
		s.find("misplaced-field", true, "unknown field %s in %s: did you mean %s?", value.Quoted(string(unknown)), s.soFar(),
			value.Shortened(found[0].steps+strings.Join(s.texts[n:], "")))
		s.written, mended = []string{found[0].steps}, s.texts[n]
		s.to += len(strings.Join(s.texts[1:n+1], ""))
		s.skip(n)
		return stepOf(found[0].around, name), mended, true
	}
	return nil, "", false
}

// isVague finds a path that begins with two dots although they select one field. It returns false for any
// other path.
func (s *pathSearch) isVague(step fieldpath.Step) bool {
	name, isName := step.(fieldpath.Name)
	if !isName || len(s.rest) == 0 || !s.pay(len(s.rest)) {
		return false
	}
	steps := slices.Concat([]fieldpath.Step{name}, s.rest[1:])
	lacks := func(p place) bool { return !p.has(steps) }
	all := slices.DeleteFunc(slices.Clone(placesIn(vmapi.OfVM())[string(name)]), lacks)
	if len(all) != 1 {
		return false
	}
	meant := all[0].steps + name.String()
	s.find("vague-path", true, "..%s searches the whole VM for one field: write %s", value.Shortened(string(name)), value.Shortened(meant+strings.Join(s.texts[1:], "")))
	s.written = append(s.written, meant)
	return true
}
