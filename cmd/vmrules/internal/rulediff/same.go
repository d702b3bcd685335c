package rulediff

import (
	"slices"

	"github.com/vmrules/vmrules"
)

// MeanSame reports whether rules are Equal, but for how bounds and values are written.
func MeanSame(before, after vmrules.Rules) bool {
	return slices.EqualFunc(rulesIn(before), rulesIn(after), func(r, q vmrules.Rule) bool {
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

func rulesIn(rules vmrules.Rules) []vmrules.Rule {
	var all []vmrules.Rule
	for _, r := range rules.All() {
		all = append(all, r)
	}
	return all
}
