package vmrules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/pcre"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// A constraint is an argument of a rule with its value at hand.
// Spec: Rule arguments.
type constraint interface {
	// holds tells whether a value satisfies the constraint; an error says why
	// that cannot be told.
	holds(v *value.Scalar, b *budget) (bool, error)
	// breach says what is wrong with a value for which the constraint does not
	// hold.
	breach(v *value.Scalar) breach
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
func newConstraint(key string, limit value.Scalar, b *budget) (constraint, Reason, error) {
	switch key {
	case keyMin, keyMax:
		return newBound(key, limit)
	case keyMinLength, keyMaxLength:
		return newLengthBound(key, limit)
	}
	return newPattern(limit, b)
}

func mustBe(key string, limit value.Scalar) error {
	return fmt.Errorf("must be %s, not %s%s", wantedArguments[key], limit.Describe(), prefixHint(limit))
}

// prefixHint is for a path that lacks its prefix.
func prefixHint(limit value.Scalar) string {
	if !strings.HasPrefix(limit.Text(), ".") && !strings.HasPrefix(strings.ToLower(limit.Text()), "jsonpath") {
		return ""
	}
	return fmt.Sprintf(" (for a path write %q)", pathPrefix+jsonpath.LeadingDot(withoutPrefix(limit.Text())))
}

// A bound is min or max.
type bound struct {
	key    string
	limit  any    // as reports show it
	shown  string // as details show it
	number quantity.Number
	beyond int // how a value compares with the limit that breaks it: -1 or 1
}

func newBound(key string, limit value.Scalar) (constraint, Reason, error) {
	if limit.Shape() == value.Boolean {
		return nil, ReasonTypeInvalid, mustBe(key, limit)
	}
	n, err := limit.Quantity()
	if err == quantity.ErrNotNumber {
		return nil, ReasonInvalid, mustBe(key, limit)
	}
	return &bound{key, limit.Canonical(), shown(limit), n, beyond(key)}, ReasonInvalid, err
}

func beyond(key string) int {
	if key == keyMin || key == keyMinLength {
		return -1
	}
	return 1
}

func (c *bound) holds(v *value.Scalar, b *budget) (bool, error) {
	n, err := v.Quantity()
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

func (c *bound) breach(v *value.Scalar) breach {
	detail := v.AppendDescription(make([]byte, 0, usualDetail))
	_, err := v.Quantity()
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
func shown(limit value.Scalar) string { return value.Shortened(cmp.Or(limit.Text(), limit.String())) }

// A lengthBound is minLength or maxLength.
type lengthBound bound

func newLengthBound(key string, limit value.Scalar) (constraint, Reason, error) {
	n, err := limit.Number(), limit.Err()
	if limit.Shape() == value.String {
		n, err = quantity.ParseJSON(limit.Text())
	}
	switch {
	case limit.Shape() == value.Boolean:
		return nil, ReasonTypeInvalid, mustBe(key, limit)
	case err == quantity.ErrNotNumber || err == nil && (!n.IsInteger() || n.Sign() < 0):
		return nil, ReasonInvalid, mustBe(key, limit)
	}
	return &lengthBound{key, limit.Canonical(), shown(limit), n, beyond(key)}, ReasonInvalid, err
}

func (c *lengthBound) holds(v *value.Scalar, _ *budget) (bool, error) {
	return quantity.FromInt(int64(v.Length())).Compare(c.number) != c.beyond, nil
}

func (c *lengthBound) breach(v *value.Scalar) breach {
	reason, compared := ReasonTooLong, "more than"
	if c.beyond < 0 {
		reason, compared = ReasonInvalid, "fewer than"
	}
	characters := "characters"
	if v.Length() == 1 {
		characters = "character"
	}
	return breach{reason, c.limit,
		fmt.Sprintf("%s has %d %s, %s %s %s", v.Describe(), v.Length(), characters, compared, c.key, c.shown)}
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

func newAllowed(values []value.Scalar) *allowed {
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

func (c *allowed) holds(v *value.Scalar, _ *budget) (bool, error) {
	if c.has(v) {
		return true, nil
	}
	if c.later {
		return false, errLater
	}
	return false, nil
}

func (c *allowed) has(v *value.Scalar) bool {
	if v.Shape() != value.Number {
		return c.hasText(v.Text())
	}
	digits := v.Number().AppendTo(make([]byte, 0, quantity.UsualSize))
	return c.hasText(string(digits))
}

func (c *allowed) hasText(s string) bool {
	if len(c.list) <= maxScanned {
		return slices.Contains(c.list, s)
	}
	_, ok := c.set[s]
	return ok
}

func (c *allowed) breach(v *value.Scalar) breach {
	if len(c.list) == 0 {
		return breach{ReasonNotSupported, c.limit, "no value is allowed"}
	}
	detail := append(v.AppendDescription(make([]byte, 0, usualDetail)), " is not "...)
	if len(c.list) > 1 {
		detail = append(detail, "one of "...)
	}
	return breach{ReasonNotSupported, c.limit, string(value.AppendList(detail, c.list))}
}

// A pattern is regex.
type pattern struct {
	limit any // as reports show it
	text  string
	regex *pcre.Regex
}

func newPattern(limit value.Scalar, b *budget) (constraint, Reason, error) {
	if limit.Shape() != value.String {
		return nil, ReasonTypeInvalid, mustBe(keyRegex, limit)
	}
	if len(limit.Text()) > pcre.MaxBytes {
		return nil, ReasonTooLong, fmt.Errorf("has %d bytes; a regular expression may have %d", len(limit.Text()), pcre.MaxBytes)
	}
	compiled, err := pcre.Compile(limit.Text(), b)
	if err != nil {
		return nil, ReasonInvalid, fmt.Errorf("cannot be used: %w", err)
	}
	return &pattern{limit.Text(), limit.Text(), compiled}, ReasonInvalid, nil
}

func (c *pattern) holds(v *value.Scalar, b *budget) (bool, error) {
	return c.regex.Match(v.String(), b)
}

func (c *pattern) breach(v *value.Scalar) breach {
	detail := append(v.AppendDescription(make([]byte, 0, usualDetail)), " does not match "...)
	return breach{ReasonInvalid, c.limit, string(value.AppendQuoted(detail, c.text))}
}
