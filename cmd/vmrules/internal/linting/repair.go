package linting

import (
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// rewritten returns the edit that makes a part of a text another one, without the characters that both
// begin and end with.
func rewritten(text string, start, end int, with string) []manifest.Edit {
	was := text[start:end]
	if was == with {
		return nil
	}
	first, last := 0, 0
	for _, c := range was {
		if !strings.HasPrefix(with[first:], string(c)) {
			break
		}
		first += utf8.RuneLen(c)
	}
	for first+last < min(len(was), len(with)) {
		c, size := utf8.DecodeLastRuneInString(was[first : len(was)-last])
		if !strings.HasSuffix(with[first:len(with)-last], string(c)) {
			break
		}
		last += size
	}
	return []manifest.Edit{{Span: manifest.Span{Start: start + first, End: end - last}, With: with[first : len(with)-last]}}
}

// repairs returns the edits that make the text JSON; none if that takes more than is certain.
func (t *fixable) repairs() []manifest.Edit {
	var all []manifest.Edit
	text, shift := t.text, 0 // how much longer the text is by the edits so far
	for at := t.unreadableAt(text); at >= 0; {
		e, repaired, next := t.repair(text, at)
		e.Start, e.End = e.Start-shift, e.End-shift
		if repaired == "" || len(all) > 0 && e.Start < all[len(all)-1].End {
			return nil
		}
		all, shift, text, at = append(all, e), shift+len(repaired)-len(text), repaired, next
	}
	return all
}

// unreadableAt returns where a text is not JSON; -1 if it is JSON.
func (t *fixable) unreadableAt(text string) int {
	_, err := vmrules.ParseRules(text, t.reading...)
	if wrong := (*vmrules.ParseError)(nil); errors.As(err, &wrong) && wrong.Problems[0].Code == unreadable && wrong.Problems[0].Index < 0 {
		*t.room -= wrong.Problems[0].Offset // where reading has ended
		return wrong.Problems[0].Offset
	}
	*t.room -= len(text)
	return -1
}

// repair returns the first edit of what may be wrong at an offset after which more of the text can be
// read, the text with it, and where it is not JSON then; "" if there is none.
func (t *fixable) repair(text string, at int) (e manifest.Edit, repaired string, next int) {
	for _, e := range mayRepair(text, at) {
		repaired, _ := manifest.Splice(text, []manifest.Edit{e})
		next := t.unreadableAt(repaired)
		if *t.room > 0 && (next < 0 || len(repaired)-next < len(text)-at || len(repaired) < len(text)) {
			return e, repaired, next
		}
	}
	return e, "", at
}

var (
	commaTooMany   = regexp.MustCompile(`^,[ \t\r\n]*[]},]`)
	openingQuote   = regexp.MustCompile(`[[{,:][ \t\r\n]*$`)
	closingQuote   = regexp.MustCompile(`^[ \t\r\n]*[]},:]`)
	singleQuotes   = regexp.MustCompile(`^'([^'"\\\n]*)'[ \t\r\n]*[]},:]`)
	beginsValue    = regexp.MustCompile(`^["{]|^[-0-9a-z]+[ \t\r\n]*[]},]`)
	numberOfPeople = regexp.MustCompile(`^[-+.]?[0-9][-+.0-9A-Za-z]*`)
	unusualEscape  = regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*\\[bf]`)
)

// mayRepair returns edits of which one may correct what is wrong with JSON at an offset.
func mayRepair(text string, at int) []manifest.Edit {
	before, rest := text[:at], text[at:]
	edit := func(start, end int, with string) []manifest.Edit {
		return []manifest.Edit{{Span: manifest.Span{Start: start, End: end}, With: with}}
	}
	c, size := utf8.DecodeRuneInString(rest)
	end := len(strings.TrimRight(before, " \t\r\n"))
	switch {
	case commaTooMany.MatchString(rest) && !openingQuote.MatchString(before):
		return edit(at, at+1, "")
	case strings.ContainsRune("“”„‟«»″", c) && size > 0 && (openingQuote.MatchString(before) || closingQuote.MatchString(rest[size:])):
		return edit(at, at+size, `"`)
	case singleQuotes.MatchString(rest) && openingQuote.MatchString(before):
		inside := singleQuotes.FindStringSubmatch(rest)[1]
		return edit(at, at+len(inside)+2, `"`+inside+`"`)
	case c == '\\' && !unusualEscape.MatchString(text): // \b is probably that of a regex, too
		return edit(at, at, `\`)
	case numberOfPeople.MatchString(rest) && openingQuote.MatchString(before):
		word := numberOfPeople.FindString(rest)
		if number := strings.TrimLeft(word, "+0"); json.Valid([]byte(number)) {
			return edit(at, at+len(word), number)
		}
		quoted := `"` + word + `"`
		_, _, number := lint.Finding{ID: "ssp-bound"}.Replaced(quoted) // which everybody reads
		return edit(at, at+len(word), cmp.Or(number, quoted))
	case beginsValue.MatchString(rest) && end > 0 && (end < at || strings.ContainsAny(before[end-1:], "]}")):
		return append(edit(end, end, ","), edit(end, end, ":")...)
	}
	return nil
}
