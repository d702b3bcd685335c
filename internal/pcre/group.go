package pcre

import (
	"slices"
	"strings"
)

// refusedGroups are the groups that a tree cannot hold, by what follows the "(?".
var refusedGroups = []struct{ begin, name string }{
	{"|", "a branch reset group"},
	{"(", "a conditional group"},
	{"&", "a subroutine call"},
	{"P>", "a subroutine call"},
	{"+", "a subroutine call"},
	{"R", "a recursion"},
	{"C", "a callout"},
	{"[", "an extended class"},
	{"*", "a non-atomic lookaround"},
	{"<*", "a non-atomic lookaround"},
}

// parenthesis reads what begins with "(".
func (p *parser) parenthesis(start int) *node {
	if p.next() == '*' {
		return p.fail(start, `verbs and other "(*" items are not supported: write "\(*" for the characters`)
	}
	if !p.take("?") {
		if p.has(optionNoCapture) {
			return p.rest(start, &node{op: opConcat})
		}
		return p.capture(start, "")
	}
	for _, refused := range refusedGroups {
		if p.take(refused.begin) {
			return p.fail(start, `"(?%s" begins %s, which is not supported`, refused.begin, refused.name)
		}
	}
	if p.digitAt(0) || p.next() == '-' && p.digitAt(1) {
		return p.fail(start, `"(?" and a number call a group as a subroutine, which is not supported`)
	}
	switch {
	case p.take(":"):
		return p.rest(start, &node{op: opConcat})
	case p.take(">"):
		return p.rest(start, &node{op: opAtomic})
	case p.take("="):
		return p.rest(start, &node{op: opLookahead})
	case p.take("!"):
		return p.rest(start, &node{op: opNotLookahead})
	case p.take("<="):
		return p.lookbehind(start, &node{op: opLookbehind})
	case p.take("<!"):
		return p.lookbehind(start, &node{op: opNotLookbehind})
	case p.take("P<"), p.take("<"):
		return p.named(start, '>')
	case p.take("'"):
		return p.named(start, '\'')
	case p.take("P="):
		return p.namedBackref(start, ')')
	}
	return p.setting(start)
}

// setting reads an option setting, which is for a group of its own or for the rest of
// the group that it is in. It returns nil for the latter.
func (p *parser) setting(start int) *node {
	outer := p.options
	inner := p.letters()
	switch {
	case p.take(")"):
		p.options = inner
		return nil
	case p.take(":"):
		p.options = inner
		n := p.rest(start, &node{op: opConcat})
		p.options = outer
		return n
	case p.done():
		return p.fail(start, `this "(" has no ")"`)
	}
	return p.fail(p.pos, `"%c" is not an option here: only i, m, n, s and x are supported`, p.next())
}

// letters reads option letters, and returns the options as they change them.
func (p *parser) letters() optionSet {
	var set, unset optionSet
	letters := &set
	for {
		option := strings.IndexRune(optionLetters, p.next())
		switch {
		case option >= 0 && (p.next() != 'x' || p.text[p.pos-1] != 'x'): // xx is another option
			p.pos++
			*letters |= 1 << option
		case letters == &set && p.take("-"):
			letters = &unset
		default:
			return (p.options | set) &^ unset
		}
	}
}

func (p *parser) named(start int, end rune) *node {
	name := p.name(end)
	if slices.Contains(p.names, name) {
		return p.fail(start, "there is already a group with the name %s", name)
	}
	return p.capture(start, name)
}

// name reads a group's name and the character that ends it.
func (p *parser) name(end rune) string {
	start := p.pos
	name := p.takeAll(wordClass)
	if name == "" || onlyDigits(name[:1]) || len(name) > maxGroupName || !p.take(string(end)) {
		p.fail(start, `a group's name consists of at most %d ASCII letters, digits and "_", does not begin with a digit and ends with "%c"`, maxGroupName, end)
	}
	return name
}

func (p *parser) capture(start int, name string) *node {
	n := &node{op: opCapture, group: len(p.captures) + 1}
	p.captures, p.names = append(p.captures, n), append(p.names, name)
	return p.rest(start, n)
}

// rest reads a group up to its ")", into n.
func (p *parser) rest(start int, n *node) *node {
	if p.nesting++; p.nesting > maxNesting {
		return p.fail(start, "groups are nested deeper than %d", maxNesting)
	}
	options := p.options
	n.at, n.subs = start, []*node{p.alternation()}
	if !p.take(")") {
		return p.fail(start, `this "(" has no ")": write "\(" for the character`)
	}
	p.spend((p.pos - start) * groupWork) // some walks over the tree look at a part once for each group around it
	p.options = options
	p.nesting--
	return n
}

// lookbehind reads the rest of a lookbehind into n. Each branch may have its own fixed
// length. PCRE2 allows more from 10.43 on, which is refused.
func (p *parser) lookbehind(start int, n *node) *node {
	p.behind++
	p.rest(start, n)
	p.behind--
	if p.err != nil {
		return nil
	}
	settleLengths(n.subs[0])
	for _, branch := range n.subs[0].branches() {
		if l := branch.length; l.least < l.most || l.most > maxRepeat {
			return p.fail(start, "each branch of a lookbehind must have a fixed length: no back-reference, no \\R, no *, + or ?, no branches of different lengths in a group inside")
		}
	}
	return n
}
