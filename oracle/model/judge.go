package model

import "strings"

// judge judges one target by one rule (design 4: Kinds, Arguments).
func judge(r rule, t target, root *node) Result {
	j := &judgement{rule: r, target: t, root: root, partial: t.options.Partial}
	result := Result{Target: t.name, Rule: r.name, Outcome: j.outcome()}
	switch result.Outcome {
	case Violated:
		result.Violations = j.violations
		if r.justWarning {
			result.Outcome = Warned
		}
	case Undecided:
		result.Violations = []Violation{{Reason: "InternalError", Argument: j.undecidedArgument, Warning: r.justWarning}}
	}
	return result
}

type judgement struct {
	rule    rule
	target  target
	root    *node
	partial bool // what is missing is not filled in yet

	violations        []Violation
	unsure            bool // something could not be judged
	waiting           bool // something is not filled in yet
	undecidedArgument string
}

func (j *judgement) outcome() Outcome {
	r := j.rule
	switch {
	case !knownKinds[r.kind]:
		return Ignored
	case len(r.arguments) == 0 && (r.kind == "enum" || r.kind == "regex"):
		return Ignored
	case j.target.root == nil:
		return Undecided
	}
	if r.valid != nil {
		switch found, d := find(j.root, r.valid.steps); {
		case len(found) > 0:
		case j.decides(d):
			return Skipped
		default:
			return Undecided
		}
	}
	found, d := find(j.root, r.path.steps)
	j.unsure = !j.decides(d)
	j.waiting = d != 0
	if len(found) == 0 {
		return j.nothing()
	}
	constraints := j.constraints()
	for _, n := range found {
		j.value(n, constraints)
	}
	switch {
	case len(j.violations) > 0:
		return Violated
	case j.unsure:
		return Undecided
	case j.waiting:
		return Skipped
	}
	return Satisfied
}

// decides reports whether a rule can be judged in spite of a doubt: under Partial, a
// field that an instance type or a preference may set is not filled in yet.
func (j *judgement) decides(d doubt) bool { return d == 0 || d == byReference && j.partial }

// nothing is for a path that selects nothing: violated, for without valid the
// field must be there.
func (j *judgement) nothing() Outcome {
	switch {
	case j.unsure:
		return Undecided
	case j.partial:
		return Skipped
	}
	j.violate(j.target.missing(j.rule.path), "FieldValueRequired", "")
	return Violated
}

func (j *judgement) violate(field, reason, argument string) {
	j.violations = append(j.violations, Violation{field, reason, argument, j.rule.justWarning})
}

// value judges one value: the kind, then each argument. Under Partial, an empty
// string that does not satisfy the rule is not filled in yet.
func (j *judgement) value(n *node, constraints []constraint) {
	if n.unfilled() {
		j.unsure = true
		return
	}
	before := len(j.violations)
	field := strings.TrimPrefix(n.field, ".")
	if field == "" {
		field = "$"
	}
	if !hasType(n.value, j.rule.kind) {
		j.violate(field, "FieldValueTypeInvalid", "")
		constraints = nil
	}
	for _, c := range constraints {
		switch {
		case c.holds(n.value):
		case c.mayAllow:
			j.waiting = true
		default:
			j.violate(field, c.reason, c.argument)
		}
	}
	if j.partial && n.value == "" && len(j.violations) > before {
		j.violations = j.violations[:before]
		j.waiting = true
	}
}

// hasType reports whether a value satisfies a kind (design 4: Kinds).
func hasType(v any, kind string) bool {
	switch kind {
	case "integer":
		n := number(v)
		return n != nil && n.IsInt()
	case "string":
		_, ok := v.(string)
		return ok
	}
	_, ok := render(v)
	return ok
}
