package vmrules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/spelling"
	"github.com/vmrules/vmrules/internal/value"
)

// paths holds all paths of a rule against the fields that a VM may have.
func (l *linter) paths(r linted) {
	_, at := r.at(keyPath)
	judged := oneScalar
	if !r.Kind.isOfFormat() {
		judged = anyValue
	}
	l.path(r, keyPath, at, r.Path, judged)
	_, at = r.at(keyValid)
	l.path(r, keyValid, at, r.Valid, anyValue)
	for _, key := range argumentKeys {
		_, at := r.at(key)
		if a := r.slot(key); a != nil {
			l.path(r, key, at, a.path, oneScalar)
			continue
		}
		l.path(r, key, at, r.ValuesFrom, scalars)
		for i, a := range r.Values {
			l.path(r, key, at.Items[i], a.path, scalars)
		}
	}
}

// A wanted is what a path must lead to.
type wanted int

const (
	anyValue  wanted = iota
	oneScalar        // a string, number or boolean
	scalars          // or an array of these
)

// path holds one path, which may be zero, against the fields.
func (l *linter) path(r linted, key string, at jsontext.Node, p Path, w wanted) {
	if p.IsZero() {
		return
	}
	s := pathSearch{budget: l.budget, fields: []*field{vmFields()}}
	s.run(p)
	s.end(w)
	for _, f := range s.found {
		added := l.add(r, key, f.id, "%s", f.message)
		added.Offset = at.Start
		if f.mended {
			added.Suggestion = l.writtenLike(at.Value.(string), strings.Join(s.written, ""))
		}
	}
}

// writtenLike writes the steps of a path as another path in the annotation is
// written.
func (l *linter) writtenLike(like, steps string) string {
	steps = jsonpath.LeadingDot(steps)
	if steps == "" {
		steps = "$"
	}
	if strings.HasPrefix(like, jsonpath.Prefix) {
		return jsonpath.Prefix + steps
	}
	if short := strings.TrimPrefix(steps, "."); !strings.HasPrefix(short, ".") && !jsonpath.IsKeyword(short) {
		steps = short
	}
	if strings.HasPrefix(like, "/") {
		return "/" + steps
	}
	return steps
}

// A pathSearch goes down the tree of fields along a path. Where a step leads to
// nothing, it mends the path if it can tell what was meant, and goes on.
type pathSearch struct {
	budget  *budget
	root    string   // "@" inside a filter
	fields  []*field // that the steps so far may select; none: what follows is not known
	written []string // the steps so far, mended
	deep    []*field // behind "..", where it began
	found   []pathFinding
}

type pathFinding struct {
	id, message string
	mended      bool
}

func (s *pathSearch) run(p Path) {
	steps, texts := p.steps(), p.parsed.StepTexts()
	if n := stepsToTemplate(steps); n > 0 {
		s.find("path-from-vm", true, "paths begin at the VM's spec.template already: leave %s out", value.Shortened(strings.Join(texts[:n], "")))
		steps, texts = steps[n:], texts[n:]
	}
	for i, step := range steps {
		if len(s.fields) == 0 {
			s.written = append(s.written, texts[i:]...)
			return
		}
		s.step(step, texts[i])
	}
}

// stepsToTemplate is how many steps lead from a VM to its spec.template, or from
// a template's list of objects; 0 where a path does not begin so.
func stepsToTemplate(steps jp.Expr) int {
	n := 0
	if len(steps) > 2 && steps[0] == jp.Child("objects") {
		n = 2
	}
	if len(steps) >= n+2 && steps[n] == jp.Child("spec") && steps[n+1] == jp.Child("template") {
		return n + 2
	}
	return 0
}

// find notes what is wrong with a step, unless the same is known of another: a
// path may have thousands of steps.
func (s *pathSearch) find(id string, mended bool, format string, args ...any) {
	for _, f := range s.found {
		if f.id == id && f.mended == mended {
			return
		}
	}
	s.found = append(s.found, pathFinding{id, fmt.Sprintf(format, args...), mended})
}

// place is the path so far, for people, who see no more than its beginning.
func (s *pathSearch) place() string {
	var place strings.Builder
	place.WriteString(s.root)
	for _, step := range s.written {
		if place.Len() > utf8.UTFMax*value.MaxShown {
			break
		}
		place.WriteString(step)
	}
	return cmp.Or(value.Shortened(strings.TrimSuffix(place.String(), "..")), "$")
}

func (s *pathSearch) step(step jp.Frag, written string) {
	if !s.spend(step) {
		s.written = append(s.written, written)
		return
	}
	if step == jp.Descent('.') {
		s.deep, s.fields = s.fields, belowAll(s.fields)
		s.written = append(s.written, written)
		return
	}
	next := stepAll(s.named(step), step)
	if f, ok := step.(jsonpath.Filter); ok && len(next) > 0 {
		for _, path := range f.Paths() {
			s.operand(path, f.Compares(), next)
		}
	}
	if len(next) == 0 {
		next, written = s.mend(step, written)
	}
	s.fields, s.deep = next, nil
	if written != "" {
		s.written = append(s.written, written)
	}
}

// spend counts the fields that a step looks at. Where too many were, for this path
// and those before it, nothing more is known of what it leads to.
func (s *pathSearch) spend(step jp.Frag) bool {
	looks := len(s.fields)
	switch step := step.(type) {
	case jp.Union:
		looks = meter.Times(looks, len(step))
	case jp.Descent:
		for _, f := range s.fields {
			looks += len(f.below())
		}
	}
	if s.budget.Spend(meter.Times(looks, fieldWork), 0) != nil {
		s.fields = nil
	}
	return s.fields != nil
}

// named are the fields in which a step looks. Labels and the like may have any
// name, but a name behind ".." is rarely meant to be one of theirs.
func (s *pathSearch) named(step jp.Frag) []*field {
	name, ok := step.(jp.Child)
	if s.deep == nil || !ok || strings.ContainsFunc(string(name), isNoFieldRune) {
		return s.fields
	}
	return slices.DeleteFunc(slices.Clone(s.fields), func(f *field) bool {
		return (f.shape == mapField || f.shape == anyField) && !slices.Contains(s.deep, f)
	})
}

// isNoFieldRune tells what the name of a field never has, but a label may.
func isNoFieldRune(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// mend is what a step that leads to nothing was probably meant to select, and how
// to write it; nothing where that cannot be told.
func (s *pathSearch) mend(step jp.Frag, written string) ([]*field, string) {
	isItem := true
	switch step := step.(type) {
	case jp.Child:
		return s.mendName(step, written)
	case jp.Wildcard:
		isItem = step != jp.Wildcard('*')
	case jp.Union:
		_, isName := step[0].(string)
		isItem = !isName
	}
	if !isItem {
		s.find("unknown-field", false, "no VM is known to have %s below %s", value.Shortened(written), s.place())
		return nil, written
	}
	_, isFilter := step.(jsonpath.Filter)
	if s.deep != nil || isFilter {
		s.find("not-an-array", false, "%s is no array, in which %s selects nothing", s.place(), value.Shortened(written))
		return nil, written
	}
	s.find("not-an-array", true, "%s is no array, in which %s selects nothing: leave that out", s.place(), value.Shortened(written))
	return s.fields, ""
}

func (s *pathSearch) mendName(name jp.Child, written string) ([]*field, string) {
	if next := stepAll(itemsOf(s.fields), name); len(next) > 0 {
		s.find("missing-wildcard", true, "%s is an array, in which a name selects nothing: write [*] between them", s.place())
		return next, "[*]" + written
	}
	names := namesIn(s.fields)
	if s.budget.Spend(compareWork*len(names), 0) != nil {
		return nil, written
	}
	if meant := spelling.Nearest(string(name), names); meant != "" {
		s.find("misspelt-field", true, "no VM has a field %s in %s: did you mean %q?", value.Quoted(string(name)), s.place(), meant)
		if s.deep != nil {
			return stepAll(s.fields, jp.Child(meant)), meant
		}
		return stepAll(s.fields, jp.Child(meant)), "." + meant
	}
	if parent := s.parentOf(name); parent != "" {
		s.find("misplaced-field", true, "no VM has a field %s in %s: did you mean the one in .%s?", value.Quoted(string(name)), s.place(), parent)
		return stepAll(stepAll(s.fields, parent), name), "." + string(parent) + written
	}
	s.find("unknown-field", false, "no VM is known to have a field %s in %s", value.Quoted(string(name)), s.place())
	return nil, written
}

// fieldWork is what looking at a field costs, and compareWork what comparing
// its name with another does.
const (
	fieldWork   = 300
	compareWork = 1000
)

// parentOf is the step that was left out before a name, if it can only be one.
func (s *pathSearch) parentOf(name jp.Child) jp.Child {
	found := jp.Child("")
	if s.deep != nil {
		return "" // it would have been found
	}
	for _, parent := range namesIn(s.fields) {
		below := stepAll(s.fields, jp.Child(parent))
		hasName := slices.ContainsFunc(below, func(f *field) bool { return f.members[string(name)] != nil })
		if hasName && found != "" {
			return ""
		}
		if hasName {
			found = jp.Child(parent)
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

// operand holds the path of a filter's operand against the items that the filter
// looks at. It cannot be mended in the text.
func (s *pathSearch) operand(path jp.Expr, isCompared bool, items []*field) {
	inner := pathSearch{budget: s.budget, root: "@", fields: items}
	for _, step := range path {
		if len(inner.fields) == 0 {
			break
		}
		inner.step(step, shownStep(step))
	}
	if isCompared {
		inner.end(oneScalar)
	}
	for _, f := range inner.found {
		s.find(f.id, false, "in the filter, %s", f.message)
	}
}

// shownStep is a step of a filter's operand, for people.
func shownStep(step jp.Frag) string {
	if name, ok := step.(jp.Child); ok {
		return "." + string(name)
	}
	return "[…]"
}

// end judges what the whole path selects.
func (s *pathSearch) end(w wanted) {
	if w == anyValue || len(s.fields) == 0 || slices.ContainsFunc(s.fields, w.fits) {
		return
	}
	items := itemsOf(s.fields)
	switch {
	case len(items) == 0:
		s.find("not-a-scalar", false, "this selects an object, where a string, number or boolean is needed: go on to a field in it")
	case slices.ContainsFunc(items, w.fits):
		s.find("not-a-scalar", true, "this selects an array, where a string, number or boolean is needed: write [*] behind it for its items")
		s.written = append(s.written, "[*]")
	default:
		s.find("not-a-scalar", false, "this selects an array, where a string, number or boolean is needed: write [*] behind it, and go on to a field in its items")
	}
}

func (w wanted) fits(f *field) bool {
	switch f.shape {
	case scalarField, anyField:
		return true
	case arrayField:
		return w == scalars && oneScalar.fits(f.items)
	}
	return false
}
