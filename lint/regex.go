package lint

import (
	"regexp"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/pcre"
	"github.com/vmrules/vmrules/internal/value"
)

// regex checks a regex that is a literal.
func (l *linter) regex(r *rule) {
	literal, _ := r.Regex.Literal()
	written, ok := literal.(string)
	if !ok {
		return
	}
	tree, err := pcre.Parse(written, &l.budget)
	if err != nil {
		return // ParseRules has compiled it, so only the budget can be at fault
	}
	if tree.IsExponential() {
		l.add(r, constraint.Regex, "slow-regex", "one repetition inside another can match a text in so many ways that matching may never end: put a character between them that the inner one does not match, or make the inner one possessive, as in (?:a++)+")
	}
	if escaped := tree.DotsEscaped(); escaped != "" {
		l.add(r, constraint.Regex, "unescaped-dot", `a dot between names matches any character: write \. for a dot`).Suggestion = escaped
	}
	matchesAll, matchesLines := tree.MatchesAll()
	opening := tree.Open()
	switch {
	case !l.isWhole && !isFreeText(r.Path) && l.notation(r, written):
	case matchesAll:
		l.add(r, constraint.Regex, "idle-regex", "the regex matches every text, so it demands nothing: anchor it, as in ^(?:…)$ or ^(?!…), or write what a value must have")
	case matchesLines && !l.isWhole && !isFreeText(r.Path):
		l.add(r, constraint.Regex, "idle-regex", "the regex matches every text of one line, so it demands nothing else: write what a value must have")
	case tree.IsHalfAnchored():
		f := l.add(r, constraint.Regex, "half-anchored-regex", "^ applies to the first alternative only, and $ to the last only: write ^(?:…|…)$ to anchor all of them")
		f.Suggestion = tree.Anchored(&l.budget)
	case opening != pcre.Closed:
		so := [...]string{pcre.Idle: ", so the repetition at its end demands nothing", pcre.Cut: ", despite its count or anchor"}
		f := l.add(r, constraint.Regex, "unanchored-regex", "the regex also matches part of a longer value%s: write ^(?:…)$ if it must match the whole value, or .* where more may follow", so[opening])
		f.Severity = [...]Severity{pcre.Search: SeverityNote, pcre.Idle: SeverityWarning, pcre.Cut: SeverityError}[opening]
	}
}

// notations are those of other languages, and what they mean.
var notations = []struct {
	written    *regexp.Regexp
	meant, why string
}{
	{regexp.MustCompile(`^/(\^.*|.*\$)/[a-z]*$`), "$1", "the / around it are part of it"},
	{regexp.MustCompile(`\{(\d+)(?:-|\.\.|:|;)(\d+)\}`), "{$1,$2}", "counts need a comma between them"},
	{regexp.MustCompile(`^([\w-]+)\*([\w-]*)$`), "^$1.*$2$$", "* repeats the character before it"},
	{regexp.MustCompile(`(^|[^\\])\\\\([.dDsSwW])`), `$1\$2`, "two backslashes, which JSON writes as four, mean a backslash in the value"},
}

// notation reports whether a regex is in the notation of another language, and adds the finding.
func (l *linter) notation(r *rule, written string) bool {
	for _, n := range notations {
		if n.written.MatchString(written) {
			meant := n.written.ReplaceAllString(written, n.meant)
			l.add(r, constraint.Regex, "misspelt-regex", "in a regex, %s: did you mean %s?", n.why, value.Quoted(meant)).Suggestion = meant
			return true
		}
	}
	return false
}
