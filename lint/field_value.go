package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/rulekey"
	"github.com/vmrules/vmrules/internal/spelling"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmapi"
)

// fieldKind finds a kind that no value of the fields satisfies.
func (l *linter) fieldKind(r *rule) {
	why := excludes(r.fields, r.Kind)
	if why == "" {
		return
	}
	what := "known value"
	severity := SeverityWarning
	if r.isSure {
		r.isHopeless, what = true, "value"
		_, severity = consequence(r)
	}
	l.add(r, rulekey.Rule, "wrong-kind", "no %s of this field satisfies the kind %s: %s", what, r.Kind, why).follow(severity)
}

// excludes says why no value of any of the fields satisfies a kind; "" if some may.
func excludes(fields []*field, k vmrules.Kind) string {
	first := ""
	var listed []*field
	for _, f := range fields {
		why := excludesType(f, k)
		if why == "" {
			return ""
		}
		first = cmp.Or(first, why)
		if why == ofOtherValues {
			listed = append(listed, f)
		}
	}
	if first == ofOtherValues {
		return fmt.Sprintf(ofOtherValues, value.AppendList(nil, valuesOf(listed)))
	}
	return first
}

// ofOtherValues says that a field has only values that are not integers.
const ofOtherValues = "it is one of %s, for which there are the kinds enum and regex"

// excludesType says why no value of a field satisfies a kind; "" if some may.
func excludesType(f *field, k vmrules.Kind) string {
	if f.Shape != vmapi.Scalar {
		return ""
	}
	of := f.Type.Value()
	switch {
	case k == vmrules.KindInteger && of.Sort == vmapi.Boolean, k == vmrules.KindString && of.Sort == vmapi.Boolean:
		return "it is a boolean, for which there is the kind enum"
	case k == vmrules.KindString && of.Sort == vmapi.Integer:
		return "it is a number, for which there is the kind integer"
	case k == vmrules.KindInteger && of.Sort == vmapi.Time:
		return "it is a time"
	case k == vmrules.KindInteger && of.Values != nil && !slices.ContainsFunc(of.Values, isWholeNumber):
		return ofOtherValues
	}
	return ""
}

func isWholeNumber(s string) bool { return wholeNumber(s) != "" }

// fieldValues finds allowed values that the field cannot have.
func (l *linter) fieldValues(r *rule) {
	known := valuesOf(r.fields)
	if len(r.fields) == 0 {
		return
	}
	var unknown listedValues
	values, _ := r.Values.List()
	items := r.at(constraint.Values).Value.Items
	for i, a := range values {
		literal, _ := a.Literal()
		s, ok := value.ScalarOf(literal)
		if !ok || s.String() == "" || slices.Contains(known, s.String()) {
			continue
		}
		if l.budget.Spend(compareWork*len(known), 0) != nil {
			return
		}
		apart := strings.FieldsFunc(s.String(), func(c rune) bool { return strings.ContainsRune(",;| ", c) })
		isUnknown := func(v string) bool { return !slices.Contains(known, v) }
		isSeveral := strings.ContainsAny(s.String(), ",|") && !isFreeText(r.Path) || !slices.ContainsFunc(apart, isUnknown)
		switch meant := spelling.Nearest(s.String(), known); {
		case len(apart) > 1 && isSeveral:
			l.add(r, constraint.Values, "misspelt-value", "%s is one value: give each quotes of its own: %s",
				value.Quoted(s.String()), value.AppendList(nil, apart)).Offset = items[i].Start
		case known == nil:
		case meant == "":
			unknown.add(s.String(), items[i], "")
		default:
			f := l.add(r, constraint.Values, "misspelt-value", "unknown value %s: did you mean %q?", value.Quoted(s.String()), meant)
			f.Offset = items[i].Start
			if s.Shape() == value.String {
				f.Suggestion = meant
			}
		}
	}
	if len(unknown.all) == 0 {
		return
	}
	f := l.add(r, constraint.Values, "unknown-value", "the field is not known to have %s: KubeVirt's API lists only %s",
		value.AppendList(nil, unknown.all), value.AppendList(nil, known))
	f.Offset = unknown.at.Start
	if len(unknown.all) == len(values) {
		f.Severity = SeverityError
	}
}

// fieldArguments finds a regex, or lengths, that exclude all values that KubeVirt lists for the field,
// and also that none is set.
func (l *linter) fieldArguments(r *rule) {
	if r.isHopeless {
		return
	}
	known := valuesOf(r.fields)
	var excluding []string
	for _, v := range known {
		keys := l.refusing(r, value.FromString(v))
		if keys == nil {
			return
		}
		excluding = append(excluding, keys...)
	}
	if excluding == nil || l.allowsUnset(r) {
		return
	}
	slices.SortFunc(excluding, func(a, b string) int { return r.at(a).Start - r.at(b).Start })
	keys := slices.Compact(excluding)
	verb := "allows"
	if len(keys) > 1 {
		verb = "allow"
	}
	l.add(r, keys[0], "unknown-value", "%s %s none of the values that KubeVirt's API lists for the field: %s",
		strings.Join(keys, " and "), verb, value.AppendList(nil, known)).Severity = SeverityError
}

// refusing returns the keys of the regex and the lengths that refuse a value.
func (l *linter) refusing(r *rule, v value.Scalar) []string {
	var keys []string
	for _, c := range r.literal.All() {
		switch c.(type) {
		case *constraint.Pattern, *constraint.Length:
			if holds, err := c.Holds(&v, &l.budget); !holds && err == nil {
				keys = append(keys, c.Key())
			}
		}
	}
	return keys
}

// allowsUnset reports whether the author of a regex or a maxLength of 0 has thought of a field that is
// not set.
func (l *linter) allowsUnset(r *rule) bool {
	most, isLimited := r.MaxLength.Literal()
	return l.refusing(r, value.FromString("")) == nil && (!r.Regex.IsZero() || isLimited && fmt.Sprint(most) == "0")
}

// valuesOf returns the values that KubeVirt lists for fields; nil if it lists none for one of
// them.
func valuesOf(fields []*field) []string {
	var all []string
	for _, f := range fields {
		of := f.Type.Value()
		switch {
		case f.Shape == vmapi.Scalar && of.Sort == vmapi.Boolean:
			all = append(all, "true", "false")
		case f.Shape == vmapi.Scalar && of.Values != nil:
			all = append(all, of.Values...)
		default:
			return nil
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
