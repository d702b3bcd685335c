package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmapi"
)

// A pathSearch follows a path down the tree of fields. If a step selects nothing, it
// guesses what was meant, corrects the path and goes on.
type pathSearch struct {
	budget  *meter.Budget
	root    string   // "@" inside a filter
	fields  []*field // the fields that the steps so far may select; empty if they are unknown
	around  []*field // those before the last step
	written []string // the steps so far, corrected
	deep    []*field // in a step with "..", the fields where the descent starts
	since   string   // the Since of the first field that has one
	unsure  bool     // whether some object may have what no VM is known to have
	found   []pathFinding

	rest     []fieldpath.Step // from the last step on; none inside a filter
	texts    []string         // of these
	from, to int              // where the last step is in the text of the path
}

type pathFinding struct {
	id, message string
	mended      bool
	severity    Severity
	from, to    int
}

// run follows the steps of a path. The texts are those of the steps.
func (s *pathSearch) run(steps []fieldpath.Step, texts []string) {
	if n := stepsToTemplate(steps); n > 0 {
		first := strings.Join(texts[:n], "")
		s.moveOver(first)
		s.find("path-from-vm", true, "paths start at the VM's spec.template: remove %s", value.Shortened(first))
		steps, texts = steps[n:], texts[n:]
	}
	if len(steps) > 0 && steps[0] == fieldpath.Name("status") {
		s.unsure, s.fields = true, nil // a VM has one while it runs
		s.find("path-to-status", false, "the VM of a template has no status: rules see its spec.template, of which .metadata and .spec are set")
	}
	for s.rest, s.texts = steps, texts; len(s.rest) > 0; s.skip(1) {
		s.moveOver(s.texts[0])
		s.around = s.fields
		if s.dottedName(s.rest) {
			return
		}
		s.step(s.rest[0], s.texts[0])
	}
}

func (s *pathSearch) skip(n int) { s.rest, s.texts = s.rest[n:], s.texts[n:] }

func (s *pathSearch) moveOver(text string) { s.from, s.to = s.to, s.to+len(text) }

// dottedName corrects the name of a label that lacks quotes, so that its dots separate steps.
func (s *pathSearch) dottedName(steps []fieldpath.Step) bool {
	if len(steps) < 2 || len(s.fields) != 1 || s.fields[0].Shape != vmapi.Map || s.fields[0].Items.Shape != vmapi.Scalar {
		return false
	}
	var names []string
	for _, step := range steps {
		name, isName := step.(fieldpath.Name)
		if !isName || strings.ContainsAny(string(name), `'\`) {
			return false
		}
		names = append(names, string(name))
	}
	quoted := "['" + strings.ReplaceAll(strings.Join(names, "."), ".", `\.`) + "']"
	s.find("misspelt-field", true, "unknown field %s: quote a name with dots: %s", value.Quoted(names[1]), value.Shortened(s.soFar()+quoted))
	s.written, s.fields = append(s.written, quoted), []*field{s.fields[0].Items}
	return true
}

// stepsToTemplate returns the number of steps at the start of a path that select the
// spec.template of a VM, or of an object of a template; 0 if the path does not start so.
func stepsToTemplate(steps []fieldpath.Step) int {
	n := 0
	if len(steps) > 2 && steps[0] == fieldpath.Name("objects") {
		n = 2
	}
	if len(steps) >= n+2 && steps[n] == fieldpath.Name("spec") && steps[n+1] == fieldpath.Name("template") {
		return n + 2
	}
	return 0
}

// find records what is wrong with a step, unless it has recorded the same about another
// step: a path may have thousands.
func (s *pathSearch) find(id string, mended bool, format string, args ...any) {
	if slices.ContainsFunc(s.found, func(f pathFinding) bool { return f.id == id && f.mended == mended }) {
		return
	}
	severity := severities[id]
	if severity == SeverityError && s.unsure {
		severity = SeverityWarning
	}
	s.found = append(s.found, pathFinding{id, fmt.Sprintf(format, args...), mended, severity, s.from, s.to})
}

// soFar returns the path up to here for a message, which shows only its beginning.
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

// step moves on to the fields that a step selects.
func (s *pathSearch) step(step fieldpath.Step, written string) {
	dots := ""
	s.deep = nil
	if descent, ok := step.(fieldpath.Descent); ok && s.spendBelow() {
		s.deep, s.fields, s.unsure = s.fields, belowAll(s.fields), true
		step, written, dots = descent.Step(), written[len(".."):], ".."
	}
	looks := len(s.fields)
	if union, ok := step.(fieldpath.Union); ok {
		looks = meter.Times(looks, len(union.Keys()))
	}
	if s.pay(looks) {
		written = s.follow(step, written)
	}
	if s.deep != nil && len(s.written) == 0 && (len(s.found) == 0 || s.since != "") && s.isVague(step) {
		return
	}
	if written != "" {
		s.written = append(s.written, dots+written)
	}
}

// follow moves on to the fields that a step selects, and returns the corrected step.
func (s *pathSearch) follow(step fieldpath.Step, written string) string {
	next := stepAll(s.named(step), step)
	s.date(next, written)
	if f, ok := step.(fieldpath.Filter); ok && len(next) > 0 {
		s.filter(f, next, written)
	}
	if len(next) == 0 {
		next, written = s.mend(step, written)
	}
	s.fields = next
	return written
}

// date finds the first step that selects only fields that an older KubeVirt or its template validator lacks.
func (s *pathSearch) date(next []*field, written string) {
	isOld := func(f *field) bool { return f.Since == "" }
	if s.since != "" || len(next) == 0 || slices.ContainsFunc(next, isOld) {
		return
	}
	s.since = next[0].Since
	s.find("newer-field", false, "%s came with KubeVirt %s, so no VM of an older one has it: use another field, or require KubeVirt %[2]s", value.Shortened(written), s.since)
	s.find("ssp-unknown-field", false, "KubeVirt's template validator does not find %s in the Go types that it is compiled with: use another field", value.Shortened(written))
}

// spendBelow pays for the fields and all fields below them.
func (s *pathSearch) spendBelow() bool {
	looks := len(s.fields)
	for _, f := range s.fields {
		looks += len(f.Below())
	}
	return s.pay(looks)
}

const fieldWork = 300

// pay pays for looking at fields. If the budget is used up, the fields that the path selects are unknown
// from here on.
func (s *pathSearch) pay(looks int) bool {
	if s.budget.Spend(meter.Times(looks, fieldWork), 0) != nil {
		s.fields = nil
	}
	return len(s.fields) > 0
}

// named returns the fields in which a step looks. A map such as labels may have any name,
// but a name after ".." is rarely meant for it.
func (s *pathSearch) named(step fieldpath.Step) []*field {
	name, ok := step.(fieldpath.Name)
	// Only a label may have other characters.
	isOfLabel := func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	if s.deep == nil || !ok || strings.ContainsFunc(string(name), isOfLabel) {
		return s.fields
	}
	return slices.DeleteFunc(slices.Clone(s.fields), func(f *field) bool {
		return (f.Shape == vmapi.Map || f.Shape == vmapi.Any) && !slices.Contains(s.deep, f)
	})
}

// filter checks the paths of a filter against the items at which it looks. It suggests no
// corrections of them.
func (s *pathSearch) filter(f fieldpath.Filter, items []*field, written string) {
	defer func(before bool) { s.unsure = before }(s.unsure)
	s.unsure = true
	left, right := f.Left(), f.Right()
	s.operand(left, items, f.Operator() != "", written, strings.Index(written, left.String()))
	s.operand(right, items, true, written, strings.LastIndex(written, right.String()))
}

// operand checks an operand of a filter. It begins at an offset of the filter's text; -1 if it is
// spelled in another way than String does.
func (s *pathSearch) operand(o fieldpath.Operand, items []*field, isCompared bool, filter string, at int) {
	path, ok := o.Steps()
	if !ok {
		return
	}
	inner := pathSearch{budget: s.budget, root: "@", fields: items, to: s.to - len(filter) + at + len("@")}
	for _, step := range path {
		inner.moveOver(step.String())
		inner.step(step, step.String())
	}
	if isCompared {
		inner.end(isScalar)
	}
	s.since = cmp.Or(s.since, inner.since)
	from, to := s.from, s.to
	for _, found := range inner.found {
		if at >= 0 {
			s.from, s.to = found.from, found.to
		}
		s.find(found.id, false, "in the filter, %s", found.message)
	}
	s.from, s.to = from, to
}

// end checks what the whole path selects, which should be a field that fits.
func (s *pathSearch) end(fits func(*field) bool) {
	if len(s.fields) == 0 || slices.ContainsFunc(s.fields, fits) {
		return
	}
	items := stepAll(s.fields, fieldpath.Items{})
	switch {
	case len(items) == 0:
		s.find("not-a-scalar", false, "the path selects an object, but must select a string, number or boolean: add the name of a field in it")
	case slices.ContainsFunc(items, fits):
		s.find("not-a-scalar", true, "the path selects an array, but must select a string, number or boolean: add [*] for its items")
		s.written = append(s.written, "[*]")
	default:
		s.find("not-a-scalar", false, "the path selects an array, but must select a string, number or boolean: add [*] and the name of a field in its items")
	}
}

func isAny(*field) bool { return true }

// isScalar reports whether a field is a string, number or boolean, or may be one.
func isScalar(f *field) bool { return f.Shape == vmapi.Scalar || f.Shape == vmapi.Any }

// isScalarOrList reports whether a field is a scalar, or an array of these.
func isScalarOrList(f *field) bool { return isScalar(f) || f.Shape == vmapi.Array && isScalar(f.Items) }
