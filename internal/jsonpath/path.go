package jsonpath

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/ohler55/ojg/jp"
)

// A Path is a parsed path. It is immutable; nil is no path.
type Path struct {
	steps jp.Expr // without the root; a filter is our own fragment
	text  string  // as it was written, without braces, $ and the first dot
}

// Steps returns the steps behind the root, which may not be modified.
func (p *Path) Steps() jp.Expr {
	if p == nil {
		return nil
	}
	return p.steps
}

// Text returns the path as it was written, without braces, $ and the first dot;
// "$" for the root, "" for nil.
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
		_, _ = parser.step(nil) // it has been read before
		texts = append(texts, before[:len(before)-len(parser.rest)])
	}
	return texts
}

// LeadingDot returns an expression with the dot in front that may be left out.
func LeadingDot(expression string) string {
	if expression == "" || strings.ContainsRune(".[${", rune(expression[0])) {
		return expression
	}
	return "." + expression
}

// Prefix marks a string as a path.
const Prefix = "jsonpath::"

// WithPrefix returns the path that a string without the right prefix probably means,
// with it.
func WithPrefix(s string) string {
	s = strings.TrimSpace(s)
	if word := s[:min(len(s), len("jsonpath"))]; strings.EqualFold(word, "jsonpath") {
		s = strings.TrimLeft(s[len(word):], ": ")
	}
	return Prefix + LeadingDot(strings.TrimPrefix(s, "/"))
}

// PrefixHint returns the end of a message about a literal that is probably a path
// without its prefix; "" about any other.
func PrefixHint(literal string) string {
	if !strings.HasPrefix(literal, ".") && !strings.HasPrefix(strings.ToLower(literal), "jsonpath") {
		return ""
	}
	return fmt.Sprintf(" (for a path write %q)", WithPrefix(literal))
}
