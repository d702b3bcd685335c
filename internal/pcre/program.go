package pcre

import (
	"slices"
	"unicode"

	"github.com/vmrules/vmrules/internal/meter"
)

// A program is a pattern as instructions for a machine. It is immutable.
type program struct {
	code  []instruction
	slots int // that the instructions use
	// refers means that the program matches the text of a group again, so that it matters how it came to a place.
	refers bool
}

// An instruction is one step of a program. After it, the machine goes on with the next one
// unless the action says otherwise.
type instruction struct {
	do       action
	inner    op       // doAssert, doInner: the operation of the tree
	lazy     bool     // doRun, doBranch
	caseless bool     // doBackref
	set      *runeSet // doSet, doRun
	min, max int32    // doRun; max may be unbounded
	to       int32    // doBranch, doJump, doStuck, doInner: an instruction
	slot     int32    // doSave, doStuck, doBackref: the first slot
	length   int32    // doBack: in characters
}

// An action is what an instruction does.
type action int8

const (
	doAccept  action = iota // end the program, or the inner program
	doSet                   // match a character of the set
	doRun                   // match min to max characters of the set
	doBranch                // try what comes next, then what begins at to; if lazy, the other way round
	doJump                  // go to to
	doSave                  // save the place in slot
	doStuck                 // go to to if slot has the place
	doAssert                // check an assertion about the characters around the place
	doBack                  // go back length characters
	doBackref               // match the text between the places in slot and slot+1
	doInner                 // run the inner program that comes next, then go to to
)

// What a program costs, in units of work and in bytes.
const (
	instructionWork  = 100
	instructionBytes = 96 // with the reserve of the slice
	runeSetBytes     = 96
)

// compileProgram returns the program of a tree. Repeats of groups are written out. It charges
// b for each instruction before it makes it.
func compileProgram(tree *node, b *meter.Budget) (*program, error) {
	c := &programCompiler{budget: b, captures: map[int]int32{}, sets: map[*node]*runeSet{}}
	c.compile(tree)
	c.emit(instruction{do: doAccept})
	return &program{slices.Clip(c.code), c.slots, tree.hasOp(opBackref)}, c.err
}

type programCompiler struct {
	program
	captures map[int]int32 // the first slot of each group that a back-reference refers to
	sets     map[*node]*runeSet
	budget   *meter.Budget
	err      error // of the budget
}

func (c *programCompiler) newSlots(n int) int32 {
	c.slots += n
	return int32(c.slots - n)
}

// spend reports whether the budget allows something.
func (c *programCompiler) spend(work, kept int) bool {
	if c.err == nil {
		c.err = c.budget.Spend(work, kept)
	}
	return c.err == nil
}

// emit adds an instruction and returns its place.
func (c *programCompiler) emit(i instruction) int {
	if !c.spend(instructionWork, instructionBytes) {
		return 0
	}
	c.code = append(c.code, i)
	return len(c.code) - 1
}

// land makes the instructions at places go to the next instruction.
func (c *programCompiler) land(places ...int) {
	for _, i := range places {
		if c.err == nil {
			c.code[i].to = int32(len(c.code))
		}
	}
}

// setOf returns the set of a node, which is shared by all copies of what is repeated.
func (c *programCompiler) setOf(n *node, set charset) *runeSet {
	if s, ok := c.sets[n]; ok || !c.spend(instructionWork+foldWork*len(set)/2, runeSetBytes+4*len(set)) {
		return s
	}
	s := newRuneSet(set)
	c.sets[n] = s
	return s
}

func (c *programCompiler) compile(n *node) {
	switch n.op {
	case opSet:
		c.emit(instruction{do: doSet, set: c.setOf(n, n.set)})
	case opConcat:
		for _, sub := range n.subs {
			c.compile(sub)
		}
	case opAlternate:
		c.compileAlternate(n.subs, c.compile)
	case opRepeat:
		c.compileRepeat(n)
	case opCapture:
		c.compileCapture(n)
	case opAtomic, opLookahead, opNotLookahead, opLookbehind, opNotLookbehind:
		c.compileInner(n)
	case opBackref:
		c.emit(instruction{do: doBackref, slot: c.captures[n.group], caseless: n.caseless})
	default:
		c.emit(instruction{do: doAssert, inner: n.op})
	}
}

// compileAlternate compiles branches, each with the function.
func (c *programCompiler) compileAlternate(branches []*node, compile func(*node)) {
	var ends []int
	for i, branch := range branches {
		if i == len(branches)-1 {
			compile(branch)
			break
		}
		start := c.emit(instruction{do: doBranch})
		compile(branch)
		ends = append(ends, c.emit(instruction{do: doJump}))
		c.land(start)
	}
	c.land(ends...)
}

func (c *programCompiler) compileCapture(n *node) {
	if !n.referred {
		c.compile(n.subs[0])
		return
	}
	slot, isKnown := c.captures[n.group]
	if !isKnown { // this is the first copy
		slot = c.newSlots(2)
		c.captures[n.group] = slot
	}
	c.emit(instruction{do: doSave, slot: slot})
	c.compile(n.subs[0])
	c.emit(instruction{do: doSave, slot: slot + 1})
}

// compileInner compiles an atomic group or a lookaround.
func (c *programCompiler) compileInner(n *node) {
	start := c.emit(instruction{do: doInner, inner: n.op})
	if n.op == opLookbehind || n.op == opNotLookbehind {
		c.compileAlternate(n.subs[0].branches(), c.compileBehind)
	} else {
		c.compile(n.subs[0])
	}
	c.emit(instruction{do: doAccept})
	c.land(start)
}

// compileBehind compiles a branch of a lookbehind. It has a fixed length, so it ends at the
// right place if it begins that far back.
func (c *programCompiler) compileBehind(n *node) {
	c.emit(instruction{do: doBack, length: int32(n.length.least)})
	c.compile(n)
}

func (c *programCompiler) compileRepeat(n *node) {
	sub := n.subs[0]
	if set, ok := oneSet(sub); ok {
		c.emit(instruction{do: doRun, set: c.setOf(sub, set), min: int32(n.min), max: int32(n.max), lazy: n.lazy})
		return
	}
	// One slot is enough for all copies: only the place where the latest began counts.
	slot := int32(0)
	if sub.mayBeEmpty() {
		slot = c.newSlots(1)
	}
	if n.max == unbounded {
		c.compileUnbounded(n, slot)
		return
	}
	for range n.min {
		c.compile(sub)
	}
	var ends []int
	for range n.max - n.min {
		ends = append(ends, c.emit(instruction{do: doBranch, lazy: n.lazy}))
		ends = append(ends, c.compileOnce(n, slot)...)
	}
	c.land(ends...)
}

// compileUnbounded compiles the copies that have to match, and a loop with the last of them,
// or around one that need not match.
func (c *programCompiler) compileUnbounded(n *node, slot int32) {
	for range n.min - 1 {
		c.compile(n.subs[0])
	}
	again := int32(len(c.code))
	if n.min == 0 {
		end := c.emit(instruction{do: doBranch, lazy: n.lazy})
		stuck := c.compileOnce(n, slot)
		c.emit(instruction{do: doJump, to: again})
		c.land(append(stuck, end)...)
		return
	}
	stuck := c.compileOnce(n, slot)
	c.emit(instruction{do: doBranch, lazy: !n.lazy, to: again}) // the end comes next
	c.land(stuck...)
}

// compileOnce compiles what n repeats, in a part of the program that may end the repeat. If it
// matches nothing, it ends the repeat: the instructions it returns have to go there.
func (c *programCompiler) compileOnce(n *node, slot int32) (stuck []int) {
	if !n.subs[0].mayBeEmpty() {
		c.compile(n.subs[0])
		return nil
	}
	c.emit(instruction{do: doSave, slot: slot})
	c.compile(n.subs[0])
	return []int{c.emit(instruction{do: doStuck, slot: slot})}
}

// oneSet returns the set of a part that always matches one character and saves nothing.
func oneSet(n *node) (charset, bool) {
	switch n.op {
	case opSet:
		return n.set, true
	case opConcat:
		if len(n.subs) != 1 {
			return nil, false
		}
		return oneSet(n.subs[0])
	case opCapture:
		set, ok := oneSet(n.subs[0])
		return set, ok && !n.referred
	case opAlternate:
		sets := make([]charset, len(n.subs))
		for i, sub := range n.subs {
			var ok bool
			if sets[i], ok = oneSet(sub); !ok {
				return nil, false
			}
		}
		return unionOf(sets...), true
	}
	return nil, false
}

// A runeSet is a charset that is fast to ask.
type runeSet struct {
	ascii [2]uint64 // a bit a character
	all   charset
}

func newRuneSet(set charset) *runeSet {
	s := &runeSet{all: set}
	for i := 0; i < len(set); i += 2 {
		for r := set[i]; r <= min(set[i+1], unicode.MaxASCII); r++ {
			s.ascii[r/64] |= 1 << (r % 64)
		}
	}
	return s
}

func (s *runeSet) holds(r rune) bool {
	if r <= unicode.MaxASCII {
		return s.ascii[r/64]>>(r%64)&1 == 1
	}
	return s.all.holds(r)
}
