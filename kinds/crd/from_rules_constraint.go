package crd

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrules/vmrules"
)

// constrained says that a value is right: an expression that is not true for
// null.
func (t *translator) constrained(v string, of fieldType) (string, error) {
	r := t.rule
	if r.Kind == vmrules.KindString && of == integerType {
		return holdsNever, nil
	}
	var all []string
	if r.Kind == vmrules.KindString && of != stringType {
		all = append(all, "type("+v+") == string")
	}
	for _, part := range []func(string, fieldType) ([]string, error){t.numbers, t.lengths, t.allowed, t.matched} {
		conditions, err := part(v, of)
		if err != nil {
			return "", err
		}
		all = append(all, conditions...)
	}
	if len(all) == 0 {
		all = append(all, t.typed(v, of))
	}
	if slices.Contains(all, holdsNever) {
		return holdsNever, nil
	}
	return strings.Join(all, " && "), nil
}

// typed says that a value has its type and is not null, which nothing else says.
func (t *translator) typed(v string, of fieldType) string {
	switch {
	case t.schema != nil:
		return holdsAlways
	case of == integerType:
		return "type(" + v + ") == int"
	}
	return "type(" + v + ") == string"
}

func rendered(v string, of fieldType) string {
	if of == stringType {
		return v
	}
	return "string(" + v + ")"
}

// numbers are the kind integer, min and max.
func (t *translator) numbers(v string, of fieldType) ([]string, error) {
	r := t.rule
	var plain, compared []string // compared are about q
	for _, b := range []struct {
		key, operator string
		limit         vmrules.Argument
	}{{"min", ">=", r.Min}, {"max", "<=", r.Max}} {
		if b.limit.IsZero() {
			continue
		}
		if direct, ok, err := t.direct(b.key, b.limit, of); err != nil {
			return nil, err
		} else if ok {
			plain = append(plain, v+" "+b.operator+" "+direct)
			continue
		}
		limit, written, err := t.quantity(b.key, b.limit)
		if err != nil {
			return nil, err
		}
		plain = append(plain, written...)
		compared = append(compared, "q.compareTo("+limit+") "+b.operator+" 0")
	}
	if r.Kind == vmrules.KindInteger && of != integerType {
		compared = append([]string{integral}, compared...)
	}
	if len(compared) == 0 {
		return plain, nil
	}
	if of != integerType && t.allowsZero() {
		plain = append(plain, t.hasDigit(v, of))
	}
	q := t.asQuantity(v, of)
	if len(compared) == 1 && compared[0] != integral {
		return append(plain, q+strings.TrimPrefix(compared[0], "q")), nil
	}
	return append(plain, "["+q+"].all(q, "+strings.Join(compared, " && ")+")"), nil
}

// integral says that a quantity is a whole number. isInteger alone denies what
// has a point or a small suffix, such as 1.5Gi and 2000m.
const integral = `(q.isInteger() || q.sub(int(q.asApproximateFloat())) == quantity("0"))`

// asQuantity is a number or quantity as CEL's quantity. Of string() of a number,
// the API server does not know how short it is when it estimates the cost of a
// CRD's rules.
func (t *translator) asQuantity(v string, of fieldType) string {
	added := `quantity("0").add(` + v + ")"
	switch {
	case t.schema == nil, of == stringType:
		return "quantity(" + rendered(v, of) + ")"
	case of == integerType:
		return added
	}
	return "(type(" + v + ") == int ? " + added + " : quantity(" + v + "))"
}

// hasDigit tells a number from a suffix alone, such as Gi, which Kubernetes
// takes for 0.
func (t *translator) hasDigit(v string, of fieldType) string {
	const digit = `.matches("^[-+]?[.]?[0-9]")`
	if t.schema != nil && of != stringType {
		return "(type(" + v + ") == int || " + v + digit + ")"
	}
	return rendered(v, of) + digit
}

// allowsZero reports whether min and max allow 0, as far as that is known.
func (t *translator) allowsZero() bool {
	if t.rule.Min.IsZero() && t.rule.Max.IsZero() {
		return true
	}
	bounds := translator{rule: vmrules.Rule{
		Kind: vmrules.KindInteger, Name: "bounds", Message: "bounds", Min: t.rule.Min, Max: t.rule.Max,
	}}
	return bounds.holds(0) != holdsNever
}

// direct is a limit that an integer field is compared with as it is.
func (t *translator) direct(key string, limit vmrules.Argument, of fieldType) (string, bool, error) {
	if of != integerType {
		return "", false, nil
	}
	if literal, ok := limit.Literal(); ok {
		n, ok := wholeNumber(fmt.Sprint(literal))
		return n, ok, nil
	}
	steps, err := t.argument(key, limit)
	if err != nil || t.typeAt(steps) != integerType {
		return "", false, err
	}
	read, err := t.plainChain(steps)
	return read, true, err
}

// quantity is a limit as a quantity, and what else must be said of it.
func (t *translator) quantity(key string, limit vmrules.Argument) (string, []string, error) {
	if literal, ok := limit.Literal(); ok {
		text, err := exactQuantity(key, fmt.Sprint(literal))
		return "quantity(" + strconv.Quote(text) + ")", nil, err
	}
	steps, err := t.argument(key, limit)
	if err != nil {
		return "", nil, err
	}
	read, err := t.plainChain(steps)
	if err != nil {
		return "", nil, err
	}
	of := t.typeAt(steps)
	if of == integerType {
		return t.asQuantity(read, of), nil, nil
	}
	return t.asQuantity(read, of), []string{t.hasDigit(read, of)}, nil
}

// argument are the steps to the one value of an argument.
func (t *translator) argument(key string, a vmrules.Argument) ([]step, error) {
	path, _ := a.Path()
	steps, err := t.scalar(key, path)
	if err != nil {
		return nil, err
	}
	if defaultAt(steps).Default != nil {
		return nil, refuse(key, "%s counts as a default where it is not set", path)
	}
	if hasEach(steps) {
		return nil, refuse(key, "%s may select several values, and one is needed", path)
	}
	return steps, nil
}

// wholeNumber is a number as CEL writes an int.
func wholeNumber(text string) (string, bool) {
	if !shortNumber.MatchString(text) {
		return "", false
	}
	n, ok := new(big.Rat).SetString(text)
	if !ok || !n.IsInt() || !n.Num().IsInt64() {
		return "", false
	}
	return n.Num().String(), true
}

// shortNumber are numbers that are not long when they are written out.
var shortNumber = regexp.MustCompile(`^[-+]?[0-9]{1,19}(\.[0-9]{1,19})?([eE][+]?[0-9]{1,2})?$`)

// exactQuantities are those of which Kubernetes keeps every digit, if they are
// not too large.
var exactQuantities = regexp.MustCompile(`^[-+]?([0-9]{1,15}(\.[0-9]{1,6})?|\.[0-9]{1,6})(m|k|[MGTPE]|[KMGTPE]i)?$`)

// exactQuantity is a limit that quantity() reads exactly, and far enough from
// where it is cut off.
func exactQuantity(key, text string) (string, error) {
	whole, isWhole := wholeNumber(text)
	if isWhole {
		text = whole
	}
	q, err := resource.ParseQuantity(text)
	if err != nil || !isWhole && !exactQuantities.MatchString(text) ||
		q.CmpInt64(1<<62) > 0 || q.CmpInt64(-(1<<62)) < 0 {
		return "", refuse(key, "CEL does not hold %.40q exactly: quantity() is exact for whole numbers up to 2^62, and else for 15 digits before the point and 6 behind it", text)
	}
	if isWhole {
		return inBinaryUnits(q.Value()), nil
	}
	return text, nil
}

// inBinaryUnits is a number of bytes as people write it: 1536Mi.
func inBinaryUnits(n int64) string {
	for _, unit := range []struct {
		size   int64
		suffix string
	}{{1 << 30, "Gi"}, {1 << 20, "Mi"}} {
		if n != 0 && n%unit.size == 0 {
			return strconv.FormatInt(n/unit.size, 10) + unit.suffix
		}
	}
	return strconv.FormatInt(n, 10)
}

// lengths are minLength and maxLength. size() of a string counts code points.
func (t *translator) lengths(v string, of fieldType) ([]string, error) {
	var all []string
	for _, b := range []struct {
		key, operator string
		limit         vmrules.Argument
	}{{"minLength", ">=", t.rule.MinLength}, {"maxLength", "<=", t.rule.MaxLength}} {
		if b.limit.IsZero() {
			continue
		}
		literal, ok := b.limit.Literal()
		if !ok {
			return nil, refuse(b.key, "a length that is read from the VM may have forms that int() does not read alike")
		}
		n, ok := wholeNumber(fmt.Sprint(literal))
		if !ok {
			return nil, refuse(b.key, "%.40v is beyond CEL's int", literal)
		}
		all = append(all, "size("+rendered(v, of)+") "+b.operator+" "+n)
	}
	return all, nil
}

// allowed is values.
func (t *translator) allowed(v string, of fieldType) ([]string, error) {
	switch {
	case !t.rule.ValuesFrom.IsZero():
		return nil, refuse("values", "%s may select one value, several, or lists of them", t.rule.ValuesFrom)
	case t.rule.Values == nil:
		return nil, nil
	}
	var items []string
	isNumber := false
	for _, item := range t.rule.Values {
		literal, ok := item.Literal()
		if !ok {
			return nil, refuse("values", "%s may select one value, several, or lists of them", item)
		}
		text, err := renderedLiteral(literal)
		if err != nil {
			return nil, err
		}
		isNumber = isNumber || mayBeNumber(text)
		if !slices.Contains(items, strconv.Quote(text)) {
			items = append(items, strconv.Quote(text))
		}
	}
	switch {
	case of == integerType:
		items = integersAmong(items)
	case of != stringType && isNumber:
		v = "string(" + v + ")"
	}
	switch len(items) {
	case 0:
		return []string{holdsNever}, nil
	case 1:
		return []string{v + " == " + items[0]}, nil
	}
	return []string{v + " in [" + strings.Join(items, ", ") + "]"}, nil
}

// integersAmong are the values that an integer can have.
func integersAmong(items []string) []string {
	var integers []string
	for _, item := range items {
		text, _ := strconv.Unquote(item)
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && strconv.FormatInt(n, 10) == text {
			integers = append(integers, text)
		}
	}
	return integers
}

var plainNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,17}|-?(0|[1-9][0-9]{0,5})\.[0-9]{0,8}[1-9])$`)

// renderedLiteral is an allowed value as vmrules compares it.
func renderedLiteral(literal any) (string, error) {
	number, ok := literal.(json.Number)
	if !ok {
		return fmt.Sprint(literal), nil
	}
	if whole, ok := wholeNumber(string(number)); ok {
		return whole, nil
	}
	if !plainNumber.MatchString(string(number)) {
		return "", refuse("values", "CEL may write %.40s otherwise: it has to be less than 1000000, with 9 digits behind the point at most, no zero at its end and no exponent", number)
	}
	return string(number), nil
}

// mayBeNumber tells what a number or boolean may be rendered as.
func mayBeNumber(text string) bool {
	return text == "true" || text == "false" || text != "" && strings.Trim(text, "-0123456789.") == ""
}

// matched is regex.
func (t *translator) matched(v string, of fieldType) ([]string, error) {
	if t.rule.Regex.IsZero() {
		return nil, nil
	}
	literal, ok := t.rule.Regex.Literal()
	if !ok {
		return nil, refuse("regex", "a PCRE that is read from the VM cannot be rewritten for RE2")
	}
	re2, err := toRE2(fmt.Sprint(literal))
	if err != nil {
		return nil, err
	}
	return []string{rendered(v, of) + ".matches(" + regexLiteral(re2) + ")"}, nil
}

// regexLiteral is a raw string where that is possible.
func regexLiteral(re2 string) string {
	if strings.Contains(re2, `"`) || !isPrintable(re2) {
		return strconv.Quote(re2)
	}
	if !strings.Contains(re2, `\`) {
		return `"` + re2 + `"`
	}
	return `r"` + re2 + `"`
}

func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) })
}
