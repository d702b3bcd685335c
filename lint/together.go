package lint

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/value"
)

// together looks for rules that contradict each other. A rule is held against
// what those before it leave over, not against each of them: an annotation may
// have thousands.
func (l *linter) together(rules []*rule) {
	groups := map[string]*limits{}
	var inOrder []*limits
	for _, r := range rules {
		if !r.Kind.IsOfFormat() || r.JustWarning || r.isHopeless {
			continue
		}
		key := r.group()
		if groups[key] == nil {
			groups[key] = &limits{linter: l, from: map[constraint.Constraint]*rule{}}
			inOrder = append(inOrder, groups[key])
		}
		groups[key].add(r)
	}
	for _, group := range inOrder {
		group.judgeAllowed()
	}
}

// group is the same for rules that judge the same values on the same condition.
func (r *rule) group() string {
	path := strings.Join(spelled(r.Path), "")
	if r.alwaysApplies() {
		return path
	}
	return path + " if " + strings.Join(spelled(r.Valid), "")
}

// limits are what the literal arguments of several rules leave over together.
type limits struct {
	linter   *linter
	together constraint.Together
	from     map[constraint.Constraint]*rule // the rule of each constraint
	integer  *rule                           // a rule that asks for an integer; nil: none
	lister   *rule                           // the last rule with values; nil: none
}

// add adds a rule. One that leaves nothing of what the others allow is reported
// and left out, so that it is not reported again with each rule that follows.
func (s *limits) add(r *rule) {
	for x, y := range s.together.Conflicts(&r.literal, &s.linter.budget) {
		s.excluded(r, x, y)
		return
	}
	if s.integer == nil && r.Kind == vmrules.KindInteger {
		s.integer = r
	}
	s.together.Add(&r.literal, &s.linter.budget)
	for _, c := range r.literal.All() {
		s.from[c] = r
		if c.Key() == constraint.Values {
			s.lister = r
		}
	}
}

const contradictingRules = "contradicting-rules"

// excluded reports a rule for which two constraints leave nothing: one of its own and one
// of the rules before it, or twice what is left of the values.
func (s *limits) excluded(r *rule, own, other constraint.Constraint) {
	if own == other {
		s.linter.add(r, constraint.Values, contradictingRules, "none of these is left of what the rules before it for the same path allow, %s the last of them", value.Quoted(s.lister.Name))
		return
	}
	if _, isOthers := s.from[own]; isOthers {
		own, other = other, own
	}
	s.linter.add(r, own.Key(), contradictingRules, "the rule %s for the same path has %s %s, so that no value satisfies both",
		value.Quoted(s.from[other].Name), other.Key(), other)
}

// judgeAllowed reports where the other limits refuse all values that are allowed.
func (s *limits) judgeAllowed() {
	set := s.together.Set()
	list, ok := set.Get(constraint.Values).(*constraint.Allowed)
	if !ok {
		return
	}
	var names []string
	first := ""
	for _, v := range list.List() {
		rule, why := s.refusal(set.All(), value.FromString(v))
		if why == "" {
			return
		}
		if first == "" {
			first = why
		}
		if len(names) < maxNamed && !slices.Contains(names, rule.Name) {
			names = append(names, rule.Name)
		}
	}
	if len(names) > 0 {
		s.linter.add(s.lister, constraint.Values, contradictingRules, "the rules for the same path leave none of these over, %s among them: %s", string(value.AppendList(nil, names)), first)
	}
}

const (
	checkWork = 100 // of holding a value against a limit, beside that of a regex
	maxNamed  = 3   // rules in a message
)

// refusal is the rule that refuses a value, and why; "" where none does, or
// where that would take too long to tell.
func (s *limits) refusal(limits []constraint.Constraint, v value.Scalar) (*rule, string) {
	budget := &s.linter.budget
	if s.integer != nil {
		if ok, err := constraint.Integer.Admits(&v, true); err == nil && !ok {
			return s.integer, constraint.Integer.Mismatch(v.Canonical())
		}
	}
	for _, c := range limits {
		if c.Key() == constraint.Values {
			continue
		}
		if budget.Spend(checkWork, 0) != nil {
			return nil, ""
		}
		if ok, err := c.Holds(&v, budget); !ok && err == nil {
			return s.from[c], c.Breach(&v).Detail
		}
	}
	return nil, ""
}
