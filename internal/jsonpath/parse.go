package jsonpath

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/value"
)

// A StepError is an error about one step of a path.
type StepError struct {
	error
	// Left and Behind are the lengths of the path from the beginning and from the end of the
	// step: what a caller cuts off in front of the path does not change them.
	Left, Behind int
}

func (e *StepError) Unwrap() error { return e.error }

// Parse reads a path. If one of its steps is wrong, it returns a StepError.
func Parse(s string) (*Path, error) {
	whole := s
	s = strings.TrimSpace(s)
	if inner, ok := strings.CutPrefix(s, "{"); ok {
		if inner, ok = strings.CutSuffix(inner, "}"); !ok {
			return nil, errors.New("the { is never closed")
		}
		s = strings.TrimSpace(inner)
	}
	p := parser{rest: s}
	isRooted := p.skip("$") || p.skip("@")
	text := p.rest
	steps, err := p.parse(isRooted)
	if err != nil {
		return nil, p.atStep(err, s, len(whole)-strings.Index(whole, s)-len(s))
	}
	if len(steps) == 0 {
		return &Path{steps, "$"}, nil
	}
	if !strings.HasPrefix(text, "..") {
		text = strings.TrimPrefix(text, ".")
	}
	return &Path{steps, text}, nil
}

// A parser reads one expression from its front.
type parser struct {
	rest string
	left int // the length of the text from the last step on; 0 before the first step
}

// atStep returns an error with the place of the last step, which goes on to the next step or the
// closing bracket. The text is followed by so many bytes.
func (p *parser) atStep(err error, text string, behind int) error {
	if p.left == 0 {
		return err
	}
	left := min(p.left, len(text)) // without the dot that parse adds
	step, rest := text[len(text)-left:], p.rest
	end := strings.IndexAny(rest, ".[")
	if strings.HasPrefix(strings.TrimLeft(step, "."), "[") {
		if end = strings.IndexByte(rest, ']'); end >= 0 {
			end++
		}
	}
	if end < 0 {
		end = len(rest)
	}
	return &StepError{err, left + behind, len(rest) - end + behind}
}

// parse reads all steps. Behind a $ or an @, there may be none.
func (p *parser) parse(isRooted bool) (jp.Expr, error) {
	switch {
	case p.rest == "" && isRooted:
		return jp.Expr{}, nil
	case p.rest == "":
		return nil, errors.New("the path is empty: write the field's path, such as .spec.domain.cpu.cores")
	case !isRooted && IsKeyword(p.rest):
		return nil, errors.New("range and end only format output: write just the path, with [*] for every item")
	case !isRooted && p.rest[0] != '.' && p.rest[0] != '[':
		p.rest = "." + p.rest
	}
	expr := make(jp.Expr, 0, strings.Count(p.rest, ".")+strings.Count(p.rest, "["))
	for p.rest != "" {
		var err error
		p.left = len(p.rest)
		if expr, err = p.step(expr); err != nil {
			return nil, err
		}
	}
	return expr, nil
}

// IsKeyword reports whether an expression begins with a word that kubectl's templates use
// for output. With a leading dot, that word would be a name.
func IsKeyword(s string) bool {
	word := s
	if end := strings.IndexAny(s, " .["); end >= 0 {
		word = s[:end]
	}
	return word == "range" || word == "end"
}

func (p *parser) skip(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	p.rest = rest
	return ok
}

// step appends one step, or a ".." and the step after it.
func (p *parser) step(expr jp.Expr) (jp.Expr, error) {
	var next jp.Frag
	var err error
	switch {
	case p.skip(".."):
		expr = append(expr, jp.Descent('.'))
		next, err = p.afterDescent()
	case p.skip("."):
		next, err = p.afterDot()
	case p.skip("["):
		next, err = p.bracket()
	default:
		err = p.unexpected("between two steps")
	}
	return append(expr, next), err
}

func (p *parser) afterDescent() (jp.Frag, error) {
	switch {
	case p.rest == "":
		return nil, errors.New(`a name is missing after ".."`)
	case p.rest[0] == '.':
		return nil, errors.New("three dots in a row: write two before a name at any depth, or one before the name of a child")
	case p.skip("["):
		return p.bracket()
	}
	return p.afterDot()
}

func (p *parser) afterDot() (jp.Frag, error) {
	if !p.skip("*") {
		return p.name()
	}
	if p.rest != "" && p.rest[0] != '.' && p.rest[0] != '[' {
		return nil, p.unexpected("after .*")
	}
	return jp.Wildcard('*'), nil
}

func (p *parser) unexpected(where string) error {
	r, _ := utf8.DecodeRuneInString(p.rest)
	if r == '/' {
		return errors.New("JSONPath uses dots: write . instead of /")
	}
	return fmt.Errorf("unexpected %q %s", r, where)
}

// name reads a name after a dot.
func (p *parser) name() (jp.Child, error) {
	end := 0
	for end < len(p.rest) && p.rest[end] < utf8.RuneSelf && isNameRune(rune(p.rest[end])) {
		end++
	}
	if plain := p.rest[:end]; end == len(p.rest) || p.rest[end] == '.' || p.rest[end] == '[' {
		p.rest = p.rest[end:]
		return p.namedOrError(plain)
	}
	var name strings.Builder
	for p.rest != "" {
		r, size := utf8.DecodeRuneInString(p.rest)
		switch {
		case r == '\\' && len(p.rest) == 1:
			return "", errors.New(`nothing follows the last \`)
		case r == '\\':
			_, escaped := utf8.DecodeRuneInString(p.rest[1:])
			name.WriteString(p.rest[1 : 1+escaped])
			size += escaped
		case isNameRune(r):
			name.WriteString(p.rest[:size])
		case r == '.' || r == '[':
			return p.namedOrError(name.String())
		case r == '}' || r == '{':
			return "", errors.New("one path is all that may stand here: no text outside { } and no second path")
		default:
			return "", fmt.Errorf(`unexpected %q in a name: write '\%c' if it is part of the name, or [*] for all items`, r, r)
		}
		p.rest = p.rest[size:]
	}
	return p.namedOrError(name.String())
}

func (p *parser) namedOrError(name string) (jp.Child, error) {
	if name == "" {
		return "", errors.New("a name is missing after a dot")
	}
	return jp.Child(name), nil
}

// isNameRune reports whether a name may contain r without a backslash.
func isNameRune(r rune) bool {
	return r == '_' || r == '-' || r == '/' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// bracket reads what follows a [ up to its ].
func (p *parser) bracket() (jp.Frag, error) {
	if p.skip("?(") {
		return p.filter()
	}
	p.blanks()
	if p.skip("*") {
		return jp.Wildcard('#'), p.closing()
	}
	var keys jp.Union
	for more := true; more; more = p.skip(",") {
		p.blanks()
		key, err := p.key()
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
		p.blanks()
	}
	if err := p.closing(); err != nil {
		return nil, err
	}
	if len(keys) > 1 {
		return keys, nil
	}
	return keys[0].(jp.Frag), nil
}

func (p *parser) blanks() { p.rest = strings.TrimLeft(p.rest, " ") }

func (p *parser) closing() error {
	p.blanks()
	if p.skip("]") {
		return nil
	}
	if p.rest == "" || p.rest[0] == '.' {
		return errors.New("the [ is never closed: write ] behind it, as in [*]")
	}
	return p.unexpected("inside [ ]")
}

// key reads a quoted name, an index or a slice: the step that it makes alone in brackets.
func (p *parser) key() (jp.Frag, error) {
	switch {
	case p.skip("'"):
		return p.quotedName('\'')
	case p.skip(`"`):
		return p.quotedName('"')
	case strings.HasPrefix(p.rest, ":"):
		return p.slice(jp.SliceNotSet)
	}
	i, err := p.index()
	if err != nil || !strings.HasPrefix(p.rest, ":") {
		return i, err
	}
	return p.slice(int(i))
}

func (p *parser) index() (jp.Nth, error) {
	digits := strings.TrimLeft(strings.TrimPrefix(p.rest, "-"), "0123456789")
	number := p.rest[:len(p.rest)-len(digits)]
	i, err := strconv.ParseInt(number, 10, 32)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("the index %s is too large", number)
	}
	if err != nil {
		return 0, errors.New("[ ] must contain a quoted name, an index, a slice such as 0:2, a list of these, a filter ?( ), or * as in [*] for all items")
	}
	p.rest = digits
	return jp.Nth(i), nil
}

// quotedName reads a name up to its closing quote.
func (p *parser) quotedName(quote byte) (jp.Child, error) {
	var name strings.Builder
	start := p.rest
	for p.rest != "" {
		c := p.rest[0]
		p.rest = p.rest[1:]
		switch {
		case c == quote && start[:len(start)-len(p.rest)-1] == "*":
			return "", errors.New(`some read a quoted * as a wildcard, others as a name: write [*] for the wildcard, or ['\*'] for the name`)
		case c == quote:
			return jp.Child(name.String()), nil
		case c == '.':
			return "", ambiguousDot(start, quote)
		case c == '\\' && p.rest != "":
			name.WriteByte(p.rest[0])
			p.rest = p.rest[1:]
		default:
			name.WriteByte(c)
		}
	}
	return "", errors.New("the quoted name is never closed")
}

// ambiguousDot returns the error for ['a.b']: two steps for Kubernetes, one name for everyone else.
func ambiguousDot(start string, quote byte) error {
	name, _, _ := strings.Cut(start, string(quote))
	name = value.Shortened(name)
	return fmt.Errorf(`some read a bare dot inside quotes as a step, others as part of the name: write ['%s'] for the name, .%s for the steps`,
		strings.ReplaceAll(name, ".", `\.`), name)
}

// slice reads the rest of a slice after its start.
func (p *parser) slice(start int) (jp.Slice, error) {
	slice := jp.Slice{start, jp.SliceNotSet, jp.SliceNotSet}
	for i := 1; i < 3 && p.skip(":"); i++ {
		if p.rest == "" || strings.IndexByte(":],", p.rest[0]) >= 0 {
			continue
		}
		bound, err := p.index()
		if err != nil {
			return slice, err
		}
		slice[i] = int(bound)
	}
	if slice[2] != jp.SliceNotSet && slice[2] <= 0 {
		return slice, errors.New("the step of a slice must be more than 0")
	}
	return slice, nil
}
