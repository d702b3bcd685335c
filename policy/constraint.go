package policy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/pcre"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/vmapi"
)

// translated has the arguments that constrained translates. A later version of vmrules may have
// more.
var translated = []string{"min", "max", "minLength", "maxLength", "values", "regex"}

// constrained returns the condition that a value satisfies the rule. It is never true for null.
// If it cannot be expressed, the rule is refused.
func (t *translator) constrained(v string, of vmapi.Sort) string {
	r := t.rule
	if r.Kind == vmrules.KindString && of == vmapi.Integer {
		return holdsNever
	}
	var all []string
	if r.Kind == vmrules.KindString && of != vmapi.Text {
		all = append(all, "type("+v+") == string")
	}
	for _, part := range []func(string, vmapi.Sort) ([]string, error){t.numbers, t.lengths, t.allowed, t.matched} {
		conditions, err := part(v, of)
		if err != nil {
			t.refusal = cmp.Or(t.refusal, err)
			return holdsNever
		}
		all = append(all, conditions...)
	}
	if len(all) == 0 { // then it has its type, and is not null
		isOf := "string"
		if of == vmapi.Integer {
			isOf = "int"
		}
		all = append(all, "type("+v+") == "+isOf)
	}
	if slices.Contains(all, holdsNever) {
		return holdsNever
	}
	return strings.Join(all, " && ")
}

// rendered returns an expression for a value as a string.
func rendered(v string, of vmapi.Sort) string {
	if of == vmapi.Text {
		return v
	}
	return "string(" + v + ")"
}

// A limit is an argument that limits a number or a length, from below or from above.
type limit struct {
	key, operator string
	vmrules.Argument
}

func given(limits ...limit) []limit {
	return slices.DeleteFunc(limits, func(l limit) bool { return l.IsZero() })
}

// numbers returns the conditions for the kind integer, min and max.
func (t *translator) numbers(v string, of vmapi.Sort) ([]string, error) {
	r := t.rule
	var plain, compared []string // compared has conditions on the variable q, a quantity
	for _, l := range given(limit{"min", ">=", r.Min}, limit{"max", "<=", r.Max}) {
		number, isPlain, needs, err := t.limit(l, of)
		if err != nil {
			return nil, err
		}
		plain = append(plain, needs...)
		if isPlain {
			plain = append(plain, v+" "+l.operator+" "+number)
		} else {
			compared = append(compared, "q.compareTo("+number+") "+l.operator+" 0")
		}
	}
	if r.Kind == vmrules.KindInteger && of != vmapi.Integer {
		compared = append([]string{integral}, compared...)
	}
	if len(compared) == 0 {
		return plain, nil
	}
	if of != vmapi.Integer && of != vmapi.Quantity && t.allowsZero() {
		plain = append(plain, hasDigit(v, of))
	}
	q := asQuantity(v, of)
	if len(compared) == 1 && compared[0] != integral {
		return append(plain, q+strings.TrimPrefix(compared[0], "q")), nil
	}
	return append(plain, "["+q+"].all(q, "+strings.Join(compared, " && ")+")"), nil
}

// integral is the condition that the quantity q is a whole number that CEL represents exactly.
// isInteger alone is false for numbers with a point or a small suffix, such as 1.5Gi and 2000m.
const integral = `(q.isInteger() || [q.asApproximateFloat()].exists(f, f > -9.2e18 && f < 9.2e18 && q.sub(int(f)) == quantity("0")))`

func asQuantity(v string, of vmapi.Sort) string { return "quantity(" + rendered(v, of) + ")" }

// hasDigit returns the condition that a quantity has a digit. Kubernetes reads a suffix alone, such
// as Gi, as 0. Where KubeVirt's API has a quantity, its CRD has a pattern that demands a digit.
func hasDigit(v string, of vmapi.Sort) string {
	return rendered(v, of) + `.matches("^[-+]?[.]?[0-9]")`
}

// allowsZero reports whether min and max may allow 0.
func (t *translator) allowsZero() bool {
	r := t.rule
	bounds := vmrules.Rule{Kind: vmrules.KindInteger, Name: r.Name, Path: r.Path, Message: r.Message, Min: r.Min, Max: r.Max}
	return (&translator{rule: bounds}).holds(0) != holdsNever
}

// limit returns a limit as text, and what it needs: further conditions on it. It is a plain integer, with which
// an integer field can be compared directly, or a quantity.
func (t *translator) limit(l limit, of vmapi.Sort) (text string, isPlain bool, needs []string, err error) {
	if literal, ok := l.Literal(); ok {
		text = fmt.Sprint(literal)
		if n, ok := wholeNumber(text); ok && of == vmapi.Integer {
			return n, true, nil, nil
		}
		text, err = exactQuantity(l.key, text)
		return "quantity(" + strconv.Quote(text) + ")", false, nil, err
	}
	p, err := t.argument(l.key, l.Argument)
	if err != nil {
		return "", false, nil, err
	}
	read, is := p.plain(), sortAt(p.path())
	needs = []string{p.exists()}
	switch {
	case is == vmapi.Integer && of == vmapi.Integer:
		return read, true, needs, nil
	case is != vmapi.Integer && is != vmapi.Quantity:
		needs = append(needs, hasDigit(read, is))
	}
	return asQuantity(read, is), false, needs, nil
}

// argument returns the place of the path of an argument, which must select one value.
func (t *translator) argument(key string, a vmrules.Argument) (place, error) {
	path, _ := a.Path()
	steps, err := scalar(key, path)
	switch {
	case err != nil:
		return place{}, err
	case defaultAt(steps).Default() != nil:
		return place{}, refuse(key, "%s has a default, which CEL cannot read", path)
	case firstEach(steps) >= 0:
		return place{}, refuse(key, "%s may select several values, but one is needed", path)
	}
	return t.at(steps), nil
}

// wholeNumber converts a number to CEL's notation of an int. It returns false if the number is
// not an int.
func wholeNumber(text string) (string, bool) {
	if !shortNumber.MatchString(text) {
		return "", false
	}
	n, err := quantity.Parse(text)
	whole, ok := n.Int64()
	return strconv.FormatInt(whole, 10), ok && err == nil
}

// shortNumber matches numbers that have few digits even if their exponent is written out.
var shortNumber = regexp.MustCompile(`^[-+]?[0-9]{1,19}(\.[0-9]{1,19})?([eE][+]?[0-9]{1,2})?$`)

// exactQuantities matches quantities of which Kubernetes keeps all digits, if they are not too
// large.
var exactQuantities = regexp.MustCompile(`^[-+]?([0-9]{1,15}(\.[0-9]{1,6})?|\.[0-9]{1,6})(m|k|[MGTPE]|[KMGTPE]i)?$`)

// exactQuantity returns a limit as a text that quantity() reads exactly. It returns an error if
// quantity() would round the limit, or may cap it.
func exactQuantity(key, text string) (string, error) {
	whole, isWhole := wholeNumber(text)
	if isWhole {
		text = whole
	}
	q, err := quantity.Parse(text)
	if err != nil || !isWhole && !exactQuantities.MatchString(text) ||
		q.Compare(quantity.FromInt(1<<62)) > 0 || q.Compare(quantity.FromInt(-(1<<62))) < 0 {
		return "", refuse(key, "quantity() does not read %.40q exactly: it is exact for whole numbers up to 2^62, and for other numbers with 15 digits before the point and 6 behind it", text)
	}
	if n, ok := q.Int64(); ok && isWhole {
		return inBinaryUnits(n), nil
	}
	return text, nil
}

// inBinaryUnits returns a number of bytes with a binary suffix, such as 1536Mi.
func inBinaryUnits(n int64) string {
	switch {
	case n == 0:
		return "0"
	case n%(1<<30) == 0:
		return strconv.FormatInt(n>>30, 10) + "Gi"
	case n%(1<<20) == 0:
		return strconv.FormatInt(n>>20, 10) + "Mi"
	}
	return strconv.FormatInt(n, 10)
}

// lengths returns the conditions for minLength and maxLength. Like them, size() of a string
// counts code points.
func (t *translator) lengths(v string, of vmapi.Sort) ([]string, error) {
	var all []string
	for _, l := range given(limit{"minLength", ">=", t.rule.MinLength}, limit{"maxLength", "<=", t.rule.MaxLength}) {
		literal, ok := l.Literal()
		if !ok {
			return nil, refuse(l.key, "CEL's int() does not read all forms that a length in a VM may have")
		}
		n, ok := wholeNumber(fmt.Sprint(literal))
		if !ok {
			return nil, refuse(l.key, "%.40v is too large for CEL's int", literal)
		}
		all = append(all, "size("+rendered(v, of)+") "+l.operator+" "+n)
	}
	return all, nil
}

func (t *translator) allowed(v string, of vmapi.Sort) ([]string, error) {
	if t.rule.Values.IsZero() {
		return nil, nil
	}
	list, _ := t.rule.Values.List()
	var items []string
	seen := map[string]bool{}
	isNumber := false
	for _, item := range list {
		literal, ok := item.Literal()
		if !ok {
			return nil, refuse("values", "%s may select one value, several values, or lists of values", item)
		}
		text, err := renderedLiteral(literal)
		if err != nil {
			return nil, err
		}
		switch n, err := strconv.ParseInt(text, 10, 64); {
		case seen[text]:
		case of != vmapi.Integer:
			items = append(items, strconv.Quote(text))
		case err == nil && strconv.FormatInt(n, 10) == text:
			items = append(items, text)
		}
		seen[text] = true
		isNumber = isNumber || mayBeNumber(text)
	}
	if isNumber && of != vmapi.Integer {
		v = rendered(v, of)
	}
	switch len(items) {
	case 0:
		return []string{holdsNever}, nil
	case 1:
		return []string{v + " == " + items[0]}, nil
	}
	return []string{v + " in [" + strings.Join(items, ", ") + "]"}, nil
}

var plainNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,17}|-?(0|[1-9][0-9]{0,5})\.[0-9]{0,8}[1-9])$`)

// renderedLiteral returns an allowed value as the string with which vmrules compares.
func renderedLiteral(literal any) (string, error) {
	number, ok := literal.(json.Number)
	if !ok {
		return fmt.Sprint(literal), nil
	}
	if whole, ok := wholeNumber(string(number)); ok {
		return whole, nil
	}
	if !plainNumber.MatchString(string(number)) {
		return "", refuse("values", "CEL may render %.40s differently: write a number less than 1000000, with at most 9 digits behind the point, no zero at the end and no exponent", number)
	}
	return string(number), nil
}

// mayBeNumber reports whether a text may be a number or a boolean that was rendered as a
// string.
func mayBeNumber(text string) bool {
	return text == "true" || text == "false" || text != "" && strings.Trim(text, "-0123456789.") == ""
}

func (t *translator) matched(v string, of vmapi.Sort) ([]string, error) {
	if t.rule.Regex.IsZero() {
		return nil, nil
	}
	literal, ok := t.rule.Regex.Literal()
	if !ok {
		return nil, refuse("regex", "a regular expression that the rule reads from the VM cannot be rewritten for RE2")
	}
	re2, err := toRE2(fmt.Sprint(literal))
	if err != nil {
		return nil, err
	}
	return []string{rendered(v, of) + ".matches(" + regexLiteral(re2) + ")"}, nil
}

// toRE2 translates a PCRE pattern for CEL's matches(), which is Go's regexp and, like the rule, not
// anchored.
func toRE2(pattern string) (string, error) {
	regex, err := pcre.Compile(pattern, &meter.Budget{Meter: meter.OrDefault(0, 0)})
	if err != nil {
		return "", refuse("regex", "%v", err)
	}
	if regex.RE2() == "" {
		return "", refuse("regex", "it cannot be rewritten for CEL's matches(), which uses RE2: this has no lookaround, no back-references, no atomic or possessive parts, and no $ before something else")
	}
	return regex.RE2(), nil
}

// regexLiteral returns a pattern as a string literal of CEL, raw if that is possible and shorter.
func regexLiteral(re2 string) string {
	if strings.Contains(re2, `"`) || !isPrintable(re2) || !strings.Contains(re2, `\`) {
		return strconv.Quote(re2)
	}
	return `r"` + re2 + `"`
}

func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) })
}
