package manifest

// A node is a value of a document, and its place in the file.
type node struct {
	at      int // byte offset of its beginning
	end     int // byte offset of its end in JSON; 0 in YAML
	scalar  any // string, json.Number, bool or nil
	members []member
	size    int         // the number of nodes, with this one; an alias counts as a copy of its value
	filled  *filledText // of a string in which parameters were filled in
	shape   shape

	isShared bool // whether an alias refers to it
	isHead   bool // whether it is the head of an object of JSON
}

type shape uint8

const (
	scalar shape = iota
	object
	array
)

// A member of an array has no key, and begins where its value does.
type member struct {
	at    int // byte offset of the key
	key   string
	value *node
}

func (n *node) add(m member) {
	n.members = append(n.members, m)
	n.size += m.value.size
}

// inside returns the members of a value, if there is one and it has this shape.
func (n *node) inside(is shape) []member {
	if n == nil || n.shape != is {
		return nil
	}
	return n.members
}

// get follows names through objects, and returns nil if one of them is missing. If an object
// has a key twice, the last one counts, as in an API server.
func (n *node) get(names ...string) *node {
	for _, name := range names {
		var found *node
		for _, m := range n.inside(object) {
			if m.key == name {
				found = m.value
			}
		}
		n = found
	}
	return n
}

// text is like get, and returns "" if the value is not a string.
func (n *node) text(names ...string) string {
	s, _ := n.scalarAt(names...).(string)
	return s
}

// scalarAt is like get, and returns nil if the value is not a scalar.
func (n *node) scalarAt(names ...string) any {
	if found := n.get(names...); found != nil {
		return found.scalar
	}
	return nil
}

// plain returns the value as encoding/json would decode it with UseNumber.
func (n *node) plain() any {
	switch n.shape {
	case object:
		all := make(map[string]any, len(n.members))
		for _, m := range n.members {
			all[m.key] = m.value.plain()
		}
		return all
	case array:
		all := make([]any, 0, len(n.members))
		for _, item := range n.members {
			all = append(all, item.value.plain())
		}
		return all
	}
	return n.scalar
}
