package bench

import (
	"fmt"
	"strings"

	"github.com/go-logr/logr"
	"github.com/kyverno/kyverno/pkg/engine/validate"
)

// kyvernoPeer has an overlay pattern for each rule, as a ClusterPolicy has.
type kyvernoPeer struct {
	rules  []kyvernoRule
	broken []string
}

type kyvernoRule struct {
	name    string
	pattern any
}

func prepareKyverno(set ruleSet) (judge, error) {
	j := &kyvernoPeer{}
	for _, r := range set.rules {
		if r.Kind == "regex" {
			return nil, fmt.Errorf("rule %s: patterns have no regular expressions", r.Name)
		}
		j.rules = append(j.rules, kyvernoRule{r.Name, kyvernoPattern(r)})
	}
	return j, nil
}

func (j *kyvernoPeer) judge(vm map[string]any) {
	j.broken = nil
	for _, r := range j.rules {
		if validate.MatchPattern(logr.Discard(), vm, r.pattern) != nil {
			j.broken = append(j.broken, r.name)
		}
	}
}

func (j *kyvernoPeer) violated() []string { return j.broken }

// kyvernoPattern is an overlay with the rule's demand at the rule's path. An anchor
// =(name) is for fields that may be absent.
func kyvernoPattern(r rule) any {
	steps := append([]string{"spec", "template"}, r.steps()...)
	var pattern any = kyvernoDemand(r)
	for i := len(steps) - 1; i >= 0; i-- {
		switch {
		case steps[i] == "*":
			pattern = []any{pattern}
		case r.optional():
			pattern = map[string]any{"=(" + steps[i] + ")": pattern}
		default:
			pattern = map[string]any{steps[i]: pattern}
		}
	}
	return pattern
}

// kyvernoDemand is the pattern for a value that satisfies the rule. Wildcards express a
// length.
func kyvernoDemand(r rule) string {
	switch r.Kind {
	case "integer":
		demand := fmt.Sprintf(">=%d", r.Min)
		if r.Max != nil {
			demand += fmt.Sprintf(" & <=%d", r.Max)
		}
		return demand
	case "string":
		atLeast, tooLong := r.MinLength.(int), r.MaxLength.(int)+1
		return strings.Repeat("?", atLeast) + "* & !" + strings.Repeat("?", tooLong) + "*"
	}
	var values []string
	for _, v := range r.Values {
		values = append(values, v.(string))
	}
	return strings.Join(values, " | ")
}
