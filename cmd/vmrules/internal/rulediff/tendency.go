package rulediff

import (
	"maps"

	"github.com/vmrules/vmrules"
)

// tendency says whether a rule became stricter or looser, if its literals alone show that. A rule of
// which more than that changed is only changed.
func tendency(old, now vmrules.Rule) string {
	isStricter, isLooser := old.JustWarning && !now.JustWarning, now.JustWarning && !old.JustWarning
	after := limitsOf(now)
	for i, before := range limitsOf(old) {
		isStricter = isStricter || !covers(after[i], before)
		isLooser = isLooser || !covers(before, after[i])
	}
	now.Message, now.JustWarning, now.Values = old.Message, old.JustWarning, old.Values
	now.Min, now.Max, now.MinLength, now.MaxLength = old.Min, old.Max, old.MinLength, old.MaxLength
	switch {
	case isStricter == isLooser || !now.Equal(old):
		return "changed"
	case isStricter:
		return "stricter"
	}
	return "looser"
}

// limitsOf returns each limit of a rule as a rule of its own. A limit of a length is one of a number.
func limitsOf(r vmrules.Rule) []vmrules.Rule {
	n := vmrules.KindInteger
	return []vmrules.Rule{
		{Kind: n, Min: r.Min}, {Kind: n, Max: r.Max}, {Kind: n, Min: r.MinLength}, {Kind: n, Max: r.MaxLength},
		{Kind: vmrules.KindEnum, Values: r.Values},
	}
}

// covers reports whether it is certain that a limit, or none, allows all that another does.
func covers(limit, other vmrules.Rule) bool {
	for _, argument := range other.Arguments() {
		return allows(limit, argument)
	}
	for range limit.Arguments() {
		return false
	}
	return true
}

// allows reports whether an argument, which is not absent, is a literal or a list of literals, all of
// which a rule allows.
func allows(r vmrules.Rule, argument vmrules.Argument) bool {
	items, _ := argument.List()
	var all []any
	for _, a := range items {
		v, ok := a.Literal()
		if !ok {
			return false
		}
		all = append(all, v)
	}
	r.Name, r.Message, r.Path = "all", "all", allPath
	rules, err := vmrules.NewRules([]vmrules.Rule{r})
	return err == nil && (all == nil || vmrules.Validate(rules, map[string]any{"all": all}).Valid())
}

var allPath = vmrules.MustParsePath("jsonpath::.all[*]")

// MeanSame reports whether rules are Equal, but for how bounds and values are written.
func MeanSame(before, after vmrules.Rules) bool {
	return maps.EqualFunc(maps.Collect(before.All()), maps.Collect(after.All()), func(r, q vmrules.Rule) bool {
		for _, bound := range [][2]*vmrules.Argument{{&r.Min, &q.Min}, {&r.Max, &q.Max}} {
			one := vmrules.Rule{Kind: vmrules.KindInteger, Min: *bound[0], Max: *bound[0]}
			if !bound[0].IsZero() && !bound[1].IsZero() && allows(one, *bound[1]) {
				*bound[0] = *bound[1]
			}
		}
		if values, isList := r.Values.List(); isList {
			others, _ := q.Values.List()
			for i := range min(len(values), len(others)) {
				if allows(vmrules.Rule{Kind: vmrules.KindEnum, Values: vmrules.MustNewArgument(values[i : i+1])}, others[i]) {
					values[i] = others[i]
				}
			}
			r.Values = vmrules.MustNewArgument(values)
		}
		return r.Equal(q)
	})
}
