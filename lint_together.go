package vmrules

import (
	"slices"

	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// together looks for rules that contradict each other. A rule is held against
// what those before it leave over, not against each of them: an annotation may
// have thousands.
func (l *linter) together(rules []linted) {
	groups := map[string]*limits{}
	var inOrder []*limits
	for _, r := range rules {
		if !r.Kind.isOfFormat() || r.JustWarning || l.hopeless[r.index] {
			continue
		}
		key := r.group()
		if groups[key] == nil {
			groups[key] = &limits{linter: l}
			inOrder = append(inOrder, groups[key])
		}
		groups[key].add(r)
	}
	for _, group := range inOrder {
		group.judgeAllowed()
	}
}

// group is the same for rules that judge the same values on the same condition.
func (r linted) group() string {
	if r.alwaysApplies() {
		return r.Path.key()
	}
	return r.Path.key() + " if " + r.Valid.key()
}

// limits are what the literal arguments of several rules leave over together.
type limits struct {
	linter           *linter
	numbers, lengths interval
	patterns         []*limit
	integer          *linted  // a rule that asks for an integer; nil: none
	lister           *linted  // the last rule with values; nil: none
	allowed          []string // by all rules with values
	isAllowed        map[string]bool
}

// A limit is a literal argument of a rule.
type limit struct {
	rule       linted
	key        string
	constraint constraint
}

// limit is nil where the rule has no such argument, or not as a literal.
func (r linted) limit(key string) *limit {
	for _, a := range r.constraints {
		if a.key == key && a.fixed != nil {
			return &limit{r, key, a.fixed}
		}
	}
	return nil
}

func (l *limit) number() quantity.Number {
	n, _ := literalNumber(*l.rule.slot(l.key))
	return n
}

// An interval lies between two limits, which may be nil.
type interval struct{ low, high *limit }

// and is what is in both. Of limits that are equal, the first one counts.
func (i interval) and(other interval) interval {
	if i.low == nil || other.low != nil && other.low.number().Compare(i.low.number()) > 0 {
		i.low = other.low
	}
	if i.high == nil || other.high != nil && other.high.number().Compare(i.high.number()) < 0 {
		i.high = other.high
	}
	return i
}

func (i interval) isEmpty() bool {
	return i.low != nil && i.high != nil && i.low.number().Compare(i.high.number()) > 0
}

// add adds a rule. One that leaves nothing of what the others allow is reported
// and left out, so that it is not reported again with each rule that follows.
func (s *limits) add(r linted) {
	numbers := s.numbers.and(interval{r.limit(keyMin), r.limit(keyMax)})
	lengths := s.lengths.and(interval{r.limit(keyMinLength), r.limit(keyMaxLength)})
	if numbers.isEmpty() {
		s.excluded(r, numbers)
		return
	}
	if lengths.isEmpty() {
		s.excluded(r, lengths)
		return
	}
	if r.limit(keyValues) != nil && !s.list(r) {
		s.linter.add(r, keyValues, contradictingRules, "none of these is left of what the rules before it for the same path allow, %s the last of them", value.Quoted(s.lister.Name))
		return
	}
	s.numbers, s.lengths = numbers, lengths
	if p := r.limit(keyRegex); p != nil {
		s.patterns = append(s.patterns, p)
	}
	if s.integer == nil && r.Kind == KindInteger {
		s.integer = &r
	}
}

const contradictingRules = "contradicting-rules"

func (s *limits) excluded(r linted, i interval) {
	own, other := i.low, i.high
	if own.rule.index != r.index {
		own, other = other, own
	}
	s.linter.add(r, own.key, contradictingRules, "the rule %s for the same path has %s %s, so that no value satisfies both",
		value.Quoted(other.rule.Name), other.key, value.Shortened(other.rule.slot(other.key).String()))
}

// list narrows what is allowed to the values of a rule, unless nothing is left.
func (s *limits) list(r linted) bool {
	var both []string
	for _, a := range r.Values {
		v, _ := value.ScalarOf(a.literal)
		if rendered := v.String(); s.lister == nil || s.isAllowed[rendered] {
			both = append(both, rendered)
		}
	}
	if len(both) == 0 {
		return false
	}
	s.lister, s.allowed, s.isAllowed = &r, both, map[string]bool{}
	for _, v := range both {
		s.isAllowed[v] = true
	}
	return true
}

// judgeAllowed reports where the other limits refuse all values that are allowed.
func (s *limits) judgeAllowed() {
	limits := slices.Concat([]*limit{s.numbers.low, s.numbers.high, s.lengths.low, s.lengths.high}, s.patterns)
	limits = slices.DeleteFunc(limits, func(l *limit) bool { return l == nil })
	var names []string
	first := ""
	for _, v := range s.allowed {
		rule, why := s.refusal(limits, textScalar(v))
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
		s.linter.add(*s.lister, keyValues, contradictingRules, "the rules for the same path leave none of these over, %s among them: %s", string(value.AppendList(nil, names)), first)
	}
}

const (
	checkWork = 100 // of holding a value against a limit, beside that of a regex
	maxNamed  = 3   // rules in a message
)

// refusal is the rule that refuses a value, and why; "" where none does, or
// where that would take too long to tell.
func (s *limits) refusal(limits []*limit, v *value.Scalar) (linted, string) {
	budget := s.linter.budget
	if s.integer != nil {
		if ok, err := typeCheck(KindInteger).admits(v, true); err == nil && !ok {
			return *s.integer, typeCheck(KindInteger).mismatch(v.Canonical())
		}
	}
	for _, l := range limits {
		if budget.Spend(checkWork, 0) != nil {
			return linted{}, ""
		}
		if ok, err := l.constraint.holds(v, budget); !ok && err == nil {
			return l.rule, l.constraint.breach(v).detail
		}
	}
	return linted{}, ""
}
