package manifest

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A finder finds where the bytes of a string stand that is written as a scalar at a
// place in a text: a block or a string in quotes of YAML, a string of JSON, or a
// plain one. Whatever the form, YAML changes nothing but blanks and escapes: so
// the characters of both that are no blanks are counted off against each other.
// It goes on from where it was, so that finding all places in ascending order reads
// the text once.
type finder struct {
	value   string
	at      int // of the scalar
	written *scalarText
	counted int  // bytes of the value that were counted off
	behind  int  // the last character of them
	differs bool // the text is not that of the value
}

func newFinder(text string, at int, value string) *finder {
	written := newScalarText(text, at)
	return &finder{value: value, at: at, written: written, behind: written.at}
}

// find returns where a byte of the value stands, or the scalar's own place where
// the text and the value differ.
func (f *finder) find(offset int) int {
	if offset < f.counted {
		*f = *newFinder(f.written.text, f.at, f.value)
	}
	f.countTo(offset)
	if f.differs {
		return f.at
	}
	want, _ := utf8.DecodeRuneInString(f.value[offset:])
	if offset == len(f.value) || isBlank(want) {
		return f.behind
	}
	ahead := *f.written
	if got, place := ahead.next(); got == want {
		return place
	}
	return f.at
}

// countTo counts off the characters before a byte of the value.
func (f *finder) countTo(offset int) {
	for _, want := range f.value[f.counted:offset] {
		if f.differs {
			return
		}
		if isBlank(want) {
			continue
		}
		got, _ := f.written.next()
		f.differs = got != want
		f.behind = f.written.at
	}
	f.counted = offset
}

func isBlank(r rune) bool { return strings.ContainsRune(" \t\r\n", r) }

// A scalarText reads the characters of a scalar as it is written.
type scalarText struct {
	text string
	at   int
	form byte // ", ', or 0 where a character is itself
}

func newScalarText(text string, at int) *scalarText {
	s := &scalarText{text: text, at: at}
	if at == len(text) {
		return s
	}
	switch c := text[at]; c {
	case '"', '\'':
		s.form = c
		s.at++
	case '|', '>':
		if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
			s.at += end + 1
		}
	}
	return s
}

// next is the next character that is no blank, and where it begins; it is -1 at
// the end.
func (s *scalarText) next() (rune, int) {
	for s.at < len(s.text) {
		start := s.at
		c, size := s.character(s.text[start:])
		s.at += size
		if !isBlank(c) {
			return c, start
		}
	}
	return -1, s.at
}

func (s *scalarText) character(text string) (rune, int) {
	switch {
	case s.form == '\'' && strings.HasPrefix(text, "''"):
		return '\'', 2
	case s.form == '"' && text[0] == '\\':
		return escaped(text)
	}
	return utf8.DecodeRuneInString(text)
}

// escaped is the character of an escape in double quotes, of YAML, which has all
// of JSON's. What stands for no character is a blank.
func escaped(text string) (rune, int) {
	if len(text) < 2 {
		return utf8.RuneError, len(text)
	}
	if i := strings.IndexByte(ownEscapes, text[1]); i >= 0 {
		return []rune(ownEscaped)[i], 2
	}
	if c, rest, ok := surrogates(text); ok {
		return c, len(text) - len(rest)
	}
	c, _, rest, err := strconv.UnquoteChar(text, '"')
	if err != nil {
		return utf8.RuneError, 2
	}
	return c, len(text) - len(rest)
}

// The escapes that Go does not have, and what they stand for.
const (
	ownEscapes = "/ \n\te0N_LP"
	ownEscaped = "/ \n\t\x1b\x00\u0085\u00a0\u2028\u2029"
)

// surrogates reads two escapes that stand for one character.
func surrogates(text string) (rune, string, bool) {
	const pair = len(`\ud83d\ude00`)
	if len(text) < pair || text[1] != 'u' || text[6:8] != `\u` {
		return 0, text, false
	}
	high, err := strconv.ParseUint(text[2:6], 16, 16)
	low, err2 := strconv.ParseUint(text[8:pair], 16, 16)
	c := utf16.DecodeRune(rune(high), rune(low))
	return c, text[pair:], err == nil && err2 == nil && c != utf8.RuneError
}
