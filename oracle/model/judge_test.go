package model

import (
	"cmp"
	"strings"
)

// A judgement judges one target by one rule (vmrules: Kinds, Arguments).
type judgement struct {
	rule   rule
	target target
	root   *node

	violations []Violation
	doubt      doubt  // about the values without a violation
	unreadable string // the first argument that is unusable
}

func (j *judgement) result() Result {
	outcome := j.outcome()
	switch {
	case outcome == Violated && j.rule.justWarning:
		outcome = Warned
	case outcome == Undecided:
		j.violate("", "InternalError", j.unreadable)
	}
	return Result{j.target.name, j.rule.name, outcome, j.violations}
}

func (j *judgement) outcome() Outcome {
	r := j.rule
	switch {
	case !knownKinds[r.kind], len(r.arguments) == 0 && (r.kind == "enum" || r.kind == "regex"):
		return Ignored
	case j.target.root == nil:
		return Undecided
	}
	if r.valid != nil {
		if found, d := j.find(*r.valid); len(found) == 0 {
			return []Outcome{Skipped, Skipped, Undecided}[d]
		}
	}
	j.values()
	if len(j.violations) > 0 {
		return Violated
	}
	return []Outcome{Satisfied, Skipped, Undecided}[j.doubt]
}

// find returns the nodes that a path selects. Under Partial, a missing value is not filled
// in yet.
func (j *judgement) find(p path) ([]*node, doubt) {
	found, d := find(j.root, p.steps)
	if len(found) == 0 && j.target.options.Partial {
		d = max(d, waiting)
	}
	return found, d
}

func (j *judgement) note(d doubt) { j.doubt = max(j.doubt, d) }

// values judges all values that the path selects. It has to select at least one.
func (j *judgement) values() {
	found, d := j.find(j.rule.path)
	j.note(d)
	if len(found) == 0 {
		if d == certain {
			j.violate(j.target.missing(j.rule.path), "FieldValueRequired", "")
		}
		return
	}
	constraints := j.constraints()
	for _, n := range found {
		j.value(n, constraints)
	}
}

// constraints returns the constraints of the arguments. An unusable argument leaves the
// rule undecided, unless another argument is violated.
func (j *judgement) constraints() []constraint {
	var all []constraint
	for _, key := range argumentKeys {
		c := constraint{key: key}
		a, ok := j.rule.arguments[key]
		switch {
		case !ok:
		case c.read(j, a):
			all = append(all, c)
		default:
			j.note(unsure)
			j.unreadable = cmp.Or(j.unreadable, key)
		}
	}
	return all
}

// value judges one value: the kind, then each argument. Under Partial, an empty string
// that does not satisfy the rule counts as not filled in yet.
func (j *judgement) value(n *node, constraints []constraint) {
	if n.unfilled() {
		j.note(unsure)
		return
	}
	before := len(j.violations)
	field := cmp.Or(strings.TrimPrefix(n.field, "."), "$")
	if !hasType(n.value, j.rule.kind) {
		j.violate(field, "FieldValueTypeInvalid", "")
		constraints = nil
	}
	for _, c := range constraints {
		switch {
		case c.holds(n.value):
		case c.pending:
			j.note(waiting)
		default:
			j.violate(field, cmp.Or(reasons[c.key], "FieldValueInvalid"), c.key)
		}
	}
	if j.target.options.Partial && n.value == "" && len(j.violations) > before {
		j.violations = j.violations[:before]
		j.note(waiting)
	}
}

func (j *judgement) violate(field, reason, argument string) {
	j.violations = append(j.violations, Violation{field, reason, argument, j.rule.justWarning})
}

// hasType reports whether a value satisfies a kind (vmrules: Kinds).
func hasType(v any, kind string) bool {
	switch kind {
	case "integer":
		n := number(v)
		return n != nil && n.IsInt()
	case "string":
		_, ok := v.(string)
		return ok
	}
	return isScalar(v)
}
