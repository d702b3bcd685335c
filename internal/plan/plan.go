// Package plan judges values against many sets of constraints in one walk through an object,
// instead of one search for each set.
//
// A plan supports paths of names, indexes and [*], and objects of the types that
// decoders return. Its mark on an entry is that the entry holds, that it is not needed, or
// that values break it, which it lists. In all other cases it is unsure, and the caller must
// search.
package plan

import (
	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// An Entry says what every value that a path selects must satisfy.
type Entry struct {
	Path    *jsonpath.Path
	Needs   *jsonpath.Path  // the entry is needed only if this selects something, or if it is nil
	Demands *constraint.Set // nil for an entry that the plan leaves out
}

// A Plan is built once and walked often. It is immutable and safe for concurrent use. A nil
// Plan has no entries.
type Plan struct {
	root  *node  // nil if the plan supports none of the entries
	start []Mark // the flags of each entry when a walk starts
}

// A node is a place that a path selects.
type node struct {
	members []member
	items   []item
	every   *node // [*]: each item

	judged []judged          // the entries whose path ends here
	needed []int             // the entries whose Needs ends here
	field  *jsonpath.Implied // what counts here even if it is missing, or nil

	size int // at most how many values one walk down from here looks at, not counting items
}

// A judged is what a walk needs to know about an Entry.
type judged struct {
	index           int
	textSize        int // about that of a location of this path, in both notations
	shortcut        constraint.Shortcut
	demands         *constraint.Set
	comparesNumbers bool
}

type member struct {
	name string
	node *node
}

type item struct {
	index int // counted from the end if it is negative
	node  *node
}

// New returns a plan of entries, which are identified by their index. The tree holds the
// fields that count even if they are missing; it may be nil.
func New(entries []Entry, fields *jsonpath.Implied) *Plan {
	b := builder{fields: fields}
	start := make([]Mark, len(entries))
	for i, e := range entries {
		if !fits(e) {
			start[i] = isUnsure
			continue
		}
		n := b.node(e.Path)
		n.judged = append(n.judged, newJudged(i, e))
		if e.Needs == nil {
			start[i] = isNeeded
			continue
		}
		n = b.node(e.Needs)
		n.needed = append(n.needed, i)
	}
	b.root.measure()
	return &Plan{b.root, start}
}

func newJudged(i int, e Entry) judged {
	return judged{i, 4 * len(e.Path.Text()), e.Demands.Shortcut(), e.Demands, e.Demands.ReadsNumbers()}
}

// isEnd reports whether some path ends here.
func (n *node) isEnd() bool { return len(n.judged)+len(n.needed) > 0 }

// measure sets the size of a node and of all nodes below it.
func (n *node) measure() {
	if n == nil {
		return
	}
	n.size = 1 + len(n.judged) + len(n.needed)
	for _, m := range n.members {
		m.node.measure()
		n.size += m.node.size
	}
	for _, item := range n.items {
		item.node.measure()
		n.size += item.node.size
	}
	n.every.measure()
}

// A builder builds the nodes of paths, which share their common steps.
type builder struct {
	fields *jsonpath.Implied
	root   *node
	spare  []node         // made together
	others map[step]*node // after the first steps from a node; nil: none
}

// maxScanned is how many steps from a node are searched one by one.
const maxScanned = 8

// A step is a step from a node.
type step struct {
	from *node
	step jp.Frag
}

// fits reports whether a plan supports an entry.
func fits(e Entry) bool { return e.Demands != nil && isPlain(e.Path) && isPlain(e.Needs) }

// isPlain reports whether a plan supports all steps of a path.
func isPlain(p *jsonpath.Path) bool {
	items := 0
	for i, step := range p.Steps() {
		switch step.(type) {
		case jp.Child:
		case jp.Nth, jp.Wildcard:
			items++
			if step == jp.Wildcard('*') {
				return false
			}
		default:
			return false
		}
		if items > maxItems || i == value.MaxDepth {
			return false
		}
	}
	return true
}

// node returns the node of a path, and adds nodes that are missing.
func (b *builder) node(p *jsonpath.Path) *node {
	if b.root == nil {
		b.root = b.newNode()
	}
	n, f := b.root, b.fields
	for _, s := range p.Steps() {
		n, f = b.after(n, s), f.After(s)
		if f.Default() != nil {
			n.field = f
		}
	}
	return n
}

func (b *builder) after(n *node, s jp.Frag) *node {
	next := n.after(s)
	if next == nil {
		next = b.others[step{n, s}]
	}
	if next == nil {
		next = b.newNode()
		n.grow(s, next)
		if len(n.members) > maxScanned || len(n.items) > maxScanned {
			if b.others == nil {
				b.others = map[step]*node{}
			}
			b.others[step{n, s}] = next
		}
	}
	return next
}

func (b *builder) newNode() *node {
	if len(b.spare) == 0 {
		b.spare = make([]node, 8)
	}
	n := &b.spare[0]
	b.spare = b.spare[1:]
	return n
}

// after returns the node after a step, if it is one of the first.
func (n *node) after(step jp.Frag) *node {
	switch step := step.(type) {
	case jp.Child:
		for _, m := range n.members[:min(len(n.members), maxScanned)] {
			if m.name == string(step) {
				return m.node
			}
		}
	case jp.Nth:
		for _, item := range n.items[:min(len(n.items), maxScanned)] {
			if item.index == int(step) {
				return item.node
			}
		}
	case jp.Wildcard:
		return n.every
	}
	return nil
}

func (n *node) grow(step jp.Frag, next *node) {
	switch step := step.(type) {
	case jp.Child:
		n.members = append(n.members, member{string(step), next})
	case jp.Nth:
		n.items = append(n.items, item{int(step), next})
	case jp.Wildcard:
		n.every = next
	}
}
