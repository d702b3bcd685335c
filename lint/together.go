package lint

import (
	"cmp"
	"maps"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/inside"
	"github.com/vmrules/vmrules/internal/value"
)

// together finds rules that contradict each other. It compares a rule with what the rules
// before it allow together, and not with each of them: there may be thousands.
func (l *linter) together(rules []*rule) {
	groups := map[string][]*rule{}
	for _, r := range rules {
		if constraint.IsKind(r.Kind) && !r.JustWarning && !r.isHopeless {
			key := r.group()
			groups[key] = append(groups[key], r)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(groups)) { // in a fixed order, because there is a budget
		s := limits{linter: l, from: map[constraint.Constraint]*rule{}}
		s.so, s.severity = consequence(groups[key]...)
		for _, r := range groups[key] {
			s.add(r)
		}
		s.judgeAllowed()
	}
}

// group returns a key that is the same for rules that check the same values under the same
// condition.
func (r *rule) group() string {
	path := inside.Vmrules.Parsed(r.Path).Key()
	if r.alwaysApplies() {
		return path
	}
	return path + " if " + inside.Vmrules.Parsed(r.Valid).Key()
}

// limits is what the literal arguments of several rules allow together.
type limits struct {
	linter   *linter
	so       string   // what follows if they contradict each other
	severity Severity // of that
	together constraint.Combination
	from     map[constraint.Constraint]*rule // the rule that each constraint is from; of nil, one that demands an integer
	lister   *rule                           // the last rule with values, or nil
}

// add adds a rule. If no value satisfies it and the others, the rule is reported and not
// added: otherwise it would be reported again with each rule that follows.
func (s *limits) add(r *rule) {
	for x, y := range s.together.Conflicts(&r.literal, &s.linter.budget) {
		s.excluded(r, x, y)
		return
	}
	if s.from[nil] == nil && r.Kind == vmrules.KindInteger {
		s.from[nil] = r
	}
	s.together.Add(&r.literal, &s.linter.budget)
	for _, c := range r.literal.All() {
		s.from[c] = r
		if c.Key() == constraint.Values {
			s.lister = r
		}
	}
}

// excluded reports a rule that contradicts the rules before it. The two constraints are
// one of its own and one of theirs; they are the same if the lists of values contradict
// each other.
func (s *limits) excluded(r *rule, own, other constraint.Constraint) {
	if own == other {
		s.report(r, constraint.Values, "the earlier rules for the same path, of which %s is the last, allow none of these values, so %s", value.Quoted(s.lister.Name), s.so)
		return
	}
	if _, isOthers := s.from[own]; isOthers {
		own, other = other, own
	}
	s.report(r, own.Key(), "the rule %s for the same path has %s %s, so %s", value.Quoted(s.from[other].Name), other.Key(), other, s.so)
}

func (s *limits) report(r *rule, key, format string, args ...any) {
	s.linter.add(r, key, "contradicting-rules", format, args...).follow(s.severity)
}

// judgeAllowed reports if the other limits refuse every value in the lists.
func (s *limits) judgeAllowed() {
	set := s.together.Set()
	list, ok := set.Get(constraint.Values).(*constraint.Allowed)
	if !ok {
		return
	}
	untyped := constraint.NewSet(constraint.Scalar, set.All())
	var names []string
	first := ""
	for _, v := range list.List() {
		by, why := s.linter.refusal(&set, value.FromString(v))
		if why == "" { // perhaps only because nobody can tell whether the value is an integer
			by, why = s.linter.refusal(&untyped, value.FromString(v))
		}
		if why == "" {
			return
		}
		first = cmp.Or(first, why)
		if name := s.from[by].Name; len(names) < maxNamed && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		s.report(s.lister, constraint.Values, "the rules for the same path, including %s, allow none of these values, so %s: %s", string(value.AppendList(nil, names)), s.so, first)
	}
}

const maxNamed = 3 // how many rules a message names
