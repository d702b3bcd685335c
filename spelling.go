package vmrules

import (
	"slices"
	"strings"
)

// What people misspell is a name out of a short list. This file finds the one
// that they meant.

// meantKey is the key of the format that an unknown key most likely means, out
// of those that its rule does not have; "" for none.
func meantKey(key string, unused []string) string {
	if key == keyIncluded && slices.Contains(unused, keyValues) {
		return keyValues
	}
	return nearest(key, unused)
}

// unusedKeys are the keys of the format, and its kind's own, that a rule does
// not have.
func unusedKeys(n jsonNode, own []string) []string {
	used := make(map[string]bool, len(n.members))
	for _, m := range n.members {
		used[m.key] = true
	}
	return slices.DeleteFunc(slices.Concat(commonKeys, argumentKeys, own), func(key string) bool { return used[key] })
}

// meantKind is the kind that an unknown one most likely means, "" for none.
func (o *parseOptions) meantKind(k Kind) string { return nearest(string(k), o.kindNames()) }

// kindNames are the kinds that are known.
func (o *parseOptions) kindNames() []string {
	names := []string{string(KindInteger), string(KindString), string(KindRegex), string(KindEnum)}
	for _, k := range o.kinds {
		names = append(names, string(k.kind))
	}
	return names
}

// maxTypos is how many typos a name may have at most: two, or a third of its
// length if that is less.
const maxTypos = 2

// nearest is the name that a word with few typos most likely means, "" if there
// is none. Upper and lower case are the same; of equally near ones it is the
// first. The names are ASCII.
func nearest(word string, names []string) string {
	found := ""
	least := maxTypos + 1
	folded := []rune(strings.ToLower(word))
	for _, name := range names {
		if d := len(folded) - len(name); d > maxTypos || -d > maxTypos {
			continue
		}
		if typos := distance(folded, []rune(strings.ToLower(name))); typos < least && typos <= len(name)/3 {
			found, least = name, typos
		}
	}
	return found
}

// distance is how many characters must be put in, left out, replaced or swapped
// with the next to make t of s (Damerau and Levenshtein's, where what is swapped
// is not changed again).
func distance(s, t []rune) int {
	// Rows of the usual table: two above, above, this.
	two, above, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(s); i++ {
		two, above, row = above, row, two
		row[0] = i
		for j := 1; j <= len(t); j++ {
			replaced := above[j-1]
			if s[i-1] != t[j-1] {
				replaced++
			}
			row[j] = min(replaced, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
		}
	}
	return row[len(t)]
}
