package vmrules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vmrules/vmrules/internal/quantity"
)

// A constraint is an argument of a rule with its value at hand.
// Spec: Rule arguments.
type constraint interface {
	// holds tells whether a value satisfies the constraint; an error says why
	// that cannot be told.
	holds(v *scalar, b *budget) (bool, error)
	// breach says what is wrong with a value for which the constraint does not
	// hold.
	breach(v *scalar) breach
}

// A breach is what is wrong with a value.
type breach struct {
	reason Reason
	limit  any
	detail string
}

// wantedArguments says what each argument that has one value may be.
var wantedArguments = map[string]string{
	keyMin:       `a number, a quantity such as "2Gi", or a JSONPath`,
	keyMax:       `a number, a quantity such as "2Gi", or a JSONPath`,
	keyMinLength: "a whole number that is not negative, or a JSONPath",
	keyMaxLength: "a whole number that is not negative, or a JSONPath",
	keyRegex:     "a regular expression in a string, or a JSONPath",
}

// newConstraint makes the constraint of a key that has one argument, and pays for
// it from b. The error continues a sentence that begins with the key.
func newConstraint(key string, limit scalar, b *budget) (constraint, Reason, error) {
	switch key {
	case keyMin, keyMax:
		return newBound(key, limit)
	case keyMinLength, keyMaxLength:
		return newLengthBound(key, limit)
	}
	return newPattern(limit, b)
}

func mustBe(key string, limit scalar) error {
	return fmt.Errorf("must be %s, not %s%s", wantedArguments[key], limit.describe(), prefixHint(limit))
}

// prefixHint is for a path that lacks its prefix.
func prefixHint(limit scalar) string {
	if !strings.HasPrefix(limit.text, ".") && !strings.HasPrefix(strings.ToLower(limit.text), "jsonpath") {
		return ""
	}
	return fmt.Sprintf(" (for a path write %q)", pathPrefix+leadingDot(withoutPrefix(limit.text)))
}

// A bound is min or max.
type bound struct {
	key    string
	limit  any    // as reports show it
	shown  string // as details show it
	number quantity.Number
	beyond int // how a value compares with the limit that breaks it: -1 or 1
}

func newBound(key string, limit scalar) (constraint, Reason, error) {
	if limit.shape == boolean {
		return nil, ReasonTypeInvalid, mustBe(key, limit)
	}
	n, err := limit.quantity()
	if err == quantity.ErrNotNumber {
		return nil, ReasonInvalid, mustBe(key, limit)
	}
	return &bound{key, limit.value(), shown(limit), n, beyond(key)}, ReasonInvalid, err
}

func beyond(key string) int {
	if key == keyMin || key == keyMinLength {
		return -1
	}
	return 1
}

func (c *bound) holds(v *scalar, b *budget) (bool, error) {
	n, err := v.quantity()
	if err == quantity.ErrNotNumber {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("the value %w", err)
	}
	if work := n.CompareWork(c.number); work > 0 {
		if err := b.Spend(work, 0); err != nil {
			return false, err
		}
	}
	return n.Compare(c.number) != c.beyond, nil
}

func (c *bound) breach(v *scalar) breach {
	detail := v.appendDescription(make([]byte, 0, usualDetail))
	_, err := v.quantity()
	switch {
	case err != nil:
		detail = append(append(append(detail, " is not a number, and "...), c.key...), " is "...)
	case c.beyond < 0:
		detail = append(append(append(detail, " is less than "...), c.key...), ' ')
	default:
		detail = append(append(append(detail, " is more than "...), c.key...), ' ')
	}
	return breach{ReasonInvalid, c.limit, string(append(detail, c.shown...))}
}

// usualDetail is how many bytes most details have at most.
const usualDetail = 128

// shown is a limit without quotes, which a number does not need.
func shown(limit scalar) string { return shortened(cmp.Or(limit.text, limit.String())) }

// A lengthBound is minLength or maxLength.
type lengthBound bound

func newLengthBound(key string, limit scalar) (constraint, Reason, error) {
	n, err := limit.number, limit.err()
	if limit.shape == text {
		n, err = quantity.ParseJSON(limit.text)
	}
	switch {
	case limit.shape == boolean:
		return nil, ReasonTypeInvalid, mustBe(key, limit)
	case err == quantity.ErrNotNumber || err == nil && (!n.IsInteger() || n.Sign() < 0):
		return nil, ReasonInvalid, mustBe(key, limit)
	}
	return &lengthBound{key, limit.value(), shown(limit), n, beyond(key)}, ReasonInvalid, err
}

func (c *lengthBound) holds(v *scalar, _ *budget) (bool, error) {
	return quantity.FromInt(int64(v.length())).Compare(c.number) != c.beyond, nil
}

func (c *lengthBound) breach(v *scalar) breach {
	reason, compared := ReasonTooLong, "more than"
	if c.beyond < 0 {
		reason, compared = ReasonInvalid, "fewer than"
	}
	characters := "characters"
	if v.length() == 1 {
		characters = "character"
	}
	return breach{reason, c.limit,
		fmt.Sprintf("%s has %d %s, %s %s %s", v.describe(), v.length(), characters, compared, c.key, c.shown)}
}

// length is that of the value rendered as string, in code points.
func (s *scalar) length() int {
	if s.shape != numeric {
		return utf8.RuneCountInString(s.text)
	}
	return len(s.number.AppendTo(make([]byte, 0, quantity.UsualSize)))
}

// allowed is values.
type allowed struct {
	list  []string            // as they were given
	limit any                 // the first of the list, as reports show them
	set   map[string]struct{} // nil where the list is short
	// later tells that a form may still bring more of them.
	later bool
}

// maxScanned is up to how many values looking at each is faster than a set.
const maxScanned = 8

func newAllowed(values []scalar) *allowed {
	c := &allowed{list: make([]string, 0, len(values))}
	for _, v := range values {
		c.list = append(c.list, v.String())
	}
	c.limit = c.list
	if len(c.list) > maxListed {
		c.limit = slices.Clone(c.list[:maxListed]) // which keeps no more of the list than it shows
	}
	if len(c.list) <= maxScanned {
		return c
	}
	c.set = make(map[string]struct{}, len(c.list))
	for _, s := range c.list {
		c.set[s] = struct{}{}
	}
	return c
}

// limitSize is how many bytes the limit keeps.
func (c *allowed) limitSize() int {
	size := 0
	for _, s := range c.limit.([]string) {
		size += len(s) + len("\"\",") + 16
	}
	return size
}

func (c *allowed) holds(v *scalar, _ *budget) (bool, error) {
	if c.has(v) {
		return true, nil
	}
	if c.later {
		return false, errLater
	}
	return false, nil
}

func (c *allowed) has(v *scalar) bool {
	if v.shape != numeric {
		return c.hasText(v.text)
	}
	digits := v.number.AppendTo(make([]byte, 0, quantity.UsualSize))
	return c.hasText(string(digits))
}

func (c *allowed) hasText(s string) bool {
	if len(c.list) <= maxScanned {
		return slices.Contains(c.list, s)
	}
	_, ok := c.set[s]
	return ok
}

func (c *allowed) breach(v *scalar) breach {
	if len(c.list) == 0 {
		return breach{ReasonNotSupported, c.limit, "no value is allowed"}
	}
	detail := append(v.appendDescription(make([]byte, 0, usualDetail)), " is not "...)
	if len(c.list) > 1 {
		detail = append(detail, "one of "...)
	}
	return breach{ReasonNotSupported, c.limit, string(appendValues(detail, c.list))}
}

// A pattern is regex.
type pattern struct {
	limit any // as reports show it
	text  string
	regex *regex
}

func newPattern(limit scalar, b *budget) (constraint, Reason, error) {
	if limit.shape != text {
		return nil, ReasonTypeInvalid, mustBe(keyRegex, limit)
	}
	if len(limit.text) > maxRegexBytes {
		return nil, ReasonTooLong, fmt.Errorf("has %d bytes; a regular expression may have %d", len(limit.text), maxRegexBytes)
	}
	compiled, err := compileRegex(limit.text, b)
	if err != nil {
		return nil, ReasonInvalid, fmt.Errorf("cannot be used: %w", err)
	}
	return &pattern{limit.text, limit.text, compiled}, ReasonInvalid, nil
}

func (c *pattern) holds(v *scalar, b *budget) (bool, error) {
	return c.regex.match(v.String(), b)
}

func (c *pattern) breach(v *scalar) breach {
	detail := append(v.appendDescription(make([]byte, 0, usualDetail)), " does not match "...)
	return breach{ReasonInvalid, c.limit, string(appendQuoted(detail, c.text))}
}
