package manifest

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A finder finds the places of a string's bytes in the text of a file. The string is a scalar
// of YAML, in a block, in quotes or plain, or a string of JSON. In all of these forms, only
// blanks and escapes are written differently from the string. So a finder skips the blanks of
// both, decodes the escapes, and compares them character by character. It continues from where
// it was, so that it reads the text once if it is asked for places in ascending order.
type finder struct {
	value   string
	at      int        // offset of the scalar in the file
	written scalarText // read up to behind the last character that was found
	counted int        // bytes of the value that were found so far
	differs bool       // whether the scalar in the file is not the value
}

func newFinder(text string, at int, value string) *finder {
	return &finder{value: value, at: at, written: newScalarText(text, at)}
}

// find returns the offset in the file of a byte of the value. If the scalar in the file is not
// the value, it returns the beginning of the scalar. For a blank, it returns the end of the
// character before it.
func (f *finder) find(offset int) int {
	if !f.countTo(offset) {
		return f.at
	}
	want, _ := utf8.DecodeRuneInString(f.value[offset:])
	if offset == len(f.value) || isBlank(want) {
		return f.written.at
	}
	ahead := f.written
	if got, place := ahead.next(); got == want {
		return place
	}
	return f.at
}

// findEnd returns the offset in the file behind the last byte before another, blanks apart; like find,
// it may return the beginning of the scalar.
func (f *finder) findEnd(offset int) int {
	if !f.countTo(offset) {
		return f.at
	}
	return f.written.at
}

// span returns where a part of the value is. The finder continues from the beginning of the part, since the
// next one may be inside it.
func (f *finder) span(s Span) Span {
	start := f.find(s.Start)
	ahead := *f
	return Span{start, ahead.findEnd(s.End)}
}

// endOfScalar returns the end of a scalar with this value, and with its quotes; its beginning if the
// scalar is not the value.
func endOfScalar(text string, at int, value string) int {
	f := newFinder(text, at, value)
	end := f.findEnd(len(value))
	if f.differs || f.written.form == 0 {
		return end
	}
	return end + strings.IndexByte(text[end:], f.written.form) + len(`"`)
}

// countTo finds all characters before a byte of the value. It returns false if the file has others.
func (f *finder) countTo(offset int) bool {
	if offset < f.counted {
		*f = *newFinder(f.written.text, f.at, f.value)
	}
	for _, want := range f.value[f.counted:offset] {
		if f.differs || isBlank(want) {
			continue
		}
		got, _ := f.written.next()
		f.differs = got != want
	}
	f.counted = offset
	return !f.differs
}

func isBlank(r rune) bool { return strings.ContainsRune(" \t\r\n", r) }

// A scalarText reads the characters of a scalar in the text of a file.
type scalarText struct {
	text string
	at   int
	form byte // the quote around it, " or '; 0 if it has no escapes
}

func newScalarText(text string, at int) scalarText {
	s := scalarText{text: text, at: at}
	switch first := text[at:min(at+1, len(text))]; first {
	case `"`, "'":
		s.form = first[0]
		s.at++
	case "|", ">":
		if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
			s.at += end + 1
		}
	}
	return s
}

// next returns the next character that is not a blank, and its offset. At the end of the text,
// the character is -1.
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

// escaped returns the character of an escape in double quotes, and its length in bytes. It knows
// the escapes of YAML, which include those of JSON. Of an escaped line end, which is not part of
// the value, it returns the line end: a blank.
func escaped(text string) (rune, int) {
	if len(text) < 2 {
		return utf8.RuneError, len(text)
	}
	if i := strings.IndexByte(ownEscapes, text[1]); i >= 0 {
		return []rune(ownEscaped)[i], 2
	}
	if c, _, rest, err := strconv.UnquoteChar(text, '"'); err == nil {
		return c, len(text) - len(rest)
	}
	const pair = len(`\ud83d\ude00`) // of surrogates
	if c, err := jsontext.AppendUnquote(nil, `"`+text[:min(pair, len(text))]+`"`); err == nil {
		r, _ := utf8.DecodeRune(c)
		return r, pair
	}
	return utf8.RuneError, 2
}

// The characters behind the backslash in the escapes that strconv does not know, and the
// characters that they stand for, in the same order.
const (
	ownEscapes = "/ \n\te0N_LP"
	ownEscaped = "/ \n\t\x1b\x00\u0085\u00a0\u2028\u2029"
)
