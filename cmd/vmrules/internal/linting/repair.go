package linting

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// rewritten returns the edit that makes a part of a text another one, without what both begin and end with.
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

// repairs returns the edits that make the text JSON, and whether one of them is a guess. There are none
// if that takes more than is certain, or if what they write is refused.
func (t *fixable) repairs() (all []manifest.Edit, isGuess bool) {
	text := t.text
	for at := t.unreadableAt(text); at >= 0; {
		e, repaired, next := t.repair(text, at)
		place := 0 // in front of the other edits, or behind them
		if len(all) > 0 && e.End > all[0].Start {
			place = len(all)
			longer := len(text) - len(t.text)
			e.Start, e.End = e.Start-longer, e.End-longer
		}
		if repaired == "" || place > 0 && e.Start < all[place-1].End {
			return nil, false
		}
		all = slices.Insert(all, place, e.Edit)
		text, at, isGuess = repaired, next, isGuess || e.isGuess
	}
	if t.refuses(text, all) {
		return nil, false
	}
	return all, isGuess
}

// refuses reports whether a key or value that edits have written into a text is refused, or anything if
// one is a bracket, which may belong elsewhere.
func (t *fixable) refuses(text string, edits []manifest.Edit) bool {
	_, err := vmrules.ParseRules(text, t.reading...)
	*t.room -= len(text)
	shift := 0
	for _, e := range edits {
		isBracket := strings.ContainsAny(e.With, "[]{}")
		for _, p := range build.Problems(err) {
			if isBracket || len(e.With) > 1 && p.Offset == e.Start+shift {
				return true
			}
		}
		shift += len(e.With) - (e.End - e.Start)
	}
	return false
}

func (t *fixable) unreadableAt(text string) int {
	_, err := vmrules.ParseRules(text, t.reading...)
	if all := build.Problems(err); err != nil && all[0].Code == unreadable && all[0].Index < 0 {
		*t.room -= all[0].Offset // where reading has ended
		return all[0].Offset
	}
	*t.room -= len(text)
	return -1
}

// A repair is an edit that makes more of a text JSON.
type repair struct {
	manifest.Edit
	isGuess bool
}

// repair returns the first edit of what may be wrong at an offset after which more of the text can be
// read, the text with it, and where it is not JSON then; "" if there is none.
func (t *fixable) repair(text string, at int) (r repair, repaired string, next int) {
	for _, r := range mayRepair(text, at) {
		repaired, _ := manifest.Splice(text, []manifest.Edit{r.Edit})
		next := t.unreadableAt(repaired)
		isFurther := next < 0 || len(repaired)-next < len(text)-at || len(repaired) < len(text) || next < at && beginsObject(repaired, next)
		if *t.room > 0 && isFurther {
			return r, repaired, next
		}
	}
	return r, "", at
}

// beginsObject reports whether a text begins with an object at an offset. If that is wrong, all of it was
// read.
func beginsObject(text string, at int) bool {
	return text[at] == '{' && strings.TrimRight(text[:at], " \t\r\n") == ""
}

var (
	commaTooMany   = regexp.MustCompile(`^[,;][ \t\r\n]*[]},]`)
	closingQuote   = regexp.MustCompile(`^[ \t\r\n]*[]},:]`)
	singleQuotes   = regexp.MustCompile(`^'([^'"\\\n]*)'[ \t\r\n]*[]},:;]`)
	noQuotes       = regexp.MustCompile(`^([\pL_][-.\pL\d_]*)[ \t\r\n]*[]},:;]`)
	beginsValue    = regexp.MustCompile(`^(?:["{]|[-0-9a-z]+[ \t\r\n]*[]},])`)
	numberOfPeople = regexp.MustCompile(`^[-+.]?[0-9][-+.0-9A-Za-z]*(?:[ \t]+[KMGTPEkmgtpe][iI]?[bB]?\b)?`)
	unusualEscape  = regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*\\[bf]`)
	noBracket      = regexp.MustCompile(`^(,?)[ \t\r\n]*([]{}])`)
	oddBlank       = regexp.MustCompile(`^[\p{Z}\x{85}\x{200b}-\x{200d}\x{2060}\x{feff}]+`)
)

// mayRepair returns edits of which one may correct what is wrong with JSON at an offset.
func mayRepair(text string, at int) []repair {
	before, rest := text[:at], text[at:]
	edit := func(start, end int, with string) []repair {
		return []repair{{Edit: manifest.Edit{Span: manifest.Span{Start: start, End: end}, With: with}}}
	}
	c, size := utf8.DecodeRuneInString(rest)
	end := len(strings.TrimRight(before, " \t\r\n"))
	opens := end > 0 && strings.IndexByte("[{,:", before[end-1]) >= 0 // a value or a key
	var separators []repair
	if beginsValue.MatchString(rest) && end > 0 && (end < at || strings.ContainsAny(before[end-1:], "]}")) {
		separators = append(edit(end, end, ","), edit(end, end, ":")...)
	}
	switch {
	case end == 0 && c == '{':
		return edit(at, at, "[")
	case commaTooMany.MatchString(rest) && !opens:
		return append(edit(at, at+1, ""), missingBracket(at, rest)...)
	case c == ';' && !opens:
		return edit(at, at+size, ",")
	case noBracket.MatchString(rest) && !opens:
		return append(separators, missingBracket(at, rest)...)
	case strings.ContainsRune("“”„‟«»″", c) && size > 0 && (opens || closingQuote.MatchString(rest[size:])):
		return edit(at, at+size, `"`)
	case oddBlank.MatchString(rest) && c != ' ':
		return edit(at, at+len(oddBlank.FindString(rest)), " ")
	case singleQuotes.MatchString(rest) && opens:
		inside := singleQuotes.FindStringSubmatch(rest)[1]
		return edit(at, at+len(inside)+2, `"`+inside+`"`)
	case noQuotes.MatchString(rest) && opens:
		word := noQuotes.FindStringSubmatch(rest)[1]
		return edit(at, at+len(word), cmp.Or(literals[strings.ToLower(word)], `"`+word+`"`))
	case c == '\\' && !unusualEscape.MatchString(text): // \b is probably that of a regex, too
		return edit(at, at, `\`)
	case numberOfPeople.MatchString(rest) && opens:
		word := numberOfPeople.FindString(rest)
		if number := strings.TrimLeft(word, "+0"); json.Valid([]byte(number)) {
			return edit(at, at+len(word), number)
		}
		return boundMeant(at, word)
	}
	return separators
}

// literals has what JSON calls words of other languages.
var literals = map[string]string{"true": "true", "false": "false", "null": "null", "none": "null", "nil": "null"}

// missingBracket returns the edit that closes what is open before a bracket that cannot follow.
func missingBracket(at int, rest string) []repair {
	found := noBracket.FindStringSubmatch(rest)
	if found == nil {
		return nil
	}
	with := "}"
	switch {
	case found[2] == "}":
		with = "]"
	case found[2] == "{" && found[1] == "":
		with = "},"
	}
	return []repair{{Edit: manifest.Edit{Span: manifest.Span{Start: at, End: at}, With: with}}}
}

// boundMeant returns the edit that makes a word the bound that it means; nothing if that is not known.
func boundMeant(at int, word string) []repair {
	_, err := vmrules.ParseRules(`[{"name": "a", "rule": "integer", "path": "jsonpath::.a", "message": "a", "min": "` + word + `"}]`)
	meant := word
	if problems := build.Problems(err); len(problems) > 0 {
		meant = problems[0].Suggestion
	}
	if meant == "" {
		return nil
	}
	quoted := `"` + meant + `"`
	_, _, number := lint.Finding{ID: "ssp-bound"}.Replaced(quoted) // which everybody reads
	e := manifest.Edit{Span: manifest.Span{Start: at, End: at + len(word)}, With: cmp.Or(number, quoted)}
	return []repair{{e, isGuess(word, meant)}}
}

// isGuess reports whether a quantity has a unit that the text does not have that it replaces.
func isGuess(written, meant string) bool {
	unit := strings.TrimLeft(meant, "+-.0123456789")
	return len(unit) <= len("Gi") && !strings.Contains(strings.ToLower(written), strings.ToLower(unit))
}
