package pcre

import (
	"maps"
	"slices"
	"strings"
)

// class reads a class from its "[" at start.
func (p *parser) class(start int) *node {
	p.pos = start
	if _, ok := p.posixName(); ok {
		return p.fail(start, `"[:", "[." and "[=" are only allowed inside a class: write [[:alpha:]]`)
	}
	p.pos = start + 1
	p.skipQuotes()
	negated := !p.quoted && p.take("^")
	var set charset
	p.hasNegated, p.hasOther = false, false
	for first := true; ; first = false {
		p.skipQuotes()
		if p.done() {
			return p.fail(start, `this "[" has no "]": write "\[" for the character`)
		}
		if !first && !p.quoted && p.take("]") {
			break
		}
		part := p.classPart()
		p.count(start, part)
		p.spend(len(part) * classRuneWork)
		set = append(set, part...)
	}
	if p.hasNegated && p.hasOther {
		return p.fail(start, `\W, \S, \D or [:^...:] together with [:...:] or \p in one class is read differently by different versions of PCRE2: write (?:[...]|[...])`)
	}
	set = unionOf(set)
	if negated {
		set = set.negate()
	}
	return &node{op: opSet, at: start, set: set}
}

// count adds the ranges of a class, of which one \p can have hundreds, and refuses too many.
func (p *parser) count(start int, set charset) {
	if p.ranges += len(set) / 2; p.ranges > maxRanges {
		p.fail(start, "up to here, the classes together have more than %d ranges of characters", maxRanges)
	}
}

// classPart reads a character, a range or a class inside a class. A hyphen right
// behind a character makes a range unless the class ends there. Right behind an inner
// class it is an error, as in PCRE2.
func (p *parser) classPart() charset {
	start := p.pos
	first, inner := p.classItem()
	p.skipQuotes()
	hyphen := !p.quoted && p.take("-")
	if inner != nil {
		if hyphen && p.next() != ']' {
			p.fail(start, `a class cannot begin a range: write "\-" for the hyphen, or put it last`)
		}
		if hyphen {
			p.pos--
		}
		return inner
	}
	if !hyphen {
		return p.span(first, first)
	}
	p.skipQuotes()
	if !p.quoted && p.next() == ']' {
		return append(p.span(first, first), '-', '-')
	}
	if p.done() {
		return nil
	}
	last, inner := p.classItem()
	switch {
	case inner != nil:
		p.fail(start, `a class cannot end a range: write "\-" for the hyphen, or put it last`)
	case last < first:
		p.fail(start, "the range is out of order: its first character comes after its last")
	}
	return p.span(first, last)
}

// span returns the set of the characters from first to last, in all cases under (?i).
func (p *parser) span(first, last rune) charset {
	set := charset{first, last}
	if !p.has(optionCaseless) {
		return set
	}
	p.ranges += min(int(last-first), foldedRanges)
	if !p.spend(min(int(last-first)+1, maxCased) * foldWork) {
		return nil
	}
	return set.fold()
}

// classItem reads a character, or a class inside a class: then inner is not nil.
func (p *parser) classItem() (r rune, inner charset) {
	start := p.pos
	if !p.quoted && p.next() == '[' {
		if name, ok := p.posixName(); ok {
			return 0, p.posixClass(start, name)
		}
	}
	p.pos++
	c := p.text[start]
	if p.quoted || c != '\\' {
		return c, nil
	}
	switch c = p.escaped(start); c {
	case 'b':
		return '\b', nil
	case 'D', 'S', 'W':
		p.hasNegated = true
	case 'p', 'P':
		p.hasOther = true
	}
	if inner, class := p.classEscape(start, c); class != "" {
		return 0, inner
	}
	return p.characterEscape(start, c), nil
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

func (p *parser) posixClass(start int, name string) charset {
	name, negated := strings.CutPrefix(name, "^")
	set, ok := posixClasses[name]
	if !ok {
		p.fail(start, "there is no such POSIX class: the classes are %s", strings.Join(slices.Sorted(maps.Keys(posixClasses)), ", "))
	}
	if p.has(optionCaseless) && (name == "upper" || name == "lower") {
		set = posixClasses["alpha"]
	}
	if negated {
		p.hasNegated = true
		return set.negate()
	}
	p.hasOther = true
	return set
}
