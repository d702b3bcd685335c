package lint

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/inside"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/rulekey"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmapi"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// paths checks all paths of a rule against the fields that a VM may have.
func (l *linter) paths(r *rule) {
	fits := isAny
	if constraint.IsKind(r.Kind) {
		fits = isScalar
	}
	found := l.path(r, rulekey.Path, r.at(rulekey.Path).Value, r.Path, fits)
	r.fields, r.isSure = found.fields, !found.unsure
	l.path(r, rulekey.Valid, r.at(rulekey.Valid).Value, r.Valid, isAny)
	for key, argument := range r.Arguments() {
		list, fits := r.at(key).Value, isScalar
		if constraint.Named(key).IsList {
			fits = isScalarOrList
		}
		items, _ := argument.List()
		for i, a := range items {
			at := list
			if len(at.Items) > 0 {
				at = at.Items[i]
			}
			path, _ := a.Path()
			l.path(r, key, at, path, fits)
		}
	}
}

// path checks one path, which may be zero, against the fields: what it selects should fit. It returns its search.
func (l *linter) path(r *rule, key string, at jsontext.Node, p vmrules.Path, fits func(*field) bool) *pathSearch {
	if p.IsZero() || l.isWhole {
		return &pathSearch{}
	}
	text, steps := at.Value.(string), inside.Vmrules.Parsed(p).Text()
	first := strings.LastIndex(text, steps)
	s := &pathSearch{budget: &l.budget, fields: []*field{vmapi.OfVM()}, to: first + len(steps) - len(jsonpath.LeadingDot(steps))}
	p = s.withDots(p)
	s.run(fieldpath.Steps(p), written(p))
	s.end(fits)
	l.sspPath(r, key, at, p)
	if s.since == "" {
		l.sspSelected(r, key, at, p, s)
	}
	isRead := key == rulekey.Valid || r.isUsedBySSP(key) && key != constraint.Regex
	for _, f := range s.found {
		if f.id == "newer-field" && !slices.Contains(l.newer, s.since) || f.id == "ssp-unknown-field" && !isRead {
			continue
		}
		added := l.add(r, key, f.id, "%s", f.message)
		if f.from < first && !strings.HasSuffix(text[:first], ".") {
			f.from = first // the first dot is left out
		}
		added.Offset = at.Start
		if f.from < f.to { // not the root
			added.Offset, added.End = jsontext.Inside(l.text, at.Start, f.from), jsontext.Inside(l.text, at.Start, f.to)
		}
		switch {
		case f.severity == SeverityError && key == rulekey.Path && r.refusesAll(): // no VM has what it selects
			added.follow(SeverityError)
		case f.id == "ssp-unknown-field": // as For says, in valid too
		case l.profile == "" || !r.isUsedBySSP(key):
			added.Severity, added.Refuses = f.severity, false
		}
		if f.mended {
			added.Suggestion = writtenLike(text, strings.Join(s.written, ""))
		}
	}
	return s
}

// withDots returns the path that one with slashes between its names means. It returns other paths
// as they are.
func (s *pathSearch) withDots(p vmrules.Path) vmrules.Path {
	text := strings.TrimPrefix(p.String(), jsonpath.Prefix+".")
	if strings.ContainsAny(text, ".'\"") || !strings.Contains(text, "/") || s.budget.Spend(sspPathWork*len(text), sspPathSize*len(text)) != nil {
		return p
	}
	meant, err := vmrules.ParsePath(jsonpath.WithPrefix(text))
	if err != nil {
		return p
	}
	s.moveOver(text)
	s.find("misspelt-field", true, "JSONPath uses dots: write %s", value.Shortened(strings.TrimPrefix(meant.String(), jsonpath.Prefix)))
	s.to = s.from
	return meant
}

// writtenLike returns the steps as a path with the prefix and the leading dot of another
// path in the annotation.
func writtenLike(like, steps string) string {
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

// written returns the text of each step as it is in the annotation.
func written(p vmrules.Path) []string { return inside.Vmrules.Parsed(p).StepTexts() }

// spelled returns the text of each step, spelled the same way for Equal paths.
func spelled(p vmrules.Path) []string {
	steps := fieldpath.Steps(p)
	texts := make([]string, 0, len(steps))
	for _, step := range steps {
		texts = append(texts, step.String())
	}
	return texts
}

// impliedAt returns what counts at the field at the end of a path if a VM does not set it; nil if nothing
// does.
func impliedAt(p vmrules.Path) *jsonpath.Implied {
	if !namesField(p) {
		return nil
	}
	at := vmfields.OpenVM
	for _, step := range inside.Vmrules.Parsed(p).Steps() {
		at = at.After(step)
	}
	return at
}

// namesField reports whether a path ends in the name of a field, and all other steps are names or select
// items.
func namesField(p vmrules.Path) bool {
	endsInName := false
	for _, step := range fieldpath.Steps(p) {
		switch step.(type) {
		case fieldpath.Union, fieldpath.Descent:
			return false
		}
		_, endsInName = step.(fieldpath.Name)
	}
	return endsInName
}
