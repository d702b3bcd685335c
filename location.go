package vmrules

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// A location is the way from an object's root to a value in it.
type location []element

// An element is one step of a location: the name of a member, or the index of
// an item where index is not negative.
type element struct {
	name  string
	index int
}

func named(name string) element { return element{name: name, index: -1} }

func indexed(index int) element { return element{index: index} }

// names is a location of members alone.
func names(path ...string) location {
	var l location
	for _, name := range path {
		l = append(l, named(name))
	}
	return l
}

// compare is document order: items by index, members by name.
func (e element) compare(other element) int {
	return cmp.Or(cmp.Compare(e.name, other.name), cmp.Compare(e.index, other.index))
}

// join is a copy of l with more behind it.
func (l location) join(more location) location {
	return slices.Concat(l, more)
}

// String writes the location in the dialect of paths, the root as $.
func (l location) String() string {
	if len(l) == 0 {
		return "$"
	}
	s := make([]byte, 0, usualLocation)
	for i, e := range l {
		switch {
		case e.index >= 0:
			s = append(strconv.AppendInt(append(s, '['), int64(e.index), 10), ']')
		case !isPlainName(e.name) || i == 0 && jsonpath.IsKeyword(e.name):
			s = append(append(append(s, "['"...), quotedEscapes.Replace(e.name)...), "']"...)
		default:
			if i > 0 {
				s = append(s, '.')
			}
			s = appendPlainName(s, e.name)
		}
	}
	return string(s)
}

// shown is String for a message: the beginning of a location that is too long for
// people.
func (l location) shown() string {
	size := 0
	for i, e := range l {
		if size += len(e.name) + 1; size > value.MaxLine {
			e.name = value.Clipped(e.name, value.MaxLine)
			return append(slices.Clone(l[:i]), e).String() + "…"
		}
	}
	return l.String()
}

// textSize is how many bytes the location takes as a field and as a pointer
// together, at most.
func (l location) textSize() int {
	size := 0
	for _, e := range l {
		size += len(e.name) + len("['']")
	}
	return 4 * size // any character of a name may take two, in either
}

// usualLocation is how many bytes of text most locations need at most.
const usualLocation = 128

var quotedEscapes = strings.NewReplacer(`\`, `\\`, `'`, `\'`, `.`, `\.`, `*`, `\*`)

// appendPlainName writes a name that needs no quotes.
func appendPlainName(s []byte, name string) []byte {
	for i := range len(name) {
		if name[i] == '.' {
			s = append(s, '\\')
		}
		s = append(s, name[i])
	}
	return s
}

// isPlainName tells whether a name needs no quotes: it has only the characters
// of names and dots, which take a backslash.
func isPlainName(name string) bool {
	for _, r := range name {
		if r != '.' && !jsonpath.IsNameRune(r) {
			return false
		}
	}
	return name != ""
}

// pointer writes the location as a JSON Pointer, RFC 6901.
func (l location) pointer() string {
	s := make([]byte, 0, usualLocation)
	for _, e := range l {
		s = append(s, '/')
		if e.index >= 0 {
			s = strconv.AppendInt(s, int64(e.index), 10)
		} else {
			s = append(s, pointerEscapes.Replace(e.name)...)
		}
	}
	return string(s)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// field is a path as it was written, behind the location of its root.
func (l location) field(p Path) string {
	switch {
	case len(l) == 0 && jsonpath.IsKeyword(p.text()):
		return "." + p.text()
	case len(l) == 0:
		return p.text()
	case p.text() == "$":
		return l.String()
	case p.text()[0] == '[' || p.text()[0] == '.':
		return l.String() + p.text()
	}
	return l.String() + "." + p.text()
}

// fixedSteps are the steps at the beginning of a path that can only be one
// place.
func fixedSteps(steps jp.Expr) location {
	var l location
	for _, step := range steps {
		switch step := step.(type) {
		case jp.Child:
			l = append(l, named(string(step)))
			continue
		case jp.Nth:
			if step >= 0 {
				l = append(l, indexed(int(step)))
				continue
			}
		}
		break
	}
	return l
}

// has tells whether there is something at a path of members.
func has(v any, path ...string) bool { return below(v, path...) != nil }

// below is what stands at a path of members; nil where nothing does.
func below(v any, path ...string) any {
	for _, name := range path {
		v, _ = value.Member(v, name)
	}
	return v
}

// lookup is what stands at a location; nil where nothing does.
func lookup(v any, at location) any {
	for _, e := range at {
		v = child(v, e)
	}
	return v
}

// child is what stands one step below a value; nil where nothing does.
func child(v any, e element) any {
	if e.index < 0 {
		v, _ = value.Member(v, e.name)
		return v
	}
	if e.index >= value.Len(v) {
		return nil
	}
	v, _ = value.Item(v, e.index)
	return v
}
