package pcre

import (
	"slices"
	"sync"
	"unicode"
)

// A charset is a set of characters: pairs of first and last, in ascending order, with gaps between them.
type charset []rune

// PCRE2's own classes, which without UCP are ASCII except for \h and \v.
var (
	digitClass      = charset{'0', '9'}
	wordClass       = charset{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	spaceClass      = charset{'\t', '\r', ' ', ' '}
	horizontalClass = charset{'\t', '\t', ' ', ' ', 0xa0, 0xa0, 0x1680, 0x1680, 0x180e, 0x180e, 0x2000, 0x200a, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000}
	verticalClass   = charset{'\n', '\r', 0x85, 0x85, 0x2028, 0x2029}
	newlineClass    = charset{'\n', '\n'}
	xdigitClass     = charset{'0', '9', 'A', 'F', 'a', 'f'}
	anyClass        = charset{0, unicode.MaxRune}
)

// escapeClasses are the classes of \ and a letter. A capital letter stands for the complement.
var escapeClasses = map[rune]charset{
	'd': digitClass,
	'h': horizontalClass,
	's': spaceClass,
	'v': verticalClass,
	'w': wordClass,
}

// posixClasses are those of the C locale, which PCRE2 is built with.
var posixClasses = map[string]charset{
	"alnum":  {'0', '9', 'A', 'Z', 'a', 'z'},
	"alpha":  {'A', 'Z', 'a', 'z'},
	"ascii":  {0, 0x7f},
	"blank":  {'\t', '\t', ' ', ' '},
	"cntrl":  {0, 0x1f, 0x7f, 0x7f},
	"digit":  digitClass,
	"graph":  {'!', '~'},
	"lower":  {'a', 'z'},
	"print":  {' ', '~'},
	"punct":  {'!', '/', ':', '@', '[', '`', '{', '~'},
	"space":  spaceClass,
	"upper":  {'A', 'Z'},
	"word":   wordClass,
	"xdigit": xdigitClass,
}

// properties are the general categories of \p, L&, which is several of them, and Any.
// Each class is made when it is first asked for. A character has its category from when
// Unicode assigns it, so any PCRE2 agrees on all characters that both it and Go know.
var properties = classesOf(
	"C", "Cc", "Cf", "Cn", "Co", "Cs", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn",
	"N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs",
)

func classesOf(categories ...string) map[string]func() charset {
	classes := map[string]func() charset{
		"L&":  sync.OnceValue(func() charset { return tableClass(unicode.LC) }),
		"Any": func() charset { return anyClass },
	}
	for _, name := range categories {
		classes[name] = sync.OnceValue(func() charset { return tableClass(unicode.Categories[name]) })
	}
	return classes
}

func tableClass(table *unicode.RangeTable) charset {
	var pairs charset
	add := func(first, last, stride rune) {
		if stride == 1 {
			pairs = append(pairs, first, last)
			return
		}
		for r := first; r <= last; r += stride {
			pairs = append(pairs, r, r)
		}
	}
	for _, r := range table.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range table.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return slices.Clip(unionOf(pairs))
}

func (s charset) holds(r rune) bool {
	// The last character of each pair has an odd index.
	i, found := slices.BinarySearch(s, r)
	return found || i%2 == 1
}

// unionOf returns the characters in any of sets, whose pairs may be in any order and overlap.
func unionOf(sets ...charset) charset {
	type span struct{ first, last rune }
	var spans []span
	for _, set := range sets {
		for i := 0; i < len(set); i += 2 {
			spans = append(spans, span{set[i], set[i+1]})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return int(a.first - b.first) })
	all := charset{}
	for _, s := range spans {
		if n := len(all); n > 0 && s.first <= all[n-1]+1 {
			all[n-1] = max(all[n-1], s.last)
			continue
		}
		all = append(all, s.first, s.last)
	}
	return all
}

// negate returns the set of the characters that s does not hold.
func (s charset) negate() charset {
	rest := charset{}
	next := rune(0)
	for i := 0; i < len(s); i += 2 {
		if next < s[i] {
			rest = append(rest, next, s[i]-1)
		}
		next = s[i+1] + 1
	}
	if next <= unicode.MaxRune {
		rest = append(rest, next, unicode.MaxRune)
	}
	return rest
}

// fold returns s with the other cases of all its characters, as PCRE2 folds in UTF
// mode: one character for another, by Unicode, independent of any language.
func (s charset) fold() charset {
	folded := slices.Clone(s)
	cased := casedCharacters()
	for i := 0; i < len(s); i += 2 {
		from, _ := slices.BinarySearch(cased, s[i])
		for _, r := range cased[from:] {
			if r > s[i+1] {
				break
			}
			for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
				folded = append(folded, other, other)
			}
		}
	}
	return unionOf(folded)
}

// casedCharacters returns all characters that have another case, in order: all are in the first two planes.
var casedCharacters = sync.OnceValue(func() []rune {
	var cased []rune
	for r := rune(0); r < 0x20000; r++ {
		if unicode.SimpleFold(r) != r {
			cased = append(cased, r)
		}
	}
	return cased
})
