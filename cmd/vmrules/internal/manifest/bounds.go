package manifest

import (
	"fmt"
	"unicode/utf8"
)

const maxDepth = 1_000

var errDepth = fmt.Errorf("values are nested more than %d levels deep", maxDepth)

// A value can be written in two bytes, and takes a hundred times as many in memory. So a file
// may have at most maxDense values, or one for each bytesPerValue bytes, whichever is more.
// Files with VMs have far fewer values for their size.
const (
	maxDense      = 500_000
	bytesPerValue = 5
)

// tooDense returns an error if a text may have too many values, and where the first of these is.
func tooDense(text string) (at int, err error) {
	most := max(maxDense, len(text)/bytesPerValue)
	if found, at := beginnings(text, most); found > most {
		return at, fmt.Errorf("there are too many values up to here: a file may have %d, or one for each %d bytes if that is more; split the file", maxDense, bytesPerValue)
	}
	return 0, nil
}

// beginnings counts the places in a text at which a key or a value of JSON or YAML may begin.
// It stops when it has found more than most, and returns the offset where it stopped. It counts
// before any parser reads the text, so it also counts inside strings. A text has at most three
// more keys and values than the result. A comment counts as three, because the YAML parser
// keeps it in memory.
func beginnings(text string, most int) (found, at int) {
	isKey := true // before a comma, there may be a key without a written value
	for at, c := range text {
		switch {
		case c == ':':
			found++
			isKey = false
		case c == '{', c == '[', endsLine(c):
			found++
			isKey = true
		case c == ',':
			found++
			if isKey {
				found++
			}
			isKey = true
		case (c == '-' || c == '?') && (at+1 == len(text) || isBlank(rune(text[at+1]))):
			found++
		case c == '#':
			found += 3
		}
		if found > most {
			return found, at + utf8.RuneLen(c) - 1
		}
	}
	return found, len(text)
}

// endsLine reports whether a character ends a line for the YAML parser.
func endsLine(c rune) bool {
	return c == '\n' || c == '\r' || c == '\u0085' || c == '\u2028' || c == '\u2029'
}
