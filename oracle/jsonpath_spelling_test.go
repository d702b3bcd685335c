package oracle

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/client-go/util/jsonpath"
)

// Classes of paths that client-go refuses or reads differently. Each can be rewritten in
// client-go's spelling.
const (
	classDoubleQuotes = pathClass("double-quotes")
	classBlanks       = pathClass("blanks-in-brackets")
	classQuotedName   = pathClass("quoted-name")
	classBackslash    = pathClass("backslash")
	classDescent      = pathClass("descent-to-any-step")
	classExponent     = pathClass("exponent")
	classFilterText   = pathClass("filter-text")
)

// A respeller rewrites an expression that this library accepts.
type respeller struct {
	on   map[pathClass]bool
	rest string
	out  strings.Builder
}

// respell rewrites an expression in client-go's spelling, but only for the classes that are
// on.
func respell(expression string, on map[pathClass]bool) string {
	s := respeller{on: on, rest: expression}
	for s.rest != "" {
		s.step()
	}
	return s.out.String()
}

func (s *respeller) step() {
	switch {
	case strings.HasPrefix(s.rest, ".."):
		s.copy(2)
		s.descent()
	case strings.HasPrefix(s.rest, "[?("):
		s.filter()
	case s.rest[0] == '[':
		s.bracket()
	case s.rest[0] == '\\':
		s.escape(false)
	default:
		s.copy(runeLength(s.rest))
	}
}

func (s *respeller) copy(n int) {
	s.out.WriteString(s.rest[:n])
	s.rest = s.rest[n:]
}

// descent writes the step after "..". In client-go, it needs a third dot unless it begins
// with a letter.
func (s *respeller) descent() {
	r, _ := utf8.DecodeRuneInString(s.rest)
	if s.on[classDescent] && r != '[' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
		s.out.WriteByte('.')
	}
}

// escape writes a backslash and what follows it.
func (s *respeller) escape(inFilter bool) {
	if len(s.rest) == 1 {
		s.copy(1)
		return
	}
	r, size := utf8.DecodeRuneInString(s.rest[1:])
	if s.on[classBackslash] && r == '\\' || s.on[classFilterText] && inFilter {
		s.out.WriteRune(disguised(r))
		s.rest = s.rest[1+size:]
		return
	}
	s.copy(1 + size)
}

// bracket writes [ ] and its content, which client-go reads up to the first ] and splits at
// every comma.
func (s *respeller) bracket() {
	s.copy(1)
	for s.rest != "" && s.rest[0] != ']' {
		switch c := s.rest[0]; {
		case c == '\'' || c == '"':
			s.quotedName()
		case c == ' ' && s.on[classBlanks]:
			s.rest = s.rest[1:]
		default:
			s.copy(runeLength(s.rest))
		}
	}
	if s.rest != "" {
		s.copy(1)
	}
}

func (s *respeller) quotedName() {
	quote := s.rest[0]
	s.quote(quote)
	for s.rest != "" && s.rest[0] != quote {
		r, size := utf8.DecodeRuneInString(s.rest)
		escaped := r == '\\' && len(s.rest) > 1
		if escaped {
			r, size = utf8.DecodeRuneInString(s.rest[1:])
			size++
		}
		switch {
		case escaped && r == '\\' && s.on[classBackslash],
			!(escaped && r == '\\') && s.on[classQuotedName]:
			s.out.WriteRune(disguised(r))
			s.rest = s.rest[size:]
		default:
			s.copy(size)
		}
	}
	if s.rest != "" {
		s.quote(quote)
	}
}

func (s *respeller) quote(quote byte) {
	if s.on[classDoubleQuotes] {
		quote = '\''
	}
	s.out.WriteByte(quote)
	s.rest = s.rest[1:]
}

// filter writes [?( )] and its content. client-go ignores quotes when it looks for the end
// and the operator.
func (s *respeller) filter() {
	s.copy(len("[?("))
	s.operand()
	s.copyAll(" !<>=")
	s.operand()
	s.copyAll(" )")
	if s.rest != "" {
		s.copy(1)
	}
}

func (s *respeller) copyAll(chars string) {
	s.copy(len(s.rest) - len(strings.TrimLeft(s.rest, chars)))
}

func (s *respeller) operand() {
	s.copyAll(" ")
	switch {
	case s.rest == "":
	case s.rest[0] == '@':
		s.operandPath()
	case s.rest[0] == '"' || s.rest[0] == '\'':
		s.literal()
	default:
		s.word()
	}
}

func (s *respeller) operandPath() {
	for s.rest != "" && !strings.ContainsRune(" )<>=!&|", rune(s.rest[0])) {
		if s.rest[0] == '\\' {
			s.escape(true)
			continue
		}
		s.step()
	}
}

func (s *respeller) literal() {
	quote := s.rest[0]
	var value strings.Builder
	rest := s.rest[1:]
	for rest != "" && rest[0] != quote {
		r, multibyte, tail, err := strconv.UnquoteChar(rest, quote)
		if err != nil {
			break
		}
		if multibyte || r < utf8.RuneSelf {
			value.WriteRune(disguised(r))
		} else {
			value.WriteByte(byte(r))
		}
		rest = tail
	}
	size := len(s.rest) - len(rest) + 1
	if !s.on[classFilterText] {
		s.copy(size)
		return
	}
	s.out.WriteString(string(quote) + value.String() + string(quote))
	s.rest = s.rest[size:]
}

// word writes a number or boolean. client-go has no exponents, and rounds numbers with a
// point.
func (s *respeller) word() {
	end := strings.IndexAny(s.rest, " )<>=!&|")
	if end < 0 {
		end = len(s.rest)
	}
	word := s.rest[:end]
	n, isNumber := new(big.Rat).SetString(word)
	switch hasExponent := strings.ContainsAny(word, "eE"); {
	case !isNumber:
		s.copy(end)
		return
	case n.IsInt() && (s.on[classExponent] && hasExponent || s.on[classNumbers] && !hasExponent):
		word = n.Num().String()
	case s.on[classExponent] && hasExponent:
		word = strings.TrimRight(n.FloatString(1000), "0")
	}
	s.out.WriteString(word)
	s.rest = s.rest[end:]
}

func runeLength(s string) int {
	_, size := utf8.DecodeRuneInString(s)
	return size
}

// disguised replaces a character that is syntax for client-go's parser with a private-use
// character; undisguise restores it.
func disguised(r rune) rune {
	if r >= utf8.RuneSelf || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return disguise + r
}

const disguise = '\uE000'

func undisguised(s string) string {
	return strings.Map(func(r rune) rune {
		if disguise <= r && r < disguise+utf8.RuneSelf {
			return r - disguise
		}
		return r
	}, s)
}

// undisguise restores the names and texts in a tree.
func undisguise(node jsonpath.Node) {
	everyNode(node, func(node jsonpath.Node) bool {
		switch node := node.(type) {
		case *jsonpath.FieldNode:
			node.Value = undisguised(node.Value)
		case *jsonpath.TextNode:
			node.Text = undisguised(node.Text)
		}
		return true
	})
}

// everyNode visits the nodes of a tree until do returns false. It reports whether do
// returned true for all.
func everyNode(node jsonpath.Node, do func(jsonpath.Node) bool) bool {
	if !do(node) {
		return false
	}
	switch node := node.(type) {
	case *jsonpath.ListNode:
		return !slices.ContainsFunc(node.Nodes, func(n jsonpath.Node) bool { return !everyNode(n, do) })
	case *jsonpath.UnionNode:
		return !slices.ContainsFunc(node.Nodes, func(l *jsonpath.ListNode) bool { return !everyNode(l, do) })
	case *jsonpath.FilterNode:
		return everyNode(node.Left, do) && everyNode(node.Right, do)
	}
	return true
}
