package model

import (
	"math/big"
	"regexp"
	"slices"
	"unicode/utf8"
)

// judge judges one target by one rule (design 4: Kinds, Arguments).
func judge(r rule, t target, s *search, partial bool) Result {
	j := &judgement{rule: r, target: t, search: s, partial: partial}
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
	search  *search
	partial bool

	violations        []Violation
	unsure            bool // something could not be judged
	mayAllow          bool // more of values is not filled in yet, under Partial
	waiting           bool // something is not filled in yet, under Partial
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
	if r.hasValid {
		found, d := j.search.find(j.target.root, r.valid)
		switch {
		case len(found) > 0:
		case d.parameter || d.reference && !j.partial:
			return Undecided
		default:
			return Skipped
		}
	}
	found, d := j.search.find(j.target.root, r.path)
	j.doubt(d)
	if len(found) == 0 {
		return j.nothing()
	}
	constraints := j.constraints()
	for _, m := range found {
		j.value(m, constraints)
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

// doubt notes what nobody can know. Under Partial, a field that an instance type or
// a preference may set is not filled in yet.
func (j *judgement) doubt(d doubt) {
	j.unsure = j.unsure || d.parameter || d.reference && !j.partial
	j.waiting = j.waiting || d.reference && j.partial
}

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
func (j *judgement) value(m match, constraints []constraint) {
	if j.search.unfilled(m.value) {
		j.unsure = true
		return
	}
	before := len(j.violations)
	field := j.target.fieldOf(m.location)
	if !hasType(m.value, j.rule.kind) {
		j.violate(field, "FieldValueTypeInvalid", "")
	} else {
		for _, c := range constraints {
			switch {
			case c.holds(m.value):
			case c.argument == "values" && j.mayAllow:
				j.waiting = true
			default:
				j.violate(field, c.reason, c.argument)
			}
		}
	}
	if j.partial && m.value == "" && len(j.violations) > before {
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

// A constraint is what one argument demands of a value that has its kind's type.
type constraint struct {
	argument, reason string
	holds            func(any) bool
}

// constraints returns what the arguments demand. One that cannot be read leaves
// the rule undecided, unless something else is violated.
func (j *judgement) constraints() []constraint {
	var all []constraint
	for _, key := range argumentKeys {
		a, ok := j.rule.arguments[key]
		if !ok {
			continue
		}
		v, ok := j.read(key, a)
		if !ok {
			continue
		}
		c, usable := demand(key, v)
		switch {
		case usable:
			all = append(all, c)
		case j.partial && v == "":
			j.waiting = true
		default:
			j.undecided(key)
		}
	}
	return all
}

func (j *judgement) undecided(key string) {
	j.unsure = true
	if j.undecidedArgument == "" {
		j.undecidedArgument = key
	}
}

// read returns the literal of an argument, or what its path selects: one value, or
// a list for values.
func (j *judgement) read(key string, a any) (v any, ok bool) {
	switch a := a.(type) {
	case path:
		return j.readPath(key, a)
	case []any:
		return j.readItems(key, a)
	}
	return a, true
}

func (j *judgement) readPath(key string, p path) (any, bool) {
	found, d := j.search.find(j.target.root, p)
	if j.partial && d.reference && !d.parameter {
		j.waiting = true
		return nil, false
	}
	values, ok := j.selected(key, found, d)
	switch {
	case !ok:
		return nil, false
	case len(values) == 0 && j.partial:
		j.waiting = true
		return nil, false
	case len(values) == 0 || len(values) > 1 && key != "values":
		j.undecided(key)
		return nil, false
	case key == "values":
		return flat(values), true
	}
	return values[0], true
}

// readItems returns the items of a list of values. All that the path of an item
// selects is allowed, arrays item by item; where it selects nothing it allows
// nothing.
func (j *judgement) readItems(key string, items []any) (any, bool) {
	list := []any{}
	for _, item := range items {
		p, isPath := item.(path)
		if !isPath {
			list = append(list, item)
			continue
		}
		found, d := j.search.find(j.target.root, p)
		if j.partial && !d.parameter && (d.reference || len(found) == 0) {
			j.mayAllow = true
			continue
		}
		values, ok := j.selected(key, found, d)
		if !ok {
			return nil, false
		}
		list = append(list, flat(values)...)
	}
	return list, true
}

// selected returns the values that an argument's path selects, false where they are
// unsure.
func (j *judgement) selected(key string, found []match, d doubt) ([]any, bool) {
	var values []any
	for _, m := range found {
		values = append(values, m.value)
	}
	if d.parameter || d.reference || slices.ContainsFunc(flat(values), j.search.unfilled) {
		j.undecided(key)
		return nil, false
	}
	return values, true
}

// flat returns values with those that are arrays item by item, without nulls.
func flat(values []any) []any {
	list := []any{}
	for _, v := range values {
		items, ok := v.([]any)
		if !ok {
			items = []any{v}
		}
		for _, item := range items {
			if item != nil {
				list = append(list, item)
			}
		}
	}
	return list
}

// demand returns what an argument demands, false where its value is unusable.
func demand(key string, v any) (constraint, bool) {
	switch key {
	case "min", "max":
		return bound(key, v)
	case "minLength", "maxLength":
		return length(key, v)
	case "values":
		return oneOf(v.([]any))
	}
	pattern, ok := v.(string)
	if !ok {
		return constraint{}, false
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return constraint{}, false
	}
	return constraint{"regex", "FieldValueInvalid", func(v any) bool {
		s, _ := render(v)
		return re.MatchString(s)
	}}, true
}

func bound(key string, v any) (constraint, bool) {
	limit := number(v)
	return constraint{key, "FieldValueInvalid", func(v any) bool {
		n := number(v)
		if n == nil {
			return false
		}
		if key == "min" {
			return n.Cmp(limit) >= 0
		}
		return n.Cmp(limit) <= 0
	}}, limit != nil
}

// plainNumber is a string that may be a length: a number without suffix.
var plainNumber = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// length demands a number of code points, the value rendered as string.
func length(key string, v any) (constraint, bool) {
	limit := number(v)
	if s, ok := v.(string); limit == nil || ok && !plainNumber.MatchString(s) {
		return constraint{}, false
	}
	reason := map[string]string{"minLength": "FieldValueInvalid", "maxLength": "FieldValueTooLong"}[key]
	return constraint{key, reason, func(v any) bool {
		s, _ := render(v)
		c := big.NewRat(int64(utf8.RuneCountInString(s)), 1).Cmp(limit)
		return key == "minLength" && c >= 0 || key == "maxLength" && c <= 0
	}}, limit.IsInt() && limit.Sign() >= 0
}

// oneOf demands one of a list, each rendered as string, case sensitive.
func oneOf(list []any) (constraint, bool) {
	allowed := map[string]bool{}
	for _, item := range list {
		s, ok := render(item)
		if !ok {
			return constraint{}, false
		}
		allowed[s] = true
	}
	return constraint{"values", "FieldValueNotSupported", func(v any) bool {
		s, _ := render(v)
		return allowed[s]
	}}, true
}
