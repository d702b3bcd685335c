package vmrules

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A constraint is an argument of a rule with its value at hand.
// Spec: Rule arguments.
type constraint interface {
	// check returns nil for a value that satisfies the constraint, and an
	// error where that cannot be told.
	check(v scalar, b *regexBudget) (*breach, error)
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

// newConstraint makes the constraint of a key that has one argument. The error
// continues a sentence that begins with the key.
func newConstraint(key string, limit scalar) (constraint, Reason, error) {
	switch key {
	case keyMin, keyMax:
		return newBound(key, limit)
	case keyMinLength, keyMaxLength:
		return newLengthBound(key, limit)
	}
	return newPattern(limit)
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
	limit  scalar
	number number
}

func newBound(key string, limit scalar) (constraint, Reason, error) {
	if limit.shape == boolean {
		return nil, ReasonTypeInvalid, mustBe(key, limit)
	}
	n, err := limit.quantity()
	if err == errNotNumber {
		return nil, ReasonInvalid, mustBe(key, limit)
	}
	return bound{key, limit, n}, ReasonInvalid, err
}

func (c bound) check(v scalar, _ *regexBudget) (*breach, error) {
	n, err := v.quantity()
	if err == errNotNumber {
		return c.breach("%s is not a number, and %s is %s", v.describe(), c.key, shown(c.limit)), nil
	}
	if err != nil {
		return nil, fmt.Errorf("the value %w", err)
	}
	order := n.compare(c.number)
	switch {
	case c.key == keyMin && order < 0:
		return c.breach("%s is less than min %s", v.describe(), shown(c.limit)), nil
	case c.key == keyMax && order > 0:
		return c.breach("%s is more than max %s", v.describe(), shown(c.limit)), nil
	}
	return nil, nil
}

// shown is a limit without quotes, which a number does not need.
func shown(limit scalar) string { return shortened(cmp.Or(limit.text, limit.String())) }

func (c bound) breach(format string, args ...any) *breach {
	return &breach{ReasonInvalid, c.limit.value(), fmt.Sprintf(format, args...)}
}

// A lengthBound is minLength or maxLength.
type lengthBound struct {
	key    string
	limit  scalar
	number number
}

func newLengthBound(key string, limit scalar) (constraint, Reason, error) {
	n, err := limit.number, limit.err
	if limit.shape == text {
		n, err = parseNumber(limit.text)
	}
	switch {
	case limit.shape == boolean:
		return nil, ReasonTypeInvalid, mustBe(key, limit)
	case err == errNotNumber || err == nil && (!n.isInteger() || n.sign() < 0):
		return nil, ReasonInvalid, mustBe(key, limit)
	}
	return lengthBound{key, limit, n}, ReasonInvalid, err
}

func (c lengthBound) check(v scalar, _ *regexBudget) (*breach, error) {
	length := utf8.RuneCountInString(v.String())
	order := numberFromInt(int64(length)).compare(c.number)
	switch {
	case c.key == keyMinLength && order < 0:
		return c.breach(ReasonInvalid, v, length, "fewer than minLength"), nil
	case c.key == keyMaxLength && order > 0:
		return c.breach(ReasonTooLong, v, length, "more than maxLength"), nil
	}
	return nil, nil
}

func (c lengthBound) breach(reason Reason, v scalar, length int, compared string) *breach {
	characters := "characters"
	if length == 1 {
		characters = "character"
	}
	return &breach{reason, c.limit.value(),
		fmt.Sprintf("%s has %d %s, %s %s", v.describe(), length, characters, compared, shown(c.limit))}
}

// allowed is values.
type allowed struct {
	list []string // as they were given
	set  map[string]struct{}
	// later tells that a form may still bring more of them.
	later bool
}

func newAllowed(values []scalar) allowed {
	c := allowed{list: make([]string, 0, len(values)), set: make(map[string]struct{}, len(values))}
	for _, v := range values {
		s := v.String()
		c.list = append(c.list, s)
		c.set[s] = struct{}{}
	}
	return c
}

func (c allowed) check(v scalar, _ *regexBudget) (*breach, error) {
	if _, ok := c.set[v.String()]; ok {
		return nil, nil
	}
	if c.later {
		return nil, errNotFilledIn
	}
	detail := "no value is allowed"
	switch len(c.list) {
	case 0:
	case 1:
		detail = fmt.Sprintf("%s is not %s", v.describe(), quoted(c.list[0]))
	default:
		detail = fmt.Sprintf("%s is not one of %s", v.describe(), listValues(c.list))
	}
	return &breach{ReasonNotSupported, c.list, detail}, nil
}

// A pattern is regex.
type pattern struct {
	text  string
	regex *regex
}

func newPattern(limit scalar) (constraint, Reason, error) {
	if limit.shape != text {
		return nil, ReasonTypeInvalid, mustBe(keyRegex, limit)
	}
	if len(limit.text) > maxRegexBytes {
		return nil, ReasonTooLong, fmt.Errorf("has %d bytes; a regular expression may have %d", len(limit.text), maxRegexBytes)
	}
	compiled, err := compileRegex(limit.text)
	if err != nil {
		return nil, ReasonInvalid, fmt.Errorf("cannot be used: %w", err)
	}
	return pattern{limit.text, compiled}, ReasonInvalid, nil
}

func (c pattern) check(v scalar, b *regexBudget) (*breach, error) {
	matches, err := c.regex.match(v.String(), b)
	if err != nil || matches {
		return nil, err
	}
	return &breach{ReasonInvalid, c.text, fmt.Sprintf("%s does not match %s", v.describe(), quoted(c.text))}, nil
}

// compileWork is what compiling a part of a regex costs, in the work of a
// match: an object may bring many regexes of its own.
const compileWork = 400

// chargeCompile counts the compiling of a regex that an object brought.
func (b *regexBudget) chargeCompile(r *regex) error {
	b.work -= compileWork * int64(r.size())
	if b.work < 0 {
		b.work = 0
		return errRegexBudget
	}
	return nil
}
