package constraint

import (
	"math"
	"unicode/utf8"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/pcre"
)

// A Shortcut judges the values that most VMs hold, an int64 or a short string. It takes a
// fraction of the time of [Set.Failures], because it makes no Scalar. The zero Shortcut is
// unsure of everything.
type Shortcut struct {
	only Constraint // that the set has, or nil

	ints        bool // it admits integers from least to most
	least, most int64

	texts             bool // it admits strings that satisfy all of these
	shortest, longest int64
	list              *Allowed    // nil: any string
	regex             *pcre.Regex // nil: any string
}

// shortText is the length in bytes of the longest string that a Shortcut looks at. For longer
// ones, the caller has to pay.
const shortText = 100

// Shortcut returns the Shortcut of the set.
func (s *Set) Shortcut() Shortcut {
	t := s.Type()
	var only Constraint
	if len(s.all) == 1 {
		only = s.all[0]
	}
	cut := Shortcut{
		only: only,
		ints: !t.Is(String), least: math.MinInt64, most: math.MaxInt64,
		texts: !t.Is(Number), longest: math.MaxInt64,
	}
	for _, c := range s.all {
		cut.narrow(c)
	}
	return cut
}

// narrow makes the shortcut demand another constraint.
func (s *Shortcut) narrow(c Constraint) {
	switch c := c.(type) {
	case *Bound:
		s.ints = s.ints && narrow(&s.least, &s.most, &c.bound)
	case *Length:
		s.ints = false
		s.texts = s.texts && narrow(&s.shortest, &s.longest, &c.bound)
	case *Allowed:
		s.ints = false
		s.texts = s.texts && s.list == nil
		s.list = c
	case *Pattern:
		s.ints = false
		s.texts = s.texts && s.regex == nil && c.regex.IsLinear() // what backtracks has a time limit: it is matched once
		s.regex = c.regex
	default:
		*s = Shortcut{}
	}
}

// narrow moves one of two limits. It returns false if the bound is not an int64.
func narrow(least, most *int64, c *bound) bool {
	n, ok := c.number.Int64()
	if c.beyond < 0 {
		*least = max(*least, n)
	} else {
		*most = min(*most, n)
	}
	return ok
}

// Judge reports whether the set certainly admits a value. If it certainly does not, and has only
// one constraint, Judge returns that. It pays from b for matching.
func (s *Shortcut) Judge(v any, b *meter.Budget) (admits bool, broken Constraint) {
	var err error
	switch v := v.(type) {
	case int64:
		if !s.ints {
			return false, nil
		}
		admits = s.least <= v && v <= s.most
	case string:
		if !s.texts || len(v) > shortText {
			return false, nil
		}
		admits, err = s.admitsText(v, b)
	default:
		return false, nil
	}
	if admits || err != nil {
		return admits, nil
	}
	return false, s.only
}

func (s *Shortcut) admitsText(v string, b *meter.Budget) (bool, error) {
	if s.shortest > 0 || s.longest < shortText {
		length := int64(utf8.RuneCountInString(v))
		if length < s.shortest || s.longest < length {
			return false, nil
		}
	}
	if s.list != nil && !s.list.hasText(v) {
		return false, s.list.open
	}
	if s.regex == nil {
		return true, nil
	}
	return s.regex.Match(v, b)
}
