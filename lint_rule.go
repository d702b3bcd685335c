package vmrules

import (
	"strings"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsontext"
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
	l.bounds(r)
	l.valid(r)
	l.unset(r)
	l.regex(r)
}

func (l *linter) message(r linted) {
	if strings.EqualFold(strings.TrimSpace(r.Message), r.Name) {
		l.add(r, keyMessage, "message-is-name", "the message is the rule's name: say what is wrong and what would be right")
	}
}

// foreignArguments looks for what consumers ignore that know only the arguments that
// the specification lists for each kind.
func (l *linter) foreignArguments(r linted) {
	for key := range r.Arguments() {
		if kind := Kind(constraint.Named(key).Kind); kind != r.Kind {
			l.add(r, key, "foreign-argument", "other consumers read only %s of a rule of the kind %s, and ignore this: make another rule of it, of the kind %s",
				strings.Join(argumentsOf(r.Kind), " and "), r.Kind, kind)
		}
	}
}

func argumentsOf(k Kind) []string {
	var keys []string
	for _, a := range constraint.Arguments {
		if Kind(a.Kind) == k {
			keys = append(keys, a.Key)
		}
	}
	return keys
}

// values looks at the literals among the allowed values.
func (l *linter) values(r linted) {
	if r.Values == nil {
		return
	}
	if len(r.Values) == 0 {
		l.hopeless[r.index] = true
		l.add(r, constraint.Values, "empty-values", "the list is empty, so that no value is allowed: add those that are")
		return
	}
	_, list := r.at(constraint.Values)
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
		l.add(r, constraint.Values, "duplicate-value", "the same value is there already: %s", string(value.AppendList(nil, twice.all))).Offset = twice.at.Start
	}
	switch len(impossible.all) {
	case 0:
	case len(r.Values):
		l.hopeless[r.index] = true
		l.add(r, constraint.Values, "unsatisfiable-values", "the rest of the rule allows none of these: %s", impossible.why)
	default:
		l.add(r, constraint.Values, "impossible-value", "the rest of the rule does not allow %s: %s", string(value.AppendList(nil, impossible.all)), impossible.why).Offset = impossible.at.Start
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
	for f := range r.literal.Findings(s.Canonical(), s, true, l.budget) {
		if f.Err == nil {
			return f.Detail
		}
	}
	return ""
}

// bounds looks for bounds that leave no value.
func (l *linter) bounds(r linted) {
	var alone constraint.Together
	for low, high := range alone.Conflicts(&r.literal, l.budget) {
		if low == high {
			continue // which values reports
		}
		l.hopeless[r.index] = true
		l.add(r, low.Key(), "unsatisfiable-range", "%s is more than %s %s, so that no value is allowed", low, high.Key(), high)
	}
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
