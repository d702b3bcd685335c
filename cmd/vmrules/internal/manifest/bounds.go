package manifest

import (
	"fmt"
	"strings"
)

// maxDepth is how deep values may be nested in a file.
const maxDepth = 1_000

var errDepth = fmt.Errorf("values are nested deeper than %d levels", maxDepth)

// A value takes a hundred times the memory of the two bytes that it may be written
// in. So a file may have so many values, and more only if there are enough bytes of
// it for each, as there are in VMs.
const (
	maxDense      = 500_000
	bytesPerValue = 5
)

// tooDense returns an error and its place for a text that may have too many values.
func tooDense(text string) (at int, err error) {
	most := max(maxDense, len(text)/bytesPerValue)
	if found, at := beginnings(text, most); found > most {
		return at, fmt.Errorf("there are too many values up to here: a file may have %d, or one for each %d bytes of it; split it into several files", maxDense, bytesPerValue)
	}
	return 0, nil
}

// beginnings counts what may begin a value in JSON or YAML, until that is more than
// most, and returns where. It knows nothing of strings, so that no parser has to
// look at the text first: there are at least as many beginnings as keys and values,
// but for two or three. A comment counts as several, since the parser of YAML keeps
// it.
func beginnings(text string, most int) (found, at int) {
	isKey := true // what is before a comma may be a key whose value is not written
	for at = range len(text) {
		switch c := text[at]; {
		case c == ':':
			found++
			isKey = false
		case c == '{', c == '[', endsLine(text, at):
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
			return found, at
		}
	}
	return found, at
}

// endsLine reports whether a byte is the last of what ends a line for the parser of
// YAML.
func endsLine(text string, at int) bool {
	switch text[at] {
	case '\n', '\r':
		return true
	case '\x85', '\xa8', '\xa9':
		before := text[max(at-2, 0) : at+1]
		return strings.HasSuffix(before, "\u0085") || before == "\u2028" || before == "\u2029"
	}
	return false
}
