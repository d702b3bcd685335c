package jsonpath

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/value"
)

// ElementSize is the size of an Element in bytes.
const ElementSize = 24

// A Location is the path from an object's root to one value in it.
type Location []Element

// An Element is one step of a Location: into a member of an object, or into an
// item of an array.
type Element struct {
	name  string
	index int // negative for a member
}

// Member returns the step into the member of this name.
func Member(name string) Element { return Element{name: name, index: -1} }

// Item returns the step into the item with this index, which is not negative.
func Item(index int) Element { return Element{index: index} }

// Members returns a Location that consists only of members.
func Members(names ...string) Location {
	var l Location
	for _, name := range names {
		l = append(l, Member(name))
	}
	return l
}

// IsItem reports whether e is a step into an item.
func (e Element) IsItem() bool { return e.index >= 0 }

// Name returns the name of the member; "" for an item.
func (e Element) Name() string { return e.name }

// Index returns the index of the item; -1 for a member.
func (e Element) Index() int { return e.index }

// ElementOf returns the element for a name (a string) or an index (an int). Any other value is
// shown by its type alone, because it may contain itself.
func ElementOf(step any) Element {
	switch step := step.(type) {
	case int:
		return Item(max(step, 0))
	case string:
		return Member(step)
	}
	return Member(fmt.Sprintf("%T", step))
}

// Compare orders items by index and members by name, which is document order.
func (e Element) Compare(other Element) int {
	return cmp.Or(cmp.Compare(e.name, other.name), cmp.Compare(e.index, other.index))
}

// Join returns a copy of l followed by more.
func (l Location) Join(more Location) Location {
	return slices.Concat(l, more)
}

// String returns the Location as a path; "$" for the root.
func (l Location) String() string {
	return l.Texts().Path
}

// Pointer returns the Location as a JSON Pointer, RFC 6901.
func (l Location) Pointer() string {
	return l.Texts().Pointer
}

// Texts are the forms in which a Location is written.
type Texts struct{ Path, Pointer string }

// Texts returns String and Pointer, for which it allocates once.
func (l Location) Texts() Texts {
	if len(l) == 0 {
		return Texts{"$", ""}
	}
	p, q := make([]byte, 0, 2*usualLocation), make([]byte, 0, usualLocation)
	for i, e := range l {
		q = append(q, '/')
		switch {
		case i > 0 && isBareName(e.name):
			p, q = append(append(p, '.'), e.name...), append(q, e.name...)
			continue
		case e.index >= 0:
			p = append(strconv.AppendInt(append(p, '['), int64(e.index), 10), ']')
			q = strconv.AppendInt(q, int64(e.index), 10)
			continue
		case i == 0 && IsKeyword(e.name):
			p = writeKeys(p, jp.Child(e.name))
		case i == 0:
			p = writeName(p, "", e.name)
		default:
			p = writeName(p, ".", e.name)
		}
		q = append(q, PointerEscapes.Replace(e.name)...)
	}
	both := string(append(p, q...))
	return Texts{both[:len(p)], both[len(p):]}
}

// Shown returns String for a message, which shows only the beginning of a long Location.
func (l Location) Shown() string {
	size := 0
	for i, e := range l {
		if size += len(e.name) + 1; size > value.MaxLine {
			e.name = value.Clipped(e.name, value.MaxLine)
			return append(slices.Clone(l[:i]), e).String() + "…"
		}
	}
	return l.String()
}

// TextSize returns the largest size in bytes that String and Pointer may have together.
func (l Location) TextSize() int {
	size := 0
	for _, e := range l {
		size += len(e.name) + len("['']")
	}
	return 4 * size // in both, a character of a name may take two bytes
}

// usualLocation is a size in bytes that is enough for the text of most locations.
const usualLocation = 128

var quotedEscapes = strings.NewReplacer(`\`, `\\`, `'`, `\'`, `.`, `\.`, `*`, `\*`)

// isBareName reports whether a path and a pointer both write a name as it is. Most names are so.
func isBareName(name string) bool {
	for i := range len(name) {
		if !isBareByte[name[i]] {
			return false
		}
	}
	return name != ""
}

// isPlainName reports whether a name needs no quotes. A dot in it is written with a backslash.
func isPlainName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r != '.' && !isNameRune(r) })
}

// isBareByte has the ASCII characters of names, apart from the slash, which pointers escape.
var isBareByte = func() (is [256]bool) {
	for r := range rune(utf8.RuneSelf) {
		is[r] = r != '/' && isNameRune(r)
	}
	return is
}()

// PointerEscapes replaces what a JSON Pointer escapes in a name.
var PointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// Field returns the Location of a path's root, followed by the path as it was written.
func (l Location) Field(p *Path) string {
	text := p.Text()
	switch {
	case len(l) == 0 && IsKeyword(text):
		return "." + text
	case len(l) == 0:
		return text
	case text == "$":
		return l.String()
	case text[0] == '[' || text[0] == '.':
		return l.String() + text
	}
	return l.String() + "." + text
}

// PointerOf returns a path below l as a JSON Pointer, which ends before the first step that is neither
// a name nor an index.
func (l Location) PointerOf(p *Path) string { return l.Join(Fixed(p.Steps())).Pointer() }

// Fixed returns the steps at the beginning of a path that select at most one place.
func Fixed(steps jp.Expr) Location {
	var l Location
	for _, step := range steps {
		switch step := step.(type) {
		case jp.Child:
			l = append(l, Member(string(step)))
		case jp.Nth:
			if step < 0 {
				return l
			}
			l = append(l, Item(int(step)))
		default:
			return l
		}
	}
	return l
}

// Lookup returns the value at a Location in v; nil if there is none. If a value on the way is
// not readable, Lookup returns that value.
func Lookup(v any, at Location) any {
	for _, e := range at {
		switch {
		case !value.IsReadable(v):
			return v
		case !e.IsItem():
			v, _ = value.Member(v, e.name)
		case e.index < value.Len(v):
			v, _ = value.Item(v, e.index)
		default:
			return nil
		}
	}
	return v
}
