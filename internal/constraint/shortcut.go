package constraint

import (
	"math"
	"unicode/utf8"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/pcre"
)

// A Shortcut recognizes the values that most VMs hold, an int64 or a short string, as what
// its Set admits. It takes a fraction of the time of [Set.Admits], because it makes no
// Scalar. What it does not admit, the Set may still admit. The zero Shortcut admits nothing.
type Shortcut struct {
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
	cut := Shortcut{
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
		s.texts = s.texts && s.regex == nil && c.IsLinear()
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

// Admits reports whether the set certainly admits a value. It pays from b for matching.
func (s *Shortcut) Admits(v any, b *meter.Budget) bool {
	switch v := v.(type) {
	case int64:
		return s.ints && s.least <= v && v <= s.most
	case string:
		return s.texts && len(v) <= shortText && s.admitsText(v, b)
	}
	return false
}

func (s *Shortcut) admitsText(v string, b *meter.Budget) bool {
	if s.shortest > 0 || s.longest < shortText {
		length := int64(utf8.RuneCountInString(v))
		if length < s.shortest || s.longest < length {
			return false
		}
	}
	if s.list != nil && !s.list.hasText(v) {
		return false
	}
	if s.regex == nil {
		return true
	}
	ok, err := s.regex.Match(v, b)
	return ok && err == nil
}
