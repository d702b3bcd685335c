package manifest

import (
	"strconv"
	"strings"
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
// innermost object or array around it.
func (l *Locator) Place(pointer string) (line, column int) {
	l.object = l.object.Loaded()
	n, at := l.object.node, l.object.node.at
	for _, token := range strings.Split(pointer, "/")[1:] {
		inside := l.membersOf(n)[unescaper.Replace(token)]
		if i, err := strconv.Atoi(token); err == nil && 0 <= i && i < len(n.items) {
			inside = member{at: n.items[i].at, value: n.items[i]}
		}
		if inside.value == nil {
			break
		}
		n, at = inside.value, inside.at
	}
	return l.object.File.source.place(at)
}

var unescaper = strings.NewReplacer("~1", "/", "~0", "~")

// membersOf returns the members of an object by their keys. A search for each value would take
// too long in an object with many members.
func (l *Locator) membersOf(n *node) map[string]member {
	if l.members[n] == nil {
		l.members[n] = make(map[string]member, len(n.members))
		for _, m := range n.members {
			l.members[n][m.key] = m
		}
	}
	return l.members[n]
}
