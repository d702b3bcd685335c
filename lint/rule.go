package lint

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/inside"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/rulekey"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmapi"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// A rule is a rule without problems, and its place in the annotation.
type rule struct {
	vmrules.Rule
	index      int
	node       jsontext.Node
	literal    constraint.Set // from its kind, and the arguments that are literals
	fields     []*field       // that its path selects; none if they are unknown
	isSure     bool           // whether nothing else that a VM may have, such as a label, is at the path
	isHopeless bool           // no value satisfies it
}

// at returns the member of a key in the JSON text, which may have the old key.
func (r *rule) at(key string) jsontext.Member {
	for _, name := range []string{key, rulekey.Named(key).OldName} {
		for i := range r.node.Members {
			if m := &r.node.Members[i]; m.Key == name && m.Value.Value != nil {
				return *m
			}
		}
	}
	return jsontext.Member{Key: key}
}

// rule runs the checks that concern a single rule.
func (l *linter) rule(r *rule) {
	known := len(l.findings)
	l.message(r)
	l.paths(r)
	if constraint.IsKind(r.Kind) {
		l.arguments(r)
	}
	l.ssp(r)
	l.sspWarning(r, l.findings[known:])
}

// arguments runs the checks of arguments, whose values only the kinds of the format know.
func (l *linter) arguments(r *rule) {
	l.fieldKind(r)
	l.fieldValues(r)
	l.foreignArguments(r)
	l.values(r)
	l.bounds(r)
	l.fieldArguments(r)
	l.memory(r)
	l.idleBound(r)
	l.valid(r)
	l.validBeside(r)
	l.unset(r)
	l.regex(r)
}

// everyVM is a field that every VM has, and so all fields above it.
var everyVM = vmrules.MustParsePath("jsonpath::.spec.domain.devices")

// isForAll reports whether the rule applies to every VM.
func (r *rule) isForAll() bool { return r.Valid.IsZero() || fieldpath.BeginsWith(everyVM, r.Valid) }

// refusesAll reports whether the rule makes every VM fail if nothing satisfies it.
func (r *rule) refusesAll() bool {
	all, _ := r.argumentCount()
	enforces := all > 0 || r.Kind == vmrules.KindInteger || r.Kind == vmrules.KindString
	return constraint.IsKind(r.Kind) && enforces && r.isForAll() && !r.JustWarning
}

// consequence says what follows if no value satisfies all of the rules. It is an error if one of
// them refuses all VMs: a VM without the field fails by that rule, and a VM with it by any.
func consequence(rules ...*rule) (so string, s Severity) {
	s = SeverityWarning
	if slices.ContainsFunc(rules, (*rule).refusesAll) {
		s = SeverityError
	}
	switch {
	case slices.ContainsFunc(rules, (*rule).isForAll):
		return "no value is allowed", s
	case slices.ContainsFunc(rules, func(r *rule) bool { return !r.Valid.Equal(r.Path) }):
		return "the field of valid must not be set", s
	}
	return "the field must not be set", s
}

func (l *linter) message(r *rule) {
	for _, m := range r.node.Members {
		text, isText := m.Value.Value.(string)
		if isText && strings.TrimSpace(text) == "" && (m.Key == rulekey.Name || m.Key == rulekey.Message) {
			l.add(r, m.Key, "missing-key", "%q has only blanks: write %s", m.Key, rulekey.Named(m.Key).Wanted)
		}
	}
	if strings.EqualFold(strings.TrimSpace(r.Message), r.Name) {
		l.add(r, rulekey.Message, "message-is-name", "the message only repeats the rule's name: say what is wrong and what would be right")
	}
}

// foreignArguments finds arguments that the specification does not list for the rule's
// kind. Some consumers ignore these. If the rule has no other, its kind is a mistake.
func (l *linter) foreignArguments(r *rule) {
	severity := SeverityError
	if _, own := r.argumentCount(); own > 0 {
		severity = SeverityWarning
	}
	for key := range r.Arguments() {
		if kind := vmrules.Kind(constraint.Named(key).Kind); kind != r.Kind {
			f := l.add(r, key, "foreign-argument", "%s has no effect in %s rule for other validators: use %s rule",
				key, withArticle(r.Kind), withArticle(kind))
			f.Offset, f.Severity = r.at(key).Start, severity
		}
	}
}

// argumentCount returns how many arguments the rule has, and how many of them are those of its kind.
func (r *rule) argumentCount() (all, own int) {
	for key := range r.Arguments() {
		all++
		if vmrules.Kind(constraint.Named(key).Kind) == r.Kind {
			own++
		}
	}
	return all, own
}

func withArticle(k vmrules.Kind) string {
	if k == vmrules.KindInteger || k == vmrules.KindEnum {
		return "an " + string(k)
	}
	return "a " + string(k)
}

// values checks the literals among the allowed values.
func (l *linter) values(r *rule) {
	values, isList := r.Values.List()
	if isList && len(values) == 0 {
		r.isHopeless = true
		so, severity := consequence(r)
		l.add(r, constraint.Values, "empty-values", "the list is empty, so %s: add the allowed values", so).follow(severity)
		return
	}
	items := r.at(constraint.Values).Value.Items
	var twice, impossible listedValues
	seen := map[string]bool{}
	for i, a := range values {
		literal, _ := a.Literal()
		s, ok := value.ScalarOf(literal)
		if !ok {
			continue
		}
		rendered := s.String()
		if seen[rendered] {
			twice.add(rendered, items[i], "")
		}
		seen[rendered] = true
		// If a value passes as any type, it also passes as a string.
		if _, why := l.refusal(&r.literal, value.FromString(rendered)); why != "" {
			impossible.add(rendered, items[i], why)
		}
	}
	if len(twice.all) > 0 {
		l.add(r, constraint.Values, "duplicate-value", "listed more than once: %s", string(value.AppendList(nil, twice.all))).Offset = twice.at.Start
	}
	switch len(impossible.all) {
	case 0:
	case len(values):
		r.isHopeless = true
		so, severity := consequence(r)
		l.add(r, constraint.Values, "unsatisfiable-values", "the rest of the rule allows none of these values, so %s: %s", so, impossible.why).follow(severity)
	default:
		l.add(r, constraint.Values, "impossible-value", "the rest of the rule does not allow %s: %s", string(value.AppendList(nil, impossible.all)), impossible.why).Offset = impossible.at.Start
	}
}

// listedValues collects values of a list that have the same flaw.
type listedValues struct {
	all []string
	at  jsontext.Node // where the first of them is
	why string        // what is wrong with the first
}

func (v *listedValues) add(rendered string, at jsontext.Node, why string) {
	if len(v.all) == 0 {
		v.at, v.why = at, why
	}
	v.all = append(v.all, rendered)
}

// refusal says why a set refuses a value, and which constraint of it does; nil for its type. It returns ""
// if it does not, or if that is unknown.
func (l *linter) refusal(set *constraint.Set, s value.Scalar) (by constraint.Constraint, why string) {
	for f := range set.Failures(&s, true, &l.budget) {
		if f.Err == nil {
			return f.Demand, set.Breach(f.Demand, s.Canonical(), &s).Detail
		}
	}
	return nil, ""
}

// bounds finds bounds that allow no value.
func (l *linter) bounds(r *rule) {
	var alone constraint.Combination
	for low, high := range alone.Conflicts(&r.literal, &l.budget) {
		if low == high {
			continue // values has reported this
		}
		r.isHopeless = true
		so, severity := consequence(r)
		l.add(r, low.Key(), "unsatisfiable-range", "%s is more than %s %s, so %s", low, high.Key(), high, so).follow(severity)
	}
}

// memory lists the fields that hold bytes of memory.
var memory = []string{
	".spec.domain.memory.guest", ".spec.domain.memory.maxGuest",
	".spec.domain.resources.requests.memory", ".spec.domain.resources.limits.memory",
}

// leastUseful is the memory that a VM has at least that does anything useful.
var leastUseful, _ = quantity.Parse("32Mi")

// memory finds a bound for memory that probably counts MiB, or another unit, instead of bytes.
func (l *linter) memory(r *rule) {
	if !slices.Contains(memory, inside.Vmrules.Parsed(r.Path).Key()) {
		return
	}
	for _, c := range r.literal.All() {
		b, isBound := c.(*constraint.Bound)
		if !isBound || b.Number().Compare(leastUseful) >= 0 {
			continue
		}
		figure, err := quantity.Parse(strings.TrimRight(b.String(), "mkKMGTPEi"))
		count, isWhole := figure.Int64()
		if err != nil || !isWhole || count <= 0 {
			continue
		}
		unit, shift := "Gi", 30
		switch {
		case count >= 1<<16:
			unit, shift = "Ki", 10
		case count >= 1<<8:
			unit, shift = "Mi", 20
		}
		l.add(r, b.Key(), "tiny-memory", "%s bytes are too few for a VM: write %d for %d%s", b, count<<shift, count, unit)
	}
}

// idleBound finds a rule whose only argument is a least value that nothing is below.
func (l *linter) idleBound(r *rule) {
	all := r.literal.All()
	if n, _ := r.argumentCount(); n != 1 || len(all) != 1 {
		return
	}
	mayBeLess := func(f *field) bool { return f.Shape != vmapi.Scalar || !sspReadsNumber(f) }
	key, least := all[0].Key(), all[0].String()
	isNatural := len(r.fields) > 0 && !slices.ContainsFunc(r.fields, mayBeLess)
	if (key == constraint.MinLength || key == constraint.Min && isNatural) && (least == "0" || least[0] == '-') {
		l.add(r, key, "idle-bound", "every value is %s or more, so the rule demands nothing: write the least value that is allowed", least)
	}
}

// alwaysApplies reports whether the rule applies to everything that its path selects,
// whatever its valid.
func (r *rule) alwaysApplies() bool {
	return r.isForAll() || fieldpath.BeginsWith(r.Path, r.Valid)
}

// valid finds a valid that names a field with a default. Spec: Optional Keys, valid.
func (l *linter) valid(r *rule) {
	if impliedAt(r.Valid).Default() == nil {
		return
	}
	steps := written(r.Valid)
	parent := strings.Join(steps[:len(steps)-1], "")
	unless := ""
	if vmfields.OpenVM.MaySet(inside.Vmrules.Parsed(r.Valid), vmfields.ByInstancetype|vmfields.ByPreference) != 0 {
		unless = " unless an instance type or a preference sets the field"
	}
	f := l.add(r, rulekey.Valid, "valid-always-there", "this field has a default, so it exists wherever %[1]s exists: write %[1]s, which has the same effect%[2]s", value.Shortened(parent), unless)
	f.Suggestion = writtenLike(r.at(rulekey.Valid).Value.Value.(string), parent)
}

// validBeside finds a valid that tests another field of the same items than the path reads,
// such as cdrom.bus and disk.bus.
func (l *linter) validBeside(r *rule) {
	tested, read := spelled(r.Valid), spelled(r.Path)
	first, isItem := 0, false
	for ; first < min(len(tested), len(read)) && tested[first] == read[first]; first++ {
		isItem = isItem || isInBrackets(read[first])
	}
	if !isItem || len(tested) != len(read) || first > len(read)-2 || isInBrackets(tested[first]) || isInBrackets(read[first]) ||
		strings.Join(tested[first+1:], "") != strings.Join(read[first+1:], "") {
		return
	}
	f := l.add(r, rulekey.Valid, "valid-beside-path", "valid tests %s, but path reads %s: did you mean the same field?",
		value.Shortened(strings.Join(tested[first:], "")), value.Shortened(strings.Join(read[first:], "")))
	f.Suggestion = writtenLike(r.at(rulekey.Valid).Value.Value.(string), strings.Join(written(r.Path), ""))
}

// isInBrackets reports whether a step is no plain name.
func isInBrackets(step string) bool { return step[0] == '[' || step == ".*" }

// unset finds a rule that the default of its field breaks.
func (l *linter) unset(r *rule) {
	byDefault := impliedAt(r.Path).Default()
	s, ok := value.ScalarOf(byDefault)
	if !ok || !r.alwaysApplies() || r.isHopeless {
		return
	}
	_, why := l.refusal(&r.literal, s)
	if why == "" {
		return
	}
	f := l.add(r, rulekey.Path, "default-violates-rule", "a VM that does not set this field breaks the rule: the field counts as %s, and %s", value.Describe(byDefault), why)
	if s.Shape() == value.Number && !s.Number().IsZero() {
		f.Severity = SeverityNote // the VM really gets this default; others replace an unknown value
	}
}
