package lint

import (
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/pcre"
)

// regex looks at a regex that is a literal.
func (l *linter) regex(r *rule) {
	literal, _ := r.Regex.Literal()
	written, ok := literal.(string)
	if !ok {
		return
	}
	tree, err := pcre.Parse(written, &l.budget)
	if err != nil {
		return // it has been read before, so that only the budget does not suffice
	}
	if tree.IsExponential() {
		l.add(r, constraint.Regex, "slow-regex", "a repeat inside a repeat matches one text in very many ways, which may take time without end: let the inner one end where another character begins, or write it possessive, as in (?:a++)+")
	}
	switch {
	case tree.IsHalfAnchored():
		f := l.add(r, constraint.Regex, "half-anchored-regex", "^ holds for the first alternative only, and $ for the last: write ^(?:…|…)$ for all of them")
		f.Suggestion = tree.Anchored(&l.budget)
	case !tree.HasAssertion():
		l.add(r, constraint.Regex, "unanchored-regex", "this also matches inside of a longer value: write ^ in front and $ behind, if it must not")
	}
}
