package vmrules

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// A FieldType is the type of value that a field may hold. A value of any other
// JSON type, an array or an object, is none of them. Spec: Validation rules.
type FieldType string

const (
	// TypeScalar: a string, a number or a boolean.
	TypeScalar FieldType = "scalar"
	// TypeString: a string.
	TypeString FieldType = "string"
	// TypeNumber: a number, or a string that is a quantity, such as "500m".
	TypeNumber FieldType = "number"
	// TypeInteger: an integral number, or a string that is an integral
	// quantity, such as "2Gi".
	TypeInteger FieldType = "integer"
	// TypeQuantity: a string that is a quantity.
	TypeQuantity FieldType = "quantity"
	// TypeIntegralQuantity: a string that is an integral quantity.
	TypeIntegralQuantity FieldType = "integralQuantity"
)

// A Limit is what all rules with one path demand of the values there, for one
// target: what a form needs to render an input and to guard it.
type Limit struct {
	// Path is the path as the first rule writes it, from the root that rules
	// have; Field is the same from the object's own root. Both keep wildcards.
	Path   Path   `json:"path"`
	Target string `json:"target,omitempty"` // as in Result
	Field  string `json:"field"`
	// Fields are the values that the path selects at present, in document
	// order, defaults among them. A field may have limits of several paths,
	// such as disks[0].cache and disks[*].cache: all of them hold for it.
	Fields []FieldValue `json:"fields"`
	// Default is what the field counts as where the object around it is there
	// and the field is not; nil where nothing stands in. A string, a bool or a
	// json.Number.
	Default any `json:"default,omitempty"`
	// ZeroIsDefault tells that the number 0 counts as Default too.
	ZeroIsDefault bool `json:"zeroIsDefault,omitempty"`
	// Must is what fails the object where it does not hold, Should what only
	// warns, by rules with justWarning.
	Must   Demands `json:"must,omitzero"`
	Should Demands `json:"should,omitzero"`
	// Off lists the rules that demand nothing now, with a Note why: what
	// "valid" names is not there, or they are Ignored.
	Off []LimitRule `json:"off,omitempty"`
}

// Demands are what one or more rules ask of a value, all together. A value
// satisfies them if it has the Type and satisfies every member that is there.
type Demands struct {
	// Type is "" where no rule is in force.
	Type FieldType `json:"type,omitempty"`
	// Required tells that a value has to be there, and with wildcards at least
	// one: no "valid" exempts the field, nothing stands in for it now, and no
	// instance type or preference may set it.
	Required bool `json:"required,omitempty"`
	// Min and Max are the largest min and the smallest max, as exact numbers
	// in plain decimal notation: "2Gi" is 2147483648. A quantity in a string
	// is compared by its value.
	Min json.Number `json:"min,omitempty"`
	Max json.Number `json:"max,omitempty"`
	// MinLength and MaxLength count the code points of the value, rendered.
	MinLength json.Number `json:"minLength,omitempty"`
	MaxLength json.Number `json:"maxLength,omitempty"`
	// Values are what the value may be, rendered, in the order of the first
	// rule that has values; nil: not limited. They are those that every rule
	// allows and that satisfy the members above, but for the patterns.
	Values []string `json:"values,omitzero"`
	// Patterns are regular expressions (PCRE, not anchored), all of which match
	// the value, rendered.
	Patterns []string `json:"patterns,omitempty"`
	// Unsatisfiable tells that bounds cross, or that no value is left. That it
	// is false does not promise a value that satisfies everything.
	Unsatisfiable bool `json:"unsatisfiable,omitempty"`
	// Rules are the rules in force that the members come from.
	Rules []LimitRule `json:"rules,omitempty"`
	// Undecided lists what could not be read, with a Note why, and the rules
	// of kinds that are not the format's. The members above are without it.
	// But for those, and unless it is only not filled in yet, under Partial,
	// no value makes Validate find the rule Satisfied.
	Undecided []LimitRule `json:"undecided,omitempty"`
}

// A LimitRule is a rule with a part in a Limit.
type LimitRule struct {
	Rule     string `json:"rule"`
	Message  string `json:"message"`            // the rule's own
	Argument string `json:"argument,omitempty"` // the key that the note is about
	Note     string `json:"note,omitempty"`
}

// Limits says what the rules demand of each field that they judge, target by
// target, and in each in the order of the first rule with the path. Arguments
// that are JSONPaths are read from the object as it is, and what "valid" names
// is looked for in it: ask again when the object has changed. A rule whose
// "valid" is its path or the beginning of it is in force also while nothing is
// there, since it will be as soon as something is.
//
// A value at a field satisfies Must if, and only if, Validate finds no fault
// with it by any rule of that path that does not say justWarning, provided that
// Undecided is empty, that no argument of these rules is read from that field,
// and that the value is within the bounds, valid UTF-8 and no parameter of a
// template. The options are those of Validate; under Partial, an object that
// does not hold its VM yet has limits too, and Validate finds no fault with an
// empty string.
//
// Limits never changes the object, and ends on any: where there would be too
// much to say, a last Limit without a Path has the reason in Must.Undecided.
func (rs Rules) Limits(object map[string]any, opts ...ValidateOption) []Limit {
	e := newEvaluation(opts)
	defer e.release()
	limits := []Limit{}
	groups := rs.byPath()
	targets := e.appendTargets(nil, value.Resolve(object), rs.root)
	for i := range targets {
		t, left := &targets[i], len(targets)-i
		_ = e.budget.Spend(rs.Len()*plannedWork, 0)
		for _, group := range groups {
			l := newLimiter(e, t, group[0].Path)
			limit := l.limit(group)
			if e.isSpent() {
				return append(limits, unlimited(t, left))
			}
			limits = append(limits, limit)
		}
	}
	return limits
}

// unlimited is the limit of no path, for the targets that there is no room for.
func unlimited(t *target, left int) Limit {
	note := fmt.Sprintf("there are too many limits: those of %d VMs are not all here", left)
	if t.name != "" {
		note += ", from " + t.name + " on"
	}
	return Limit{Target: t.name, Fields: []FieldValue{}, Must: Demands{Undecided: []LimitRule{{Note: note}}}}
}

// byPath groups the rules by their path, in the order of the first of each.
func (rs Rules) byPath() [][]*rule {
	var groups [][]*rule
	group := map[string]int{}
	for i := range rs.rules {
		r := &rs.rules[i]
		key := r.Path.key()
		at, ok := group[key]
		if !ok {
			at = len(groups)
			group[key] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], r)
	}
	return groups
}

// A limiter finds the limit of one path in one target.
type limiter struct {
	*evaluation
	target *target
	path   Path

	fields  []FieldValue
	err     error             // why the path cannot be searched
	isLeft  bool              // others may set what it selects
	implied *jsonpath.Implied // what counts at the field; nil: nothing

	must, should demands
	off          []LimitRule
}

func newLimiter(e *evaluation, t *target, p Path) limiter {
	return limiter{evaluation: e, target: t, path: p, must: demands{budget: &e.budget}, should: demands{budget: &e.budget}}
}

func (l *limiter) limit(rules []*rule) Limit {
	text := len(l.path.text())
	l.charge(l.target.at.TextSize() + 2*text)
	_ = l.budget.Spend(text*textWork, 0)
	l.findFields()
	for _, r := range rules {
		l.add(r)
	}
	l.must.settle()
	l.should.settle()
	limit := Limit{
		Path: l.path, Target: l.target.name, Field: l.target.at.Field(l.path.parsed), Fields: l.fields,
		Must: l.must.shown(), Should: l.should.shown(), Off: l.off,
	}
	if l.implied.Default() != nil && !l.isLeft {
		limit.Default, limit.ZeroIsDefault = value.Canonical(l.implied.Default()), l.implied.ZeroIsUnset()
	}
	l.charge(l.must.size() + l.should.size())
	return limit
}

// charge counts bytes of the result.
func (l *limiter) charge(bytes int) { _ = l.budget.Spend(violationWork, 2*(bytes+violationSize)) }

// size is about how many bytes the demands take, apart from what is charged for
// each rule.
func (d *demands) size() int {
	size := 0
	for _, s := range d.values {
		size += 2*len(s) + 16
	}
	for _, p := range d.patterns() {
		size += len(p.String()) + 16
	}
	for _, key := range []string{constraint.Min, constraint.Max, constraint.MinLength, constraint.MaxLength} {
		size += len(d.decimal(key))
	}
	return size
}

// findFields finds the values that are there, and what counts where none is.
func (l *limiter) findFields() {
	l.fields = []FieldValue{}
	all := l.evaluation.implied(l.target)
	names := namesField(l.path)
	if names {
		l.implied = all.Of(l.path.steps())
	}
	w := l.walk(l.target, jsonpath.VisitorFunc(func(w *jsonpath.Search, v any) bool {
		if !w.Pay(matchWork, w.At().TextSize()+violationSize) {
			return false
		}
		value := FieldValue{Field: w.At().String(), Pointer: w.At().Pointer(), Value: value.Canonical(v), Origin: originOf(w.StandIn())}
		if names && l.implied == nil {
			l.implied = all.Locate(w.At()[len(l.target.at):])
		}
		l.isLeft = l.isLeft || w.WouldBeLeft()
		l.fields = append(l.fields, value)
		return true
	}))
	if err := w.Run(l.path.parsed, l.target.root); err != nil {
		l.err, l.fields = err, []FieldValue{}
		return
	}
	doubt := doubtOf(&w)
	if isLeftOut(doubt) {
		l.isLeft = true
		return
	}
	l.err = doubt
}

// namesField tells whether a path ends with a step that names a field, which
// sees its default.
func namesField(p Path) bool {
	steps := p.steps()
	last := len(steps) - 1
	if last < 0 || last > 0 && steps[last-1] == jp.Descent('.') {
		return false
	}
	switch step := steps[last].(type) {
	case jp.Child:
		return true
	case jp.Union:
		return slices.ContainsFunc(step, func(key any) bool { _, ok := key.(string); return ok })
	}
	return false
}

// add adds what a rule demands, if it is in force.
func (l *limiter) add(r *rule) {
	d := &l.must
	if r.JustWarning {
		d = &l.should
	}
	j := judgement{evaluation: l.evaluation, rule: r, target: l.target, result: &decision{}}
	isThere := j.isInForce()
	switch j.result.Outcome {
	case Undecided:
		d.undecided = append(d.undecided, j.noted("", j.result.Violations[0].Detail))
		return
	case Ignored, Skipped:
		l.off = append(l.off, j.noted("", j.result.Note))
		return
	}
	if !r.Kind.isOfFormat() {
		d.undecided = append(d.undecided, j.noted("", errKindItself.Error()))
		return
	}
	if l.err != nil {
		d.undecided = append(d.undecided, j.noted("", l.err.Error()))
	}
	d.required = d.required || isThere && !l.isDefaulted() && !l.isLeft
	d.demand(&j)
}

// noted is the rule with a note, which is counted as a part of the result.
func (j *judgement) noted(argument, note string) LimitRule {
	_ = j.budget.Spend(0, 2*(len(j.rule.Name)+len(j.rule.Message)+len(note)+violationSize))
	return LimitRule{Rule: j.rule.Name, Message: j.rule.Message, Argument: argument, Note: note}
}

// isDefaulted tells whether the field is there without being written: its
// object is there, and has a default for it.
func (l *limiter) isDefaulted() bool {
	return len(l.fields) > 0 && (l.fields[0].Origin == OriginDefault || l.implied.Default() != nil)
}

// begins tells whether a path begins with the steps of another: then the other
// selects something wherever p does.
func (p Path) begins(with Path) bool {
	steps, first := p.steps(), with.steps()
	return len(first) <= len(steps) && reflect.DeepEqual(steps[:len(first)], first)
}

// demand adds what the rule of a judgement asks of a value.
func (d *demands) demand(j *judgement) {
	d.rules = append(d.rules, j.noted("", ""))
	d.parts = append(d.parts, demandPart{rule: j.rule})
	all := slices.Clone(j.rule.literal.All())
	for _, u := range j.rule.unread {
		c, note := j.argument(u)
		if note != "" {
			d.undecided = append(d.undecided, j.noted(u.key, note))
			continue
		}
		all = append(all, c)
	}
	set := constraint.NewSet(j.rule.Kind.valueType(), all)
	d.together.Add(&set, d.budget)
	for _, c := range set.All() {
		d.parts = append(d.parts, demandPart{j.rule, c.Key(), c})
	}
}

// argument is a constraint with its argument read, or a note why it cannot be.
func (j *judgement) argument(u unread) (constraint.Constraint, string) {
	c, _, err := j.readArgument(u)
	if list, ok := c.(*constraint.Allowed); ok && err == nil {
		err = list.IsOpen()
	}
	if err != nil {
		return nil, about(u.key, err)
	}
	return c, ""
}
