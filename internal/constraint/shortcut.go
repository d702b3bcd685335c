package constraint

import (
	"math"
	"unicode/utf8"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/pcre"
)

// A Shortcut checks the values that most VMs hold, an int64 or a short string. It takes a
// fraction of the time of [Set.Failures], because it makes no Scalar. The zero Shortcut is
// unsure of everything.
type Shortcut struct {
	ints        bool // it admits integers from least to most
	least, most int64

	texts             bool // it admits strings that satisfy all of these
	shortest, longest int64
	list              *Allowed    // nil: any string
	regex             *pcre.Regex // nil: any string

	// What a value breaks, and nothing else: one that is too small or short, one that is too
	// large or long, and a string that is not in the list or does not match; nil: not known.
	below, above, outside Constraint
}

// shortText is the length in bytes of the longest string that a Shortcut looks at. For longer
// ones, the caller has to pay.
const shortText = 100

// Shortcut returns the Shortcut of the set.
func (s *Set) Shortcut() Shortcut {
	t := s.Type()
	cut := Shortcut{
		ints: !t.Is(String), least: math.MinInt64, most: math.MaxInt64,
		texts: !t.Is(Number), longest: math.MaxInt64,
	}
	for _, c := range s.all {
		cut.narrow(c)
	}
	if len(s.all) > 1 && !(len(s.all) == 2 && cut.isRange()) {
		cut.below, cut.above, cut.outside = nil, nil, nil
	}
	return cut
}

// isRange reports whether there are both limits, and no value breaks both.
func (s *Shortcut) isRange() bool {
	return s.below != nil && s.above != nil && s.least <= s.most && s.shortest <= s.longest
}

// narrow makes the shortcut demand another constraint.
func (s *Shortcut) narrow(c Constraint) {
	switch c := c.(type) {
	case *Bound:
		s.ints = s.limit(c, &c.bound, &s.least, &s.most) && s.ints
	case *Length:
		s.ints = false
		s.texts = s.limit(c, &c.bound, &s.shortest, &s.longest) && s.texts
	case *Allowed:
		s.ints = false
		s.texts = s.texts && s.list == nil
		s.list, s.outside = c, c
	case *Pattern:
		s.ints = false
		s.texts = s.texts && s.regex == nil && c.regex.IsLinear() // what backtracks has a time limit: it is matched once
		s.regex, s.outside = c.regex, c
	default:
		*s = Shortcut{} // it decides nothing
	}
}

// limit moves one of two limits. It returns false if the bound is not an int64.
func (s *Shortcut) limit(c Constraint, b *bound, least, most *int64) bool {
	n, ok := b.number.Int64()
	if b.beyond < 0 {
		*least, s.below = max(*least, n), c
	} else {
		*most, s.above = min(*most, n), c
	}
	return ok
}

// Judge reports whether the set certainly admits a value. If it certainly does not, and the value
// breaks only one constraint, Judge may return that. It pays from b for matching.
func (s *Shortcut) Judge(v any, b *meter.Budget) (admits bool, broken Constraint) {
	switch v := v.(type) {
	case int64:
		return s.JudgeWhole(v)
	case string:
		if s.texts && len(v) <= shortText {
			return s.judgeText(v, b)
		}
	}
	return false, nil
}

// JudgeWhole is Judge for an integer, or a string that is the same as a quantity.
func (s *Shortcut) JudgeWhole(n int64) (admits bool, broken Constraint) {
	if !s.ints {
		return false, nil
	}
	return s.judge(n, s.least, s.most)
}

// judge checks a number or length by its limits.
func (s *Shortcut) judge(n, least, most int64) (admits bool, broken Constraint) {
	switch {
	case n < least:
		return false, s.below
	case n > most:
		return false, s.above
	}
	return true, nil
}

func (s *Shortcut) judgeText(v string, b *meter.Budget) (admits bool, broken Constraint) {
	if s.shortest > 0 || s.longest < shortText {
		length := int64(utf8.RuneCountInString(v))
		if admits, broken = s.judge(length, s.shortest, s.longest); !admits {
			return false, broken
		}
	}
	var err error
	switch {
	case s.list != nil && !s.list.has(v):
		admits, err = false, s.list.open
	case s.regex != nil:
		admits, err = s.regex.Match(v, b)
	default:
		admits = true
	}
	if admits || err != nil {
		return admits, nil
	}
	return false, s.outside
}
