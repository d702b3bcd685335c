package vmrules

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// pathPrefix marks a JSONPath; a string without it is a literal.
const pathPrefix = "jsonpath::"

// A Path is a JSONPath in the dialect of Kubernetes (kubectl). The zero value
// is no path at all and selects nothing. A Path is immutable and safe for
// concurrent use.
//
// The dialect: a leading dot (forgiven where it is missing), names separated
// by dots, in which any character but letters, digits, "_", "-" and "/" takes
// a backslash ("\." is a dot); ['name'], [0], [-1], [0:2], [0:4:2], [0,2],
// ['a','b'], [*] for every item of an array, .* for every member of an object
// or item of an array, ..name for that name at any depth, and the filters
// [?(@.name=="x")] with == != < <= > >= and [?(@.name)] for existence. A $ in
// front and { } around the whole change nothing.
//
// What kubectl and other readers of JSONPath understand differently is
// refused: a bare dot inside quotes, $ inside a filter.
type Path struct {
	_           [0]func() // paths are compared with Equal, not with ==
	*parsedPath           // nil: no path
}

// A parsedPath is never modified.
type parsedPath struct {
	expr    jp.Expr // without the root; a filter is our own fragment
	written string  // as it was written, without prefix, braces, $ and the first dot
}

// A filter is the step [*], narrowed to the items for which a comparison holds.
// ojg's own filter would round the operands.
type filter struct {
	jp.Frag
	left, right operand
	operator    string // "" for existence
}

// An operand is a path below the current item, or a literal.
type operand struct {
	path    jp.Expr // nil: literal
	literal value.Scalar
}

// ParsePath reads a path with its prefix, such as
// "jsonpath::.spec.domain.cpu.cores". Spec: JSONPaths.
func ParsePath(s string) (Path, error) {
	expression, ok := strings.CutPrefix(s, pathPrefix)
	if !ok {
		return Path{}, fmt.Errorf("a JSONPath begins with %q: write %q", pathPrefix, pathPrefix+leadingDot(withoutPrefix(s)))
	}
	return parseExpression(expression)
}

// withoutPrefix is what a path without the right prefix probably meant.
func withoutPrefix(s string) string {
	s = strings.TrimSpace(s)
	if word := s[:min(len(s), len("jsonpath"))]; strings.EqualFold(word, "jsonpath") {
		s = strings.TrimLeft(s[len(word):], ": ")
	}
	return strings.TrimPrefix(s, "/")
}

// MustParsePath is ParsePath for paths that stand in the source of a program.
// It panics where ParsePath returns an error.
func MustParsePath(s string) Path {
	p, err := ParsePath(s)
	if err != nil {
		panic("vmrules: MustParsePath(" + strconv.Quote(s) + "): " + err.Error())
	}
	return p
}

// IsZero tells whether there is no path.
func (p Path) IsZero() bool { return p.parsedPath == nil }

func (p Path) steps() jp.Expr {
	if p.IsZero() {
		return nil
	}
	return p.expr
}

// text is the path as it was written; "" for the zero value.
func (p Path) text() string {
	if p.IsZero() {
		return ""
	}
	return p.written
}

// Names are the names that the path leads through, from the root; false for a
// path that has any other step.
func (p Path) Names() ([]string, bool) {
	names := []string{}
	for _, step := range p.steps() {
		name, ok := step.(jp.Child)
		if !ok {
			return nil, false
		}
		names = append(names, string(name))
	}
	return names, true
}

// Equal tells whether two paths have the same steps, however they are spelled.
func (p Path) Equal(q Path) bool {
	return p.IsZero() == q.IsZero() && reflect.DeepEqual(p.steps(), q.steps())
}

// String is the path with its prefix, as ParsePath reads it, or "" for the
// zero value.
func (p Path) String() string {
	if p.IsZero() {
		return ""
	}
	return pathPrefix + leadingDot(p.written)
}

// shown is String for a message: the beginning of a path that is too long for
// people.
func (p Path) shown() string {
	if p.IsZero() {
		return ""
	}
	return pathPrefix + leadingDot(value.Clipped(p.written, value.MaxLine))
}

// MarshalText is String, so that a path is a string in JSON.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText is ParsePath, and the zero value for no text, so that a Report
// can be read from its JSON.
func (p *Path) UnmarshalText(text []byte) (err error) {
	*p = Path{}
	if len(text) > 0 {
		*p, err = ParsePath(string(text))
	}
	return err
}

func leadingDot(expression string) string {
	if expression == "" || strings.ContainsRune(".[${", rune(expression[0])) {
		return expression
	}
	return "." + expression
}

// A Match is a value that a path selected, and where it is.
type Match struct {
	// Field is the location from the root, in the dialect of paths:
	// ParsePath("jsonpath::" + Field) selects this value.
	Field string `json:"field"`
	// Value is the value as it stands in the object; one that JSON knows only
	// through its own methods is what its JSON says.
	Value any `json:"value"`
}

// Find selects from root: an object as map[string]any, or any value that a
// decoder of JSON or YAML gives. Each location comes once, in document order:
// items by index, members by sorted name. A null is not there. Find selects
// nothing where the path would select more than 10,000 values or go deeper than
// 1,000 levels, or where the default Budget does not suffice.
func (p Path) Find(root any) []Match {
	var matches []Match
	w := walk{budget: &budget{Meter: defaultBudget.meter()}, visitor: visitorFunc(func(w *walk, value any) bool {
		if !w.pay(matchWork, w.at.textSize()+matchSize) {
			return false
		}
		matches = append(matches, Match{Field: w.at.String(), Value: value})
		return true
	})}
	if err := w.run(p, root); err != nil {
		return nil
	}
	return matches
}

// parseExpression reads a path without its prefix.
func parseExpression(s string) (Path, error) {
	s = strings.TrimSpace(s)
	if inner, ok := strings.CutPrefix(s, "{"); ok {
		if inner, ok = strings.CutSuffix(inner, "}"); !ok {
			return Path{}, errors.New("the { is never closed")
		}
		s = strings.TrimSpace(inner)
	}
	p := pathParser{rest: s}
	expr, err := p.parse()
	if err != nil {
		return Path{}, err
	}
	if len(expr) == 0 {
		return newPath(expr, "$"), nil
	}
	written := s[len(s)-p.length:]
	if !strings.HasPrefix(written, "..") {
		written = strings.TrimPrefix(written, ".")
	}
	return newPath(expr, written), nil
}

func newPath(expr jp.Expr, written string) Path {
	return Path{parsedPath: &parsedPath{expr, written}}
}

// A pathParser reads one expression from its front.
type pathParser struct {
	rest   string
	length int // of the text behind $ or @
}

func (p *pathParser) parse() (jp.Expr, error) {
	root := p.skip("$") || p.skip("@")
	p.length = len(p.rest)
	switch {
	case p.rest == "" && root:
		return jp.Expr{}, nil
	case p.rest == "":
		return nil, errors.New("the path is empty: write the field's path, such as .spec.domain.cpu.cores")
	case !root && isKeyword(p.rest):
		return nil, errors.New("range and end write text, they select nothing: write the path alone, with [*] for every item")
	case !root && p.rest[0] != '.' && p.rest[0] != '[':
		p.rest = "." + p.rest
	}
	expr := make(jp.Expr, 0, strings.Count(p.rest, ".")+strings.Count(p.rest, "["))
	for p.rest != "" {
		var err error
		if expr, err = p.step(expr); err != nil {
			return nil, err
		}
	}
	return expr, nil
}

// isKeyword tells whether an expression begins with a word that kubectl's
// templates use for output: with a dot in front it would be a name.
func isKeyword(s string) bool {
	word := s
	if end := strings.IndexAny(s, " .["); end >= 0 {
		word = s[:end]
	}
	return word == "range" || word == "end"
}

func (p *pathParser) skip(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	p.rest = rest
	return ok
}

// step appends one step, or a ".." and the step behind it.
func (p *pathParser) step(expr jp.Expr) (jp.Expr, error) {
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

func (p *pathParser) afterDescent() (jp.Frag, error) {
	switch {
	case p.rest == "":
		return nil, errors.New("behind .. a name is missing")
	case p.rest[0] == '.':
		return nil, errors.New("three dots in a row: write two before a name at any depth, one before a child's")
	case p.skip("["):
		return p.bracket()
	}
	return p.afterDot()
}

func (p *pathParser) afterDot() (jp.Frag, error) {
	if !p.skip("*") {
		name, err := p.name()
		return jp.Child(name), err
	}
	if p.rest != "" && p.rest[0] != '.' && p.rest[0] != '[' {
		return nil, p.unexpected("after .*")
	}
	return jp.Wildcard('*'), nil
}

func (p *pathParser) unexpected(where string) error {
	r, _ := utf8.DecodeRuneInString(p.rest)
	return fmt.Errorf("unexpected %q %s", r, where)
}

// name reads a name behind a dot.
func (p *pathParser) name() (string, error) {
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
			return "", fmt.Errorf(`unexpected %q in a name: write '\%c' where it is part of the name`, r, r)
		}
		p.rest = p.rest[size:]
	}
	return p.namedOrError(name.String())
}

func (p *pathParser) namedOrError(name string) (string, error) {
	if name == "" {
		return "", errors.New("a name is missing after a dot")
	}
	return name, nil
}

func isNameRune(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-', r == '/':
		return true
	}
	return r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// bracket reads what follows a [ up to its ].
func (p *pathParser) bracket() (jp.Frag, error) {
	if p.skip("?(") {
		return p.filter()
	}
	p.blanks()
	if p.skip("*") {
		return jp.Wildcard('#'), p.closing()
	}
	var keys jp.Union
	for {
		key, err := p.key()
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
		p.blanks()
		if !p.skip(",") {
			break
		}
		p.blanks()
	}
	if err := p.closing(); err != nil {
		return nil, err
	}
	if len(keys) > 1 {
		return keys, nil
	}
	switch key := keys[0].(type) {
	case string:
		return jp.Child(key), nil
	case int64:
		return jp.Nth(key), nil
	}
	return keys[0].(jp.Slice), nil
}

func (p *pathParser) blanks() { p.rest = strings.TrimLeft(p.rest, " ") }

func (p *pathParser) closing() error {
	p.blanks()
	if p.skip("]") {
		return nil
	}
	if p.rest == "" {
		return errors.New("the [ is never closed")
	}
	return p.unexpected("inside [ ]")
}

// key reads a quoted name, an index or a slice.
func (p *pathParser) key() (any, error) {
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

func (p *pathParser) index() (int64, error) {
	digits := strings.TrimLeft(strings.TrimPrefix(p.rest, "-"), "0123456789")
	number := p.rest[:len(p.rest)-len(digits)]
	i, err := strconv.ParseInt(number, 10, 32)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("the index %s is too large", number)
	}
	if err != nil {
		return 0, errors.New("inside [ ] stands a quoted name, an index, a slice such as 0:2, a list of these, * or a filter ?( )")
	}
	p.rest = digits
	return i, nil
}

// quotedName reads a name up to its closing quote.
func (p *pathParser) quotedName(quote byte) (string, error) {
	var name strings.Builder
	start := p.rest
	for p.rest != "" {
		c := p.rest[0]
		p.rest = p.rest[1:]
		switch {
		case c == quote && start[:len(start)-len(p.rest)-1] == "*":
			return "", errors.New(`a quoted * is read as a wildcard by some and as a name by others: write [*], or [\*] quoted for the name`)
		case c == quote:
			return name.String(), nil
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

// ambiguousDot is the error for ['a.b']: Kubernetes reads a.b as two steps,
// everyone else as one name.
func ambiguousDot(start string, quote byte) error {
	name, _, _ := strings.Cut(start, string(quote))
	name = value.Shortened(name)
	return fmt.Errorf(`a bare dot inside quotes is a step for some and part of the name for others: write ['%s'] for the name, .%s for the steps`,
		strings.ReplaceAll(name, ".", `\.`), name)
}

// slice reads the rest of a slice behind its start.
func (p *pathParser) slice(start int) (jp.Slice, error) {
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

// filter reads what follows [?( up to )].
func (p *pathParser) filter() (jp.Frag, error) {
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	f := filter{Frag: jp.Wildcard('#'), left: left}
	if f.operator = p.operator(); f.operator == "" && left.path == nil {
		return nil, errors.New("a filter begins with a path below the current item, such as @.name")
	}
	if f.operator != "" {
		if f.right, err = p.operand(); err != nil {
			return nil, err
		}
	}
	p.blanks()
	switch {
	case p.skip(")]"):
	case strings.HasPrefix(p.rest, "&&"), strings.HasPrefix(p.rest, "||"):
		return nil, errors.New("a filter compares once: && and || are not part of Kubernetes' JSONPath")
	case p.rest == "":
		return nil, errors.New("the filter is never closed with )]")
	default:
		return nil, p.unexpected("inside a filter")
	}
	return f, nil
}

func (p *pathParser) operator() string {
	p.blanks()
	for _, operator := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if p.skip(operator) {
			return operator
		}
	}
	return ""
}

func (p *pathParser) operand() (operand, error) {
	p.blanks()
	switch {
	case p.rest == "":
		return operand{}, errors.New("the filter ends too early")
	case p.rest[0] == '$':
		return operand{}, errors.New("$ inside a filter is the current item for some and the root for others: write @ for the item")
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
		return operand{literal: value.FromBool(word == "true")}, nil
	}
	if word == "" {
		return operand{}, p.unexpected("in a filter, where a path (@.name), a quoted string, a number, true or false is expected")
	}
	n, err := quantity.ParseJSON(strings.TrimPrefix(word, "+"))
	if err != nil {
		return operand{}, fmt.Errorf("%q in a filter is neither a path (@.name), a quoted string, a number, true nor false", word)
	}
	return operand{literal: value.FromNumber(n)}, nil
}

// operandPath reads the path behind an @ up to the operator or the end.
func (p *pathParser) operandPath() (operand, error) {
	expr := jp.Expr{}
	for p.rest != "" && (p.rest[0] == '.' || p.rest[0] == '[') {
		if strings.HasPrefix(p.rest, "[?") {
			return operand{}, errors.New("a filter inside a filter is not part of Kubernetes' JSONPath")
		}
		end := operandStep(p.rest)
		inner := pathParser{rest: p.rest[:end]}
		var err error
		if expr, err = inner.step(expr); err != nil {
			return operand{}, err
		}
		p.rest = p.rest[end-len(inner.rest):]
	}
	return operand{path: expr}, nil
}

// operandStep is where a step of an operand's path ends at the latest: a name
// ends at the next step or at what follows the operand, a bracket is read
// whole.
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
func (p *pathParser) quotedLiteral() (operand, error) {
	quote := p.rest[0]
	rest := p.rest[1:]
	var s strings.Builder
	for rest != "" && rest[0] != quote {
		r, multibyte, tail, err := strconv.UnquoteChar(rest, quote)
		if err != nil {
			return operand{}, fmt.Errorf("%.20q is not a quoted string: a backslash begins an escape as in Go", p.rest)
		}
		if multibyte || r < utf8.RuneSelf {
			s.WriteRune(r)
		} else {
			s.WriteByte(byte(r))
		}
		rest = tail
	}
	if rest == "" {
		return operand{}, errors.New("the quoted string in the filter is never closed")
	}
	p.rest = rest[1:]
	return operand{literal: value.FromString(s.String())}, nil
}
