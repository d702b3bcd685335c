package jsonpath

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/spelling"
)

// A Path is a parsed path. It is immutable. A nil Path selects nothing.
type Path struct {
	steps jp.Expr // the steps after the root; a filter is a fragment of our own type, and a key of a union is one, too
	text  string  // the path as it was written, without braces, $ and the first dot
}

// Steps returns the steps after the root. The caller must not modify them.
func (p *Path) Steps() jp.Expr {
	if p == nil {
		return nil
	}
	return p.steps
}

// Text returns the path as it was written, without braces, $ and the first dot. It returns
// "$" for the root and "" for nil.
func (p *Path) Text() string {
	if p == nil {
		return ""
	}
	return p.text
}

// Equal reports whether two paths have the same steps, however they are spelled.
func (p *Path) Equal(q *Path) bool {
	return (p == nil) == (q == nil) && reflect.DeepEqual(p.Steps(), q.Steps())
}

// StepTexts returns each step as it was written, with the dots or brackets that
// belong to it.
func (p *Path) StepTexts() []string {
	if len(p.Steps()) == 0 {
		return nil
	}
	texts := make([]string, 0, len(p.steps))
	parser := parser{rest: LeadingDot(p.text)}
	for parser.rest != "" {
		before := parser.rest
		_, _ = parser.step(nil) // Parse has read it, so there is no error
		texts = append(texts, before[:len(before)-len(parser.rest)])
	}
	return texts
}

// LeadingDot returns an expression with its optional leading dot.
func LeadingDot(expression string) string {
	if expression == "" || strings.ContainsRune(".[${", rune(expression[0])) {
		return expression
	}
	return "." + expression
}

// Prefix marks a string as a path.
const Prefix = "jsonpath::"

// WithPrefix returns the path, with its prefix, that a string with a wrong or missing
// prefix, or with slashes instead of dots, probably means.
func WithPrefix(s string) string {
	s = strings.TrimSpace(s)
	word := s[:strings.IndexAny(s+":", ":;./$[{")]
	if spelling.Nearest(word, []string{"jsonpath"}) != "" {
		s = strings.TrimLeft(s[len(word):], ":; ")
	}
	s = strings.TrimPrefix(s, "/")
	if !strings.ContainsAny(s, ".'\"") {
		s = strings.ReplaceAll(s, "/", ".")
	}
	return Prefix + LeadingDot(s)
}

// PrefixHint returns the end of a message about a literal if that is probably a path without
// its prefix; otherwise "".
func PrefixHint(literal string) string {
	if !strings.HasPrefix(literal, ".") && !strings.HasPrefix(strings.ToLower(literal), "jsonpath") {
		return ""
	}
	return fmt.Sprintf(" (for a path write %q)", WithPrefix(literal))
}

// NamesField reports whether the path ends with a step that names a field, and that does not
// descend to it. Such a step sees the field's default.
func (p *Path) NamesField() bool {
	steps := p.Steps()
	if len(steps) == 0 || len(steps) > 1 && steps[len(steps)-2] == jp.Frag(jp.Descent('.')) {
		return false
	}
	switch last := steps[len(steps)-1].(type) {
	case jp.Child:
		return true
	case jp.Union:
		return slices.ContainsFunc(last, func(key any) bool { _, ok := key.(jp.Child); return ok })
	}
	return false
}

// IsField reports whether the path consists of names and [*] and ends in a name: it names a field in each
// object that may have it.
func (p *Path) IsField() bool {
	endsInName := false
	for _, step := range p.Steps() {
		if _, endsInName = step.(jp.Child); !endsInName && step != jp.Wildcard('#') {
			return false
		}
	}
	return endsInName
}

// BeginsWith reports whether the first steps of p are those of q, which then selects
// something wherever p does. Every path begins with the root.
func (p *Path) BeginsWith(q *Path) bool {
	steps, first := p.Steps(), q.Steps()
	return len(first) <= len(steps) && reflect.DeepEqual(steps[:len(first)], first)
}

// Names returns the names of the path's steps, from the root; false if the path has any
// step that is not a name.
func (p *Path) Names() ([]string, bool) {
	names := []string{}
	for _, step := range p.Steps() {
		name, ok := step.(jp.Child)
		if !ok {
			return nil, false
		}
		names = append(names, string(name))
	}
	return names, true
}
