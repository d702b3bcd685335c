package jsonpath

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// A Filter is a step that selects the items for which a comparison holds. We do not use
// the filter of ojg, which rounds the operands.
type Filter struct {
	jp.Frag
	Left, Right Operand
	Operator    string // "" for existence, which has no Right
}

// An Operand is a path below the current item, or a literal.
type Operand struct {
	Path    jp.Expr // nil for a literal
	Literal value.Scalar
}

// filter reads what follows [?( up to )].
func (p *parser) filter() (jp.Frag, error) {
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	f := Filter{Frag: jp.Wildcard('#'), Left: left}
	switch f.Operator = p.operator(); {
	case f.Operator != "":
		if f.Right, err = p.operand(); err != nil {
			return nil, err
		}
	case left.Path == nil:
		return nil, errors.New("a filter begins with a path below the current item, such as @.name")
	}
	p.blanks()
	switch {
	case p.skip(")]"):
		return f, nil
	case strings.HasPrefix(p.rest, "&&"), strings.HasPrefix(p.rest, "||"):
		return nil, errors.New("a filter has only one comparison: && and || are not part of Kubernetes' JSONPath")
	case p.rest == "":
		return nil, errors.New("the filter is never closed with )]")
	}
	return nil, p.unexpected("inside a filter")
}

func (p *parser) operator() string {
	p.blanks()
	for _, operator := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if p.skip(operator) {
			return operator
		}
	}
	return ""
}

func (p *parser) operand() (Operand, error) {
	p.blanks()
	switch {
	case p.rest == "":
		return Operand{}, errors.New("the filter ends too early")
	case p.rest[0] == '$':
		return Operand{}, errors.New("some read $ inside a filter as the current item, others as the root: write @ for the item")
	case p.skip("@"):
		return p.operandPath()
	case p.rest[0] == '"' || p.rest[0] == '\'':
		return p.quotedLiteral()
	}
	end := strings.IndexAny(p.rest, " )<>=!&|")
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	if word == "true" || word == "false" {
		return Operand{Literal: value.FromBool(word == "true")}, nil
	}
	if word == "" {
		return Operand{}, p.unexpected("in a filter, where a path (@.name), a quoted string, a number, true or false is expected")
	}
	n, err := quantity.ParseJSON(strings.TrimPrefix(word, "+"))
	if err != nil {
		return Operand{}, fmt.Errorf("%q in a filter is neither a path (@.name), a quoted string, a number, true nor false", word)
	}
	return Operand{Literal: value.FromNumber(n)}, nil
}

// operandPath reads the path after an @, up to the operator or the end.
func (p *parser) operandPath() (Operand, error) {
	expr := jp.Expr{}
	for p.rest != "" && (p.rest[0] == '.' || p.rest[0] == '[') {
		if strings.HasPrefix(strings.TrimLeft(p.rest, "."), "[?") {
			return Operand{}, errors.New("a filter inside a filter is not part of Kubernetes' JSONPath")
		}
		end := operandStep(p.rest)
		inner := parser{rest: p.rest[:end]}
		var err error
		if expr, err = inner.step(expr); err != nil {
			return Operand{}, err
		}
		p.rest = p.rest[end-len(inner.rest):]
	}
	return Operand{Path: expr}, nil
}

// operandStep returns the latest index at which a step of an operand's path ends. A name
// ends at the next step or at what follows the operand. A bracket is read whole.
func operandStep(s string) int {
	start := len(s) - len(strings.TrimLeft(s, "."))
	for i := start; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			if i == start {
				return len(s)
			}
			return i
		case '.', ' ', ')', '<', '>', '=', '!', '&', '|':
			return i
		}
	}
	return len(s)
}

// quotedLiteral reads a string with the escapes of Go, as Kubernetes does.
func (p *parser) quotedLiteral() (Operand, error) {
	quote := p.rest[0]
	text, rest := Unquote(p.rest[1:], quote)
	switch {
	case rest == "":
		return Operand{}, errors.New("the quoted string in the filter is never closed")
	case rest[0] != quote:
		return Operand{}, fmt.Errorf("%.20q is not a quoted string: a backslash begins an escape as in Go", p.rest)
	}
	p.rest = rest[1:]
	return Operand{Literal: value.FromString(text)}, nil
}

// Unquote reads a string with the escapes of Go up to a quote. It returns the rest, which begins with
// the quote, or with an escape that Go does not have.
func Unquote(s string, quote byte) (text, rest string) {
	var b strings.Builder
	for s != "" && s[0] != quote {
		r, isMultibyte, tail, err := strconv.UnquoteChar(s, quote)
		if err != nil {
			break
		}
		if isMultibyte || r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			b.WriteByte(byte(r))
		}
		s = tail
	}
	return b.String(), s
}
