package vmrules

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/plan"
	"github.com/vmrules/vmrules/internal/value"
)

// A Resolved is a rule for one target, with all that it reads from the object. A form needs
// it to render an input and to check it. It must not be changed.
type Resolved struct {
	// Index is the index of the rule among the rules, from 0. It is -1 in the last Resolved
	// if the Budget is too small for the rest. That one is of no rule: it has only a Target,
	// the Outcome Undecided and a Note that says so. Its Rule is zero, and it has no Checker.
	Index  int
	Target string // as in Result
	// Root is the path of what the rules call $, from the object's own root. It is zero if
	// the object does not have that part.
	Root    Path
	Field   string // the rule's path, from the object's own root
	Pointer string // as in a Violation whose value is missing

	// Outcome is "" if the rule is in force, which means that it judges what its path
	// selects. It is Skipped, Ignored or Undecided if the rule judges nothing at present;
	// Note then says why.
	Outcome Outcome
	Note    string

	// Values are the values that the path selects at present, including defaults, in
	// document order. If the path cannot be searched, there are none, and Unsearched says
	// why.
	Values     []FieldValue
	Unsearched string
	// Required means that the object must hold a value at the path: no "valid" exempts it,
	// it has no default at present, and no instance type or preference sets it or may do so.
	Required bool
	// IsOpen means that, if the VM does not set what the path selects, its instance type
	// or preference may.
	IsOpen bool

	AtPath, AtValid Place    // what is known about the rule's Path and Valid, whatever the object holds
	Unread          []Unread // the arguments that could not be read

	// HasParameters means that a string inside the target may hold a template parameter,
	// which would leave the rule Undecided.
	HasParameters bool

	rule *rule
	set  constraint.Set
	read []readArgument
}

// A FieldValue is a value that a field has at present.
type FieldValue struct {
	Field   string `json:"field"`   // as in Violation
	Pointer string `json:"pointer"` // as in Violation
	// Value is a string, a bool or a json.Number; nil for an array or object.
	Value  any    `json:"value,omitempty"`
	Origin string `json:"origin,omitempty"` // as in Violation
}

// A Place is what is known about a path in a target, whatever the object holds there.
type Place struct {
	// Default is the value of the field where the object around it exists and the field is
	// missing: a string, a bool or a json.Number, or what WithDefaults gave. It is nil if
	// there is no default.
	Default any
	// ZeroIsDefault means that the number 0 also counts as Default.
	ZeroIsDefault bool
	// InDefault means that the path has steps inside the default of a field.
	InDefault bool
	// MayBeSet means that the instance type or preference of the VM may set what the path
	// selects.
	MayBeSet bool
}

// An Unread is an argument that could not be read from the object.
type Unread struct {
	Argument string // the key
	Note     string // why
}

// A readArgument is what the paths of an argument selected.
type readArgument struct {
	key      string
	literals []value.Scalar
}

// Resolve reads from an object what the rules need. It yields one Resolved for each target and
// rule, in that order. It reads arguments that are JSONPaths, and searches for "valid", in the
// object as it is: call Resolve again when the object has changed. If the "valid" of a rule is
// its path, or the beginning of its path, the rule is in force even while "valid" selects
// nothing, because any value at the path would put it in force. The options are those of
// Validate. Under Partial, an object that does not hold its VM yet is resolved, too.
//
// Resolve never changes the object. One Budget pays for the whole call, so that it ends
// whatever the object holds.
func (rs Rules) Resolve(object map[string]any, opts ...ValidateOption) iter.Seq[Resolved] {
	return func(yield func(Resolved) bool) {
		e := newEvaluation(opts)
		defer e.release()
		targets := e.appendTargets(nil, value.Resolve(object), rs.isWhole)
		for i := range targets {
			r := resolver{evaluation: e, target: &targets[i], chosen: map[string]*selection{}}
			if !r.resolve(&rs, len(targets)-i, yield) {
				return
			}
		}
	}
}

// Options are the settings of ValidateOptions, for a package that builds on Resolve.
type Options struct {
	IsPartial bool   // Partial
	Budget    Budget // WithBudget; Work or Kept that is 0 means the default
}

// OptionsOf returns the settings of all options together.
func OptionsOf(opts ...ValidateOption) Options {
	e := newEvaluation(opts)
	defer e.release()
	given := e.limits
	given.Backtracking = e.budget.Backtracking
	return Options{e.partial, given}
}

// Rule returns a copy of the rule, in which literals replace the paths of its arguments. An
// argument that could not be read is absent.
func (r *Resolved) Rule() Rule {
	if r.isOfNoRule() {
		return Rule{}
	}
	literal := r.rule.Rule.clone()
	for _, u := range r.rule.unread {
		literal.drop(u.key)
	}
	for _, a := range r.read {
		literal.set(a)
	}
	return literal
}

// Constraints returns what the rule demands of a value, with the arguments that could be read.
// It is for the packages of this module, because its type is internal. Other packages use Rule
// and Checker.
func (r *Resolved) Constraints() *constraint.Set {
	if r.isOfNoRule() {
		return &constraint.Set{}
	}
	return &r.set
}

// IsShared reports whether all arguments of the rule are literals. Rule then returns the same
// for every target and object.
func (r *Resolved) IsShared() bool { return !r.isOfNoRule() && r.rule.unread == nil }

// isOfNoRule reports whether Resolve has not made it for a rule.
func (r *Resolved) isOfNoRule() bool { return r == nil || r.rule == nil }

// Checker returns a ValueChecker for the rule, with the arguments that were read. It returns
// an error if the rule is not in force, or if an argument could not be read.
func (r *Resolved) Checker() (*ValueChecker, error) {
	switch {
	case r.isOfNoRule():
		return nil, errNoRule
	case r.Outcome != "":
		return nil, fmt.Errorf("the rule %s is %s: %s", value.Quoted(r.rule.Name), r.Outcome, r.Note)
	case len(r.Unread) > 0:
		return nil, fmt.Errorf("the rule %s: %s", value.Quoted(r.rule.Name), r.Unread[0].Note)
	}
	return newValueChecker(r.rule, &r.set)
}

// drop removes an argument.
func (r *Rule) drop(key string) {
	if a := r.slot(key); a != nil {
		*a = Argument{}
		return
	}
	r.Values, r.ValuesFrom = nil, Path{}
}

// set sets an argument that was read.
func (r *Rule) set(read readArgument) {
	literals := make([]Argument, 0, len(read.literals))
	for _, s := range read.literals {
		literals = append(literals, Argument{literal: s.Canonical()})
	}
	if a := r.slot(read.key); a != nil {
		*a = literals[0]
		return
	}
	r.Values = literals
}

// A resolver resolves rules for one target.
type resolver struct {
	*evaluation
	target *target
	chosen map[string]*selection // by path, because rules often share one
}

// A selection is what a path selects in a target.
type selection struct {
	values     []FieldValue
	unsearched string
	isOpen     bool
	implied    *jsonpath.Implied // what counts at the field; nil: nothing
}

// resolve yields all rules for the target. left counts this target and those after it. It
// returns false if the sequence ends here.
func (r *resolver) resolve(rules *Rules, left int, yield func(Resolved) bool) bool {
	_ = r.budget.Spend(rules.Len()*plan.Work, 0)
	root := r.root()
	for i := range rules.rules {
		resolved := r.rule(&rules.rules[i])
		resolved.Index, resolved.Root = i, root
		if r.isSpent() {
			yield(r.unresolved(left))
			return false
		}
		if !yield(resolved) {
			return false
		}
	}
	return true
}

// root returns what the rules call $ as a path; the zero Path if the object does not have it.
func (r *resolver) root() Path {
	t := r.target
	if t.HoldsNone || t.Nothing != "" && t.At == nil {
		return Path{}
	}
	text := "$"
	if len(t.At) > 0 {
		text += jsonpath.LeadingDot(t.At.String())
	}
	root, _ := parseExpression(text) // a location is a path
	return root
}

// unresolved returns the Resolved for the rules of this target and of all after it.
func (r *resolver) unresolved(left int) Resolved {
	note := fmt.Sprintf("there is too much to resolve: the rules of %d VMs are incomplete", left)
	if r.target.Name != "" {
		note += ", from " + r.target.Name + " on"
	}
	return Resolved{Index: -1, Target: r.target.Name, Outcome: Undecided, Note: note}
}

// rule resolves one rule.
func (r *resolver) rule(rule *rule) Resolved {
	text := len(rule.Path.text())
	_ = r.budget.Spend(text*textWork+violationWork, r.target.At.TextSize()+2*text+violationSize)
	found := r.find(rule.Path)
	resolved := Resolved{
		rule: rule, Target: r.target.Name, Field: r.target.At.Field(rule.Path.parsed), Pointer: pointerIn(r.target, rule.Path), HasParameters: r.target.HasParameters,
		Values: found.values, Unsearched: found.unsearched, IsOpen: found.isOpen,
		AtPath: r.place(rule.Path, found.implied), AtValid: r.place(rule.Valid, r.impliedAt(rule.Valid)),
	}
	j := judgement{evaluation: r.evaluation, rule: rule, target: r.target, result: &decision{}}
	isThere := j.isInForce()
	resolved.Outcome, resolved.Note = j.result.Outcome, j.result.Note
	if resolved.Outcome == Undecided {
		resolved.Note = j.result.Violations[0].Detail
	}
	resolved.Required = isThere && resolved.Outcome == "" && !found.isGiven() && !found.isOpen
	r.readArguments(&j, &resolved)
	return resolved
}

// readArguments reads the arguments that are paths, even if the rule is not in force.
func (r *resolver) readArguments(j *judgement, resolved *Resolved) {
	resolved.set = j.rule.literal
	if j.rule.unread == nil {
		return
	}
	all := slices.Clone(j.rule.literal.All())
	for _, u := range j.rule.unread {
		c, literals, err := j.readArgument(u)
		if list, ok := c.(*constraint.Allowed); ok && err == nil {
			err = list.IsOpen()
		}
		if err != nil {
			note := about(u.key, err)
			_ = r.budget.Spend(0, len(note)+violationSize)
			resolved.Unread = append(resolved.Unread, Unread{u.key, note})
			continue
		}
		all = append(all, c)
		resolved.read = append(resolved.read, readArgument{u.key, literals})
	}
	resolved.set = constraint.NewSet(j.rule.Kind.valueType(), all)
}

// isInForce reports whether the rule demands a value at present. If the rule judges no value
// at all, isInForce ends the judgement, and the outcome says why.
func (j *judgement) isInForce() bool {
	switch {
	case !j.rule.isKnown(), j.rule.enforcesNothing(), j.target.Refusal != nil,
		j.target.Nothing != "" && (!j.partial || j.target.HoldsNone):
		j.run() // it ends before it judges any value
		return false
	case j.rule.Valid.IsZero():
		return true
	}
	isThere := j.applies()
	if follows := j.rule.Path.BeginsWith(j.rule.Valid); follows && (j.result.Outcome == Skipped || isLeftOut(j.doubt)) {
		*j.result = decision{}
	}
	return isThere && !j.rule.Valid.Equal(j.rule.Path)
}

// find returns what a path selects, and what counts if it selects nothing.
func (r *resolver) find(p Path) *selection {
	key := p.key()
	if known := r.chosen[key]; known != nil {
		return known
	}
	f := &selection{implied: r.impliedAt(p)}
	r.chosen[key] = f
	names := p.parsed.NamesField()
	all := r.implied(r.target)
	w := r.walk(r.target, jsonpath.VisitorFunc(func(w *jsonpath.Search, v any) bool {
		if !w.Pay(matchWork, w.At().TextSize()+violationSize) {
			return false
		}
		if names && f.implied == nil {
			f.implied = all.Locate(w.At()[len(r.target.At):])
		}
		f.isOpen = f.isOpen || w.WouldBeLeft()
		f.values = append(f.values, FieldValue{
			Field: w.At().String(), Pointer: w.At().Pointer(), Value: value.Canonical(v), Origin: originOf(r.target, w.At(), w.StandIn()),
		})
		return true
	}))
	if err := w.Run(p.parsed, r.target.Root); err != nil {
		f.unsearched, f.values = err.Error(), nil
		return f
	}
	switch doubt := doubtOf(r.target, &w); {
	case isLeftOut(doubt):
		f.isOpen = true
	case doubt != nil:
		f.unsearched = doubt.Error()
	}
	return f
}

// isGiven reports whether a value counts that the object does not hold.
func (f *selection) isGiven() bool {
	return len(f.values) > 0 && f.implied.Default() != nil ||
		slices.ContainsFunc(f.values, func(v FieldValue) bool { return v.Origin != "" })
}

// impliedAt returns what counts at the field that a path names; nil if nothing does.
func (r *resolver) impliedAt(p Path) *jsonpath.Implied {
	if !p.parsed.NamesField() {
		return nil
	}
	return r.implied(r.target).Of(p.steps())
}

// place returns what is known about a path, whatever the object holds there.
func (r *resolver) place(p Path, implied *jsonpath.Implied) Place {
	if p.IsZero() {
		return Place{}
	}
	steps, f := p.steps(), r.implied(r.target)
	place := Place{Default: implied.Default(), ZeroIsDefault: implied.ZeroIsUnset() && implied.Default() != nil}
	if canonical := value.Canonical(place.Default); canonical != nil {
		place.Default = canonical
	}
	place.MayBeSet = f.MaySet(p.parsed, r.target.Others) != 0
	for i := range max(len(steps)-1, 0) {
		f = f.Of(steps[i : i+1])
		place.InDefault = place.InDefault || value.ChildCount(f.Default()) > 0
	}
	return place
}

var errNoRule = errors.New("there is no rule")

// A ValueChecker judges single values by one rule, for instance what a user types into a
// form. It is immutable and safe for concurrent use.
type ValueChecker struct {
	rule *rule
	set  *constraint.Set
}

// Checker returns a ValueChecker for the rule at an index. It returns an error if the rule
// cannot judge a value without an object: an argument is a path, which [Rules.Resolve] reads
// from an object; the rule enforces nothing; or its kind is not one of the format.
func (rs Rules) Checker(i int) (*ValueChecker, error) {
	if i < 0 || i >= rs.Len() {
		return nil, fmt.Errorf("there is no rule %d: there are %d rules, counted from 0", i, rs.Len())
	}
	r := &rs.rules[i]
	for _, u := range r.unread {
		return nil, fmt.Errorf("the rule %s: %s is read from the object that is judged", value.Quoted(r.Name), u.key)
	}
	return newValueChecker(r, &r.literal)
}

func newValueChecker(r *rule, set *constraint.Set) (*ValueChecker, error) {
	switch {
	case !r.isKnown():
		return nil, fmt.Errorf("the rule %s: the kind %s is not known", value.Quoted(r.Name), value.Quoted(string(r.Kind)))
	case !r.Kind.IsOfFormat():
		return nil, fmt.Errorf("the rule %s: only the rule's kind knows which values it allows", value.Quoted(r.Name))
	case r.enforcesNothing():
		return nil, fmt.Errorf("the rule %s: the kind %s without any argument enforces nothing", value.Quoted(r.Name), r.Kind)
	}
	return &ValueChecker{r, set}, nil
}

// Check judges a value as Validate would judge it at the rule's path, and returns what is
// wrong with it; nil if nothing is. The value may be any that a decoder of JSON or YAML
// returns, and nil is a missing one. The violations have no Field and no Pointer. What cannot
// be decided is a violation with ReasonInternal. Each call has a default Budget of its own.
func (c *ValueChecker) Check(v any) []Violation {
	if c == nil || c.rule == nil {
		return []Violation{{Reason: ReasonInternal, Detail: errNoRule.Error()}}
	}
	v = value.Resolve(v)
	if v == nil {
		return []Violation{c.violation(v, ReasonRequired, constraint.Finding{Breach: constraint.Breach{Detail: notSet}})}
	}
	if !value.IsReadable(v) {
		return []Violation{c.violation(v, ReasonInternal, constraint.Finding{Breach: constraint.Breach{Detail: "the value is " + value.Describe(v)}})}
	}
	s, isScalar := value.ScalarOf(v)
	b := Budget{}.whole()
	if err := b.Spend(jsonpath.NodeWork*s.Cost(), 0); err != nil {
		return []Violation{c.violation(v, ReasonInternal, constraint.Finding{Breach: constraint.Breach{Detail: err.Error()}})}
	}
	var violations []Violation
	for f := range c.set.Findings(v, &s, isScalar, &b) {
		reason := reasonOf(f.Fault)
		if f.Err != nil {
			reason, f.Detail = ReasonInternal, about(f.Key, f.Err)
		}
		violations = append(violations, c.violation(v, reason, f))
	}
	return violations
}

func (c *ValueChecker) violation(v any, reason Reason, f constraint.Finding) Violation {
	return Violation{
		Rule: c.rule.Name, Message: c.rule.Message, Warning: c.rule.JustWarning, Value: value.Canonical(v),
		Reason: reason, Argument: f.Key, Limit: f.Limit, Detail: f.Detail,
	}
}
