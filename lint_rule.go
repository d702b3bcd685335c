package vmrules

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// rule looks at one rule by itself.
func (l *linter) rule(r linted) {
	l.message(r)
	l.paths(r)
	if !r.Kind.isOfFormat() {
		return
	}
	l.foreignArguments(r)
	l.values(r)
	l.bounds(r, keyMin, keyMax)
	l.bounds(r, keyMinLength, keyMaxLength)
	l.valid(r)
	l.unset(r)
	l.regex(r)
}

func (l *linter) message(r linted) {
	if strings.EqualFold(strings.TrimSpace(r.Message), r.Name) {
		l.add(r, keyMessage, "message-is-name", "the message is the rule's name: say what is wrong and what would be right")
	}
}

// kindArguments are what consumers read that know each kind's own arguments alone.
var kindArguments = map[Kind][]string{
	KindInteger: {keyMin, keyMax},
	KindString:  {keyMinLength, keyMaxLength},
	KindEnum:    {keyValues},
	KindRegex:   {keyRegex},
}

func (l *linter) foreignArguments(r linted) {
	own := kindArguments[r.Kind]
	for _, key := range argumentKeys {
		if r.has(key) && !slices.Contains(own, key) {
			l.add(r, key, "foreign-argument", "other consumers read only %s of a rule of the kind %s, and ignore this: make another rule of it, of the kind %s",
				strings.Join(own, " and "), r.Kind, kindOf(key))
		}
	}
}

// kindOf is the kind that an argument belongs to.
func kindOf(key string) Kind {
	for _, kind := range []Kind{KindInteger, KindString, KindEnum} {
		if slices.Contains(kindArguments[kind], key) {
			return kind
		}
	}
	return KindRegex
}

// values looks at the literals among the allowed values.
func (l *linter) values(r linted) {
	if r.Values == nil {
		return
	}
	if len(r.Values) == 0 {
		l.hopeless[r.index] = true
		l.add(r, keyValues, "empty-values", "the list is empty, so that no value is allowed: add those that are")
		return
	}
	_, list := r.at(keyValues)
	var twice, impossible listedValues
	seen := map[string]bool{}
	for i, a := range r.Values {
		s, ok := value.ScalarOf(a.literal)
		if !ok {
			continue
		}
		rendered := s.String()
		if seen[rendered] {
			twice.add(rendered, list.Items[i], "")
		}
		seen[rendered] = true
		// As a string, a value passes wherever it passes as anything else.
		if why := l.refusal(r.rule, textScalar(rendered)); why != "" {
			impossible.add(rendered, list.Items[i], why)
		}
	}
	if len(twice.all) > 0 {
		l.add(r, keyValues, "duplicate-value", "the same value is there already: %s", string(value.AppendList(nil, twice.all))).Offset = twice.at.Start
	}
	switch len(impossible.all) {
	case 0:
	case len(r.Values):
		l.hopeless[r.index] = true
		l.add(r, keyValues, "unsatisfiable-values", "the rest of the rule allows none of these: %s", impossible.why)
	default:
		l.add(r, keyValues, "impossible-value", "the rest of the rule does not allow %s: %s", string(value.AppendList(nil, impossible.all)), impossible.why).Offset = impossible.at.Start
	}
}

// listedValues are values of a list that have something in common.
type listedValues struct {
	all []string
	at  jsontext.Node // the first of them
	why string        // of the first
}

func (v *listedValues) add(rendered string, at jsontext.Node, why string) {
	if len(v.all) == 0 {
		v.at, v.why = at, why
	}
	v.all = append(v.all, rendered)
}

// refusal says why a rule refuses a value, by its kind and its literal arguments;
// "" where it does not, or where that cannot be told.
func (l *linter) refusal(r *rule, s *value.Scalar) string {
	switch ok, err := r.typeCheck().admits(s, true); {
	case err != nil:
		return ""
	case !ok:
		return r.typeCheck().mismatch(s.Canonical())
	}
	for _, a := range r.constraints {
		if a.fixed == nil {
			continue
		}
		if ok, err := a.fixed.holds(s, l.budget); !ok && err == nil {
			return a.fixed.breach(s).detail
		}
	}
	return ""
}

func (l *linter) bounds(r linted, low, high string) {
	least, ok := literalNumber(*r.slot(low))
	most, alsoOK := literalNumber(*r.slot(high))
	if ok && alsoOK && least.Compare(most) > 0 {
		l.hopeless[r.index] = true
		l.add(r, low, "unsatisfiable-range", "%s is more than %s %s, so that no value is allowed", value.Shortened(r.slot(low).String()), high, value.Shortened(r.slot(high).String()))
	}
}

// literalNumber is the number that a literal argument is.
func literalNumber(a Argument) (quantity.Number, bool) {
	s, ok := value.ScalarOf(a.literal)
	if !ok {
		return quantity.Number{}, false
	}
	n, err := s.Quantity()
	return n, err == nil
}

// alwaysApplies tells whether the rule is never skipped where its path selects
// something.
func (r linted) alwaysApplies() bool { return r.Valid.IsZero() || r.Path.begins(r.Valid) }

// valid looks for a valid that has no effect. Spec: Optional Keys, valid.
func (l *linter) valid(r linted) {
	if plainFields.DefaultAt(r.Valid.parsed) == nil {
		return
	}
	steps := r.Valid.parsed.StepTexts()
	parent := strings.Join(steps[:len(steps)-1], "")
	_, at := r.at(keyValid)
	f := l.add(r, keyValid, "valid-always-there", "this field has a default, so it is there wherever %s is: write that path, which has the same effect", value.Shortened(parent))
	f.Suggestion = l.writtenLike(at.Value.(string), parent)
}

// unset looks for a rule that the default of its field breaks.
func (l *linter) unset(r linted) {
	byDefault := plainFields.DefaultAt(r.Path.parsed)
	s, ok := value.ScalarOf(byDefault)
	if !ok || !r.alwaysApplies() || l.hopeless[r.index] {
		return
	}
	why := l.refusal(r.rule, &s)
	if why == "" {
		return
	}
	f := l.add(r, keyPath, "default-violates-rule", "a VM that does not set this field breaks the rule: it counts as %s there, and %s", value.Describe(byDefault), why)
	if s.Shape() == value.Number && !s.Number().IsZero() {
		f.Severity = SeverityInfo // it is what the VM gets, and no stand-in for something unknown
	}
}
