package policy

import (
	"regexp"
	"strings"
)

// What PCRE and RE2 read in the same way.
const (
	// regexEscaped matches a character behind a backslash that stands for itself, or for a control
	// character.
	regexEscaped = "\\\\[ntrf!-/:-@\\[-`{-~]"
	regexClass   = `\[\^?(?:-|-?(?:` + classCharacter + `(?:-` + classCharacter + `)?|` + classSet + `)+-?)\]`
	// classCharacter matches a character in a class, and classSet several.
	classCharacter = `(?:[^\x00-\x1f\x7f\\\[\]-]|` + regexEscaped + `)`
	classSet       = `\\[dws]|\[:(?:alnum|alpha|digit|lower|upper|xdigit):\]`
	regexCharacter = `[^\x00-\x1f\x7f\\^$|()\[\]{}*+?]|` + regexEscaped + `|\\[dDwWsS]|` + regexClass
	quantifier     = `(?:[*+?]|\{[0-9]{1,4}(?:,[0-9]{0,4})?\})\??`
	regexGroup     = `\((?:\?:|\?P?<[A-Za-z_][A-Za-z_0-9]{0,30}>)?`
	regexEnd       = `\$|\\Z`
	regexPart      = `(?:` + regexCharacter + `|\))(?:` + quantifier + `)?|` + regexGroup + `|` + regexEnd + `|[|^]|\\[AbBz]`
)

var (
	partOfRegex = regexp.MustCompile(`^(?:` + regexPart + `)`)
	regexFlags  = regexp.MustCompile(`^\(\?(?:i|s|is|si)\)`)
	escapedPair = regexp.MustCompile(`\\.`)
	// foldsAlike matches the parts that both read in the same way under (?i). They do not fold the
	// case of all characters beyond ASCII alike, and to RE2, two of these are letters then.
	foldsAlike = regexp.MustCompile(`^\[?(?:[\x00-Z\]-\x7f]|\\[^wW])*$`)
)

// toRE2 translates a PCRE pattern for CEL's matches(), which is Go's regexp and, like the
// rule, not anchored. It copies what both read in the same way. It rewrites
//
//   - $ and \Z, which in PCRE also match before a newline at the end of the text
//   - \s, which in PCRE also matches a vertical tab
//   - named groups, which become plain ones
//
// It refuses everything else.
func toRE2(pattern string) (string, error) {
	flags := regexFlags.FindString(pattern)
	out, rest, open := flags, pattern[len(flags):], 0
	for rest != "" {
		part := partOfRegex.FindString(rest)
		behind := rest[len(part):]
		isCaseless := strings.Contains(flags, "i")
		switch {
		case part == "(" && strings.HasPrefix(behind, "?"):
			return "", notInRE2("the group %.4q", rest)
		case part == "", strings.HasPrefix(part, "[^]"): // the latter is the beginning of a class
			return "", notInRE2("%.4q", rest)
		case isCaseless && !foldsAlike.MatchString(part):
			return "", notInRE2("%s under (?i)", part)
		case part == "$" || part == `\Z`:
			if open > 0 || behind != "" && behind[0] != '|' {
				return "", notInRE2("%s before another part or in a group", part)
			}
			part = `\n?$`
		case part[0] == '(':
			open++
			if part != "(?:" {
				part = "("
			}
		case part[0] == ')':
			open--
		default:
			part = withVerticalTab(part)
		}
		out, rest = out+part, behind
	}
	if _, err := regexp.Compile(out); err != nil {
		return "", refuse("regex", "RE2 refuses it: %v", err)
	}
	return out, nil
}

func notInRE2(format string, what string) error {
	return refuse("regex", format+" cannot be rewritten for CEL's matches(), which uses RE2", what)
}

// withVerticalTab returns a part in which \s and \S also count a vertical tab as white space.
func withVerticalTab(part string) string {
	inClass := part[0] == '['
	return escapedPair.ReplaceAllStringFunc(part, func(pair string) string {
		switch {
		case pair == `\s` && inClass:
			return `\s\v`
		case pair == `\s`:
			return `[\s\v]`
		case pair == `\S`:
			return `[^\s\v]`
		}
		return pair
	})
}
