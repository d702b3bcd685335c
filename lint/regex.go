package lint

import (
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/pcre"
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
	isOpen, isIdle := tree.Open()
	matchesAll, matchesLines := tree.MatchesAll()
	switch {
	case matchesAll:
		l.add(r, constraint.Regex, "idle-regex", "the regex matches every text, so it demands nothing: write ^(?:…)$, or what a value must have")
	case matchesLines && !l.isWhole && !isFreeText(r.Path):
		l.add(r, constraint.Regex, "idle-regex", "the regex matches every text of one line, so it demands nothing else: write what a value must have")
	case tree.IsHalfAnchored():
		f := l.add(r, constraint.Regex, "half-anchored-regex", "^ applies to the first alternative only, and $ to the last only: write ^(?:…|…)$ to anchor all of them")
		f.Suggestion = tree.Anchored(&l.budget)
	case isIdle:
		l.add(r, constraint.Regex, unanchoredRegex, "the regex also matches part of a longer value, so the repetition at its end demands nothing: write ^(?:…)$ if it must match the whole value").Severity = SeverityWarning
	case isOpen:
		l.add(r, constraint.Regex, unanchoredRegex, "the regex also matches part of a longer value: write ^(?:…)$ if it must match the whole value, or .* where more may follow")
	}
}

const unanchoredRegex = "unanchored-regex"
