package policy

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
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
	c := &regexConverter{rest: pattern}
	c.flags()
	for c.rest != "" {
		if why := c.next(); why != "" {
			return "", refuse("regex", "%s cannot be rewritten for CEL's matches(), which uses RE2", why)
		}
	}
	if _, err := regexp.Compile(c.out.String()); err != nil {
		return "", refuse("regex", "RE2 refuses it: %v", err)
	}
	return c.out.String(), nil
}

type regexConverter struct {
	rest       string
	out        strings.Builder
	caseless   bool
	repeatable bool // whether a quantifier may follow
	open       int  // the number of open groups
}

// flags reads (?i) and (?s) at the beginning.
func (c *regexConverter) flags() {
	for _, flags := range []string{"(?i)", "(?s)", "(?is)", "(?si)"} {
		if rest, ok := strings.CutPrefix(c.rest, flags); ok {
			c.caseless = strings.Contains(flags, "i")
			c.rest = rest
			c.out.WriteString(flags)
			return
		}
	}
}

// put skips a part of the pattern, and writes its translation.
func (c *regexConverter) put(size int, as string, repeatable bool) {
	c.rest = c.rest[size:]
	c.out.WriteString(as)
	c.repeatable = repeatable
}

// next converts one part of the pattern. If it cannot, it returns a description of the part.
func (c *regexConverter) next() string {
	switch c.rest[0] {
	case '^', '|':
		c.put(1, c.rest[:1], false)
	case '$':
		return c.end(1)
	case '.':
		c.put(1, ".", true)
	case ')':
		c.open--
		c.put(1, ")", true)
	case '(':
		return c.group()
	case '[':
		return c.class()
	case '*', '+', '?', '{':
		return c.quantifier()
	case ']', '}':
		return fmt.Sprintf("%q without an opening bracket", c.rest[0])
	case '\\':
		return c.escape()
	default:
		return c.literal()
	}
	return ""
}

// end converts $ and \Z at the end of the pattern or of a branch outside of groups.
func (c *regexConverter) end(size int) string {
	if rest := c.rest[size:]; rest != "" && rest[0] != '|' || c.open > 0 {
		return fmt.Sprintf("%s before another part or in a group", c.rest[:size])
	}
	c.put(size, `\n?$`, false)
	return ""
}

var groupStart = regexp.MustCompile(`^\((\?:|\?P?<[A-Za-z_][A-Za-z_0-9]{0,30}>|)`)

func (c *regexConverter) group() string {
	start := groupStart.FindString(c.rest)
	if behind := c.rest[len(start):]; behind == "" || strings.ContainsRune("?*", rune(behind[0])) {
		return fmt.Sprintf("the group %.4q", c.rest)
	}
	as := "("
	if start == "(?:" {
		as = start
	}
	c.open++
	c.put(len(start), as, false)
	return ""
}

var quantifier = regexp.MustCompile(`^(\*|\+|\?|\{[0-9]{1,4}(,[0-9]{0,4})?\})\??`)

func (c *regexConverter) quantifier() string {
	found := quantifier.FindString(c.rest)
	if found == "" || !c.repeatable {
		return fmt.Sprintf("%.4q with nothing to repeat", c.rest)
	}
	if behind := c.rest[len(found):]; behind != "" && strings.ContainsRune("*+?{", rune(behind[0])) {
		return fmt.Sprintf("%.6q", c.rest)
	}
	c.put(len(found), found, false)
	return ""
}

// literal converts a character that stands for itself. Under (?i), it takes only ASCII: PCRE
// and RE2 do not fold the case of all other characters in the same way.
func (c *regexConverter) literal() string {
	r, size := utf8.DecodeRuneInString(c.rest)
	if r < ' ' || r == 0x7f || c.caseless && r > 0x7f {
		return fmt.Sprintf("the character %q", r)
	}
	c.put(size, c.rest[:size], true)
	return ""
}

func (c *regexConverter) escape() string {
	if len(c.rest) < 2 {
		return `a \ at the end`
	}
	e := c.rest[1]
	switch {
	case c.caseless && (e == 'w' || e == 'W'): // to RE2, two more characters are letters then
		return fmt.Sprintf(`\%c under (?i)`, e)
	case e == 's':
		c.put(2, `[\s\v]`, true)
	case e == 'S':
		c.put(2, `[^\s\v]`, true)
	case e == 'Z':
		return c.end(2)
	case strings.IndexByte("bBAz", e) >= 0:
		c.put(2, c.rest[:2], false)
	case strings.IndexByte("dDwWntrf", e) >= 0, isASCIIPunctuation(e):
		c.put(2, c.rest[:2], true)
	default:
		return fmt.Sprintf("%.2q", c.rest)
	}
	return ""
}

func isASCIIPunctuation(b byte) bool {
	return '!' <= b && b <= '/' || ':' <= b && b <= '@' || '[' <= b && b <= '`' || '{' <= b && b <= '~'
}

var posixNames = []string{"[:alnum:]", "[:alpha:]", "[:digit:]", "[:lower:]", "[:upper:]", "[:xdigit:]"}

// class converts a class in brackets.
func (c *regexConverter) class() string {
	rest := c.rest[1:]
	out := "["
	if strings.HasPrefix(rest, "^") {
		out, rest = "[^", rest[1:]
	}
	for first := true; ; first = false {
		switch {
		case rest == "" || first && rest[0] == ']':
			return "a class that is empty or not closed"
		case rest[0] == ']':
			c.put(len(c.rest)-len(rest)+1, out+"]", true)
			return ""
		}
		part, size, isSet := c.classPart(rest)
		if size == 0 {
			return fmt.Sprintf("%.4q in a class", rest)
		}
		rest, out = rest[size:], out+part
		if !strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "-]") {
			continue
		}
		last, size, alsoSet := c.classPart(rest[1:])
		if isSet || alsoSet || size == 0 {
			return fmt.Sprintf("%.4q in a class", rest)
		}
		rest, out = rest[1+size:], out+"-"+last
	}
}

// classPart converts a character or a class inside a class. The size is 0 if it cannot.
func (c *regexConverter) classPart(rest string) (as string, size int, isSet bool) {
	for _, name := range posixNames {
		if strings.HasPrefix(rest, name) && !c.caseless {
			return name, len(name), true
		}
	}
	if rest == "" || rest[0] == '[' {
		return "", 0, false
	}
	if rest[0] == '\\' {
		return c.classEscape(rest)
	}
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == '-' && len(rest) > 1 && rest[1] != ']' && c.rest[1:] != rest && c.rest[2:] != rest:
		return "", 0, false // a - in the middle
	case r < ' ' || r == 0x7f || c.caseless && r > 0x7f:
		return "", 0, false
	case r == '-':
		return `\-`, 1, false
	}
	return rest[:size], size, false
}

func (c *regexConverter) classEscape(rest string) (as string, size int, isSet bool) {
	if len(rest) < 2 {
		return "", 0, false
	}
	switch e := rest[1]; {
	case strings.IndexByte("ntrf", e) >= 0, isASCIIPunctuation(e):
		return rest[:2], 2, false
	case e == 'd', e == 'w' && !c.caseless:
		return rest[:2], 2, true
	case e == 's':
		return `\s\v`, 2, true
	}
	return "", 0, false
}
