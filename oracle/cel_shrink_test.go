package oracle

import (
	"maps"
	"slices"
)

// shrunk returns the smallest case that still fails: nothing can be removed from it.
func (c celCase) shrunk(fails func(celCase) bool) celCase {
	for {
		smaller := c.smaller()
		i := slices.IndexFunc(smaller, fails)
		if i < 0 {
			return c
		}
		c = smaller[i]
	}
}

// smaller lists cases with one part less.
func (c celCase) smaller() []celCase {
	var all []celCase
	with := func(rules []celRule, content any) {
		smaller := c
		smaller.rules, smaller.content = rules, content.(map[string]any)
		all = append(all, smaller)
	}
	if len(c.rules) > 1 {
		for _, r := range c.rules {
			with([]celRule{r}, c.content)
		}
		return all
	}
	for _, r := range c.rules[0].smaller() {
		with([]celRule{r}, c.content)
	}
	for _, content := range smallerParts(c.content, c.smallerStrings) {
		with(c.rules, content)
	}
	return all
}

func (r celRule) smaller() []celRule {
	var all []celRule
	if r.Valid.exists() {
		smaller := r
		smaller.Valid = celPath{}
		all = append(all, smaller)
	}
	if r.JustWarning {
		smaller := r
		smaller.JustWarning = false
		all = append(all, smaller)
	}
	for _, key := range slices.Sorted(maps.Keys(r.Arguments)) {
		without := r
		without.Arguments = maps.Clone(r.Arguments)
		delete(without.Arguments, key)
		all = append(all, without)
		items := r.Arguments[key].Items
		for i := range items {
			fewer := r
			fewer.Arguments = maps.Clone(r.Arguments)
			fewer.Arguments[key] = celOperand{Items: slices.Delete(slices.Clone(items), i, i+1)}
			all = append(all, fewer)
		}
	}
	return all
}

// smallerStrings returns a string with one letter less. It keeps patterns as they are,
// since CEL knows only those that were generated.
func (c celCase) smallerStrings(v any) []any {
	s, _ := v.(string)
	if _, ok := c.re2[s]; ok || len(s) <= 1 {
		return nil
	}
	runes := []rune(s)
	return []any{string(runes[1:]), string(runes[:len(runes)-1])}
}
