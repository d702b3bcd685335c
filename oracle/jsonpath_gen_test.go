package oracle

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A pathGenerator makes documents, and expressions that are likely to select something in
// them.
type pathGenerator struct {
	*rand.Rand
	leaves int             // all differ, so that a value identifies its location
	used   map[string]bool // values that a document holds only once
}

var (
	plainNames = []string{"a", "b", "c", "spec", "name", "ports"}
	oddNames   = []string{
		"d-e", "vm.io/x", "x/y", "1st", "42", "_u", "-m", "/s", "é", "名前", "e\u0301", "٣", "end", "range", "true", "null",
		"it's", `say "hi"`, "we ird", `back\slash`, `\`, "a,b", "a]b", "[0]", "*", "$", "@x", "", ".", "..", "a=b", "a<b", "a:b",
		"(p)", "a)b", "{x}", "a&b", "?", "\t", "new\nline", "a'b\"c", "😀", "\u00a0",
	}
)

func (g *pathGenerator) oneIn(n int) bool { return g.IntN(n) == 0 }

func pickOne[T any](g *pathGenerator, from ...T) T { return from[g.IntN(len(from))] }

func (g *pathGenerator) name() string {
	if g.oneIn(6) {
		return pickOne(g, oddNames...)
	}
	return pickOne(g, plainNames...)
}

func (g *pathGenerator) document() any {
	g.used = map[string]bool{}
	g.leaves = 1000 // more than any byte, which client-go's wildcards make of strings
	if g.oneIn(8) {
		return g.array(4)
	}
	return g.object(5)
}

func (g *pathGenerator) value(depth int) any {
	switch {
	case depth == 0 || g.oneIn(4):
		return g.leaf()
	case g.oneIn(2):
		return g.array(depth)
	}
	return g.object(depth)
}

func (g *pathGenerator) object(depth int) any {
	object := map[string]any{}
	for range g.members() {
		object[g.name()] = g.value(depth - 1)
	}
	return g.unlessEmpty(len(object), object)
}

// members returns the size of an array or object. It is rarely 0, which ends every path.
func (g *pathGenerator) members() int { return pickOne(g, 0, 1, 2, 2, 3, 3, 3, 4) }

// array makes items of any kind or, as in most documents, objects of the same form.
func (g *pathGenerator) array(depth int) any {
	var list []any
	names := []string{g.name(), g.name()}
	alike := g.oneIn(2)
	for range g.members() {
		if !alike {
			list = append(list, g.value(depth-1))
			continue
		}
		object := map[string]any{names[0]: g.leaf()}
		if !g.oneIn(3) {
			object[names[1]] = g.value(depth - 1)
		}
		list = append(list, object)
	}
	return g.unlessEmpty(len(list), list)
}

// unlessEmpty prevents a second empty array or empty object in a document: two of them
// would look the same.
func (g *pathGenerator) unlessEmpty(size int, v any) any {
	switch v := v.(type) {
	case []any:
		if size == 0 {
			return g.once("[]", []any{})
		}
		return v
	}
	if size == 0 {
		return g.once("{}", v)
	}
	return v
}

func (g *pathGenerator) once(key string, v any) any {
	if g.used[key] {
		return g.leaf()
	}
	g.used[key] = true
	return v
}

func (g *pathGenerator) leaf() any {
	g.leaves++
	n := g.leaves
	switch g.IntN(12) {
	case 0:
		return g.once("true", true)
	case 1:
		return g.once("false", false)
	case 2:
		return nil
	case 3, 4:
		return int64(n)
	case 5:
		return int64(n) + 1<<53 // not distinct from the next as a float64
	case 6:
		return float64(n)
	case 7:
		return float64(n) + 0.5
	}
	return fmt.Sprint("s", n, pickOne(g, "", "", "", " (x)", "'", `"`, `\`, ")]", "=é"))
}

// expression makes an expression for a document. Most select something in it; some are
// spoiled.
func (g *pathGenerator) expression(document any) string {
	var path strings.Builder
	step, v := g.step(document)
	for step == "" && !g.oneIn(100) {
		step, v = g.step(document)
	}
	for step != "" {
		path.WriteString(step)
		if g.oneIn(3) {
			break
		}
		step, v = g.step(v)
	}
	expression := g.framed(path.String())
	for range pickOne(g, 0, 0, 0, 0, 0, 1, 1, 2) {
		expression = g.spoiled(expression)
	}
	return expression
}

// step writes a step that selects a child of a value, and returns the child. Now and then
// the step is unrelated to the value.
func (g *pathGenerator) step(v any) (string, any) {
	switch v := v.(type) {
	case map[string]any:
		if names := slices.Sorted(maps.Keys(v)); len(names) > 0 && !g.oneIn(15) {
			name := pickOne(g, names...)
			return g.toMember(name), v[name]
		}
	case []any:
		if len(v) > 0 && !g.oneIn(15) {
			i := g.IntN(len(v))
			return g.toItem(v, i), v[i]
		}
	}
	switch g.IntN(12) {
	case 0, 1:
		return g.toMember(g.name()), v
	case 2:
		return g.toItem(make([]any, 3), g.IntN(3)), v
	case 3:
		return pickOne(g, "[*]", ".*"), v
	}
	return "", nil
}

func (g *pathGenerator) toMember(name string) string {
	switch g.IntN(12) {
	case 0, 1, 2:
		return "[" + g.quotedName(name) + "]"
	case 3:
		return "[" + g.quotedName(name) + pickOne(g, ",", ", ", " ,") + g.quotedName(g.name()) + "]"
	case 4:
		return ".*"
	case 5:
		return ".." + pickOne(g, g.dottedName(name), g.dottedName(name), g.dottedName(name), "*")
	case 6:
		return "..[" + g.quotedName(name) + "]"
	}
	return "." + g.dottedName(name)
}

// dottedName writes a backslash before each character that needs one; now and then it
// leaves one out or adds one.
func (g *pathGenerator) dottedName(name string) string {
	var s strings.Builder
	for _, r := range name {
		plain := strings.ContainsRune("_-/", r) || unicode.In(r, unicode.L, unicode.N, unicode.M)
		if plain == g.oneIn(20) {
			s.WriteByte('\\')
		}
		s.WriteRune(r)
	}
	return s.String()
}

func (g *pathGenerator) quotedName(name string) string {
	quote := "'"
	if g.oneIn(16) {
		quote = `"`
	}
	var s strings.Builder
	for _, r := range name {
		if strings.ContainsRune(`.*\`+quote, r) && !g.oneIn(8) {
			s.WriteByte('\\')
		}
		s.WriteRune(r)
	}
	return g.blank() + quote + s.String() + quote + g.blank()
}

func (g *pathGenerator) blank() string {
	if g.oneIn(60) {
		return " "
	}
	return ""
}

func (g *pathGenerator) toItem(list []any, i int) string {
	index := i
	if g.oneIn(3) {
		index -= len(list)
	}
	switch g.IntN(12) {
	case 0, 1:
		return "[*]"
	case 2:
		return ".*"
	case 3:
		return fmt.Sprintf("[%d,%d]", index, g.IntN(7)-3)
	case 4, 5:
		return g.slice(index)
	case 6:
		return fmt.Sprintf("..[%d]", index)
	case 7, 8, 9:
		return pickOne(g, "", "", "", "", "..") + g.filter(list[i])
	}
	return fmt.Sprintf("[%s%d%s]", g.blank(), index, g.blank())
}

func (g *pathGenerator) slice(index int) string {
	bound := func(n int) string {
		if g.oneIn(3) {
			return ""
		}
		return strconv.Itoa(n)
	}
	s := "[" + bound(index-g.IntN(2)) + ":" + bound(index+g.IntN(3))
	if g.oneIn(3) {
		s += ":" + bound(g.IntN(4))
	}
	return s + "]"
}

// filter writes a filter that an item passes, or nearly passes.
func (g *pathGenerator) filter(item any) string {
	path := "@"
	for {
		step, next := "", any(nil)
		switch v := item.(type) {
		case map[string]any:
			if names := slices.Sorted(maps.Keys(v)); len(names) > 0 {
				name := pickOne(g, names...)
				step, next = pickOne(g, "."+g.dottedName(name), "."+g.dottedName(name), "["+g.quotedName(name)+"]"), v[name]
			}
		case []any:
			if len(v) > 0 {
				step, next = pickOne(g, "[0]", "[-1]", "[0,0]", "[*]"), v[0]
			}
		}
		if step == "" {
			break
		}
		path, item = path+step, next
		if g.oneIn(8) {
			break
		}
	}
	if g.oneIn(4) {
		return "[?(" + path + ")]"
	}
	sides := []string{path, g.literal(item)}
	if g.oneIn(10) {
		slices.Reverse(sides)
	}
	operator := pickOne(g, "==", "==", "!=", "<", "<=", ">", ">=", " == ", "= ")
	return "[?(" + g.blank() + sides[0] + operator + sides[1] + g.blank() + ")]"
}

func (g *pathGenerator) literal(v any) string {
	switch v := v.(type) {
	case string:
		if !g.oneIn(8) {
			return g.quoted(v)
		}
	case bool:
		return strconv.FormatBool(v != g.oneIn(3))
	case int64:
		v += int64(pickOne(g, 0, 0, 0, 1, -1))
		return pickOne(g, fmt.Sprint(v), fmt.Sprint(v), fmt.Sprint(v, ".0"), fmt.Sprint("+", v), fmt.Sprint(v, "e0"), fmt.Sprint(v*10, "e-1"))
	case float64:
		return pickOne(g, fmt.Sprint(v), fmt.Sprint(v), strconv.FormatFloat(v, 'f', 1, 64), strconv.FormatFloat(v, 'e', -1, 64))
	}
	return pickOne(g, "1", "1005", "true", "'x'", "@.name", "@.a", "$.a", "null", "007", ".5", "1.", "0x10", "-0")
}

// quoted writes a string in either quotes, with Go's escapes.
func (g *pathGenerator) quoted(s string) string {
	s = strings.Trim(strconv.Quote(s), `"`)
	if strings.HasSuffix(s, `\`) { // the last character was a quote
		s += `"`
	}
	if g.oneIn(2) {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, `\"`, `"`), `'`, `\'`) + "'"
}

// framed adds blanks, braces or a root sign around a path, which change nothing.
func (g *pathGenerator) framed(path string) string {
	switch g.IntN(16) {
	case 0:
		return "$" + path
	case 1:
		return "{" + path + "}"
	case 2:
		return "{$" + path + "}"
	case 3:
		return strings.TrimPrefix(path, ".")
	case 4:
		return " { " + path + " } "
	case 5:
		return "@" + path
	}
	return path
}

// spoiled makes a small change, after which the expression may still be valid.
func (g *pathGenerator) spoiled(expression string) string {
	runes := []rune(expression)
	if len(runes) == 0 {
		return g.noise()
	}
	from := g.IntN(len(runes))
	to := min(len(runes), from+g.IntN(3))
	middle := pickOne(g, "", g.noise(), g.noise(), string(runes[from:to])+string(runes[from:to]))
	return string(runes[:from]) + middle + string(runes[to:])
}

func (g *pathGenerator) noise() string {
	return pickOne(g, ".", "..", "...", "[", "]", "'", `"`, "*", "?", "(", ")", "[?(", ")]", "@", "$", ",", ":", "-", "0", "1", "5", "=", "<", "!",
		`\`, "{", "}", "{.a}", " ", "\t", "&&", "||", "/", "a", "é", "[*]", "[]", "['a']", "['*']", "['a.b']", "[0]", "[99999999999]", "[0:2:0]",
		"[0,*]", "range", "end", "true", "[?(@.a)]", "[?(@.a==1)]", "\n", "\u00a0", "~", "#", "^")
}
