// Package spelling finds the name that a misspelt word most likely means, out of
// a short list of names.
//
// It counts typos. A typo is a character that is inserted, omitted, replaced, or swapped with
// the next one; case is ignored. A name may have one typo for every three characters, and at
// most two: "mni" means "min", but "mxi" has no meaning.
package spelling

import "strings"

// maxTypos is the largest number of typos in a name, however long it is.
const maxTypos = 2

// Nearest returns the name that a word with few typos most likely means, or "" if there is
// none. It ignores case. If several names are equally close, it returns the first. The names
// must be ASCII; the word may be any text.
func Nearest(word string, names []string) string {
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

// distance returns how many typos turn s into t. It is the distance of Damerau and
// Levenshtein, in which swapped characters are not changed again.
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
