package model

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A path is a JSONPath in the dialect of kubectl (design 4: JSONPath).
type path struct {
	steps   []step
	written string // from the root, without prefix, braces, $ and first dot
}

// A step selects by each of its picks: several in a union. With descend it
// selects from a value and from everything below it.
type step struct {
	descend bool
	picks   []pick
}

// A pick is a name, an index, a slice, [*], .* or a filter.
type pick struct {
	kind       pickKind
	name       string
	start, end *int // of a slice; start is the index
	stride     int
	filter     filter
}

type pickKind int

const (
	byName pickKind = iota
	byIndex
	bySlice
	allItems
	allMembers
	byFilter
)

// A filter compares two operands, or asks whether the left one is there.
type filter struct {
	left, right operand
	op          string
}

// An operand is a path from @, or a literal.
type operand struct {
	isPath  bool
	steps   []step
	literal any
}

const prefix = "jsonpath::"

// isPath reports whether an argument is read as a path: by its prefix, in version
// 201901-1 also by a slash in front.
func isPath(s string, old bool) bool {
	return strings.HasPrefix(s, prefix) || old && strings.HasPrefix(s, "/")
}

// parsePath reads a path of either version.
func parsePath(text string) (path, error) {
	s := strings.TrimSpace(strings.TrimPrefix(text, prefix))
	if !strings.HasPrefix(text, prefix) {
		s = strings.TrimPrefix(s, "/")
	}
	if strings.HasPrefix(s, "{") {
		s = strings.TrimSpace(strings.TrimSuffix(s[1:], "}"))
	}
	s = strings.TrimPrefix(s, "$")
	p := &parser{text: s}
	if s == "" {
		return path{}, nil // $ alone
	}
	if !strings.HasPrefix(s, ".") && !strings.HasPrefix(s, "[") {
		p.text = "." + s
	}
	steps := p.steps()
	if p.err == nil && p.text != "" {
		p.err = fmt.Errorf("%q is left", p.text)
	}
	if p.err != nil {
		return path{}, fmt.Errorf("path %q: %w", text, p.err)
	}
	if !strings.HasPrefix(s, "..") {
		s = strings.TrimPrefix(s, ".")
	}
	return path{steps: steps, written: s}, nil
}

// A parser holds what is still to be read.
type parser struct {
	text string
	err  error
}

// take reads the token if it comes next.
func (p *parser) take(token string) bool {
	rest, ok := strings.CutPrefix(p.text, token)
	p.text = rest
	return ok
}

// match reads what the pattern matches next.
func (p *parser) match(re *regexp.Regexp) string {
	token := re.FindString(p.text)
	p.text = p.text[len(token):]
	return token
}

func (p *parser) fail(wanted string) {
	if p.err == nil {
		p.err = fmt.Errorf("wanted %s at %q", wanted, p.text)
	}
}

var (
	blanks   = regexp.MustCompile(`^ *`)
	bareName = regexp.MustCompile(`^(?:[\pL\pM\pN_/-]|\\.)+`)
	quoted   = regexp.MustCompile(`^(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`)
	integer  = regexp.MustCompile(`^-?[0-9]+`)
	decimal  = regexp.MustCompile(`^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`)
	operator = regexp.MustCompile(`^(?:==|!=|<=|>=|<|>)`)
	escape   = regexp.MustCompile(`\\(.)`)
)

func (p *parser) steps() []step {
	var steps []step
	for p.err == nil {
		s := step{descend: p.take("..")}
		switch {
		case p.take("["):
			s.picks = p.brackets()
		case !s.descend && !p.take("."):
			return steps
		case p.take("*"):
			s.picks = []pick{{kind: allMembers}}
		default:
			s.picks = []pick{{name: p.bareName()}}
		}
		steps = append(steps, s)
	}
	return nil
}

func (p *parser) bareName() string {
	name := p.match(bareName)
	if name == "" {
		p.fail("a name")
	}
	return escape.ReplaceAllString(name, "$1")
}

// brackets reads what follows [, up to the closing bracket.
func (p *parser) brackets() []pick {
	var picks []pick
	for p.err == nil {
		p.match(blanks)
		picks = append(picks, p.pick())
		p.match(blanks)
		if p.take("]") {
			return picks
		}
		if !p.take(",") {
			p.fail("] or a comma")
		}
	}
	return nil
}

func (p *parser) pick() pick {
	if p.take("?(") {
		return pick{kind: byFilter, filter: p.filter()}
	}
	if p.take("*") {
		return pick{kind: allItems}
	}
	if q := p.match(quoted); q != "" {
		return pick{name: unquote(q)}
	}
	start := p.integer()
	if !p.take(":") {
		return pick{kind: byIndex, start: start}
	}
	s := pick{kind: bySlice, start: start, end: p.integer(), stride: 1}
	if p.take(":") {
		if stride := p.integer(); stride != nil {
			s.stride = *stride
		}
	}
	return s
}

func (p *parser) integer() *int {
	digits := p.match(integer)
	if digits == "" {
		return nil
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		p.err = err
	}
	return &n
}

func unquote(s string) string { return escape.ReplaceAllString(s[1:len(s)-1], "$1") }

// filter reads what follows ?(, up to the closing parenthesis.
func (p *parser) filter() filter {
	f := filter{left: p.operand()}
	if f.op = p.match(operator); f.op != "" {
		f.right = p.operand()
	}
	if !p.take(")") {
		p.fail(")")
	}
	return f
}

func (p *parser) operand() operand {
	p.match(blanks)
	defer func() { p.match(blanks) }()
	if p.take("@") {
		return operand{isPath: true, steps: p.steps()}
	}
	if q := p.match(quoted); q != "" {
		return operand{literal: unquote(q)}
	}
	if n := p.match(decimal); n != "" {
		return operand{literal: json.Number(n)}
	}
	for literal, v := range map[string]bool{"true": true, "false": false} {
		if p.take(literal) {
			return operand{literal: v}
		}
	}
	p.fail("an operand")
	return operand{}
}

// A location is the way to a value from the root: names and indexes.
type location []any

// plainName is a name that needs no quotes in a field; its dots take a backslash.
var plainName = regexp.MustCompile(`^[\pL\pM\pN_/.-]+$`)

// field writes a location in the dialect of paths (design 3).
func (l location) field() string {
	var b strings.Builder
	for _, part := range l {
		switch part := part.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", part)
		case string:
			b.WriteString(fieldName(part))
		}
	}
	if len(l) == 0 {
		return "$"
	}
	return strings.TrimPrefix(b.String(), ".")
}

func fieldName(name string) string {
	dots := strings.NewReplacer(".", `\.`)
	if plainName.MatchString(name) {
		return "." + dots.Replace(name)
	}
	return "['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, ".", `\.`, "*", `\*`).Replace(name) + "']"
}

// compare orders locations as they stand in the document: items by index,
// members by name, and what is around others before them.
func (l location) compare(m location) int {
	for i := range min(len(l), len(m)) {
		if a, ok := l[i].(int); ok {
			if b := m[i].(int); a != b {
				return a - b
			}
		} else if c := strings.Compare(l[i].(string), m[i].(string)); c != 0 {
			return c
		}
	}
	return len(l) - len(m)
}

// with returns a location one part longer.
func (l location) with(part any) location { return append(l[:len(l):len(l)], part) }
