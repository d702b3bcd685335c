package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/pcre"
	"github.com/vmrules/vmrules/internal/value"
)

// A pathSearch goes down the tree of fields along a path. Where a step leads to
// nothing, it mends the path if it can tell what was meant, and goes on.
type pathSearch struct {
	budget  *pcre.Budget
	root    string   // "@" inside a filter
	fields  []*field // that the steps so far may select; none: what follows is not known
	written []string // the steps so far, mended
	deep    []*field // in a step at any depth, where that begins
	found   []pathFinding
}

type pathFinding struct {
	id, message string
	mended      bool
}

// run follows a path, whose steps are given with their texts.
func (s *pathSearch) run(steps []vmrules.Step, texts []string) {
	if n := stepsToTemplate(steps); n > 0 {
		s.find("path-from-vm", true, "paths begin at the VM's spec.template already: leave %s out", value.Shortened(strings.Join(texts[:n], "")))
		steps, texts = steps[n:], texts[n:]
	}
	for i, step := range steps {
		s.step(step, texts[i])
	}
}

// stepsToTemplate is how many steps lead from a VM to its spec.template, or from
// a template's list of objects; 0 where a path does not begin so.
func stepsToTemplate(steps []vmrules.Step) int {
	n := 0
	if len(steps) > 2 && steps[0] == vmrules.NameStep("objects") {
		n = 2
	}
	if len(steps) >= n+2 && steps[n] == vmrules.NameStep("spec") && steps[n+1] == vmrules.NameStep("template") {
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

// soFar is the path up to here, for people, who see no more than its beginning.
func (s *pathSearch) soFar() string {
	var text strings.Builder
	text.WriteString(s.root)
	for _, step := range s.written {
		if text.Len() > utf8.UTFMax*value.MaxShown {
			break
		}
		text.WriteString(step)
	}
	return cmp.Or(value.Shortened(text.String()), "$")
}

// step goes on to what a step selects.
func (s *pathSearch) step(step vmrules.Step, written string) {
	dots := ""
	s.deep = nil
	if descent, ok := step.(vmrules.DescentStep); ok && s.spendBelow() {
		s.deep, s.fields = s.fields, belowAll(s.fields)
		step, written, dots = descent.Step(), written[len(".."):], ".."
	}
	if s.spend(step) {
		written = s.follow(step, written)
	}
	if written != "" {
		s.written = append(s.written, dots+written)
	}
}

// follow goes on to what a step selects, and returns how to write the step.
func (s *pathSearch) follow(step vmrules.Step, written string) string {
	next := stepAll(s.named(step), step)
	if f, ok := step.(vmrules.FilterStep); ok && len(next) > 0 {
		s.filter(f, next)
	}
	if len(next) == 0 {
		next, written = s.mend(step, written)
	}
	s.fields = next
	return written
}

// spend counts the fields at which a step looks. Where too many were, for this path
// and those before it, nothing more is known of what it leads to.
func (s *pathSearch) spend(step vmrules.Step) bool {
	looks := len(s.fields)
	if union, ok := step.(vmrules.UnionStep); ok {
		looks = meter.Times(looks, len(union.Keys()))
	}
	return s.pay(looks)
}

// spendBelow counts the fields, and all below them.
func (s *pathSearch) spendBelow() bool {
	looks := len(s.fields)
	for _, f := range s.fields {
		looks += len(f.below())
	}
	return s.pay(looks)
}

// fieldWork is what looking at a field costs.
const fieldWork = 300

func (s *pathSearch) pay(looks int) bool {
	if s.budget.Spend(meter.Times(looks, fieldWork), 0) != nil {
		s.fields = nil
	}
	return len(s.fields) > 0
}

// named are the fields in which a step looks. Labels and the like may have any
// name, but a name behind ".." is rarely meant to be one of theirs.
func (s *pathSearch) named(step vmrules.Step) []*field {
	name, ok := step.(vmrules.NameStep)
	if s.deep == nil || !ok || strings.ContainsFunc(string(name), isNoFieldRune) {
		return s.fields
	}
	return slices.DeleteFunc(slices.Clone(s.fields), func(f *field) bool {
		return (f.shape == mapField || f.shape == anyField) && !slices.Contains(s.deep, f)
	})
}

// isNoFieldRune reports what the name of a field never has, but a label may.
func isNoFieldRune(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// filter holds the paths of a filter against the items at which it looks. They cannot
// be mended in the text.
func (s *pathSearch) filter(f vmrules.FilterStep, items []*field) {
	for _, operand := range [...]vmrules.Operand{f.Left(), f.Right()} {
		path, ok := operand.Steps()
		if !ok {
			continue
		}
		inner := pathSearch{budget: s.budget, root: "@", fields: items}
		for _, step := range path {
			inner.step(step, step.String())
		}
		if f.Operator() != "" {
			inner.end(oneScalar)
		}
		for _, found := range inner.found {
			s.find(found.id, false, "in the filter, %s", found.message)
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
