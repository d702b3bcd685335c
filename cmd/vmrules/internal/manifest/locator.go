package manifest

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// A Locator finds the places in the file of the values in an object.
type Locator struct {
	object  Object
	members map[*node]map[string]member // of the objects on the way to earlier values
}

// NewLocator returns a Locator for the values in an object.
func NewLocator(o Object) *Locator {
	return &Locator{o, map[*node]map[string]member{}}
}

// Place returns the line and column of the value that a JSON Pointer (RFC 6901) selects; of its
// key, if it has one. If the file does not hold the value, it returns the place of the
// innermost object or array around it, and false.
func (l *Locator) Place(pointer string) (line, column int, isThere bool) {
	m, isThere := l.member(pointer)
	line, column = l.object.File.source.place(m.at)
	return line, column, isThere
}

// member returns the value that Place places, with its key if it has one. A search for each value would
// take too long in an object with many members.
func (l *Locator) member(pointer string) (found member, isThere bool) {
	l.object = l.object.Loaded()
	found = member{at: l.object.node.at, value: l.object.node}
	for token := range jsontext.Pointer(pointer).Tokens() {
		n := found.value
		if l.members[n] == nil {
			l.members[n] = make(map[string]member, len(n.members))
			for i, m := range n.members {
				if n.shape == array {
					m.key = strconv.Itoa(i)
				}
				l.members[n][m.key] = m
			}
		}
		inside, ok := l.members[n][token]
		if !ok {
			return found, false
		}
		found = inside
	}
	return found, true
}
