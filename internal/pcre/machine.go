package pcre

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A machine runs a program on one subject, and backtracks. What it may have to come back to
// is on a stack of its own, which is bounded.
type machine struct {
	*program
	subject  string
	slots    []int // places in subject; -1 if nothing is saved
	stack    []frame
	deadline time.Time
	steps    int      // since the machine looked at the time
	looks    int      // how often it may look, in case the clock stands still
	inner    int      // how many inner programs it is in
	tried    []uint64 // a bit for each instruction and place from where nothing matched; nil at first
	err      error    // why it has to stop
}

// A frame is what to do if the rest of the program does not match.
type frame struct {
	kind frameKind
	at   int32 // an instruction; the slot of frameRestore
	from int32 // a place in the subject; what frameRestore puts into the slot
	more int32 // frameGiveBack: the place to stop at; frameTakeMore: how many characters more
}

type frameKind int8

const (
	frameTry      frameKind = iota // go on at the instruction
	frameRestore                   // restore the slot, then look at the next frame
	frameGiveBack                  // the run gives back a character
	frameTakeMore                  // the run takes one more
)

const (
	stepsBetweenLooks = 10_000                // at the time: less than a millisecond
	leastLook         = 20 * time.Microsecond // less time than passes between two looks
	maxTried          = 1 << 25               // bits of a machine at most: 4 MiB
)

// match reports whether the program matches anywhere in the subject, which is valid UTF-8.
func (p *program) match(subject string, limit time.Duration) (bool, error) {
	return p.machine(subject, limit).search()
}

func (p *program) machine(subject string, limit time.Duration) *machine {
	return &machine{program: p, subject: subject, deadline: time.Now().Add(limit), looks: int(limit/leastLook) + 1}
}

// search runs the program from each place in the subject until it matches.
func (m *machine) search() (bool, error) {
	m.slots = slices.Repeat([]int{-1}, m.program.slots)
	isAnchored := m.code[0].do == doAssert && m.code[0].inner == opBeginText
	for start := 0; ; {
		_, matched := m.match(0, start) // which restores the slots if it does not match
		if matched || m.err != nil || start == len(m.subject) || isAnchored {
			return matched, m.err
		}
		_, start = m.next(start)
	}
}

// match runs the program from an instruction and a place to the end of the program, or of
// the inner program that it begins in, and returns the place there. It leaves frames on the
// stack if it matches.
func (m *machine) match(pc, at int) (end int, matched bool) {
	base := len(m.stack)
	for m.spend(1) {
		if m.code[pc].do == doAccept {
			return at, true
		}
		ok := !m.isTried(pc, at)
		if ok {
			pc, at, ok = m.step(pc, at)
		}
		if ok {
			continue
		}
		if pc, at, ok = m.backtrack(base); !ok {
			break
		}
	}
	return 0, false
}

// spend counts steps, and reports whether the machine may go on.
func (m *machine) spend(steps int) bool {
	if m.steps += steps; m.steps >= stepsBetweenLooks {
		m.steps = 0
		if m.looks--; m.looks < 0 {
			m.err = errSteps
		}
		if time.Now().After(m.deadline) {
			m.err = errTime
		}
		if m.tried == nil {
			m.remember()
		}
	}
	return m.err == nil
}

// remember makes the machine keep what it has tried, from when a match takes long.
func (m *machine) remember() {
	if size := len(m.code) * (len(m.subject) + 1); !m.refers && size < maxTried {
		m.tried = make([]uint64, size/64+1)
	}
}

// isTried reports whether the machine has been at an instruction and a place before, in vain. Inside an inner
// program, which may have matched, it keeps nothing.
func (m *machine) isTried(pc, at int) bool {
	if m.tried == nil || m.inner > 0 {
		return false
	}
	i := pc*(len(m.subject)+1) + at
	word, bit := &m.tried[i/64], uint64(1)<<(i%64)
	was := *word&bit != 0
	*word |= bit
	return was
}

func (m *machine) push(f frame) {
	if len(m.stack) >= maxStack {
		m.err = errStack
		return
	}
	m.stack = append(m.stack, f)
}

// step runs an instruction, and returns where to go on; false if the instruction does not match.
func (m *machine) step(pc, at int) (nextPC, nextAt int, matched bool) {
	switch i := &m.code[pc]; i.do {
	case doSet:
		r, end := m.next(at)
		return pc + 1, end, end > at && i.set.holds(r)
	case doRun:
		end, ok := m.takeRun(pc, at)
		return pc + 1, end, ok
	case doBranch:
		first, second := pc+1, int(i.to)
		if i.lazy {
			first, second = second, first
		}
		m.push(frame{kind: frameTry, at: int32(second), from: int32(at)})
		return first, at, true
	case doJump:
		return int(i.to), at, true
	case doSave:
		m.push(frame{kind: frameRestore, at: i.slot, from: int32(m.slots[i.slot])})
		m.slots[i.slot] = at
	case doStuck:
		if m.slots[i.slot] == at {
			return int(i.to), at, true
		}
	case doAssert:
		return pc + 1, at, m.asserts(i.inner, at)
	case doBack:
		start, ok := m.back(at, int(i.length))
		return pc + 1, start, ok
	case doBackref:
		end, ok := m.matchBackref(i, at)
		return pc + 1, end, ok
	case doInner:
		end, ok := m.matchInner(pc, at)
		return int(i.to), end, ok
	}
	return pc + 1, at, true
}

// backtrack takes frames from the stack, down to base, until one says where to go on.
func (m *machine) backtrack(base int) (pc, at int, ok bool) {
	for len(m.stack) > base && m.spend(1) {
		f := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		switch pc, at = int(f.at), int(f.from); f.kind {
		case frameTry:
			return pc, at, true
		case frameRestore:
			m.slots[pc] = at
		case frameGiveBack:
			_, width := utf8.DecodeLastRuneInString(m.subject[:at])
			if f.from -= int32(width); f.from > f.more {
				m.push(f)
			}
			return pc + 1, int(f.from), true
		case frameTakeMore:
			r, end := m.next(at)
			if end == at || !m.code[pc].set.holds(r) {
				continue
			}
			if f.from, f.more = int32(end), f.more-1; f.more != 0 {
				m.push(f)
			}
			return pc + 1, end, true
		}
	}
	return 0, 0, false
}

// next returns the character at a place and the place behind it, which is the same at the end.
func (m *machine) next(at int) (r rune, end int) {
	if at < len(m.subject) && m.subject[at] < utf8.RuneSelf {
		return rune(m.subject[at]), at + 1
	}
	r, width := utf8.DecodeRuneInString(m.subject[at:])
	return r, at + width
}

// back returns the place a number of characters before a place, if there are so many.
func (m *machine) back(at, length int) (start int, ok bool) {
	for range length {
		if at == 0 {
			return 0, false
		}
		_, width := utf8.DecodeLastRuneInString(m.subject[:at])
		at -= width
	}
	return at, m.spend(length)
}

// takeRun takes as many characters as the run may have, or as few if it is lazy.
func (m *machine) takeRun(pc, at int) (end int, ok bool) {
	i := &m.code[pc]
	wanted := i.max
	if i.lazy {
		wanted = i.min
	}
	least, count := at, int32(0) // least is where the shortest run ends
	for end = at; count != wanted; count++ {
		r, behind := m.next(end)
		if behind == end || !i.set.holds(r) {
			break
		}
		if end = behind; count < i.min {
			least = end
		}
	}
	if count < i.min || !m.spend(int(count)) {
		return 0, false
	}
	switch {
	case i.lazy && i.max != i.min:
		m.push(frame{frameTakeMore, int32(pc), int32(end), max(i.max-i.min, unbounded)})
	case !i.lazy && end > least:
		m.push(frame{frameGiveBack, int32(pc), int32(end), int32(least)})
	}
	return end, true
}

// matchInner matches an atomic group or a lookaround, and returns where what follows it begins.
func (m *machine) matchInner(pc, at int) (end int, matched bool) {
	base, inner := len(m.stack), m.code[pc].inner
	m.inner++
	end, matched = m.match(pc+1, at)
	m.inner--
	if inner == opNotLookahead || inner == opNotLookbehind {
		m.undo(base)
		return at, !matched && m.err == nil
	}
	if !matched {
		return 0, false
	}
	m.commit(base)
	if inner != opAtomic {
		end = at
	}
	return end, true
}

// undo removes the frames above base and restores the slots.
func (m *machine) undo(base int) {
	for _, f := range slices.Backward(m.stack[base:]) {
		if f.kind == frameRestore {
			m.slots[f.at] = int(f.from)
		}
	}
	m.stack = m.stack[:base]
}

// commit removes the frames above base, except those that restore slots if what comes before
// is tried another way.
func (m *machine) commit(base int) {
	kept := slices.DeleteFunc(m.stack[base:], func(f frame) bool { return f.kind != frameRestore })
	m.stack = m.stack[:base+len(kept)]
}

func (m *machine) matchBackref(i *instruction, at int) (end int, matched bool) {
	start, stop := m.slots[i.slot], m.slots[i.slot+1]
	if start < 0 || stop < 0 {
		return 0, false
	}
	end = at
	for start < stop {
		var r, wanted rune
		behind := end
		wanted, start = m.next(start)
		if r, end = m.next(end); end == behind || r != wanted && !(i.caseless && isSameLetter(r, wanted)) {
			return 0, false
		}
	}
	return end, m.spend(end - at)
}

func isSameLetter(a, b rune) bool { return strings.EqualFold(string(a), string(b)) }

func (m *machine) asserts(assertion op, at int) bool {
	atEnd := at == len(m.subject)
	switch assertion {
	case opBeginText:
		return at == 0
	case opBeginLine:
		return at == 0 || m.subject[at-1] == '\n' && !atEnd
	case opEndText:
		return atEnd
	case opEndLine:
		return atEnd || m.subject[at] == '\n'
	case opEndOrNewline:
		return atEnd || m.subject[at:] == "\n"
	}
	isBoundary := m.isWord(at-1) != m.isWord(at)
	return isBoundary == (assertion == opWordBoundary)
}

func (m *machine) isWord(at int) bool {
	return at >= 0 && at < len(m.subject) && wordClass.holds(rune(m.subject[at]))
}
