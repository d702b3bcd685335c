package pcre

import (
	"maps"
	"slices"
	"strings"
)

// class reads a class from its "[" at start.
func (p *parser) class(start int) (*node, error) {
	p.pos = start
	if _, ok := p.posixName(); ok {
		return nil, errorAt(start, `"[:", "[." and "[=" are only allowed inside a class: write [[:alpha:]]`)
	}
	p.pos = start + 1
	p.skipQuotes()
	negated := !p.quoted && p.take("^")
	var set charset
	p.hasNegated, p.hasOther = false, false
	for first := true; ; first = false {
		p.skipQuotes()
		if p.done() {
			return nil, errorAt(start, `this "[" has no "]": write "\[" for the character`)
		}
		if !first && !p.quoted && p.take("]") {
			break
		}
		part, err := p.classPart()
		if err != nil {
			return nil, err
		}
		if err := p.count(start, part); err != nil {
			return nil, err
		}
		if err := p.budget.Spend(len(part)*classRuneWork, 0); err != nil {
			return nil, err
		}
		set = append(set, part...)
	}
	if p.hasNegated && p.hasOther {
		return nil, errorAt(start, `\W, \S, \D or [:^...:] together with [:...:] or \p in one class is read differently by different versions of PCRE2: write (?:[...]|[...])`)
	}
	set = unionOf(set)
	if negated {
		set = set.negate()
	}
	return &node{op: opSet, at: start, set: set}, nil
}

// count adds the ranges of a class, of which one \p can have hundreds, and refuses too many.
func (p *parser) count(start int, set charset) error {
	if p.ranges += len(set) / 2; p.ranges > maxRanges {
		return errorAt(start, "up to here, the classes together have more than %d ranges of characters", maxRanges)
	}
	return nil
}

// classPart reads a character, a range or a class inside a class. A hyphen right
// behind a character makes a range unless the class ends there. Right behind an inner
// class it is an error, as in PCRE2.
func (p *parser) classPart() (charset, error) {
	start := p.pos
	first, inner, err := p.classItem()
	if err != nil {
		return nil, err
	}
	p.skipQuotes()
	hyphen := !p.quoted && p.take("-")
	if inner != nil {
		if hyphen && p.next() != ']' {
			return nil, errorAt(start, `a class cannot begin a range: write "\-" for the hyphen, or put it last`)
		}
		if hyphen {
			p.pos--
		}
		return inner, nil
	}
	if !hyphen {
		return p.span(first, first)
	}
	p.skipQuotes()
	if !p.quoted && p.next() == ']' {
		set, err := p.span(first, first)
		return append(set, '-', '-'), err
	}
	if p.done() {
		return nil, nil
	}
	last, inner, err := p.classItem()
	switch {
	case err != nil:
		return nil, err
	case inner != nil:
		return nil, errorAt(start, `a class cannot end a range: write "\-" for the hyphen, or put it last`)
	case last < first:
		return nil, errorAt(start, "the range is out of order: its first character comes after its last")
	}
	return p.span(first, last)
}

// span returns the set of the characters from first to last, in all cases under (?i).
func (p *parser) span(first, last rune) (charset, error) {
	set := charset{first, last}
	if !p.has(optionCaseless) {
		return set, nil
	}
	p.ranges += min(int(last-first), foldedRanges)
	if err := p.budget.Spend(min(int(last-first)+1, maxCased)*foldWork, 0); err != nil {
		return nil, err
	}
	return set.fold(), nil
}

// classItem reads a character, or a class inside a class: then inner is not nil.
func (p *parser) classItem() (r rune, inner charset, err error) {
	start := p.pos
	if !p.quoted && p.next() == '[' {
		if name, ok := p.posixName(); ok {
			inner, err = p.posixClass(start, name)
			return 0, inner, err
		}
	}
	p.pos++
	c := p.text[start]
	if p.quoted || c != '\\' {
		return c, nil, nil
	}
	if p.done() {
		return 0, nil, errorAt(start, `a "\" at the end escapes nothing: write "\\" for the character`)
	}
	c = p.text[p.pos]
	p.pos++
	switch c {
	case 'b':
		return '\b', nil, nil
	case 'D', 'S', 'W':
		p.hasNegated = true
	case 'p', 'P':
		p.hasOther = true
	}
	if inner, class, err := p.classEscape(start, c); class != "" || err != nil {
		return 0, inner, err
	}
	r, err = p.characterEscape(start, c)
	return r, nil, err
}

// posixName reads the name of a POSIX class, or a collating element, as PCRE2 recognizes
// it: the text between "[:" and ":]", or the same with "." or "=". If it is not closed
// before the class ends, the "[" is a character.
func (p *parser) posixName() (string, bool) {
	if p.pos+1 >= len(p.text) || !strings.ContainsRune(":.=", p.text[p.pos+1]) {
		return "", false
	}
	mark, begin := p.text[p.pos+1], p.pos+2
	for i := begin; i+1 < len(p.text); i++ {
		switch c, next := p.text[i], p.text[i+1]; {
		case c == '\\' && (next == ']' || next == '\\'):
			i++
		case c == ']' || c == '[' && next == mark:
			return "", false
		case c == mark && next == ']':
			p.pos = i + 2
			return string(p.text[begin:i]), true
		}
	}
	return "", false
}

func (p *parser) posixClass(start int, name string) (charset, error) {
	name, negated := strings.CutPrefix(name, "^")
	set, ok := posixClasses[name]
	if !ok {
		return nil, errorAt(start, "there is no such POSIX class: the classes are %s", strings.Join(slices.Sorted(maps.Keys(posixClasses)), ", "))
	}
	if p.has(optionCaseless) && (name == "upper" || name == "lower") {
		set = posixClasses["alpha"]
	}
	if negated {
		p.hasNegated = true
		return set.negate(), nil
	}
	p.hasOther = true
	return set, nil
}
