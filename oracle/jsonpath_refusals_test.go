package oracle

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/client-go/util/jsonpath"
)

// A refusedPath is an expression that client-go reads and this library refuses.
type refusedPath struct {
	bare    string             // without surrounding braces and blanks, and with quoted and escaped characters replaced
	outside string             // the part of bare outside [ ], without the root sign
	tree    *jsonpath.ListNode // client-go's tree of it
}

// pathRefusals are the classes of such expressions.
var pathRefusals = []struct {
	class pathClass
	is    func(refusedPath) bool
}{
	{"output", writesText},
	{"quoted-dot", matchesBare("[\\[,] *['\"][x∗]*·")},
	{"quoted-star", matchesBare("[\\[,] *['\"]∗['\"]")},
	{"root-in-filter", matchesBare(`\[\?\([^)]*\$`)},
	{"three-dots", matchesBare(`\.\.\.`)},
	{"descent-to-nothing", endsInDescent},
	{"empty-name", hasEmptyName},
	{"empty-brackets", matchesBare(`\[ *\]|\[ *,|, *,|, *\]`)},
	{"star-or-filter-in-union", hasOddUnion},
	{"large-index", hasLargeIndex},
	{"slice-step", hasNoStep},
	{"filter-operator", hasOddOperator},
	{"filter-operand", hasOddOperand},
	{"sigil", matchesOutside(`[$@]`)},
	{"blank", matchesOutside(` `)},
	{"bare-character", hasBareCharacter},
}

func newRefusedPath(expression string, tree *jsonpath.ListNode) refusedPath {
	bare := barePath(insideTemplate(expression))
	outside := brackets.ReplaceAllString(bare, "[]")
	if outside != "" && (outside[0] == '$' || outside[0] == '@') {
		outside = outside[1:]
	}
	return refusedPath{bare, outside, tree}
}

var brackets = regexp.MustCompile(`\[\?\(.*?\)\]|\[[^\]]*\]`)

func (p refusedPath) class() []pathClass {
	for _, r := range pathRefusals {
		if r.is(p) {
			return []pathClass{r.class}
		}
	}
	return nil
}

// barePath replaces each character that is escaped or, inside [ ], quoted: a quoted dot by
// ·, a quoted star by ∗, and any other by x.
func barePath(s string) string {
	var bare strings.Builder
	var quote rune
	depth := 0
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		if r == '\\' && len(s) > 1 {
			_, escaped := utf8.DecodeRuneInString(s[1:])
			size, r = size+escaped, 'x'
		}
		s = s[size:]
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0 && r == '.':
			r = '·'
		case quote != 0 && r == '*':
			r = '∗'
		case quote != 0:
			r = 'x'
		case depth > 0 && (r == '\'' || r == '"'):
			quote = r
		case r == '[':
			depth++
		case r == ']':
			depth--
		}
		bare.WriteRune(r)
	}
	return bare.String()
}

func matchesBare(pattern string) func(refusedPath) bool {
	regex := regexp.MustCompile(pattern)
	return func(p refusedPath) bool { return regex.MatchString(p.bare) }
}

func matchesOutside(pattern string) func(refusedPath) bool {
	regex := regexp.MustCompile(pattern)
	return func(p refusedPath) bool { return regex.MatchString(strings.ReplaceAll(p.outside, "[]", "")) }
}

// writesText reports whether client-go would write anything other than the values of a
// single path.
func writesText(p refusedPath) bool {
	if len(p.tree.Nodes) != 1 {
		return true
	}
	action, ok := p.tree.Nodes[0].(*jsonpath.ListNode)
	return !ok || len(action.Nodes) == 0 && !strings.ContainsAny(p.bare, "$@") || slices.ContainsFunc(action.Nodes, isLiteral)
}

// isLiteral reports whether a node is a literal, which selects nothing.
func isLiteral(node jsonpath.Node) bool {
	switch node.(type) {
	case *jsonpath.TextNode, *jsonpath.IntNode, *jsonpath.FloatNode, *jsonpath.BoolNode, *jsonpath.IdentifierNode:
		return true
	}
	return false
}

// someNode reports whether a tree has a node of type N for which is returns true.
func someNode[N jsonpath.Node](tree *jsonpath.ListNode, is func(N) bool) bool {
	return !everyNode(tree, func(node jsonpath.Node) bool {
		n, ok := node.(N)
		return !ok || !is(n)
	})
}

func endsInDescent(p refusedPath) bool {
	return someNode(p.tree, func(list *jsonpath.ListNode) bool {
		n := len(list.Nodes)
		return n > 0 && list.Nodes[n-1].Type() == jsonpath.NodeRecursive
	})
}

// hasEmptyName reports whether there is an empty name without quotes.
func hasEmptyName(p refusedPath) bool {
	asked := len(quotedNothing.FindAllString(p.bare, -1))
	return someNode(p.tree, func(field *jsonpath.FieldNode) bool {
		if field.Value == "" {
			asked--
		}
		return asked < 0
	})
}

var quotedNothing = regexp.MustCompile(`[\[,] *(''|"")`)

// hasBareCharacter reports whether a name without quotes has a character that needs them.
func hasBareCharacter(p refusedPath) bool {
	names := strings.Split(strings.ReplaceAll(p.outside, "[]", "."), ".")
	return slices.ContainsFunc(names, func(name string) bool { return name != "*" && oddRune.MatchString(name) })
}

var oddRune = regexp.MustCompile(`[^\pL\pN\pM_/-]`)

func hasOddUnion(p refusedPath) bool {
	return starInUnion.MatchString(p.bare) || someNode(p.tree, func(union *jsonpath.UnionNode) bool {
		return slices.ContainsFunc(union.Nodes, func(key *jsonpath.ListNode) bool {
			return slices.ContainsFunc(key.Nodes, func(n jsonpath.Node) bool { return n.Type() == jsonpath.NodeFilter })
		})
	})
}

var starInUnion = regexp.MustCompile(`\[ *\* *,|, *\* *[,\]]`)

func hasLargeIndex(p refusedPath) bool {
	return someNode(p.tree, func(array *jsonpath.ArrayNode) bool {
		return slices.ContainsFunc(array.Params[:], func(e jsonpath.ParamsEntry) bool {
			return e.Value > math.MaxInt32 || e.Value < math.MinInt32
		})
	})
}

func hasNoStep(p refusedPath) bool {
	return someNode(p.tree, func(array *jsonpath.ArrayNode) bool { return array.Params[2].Known && array.Params[2].Value <= 0 })
}

func hasOddOperator(p refusedPath) bool {
	return someNode(p.tree, func(f *jsonpath.FilterNode) bool {
		return !slices.Contains([]string{"exists", "==", "!=", "<", "<=", ">", ">="}, f.Operator)
	})
}

// hasOddOperand reports whether a filter has an operand that is neither a path that begins
// with @ nor a single JSON literal.
func hasOddOperand(p refusedPath) bool {
	if !someNode(p.tree, func(*jsonpath.FilterNode) bool { return true }) {
		return false
	}
	for _, filter := range filters.FindAllStringSubmatch(p.bare, -1) {
		left, right, compared := cutOperator(filter[1])
		if !plainOperand.MatchString(left) || compared && !plainOperand.MatchString(right) || !compared && !strings.HasPrefix(strings.TrimSpace(left), "@") {
			return true
		}
	}
	return false
}

var (
	filters      = regexp.MustCompile(`\[\?\((.*?)\)\]`)
	operators    = regexp.MustCompile(`[!<>=]+`)
	plainOperand = regexp.MustCompile(`^ *(@(\.{1,2}(\*|[\pL\pN\pM_/-]+)|(\.\.)?\[[^\[\]?]*\])*|'[x·∗]*'|"[x·∗]*"|true|false|[-+]?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?) *$`)
)

func cutOperator(filter string) (left, right string, found bool) {
	at := operators.FindStringIndex(filter)
	if at == nil {
		return filter, "", false
	}
	return filter[:at[0]], filter[at[1]:], true
}
