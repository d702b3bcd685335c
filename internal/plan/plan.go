// Package plan checks values against many sets of constraints in one walk through an object,
// instead of one search for each set.
//
// A plan supports paths of names, indexes, [*], filters for a text, and ".." before the last
// name, and objects of the types that decoders return. Its mark on an entry is that the
// entry holds, that it is not needed, or that it is broken: by values, which it lists, or because
// nothing is there. In all other cases it is unsure, and the caller must search.
package plan

import (
	"slices"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// An Entry is one rule: every value at its Path must satisfy its Demands.
type Entry struct {
	Path    *jsonpath.Path
	Needs   *jsonpath.Path  // the entry is needed only if this selects something, or if it is nil
	Demands *constraint.Set // nil for an entry that the plan leaves out

	Arguments []Argument // what it demands besides
}

// A Plan is built once and walked often. It is immutable and safe for concurrent use. A nil
// Plan has no entries.
type Plan struct {
	root    *node  // nil if the plan supports none of the entries
	start   []Mark // the flags of each entry when a walk starts
	entries []Entry
	slots   int // for the values of arguments
}

// A node is a place that a path selects.
type node struct {
	// What each visit looks at comes first, so that it is in one line of the cache.
	below  *node    // "..": its members are the names that follow
	slot   int      // of the argument that is read here, from 1; 0: none
	judged []judged // the entries whose path ends here
	needed []int    // the entries whose Needs ends here

	members  []branch[string]
	items    []branch[int] // counted from the end if they are negative
	filtered []branch[filter]
	field    *jsonpath.Implied // what counts here even if it is missing, or nil

	size int // at most how many values one walk down from here looks at, not counting items
}

// A judged is what a walk needs to know about an Entry.
type judged struct {
	index           int
	textSize        int // about that of a location of this path, in both notations
	shortcut        constraint.Shortcut
	demands         *constraint.Set
	comparesNumbers bool

	bounds *bounds // if there are any, the shortcut is unsure of everything
}

// A branch is a step from a node: a name, an index or a filter.
type branch[Step comparable] struct {
	step Step
	node *node
}

// New returns a plan of entries, which are identified by their index. The tree holds the
// fields that count even if they are missing; it may be nil. The plan keeps the slice.
func New(entries []Entry, fields *jsonpath.Implied) *Plan {
	b := builder{fields: fields}
	start := make([]Mark, len(entries))
	for i, e := range entries {
		if !fits(e) {
			start[i] = isUnsure
			continue
		}
		r := b.newJudged(i, e) // first the nodes of its arguments, which are then read first
		n := b.node(e.Path)
		n.judged = append(n.judged, r)
		if e.Needs == nil {
			start[i] = isNeeded
			continue
		}
		n = b.node(e.Needs)
		n.needed = append(n.needed, i)
	}
	b.root.measure()
	return &Plan{b.root, start, entries, b.slots}
}

func (b *builder) newJudged(i int, e Entry) judged {
	r := judged{index: i, textSize: 4 * len(e.Path.Text()), shortcut: e.Demands.Shortcut(), demands: e.Demands, comparesNumbers: e.Demands.ReadsNumbers()}
	for _, a := range e.Arguments {
		n := b.node(a.Path)
		if n.slot == 0 {
			b.slots++
			n.slot = b.slots
		}
		a.slot = n.slot - 1
		if r.bounds == nil {
			r.bounds, r.shortcut = &bounds{others: r.shortcut}, constraint.Shortcut{}
		}
		r.bounds.arguments = append(r.bounds.arguments, a)
		r.textSize += len(a.Path.Text())
	}
	return r
}

// isEnd reports whether some path ends here, or may end anywhere below.
func (n *node) isEnd() bool { return len(n.judged)+len(n.needed) > 0 || n.below != nil }

// measure sets the size of a node and of all nodes below it, and returns its own.
func (n *node) measure() int {
	if n == nil {
		return 0
	}
	n.size = 1 + len(n.judged) + len(n.needed)
	for _, m := range n.members {
		n.size += m.node.measure()
	}
	for _, item := range n.items {
		n.size += item.node.measure()
	}
	for _, f := range n.filtered {
		f.node.measure()
	}
	n.below.measure()
	return n.size
}

// A builder builds the nodes of paths, which share their common steps.
type builder struct {
	fields *jsonpath.Implied
	root   *node
	slots  int
	spare  []node // made together
}

// maxShared is how many steps of each sort from a node are shared. Few objects have more members.
const maxShared = 64

func fits(e Entry) bool {
	for _, a := range e.Arguments {
		if !a.fits(e.Arguments) || slices.Contains(e.Path.Steps(), descent) {
			return false
		}
	}
	return e.Demands != nil && isPlain(e.Path) && isPlain(e.Needs)
}

// isPlain reports whether a plan supports all steps of a path.
func isPlain(p *jsonpath.Path) bool {
	items := 0
	for i, step := range p.Steps() {
		switch step.(type) {
		case jp.Child:
		case jp.Nth:
			items++
		case jp.Descent:
			last := jsonpath.Fixed(p.Steps()[i+1:])
			if items > 0 || i+maxBelow >= value.MaxDepth || i+2 != len(p.Steps()) || len(last) != 1 || last[0].IsItem() {
				return false
			}
		default:
			items++
			if _, ok := filterOf(step, nil); !ok {
				return false
			}
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
		n, f = b.after(n, s, f), f.After(s)
		if f.Default() != nil {
			n.field = f
		}
	}
	return n
}

// after returns the node after a step from a node with these fields.
func (b *builder) after(n *node, step jp.Frag, f *jsonpath.Implied) *node {
	switch step := step.(type) {
	case jp.Child:
		return grow(b, &n.members, string(step))
	case jp.Nth:
		return grow(b, &n.items, int(step))
	case jp.Descent:
		if n.below == nil {
			n.below = b.newNode()
		}
		return n.below
	}
	by, _ := filterOf(step, f)
	return grow(b, &n.filtered, by)
}

// grow returns the node after a step, and adds the branch to it if that is missing.
func grow[Step comparable](b *builder, branches *[]branch[Step], step Step) *node {
	for _, known := range (*branches)[:min(len(*branches), maxShared)] {
		if known.step == step {
			return known.node
		}
	}
	made := b.newNode()
	*branches = append(*branches, branch[Step]{step, made})
	return made
}

func (b *builder) newNode() *node {
	if len(b.spare) == 0 {
		b.spare = make([]node, 8)
	}
	n := &b.spare[0]
	b.spare = b.spare[1:]
	return n
}
