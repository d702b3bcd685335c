package form

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/door"
	"github.com/vmrules/vmrules/internal/inside"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/plan"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// A Resolved is a rule for one target, with all that it reads from the object. A form needs
// it to render an input and to check it. It must not be changed.
type Resolved struct {
	// Index is the index of the rule among the rules, from 0. It is -1 in the last Resolved
	// if the Budget is too small for the rest. That one is of no rule: it has only a Target,
	// the Outcome Undecided and a Note that says so. Its Rule is zero, and it has no ValueChecker.
	Index  int
	Target string // as in vmrules.Result
	// Root is the path of what the rules call $, from the object's own root. It is zero if
	// the object does not have that part.
	Root    vmrules.Path
	Field   string // the rule's path, from the object's own root
	Pointer string // as in a vmrules.Violation whose value is missing

	// Outcome is "" if the rule is in force, which means that it checks what its path
	// selects. It is Skipped, Ignored or Undecided if the rule checks nothing at present;
	// Note then says why.
	Outcome vmrules.Outcome
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

	rules vmrules.Rules // none: it is of no rule
	set   constraint.Set
	read  []door.Argument // those that have paths

	implied *jsonpath.Implied // what counts at the path
	opts    []vmrules.ValidateOption
}

// A FieldValue is a value that a field has at present.
type FieldValue struct {
	Field   string `json:"field"`   // as in vmrules.Violation
	Pointer string `json:"pointer"` // as in vmrules.Violation
	// Value is a string, a bool or a json.Number; nil for an array or object.
	Value  any    `json:"value,omitempty"`
	Origin string `json:"origin,omitempty"` // as in vmrules.Violation
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

// Resolve reads from an object what the rules need. It yields one Resolved for each target and
// rule, in that order. It reads arguments that are JSONPaths, and searches for "valid", in the
// object as it is: call Resolve again when the object has changed. If the "valid" of a rule is
// its path, or the beginning of its path, the rule is in force even while "valid" selects
// nothing, because any value at the path would put it in force. The options are those of
// Validate. Under Partial, an object that does not hold its VM yet is resolved, too. With
// WithInstancetypes, the values are those of the expanded VM; unless the objects conflict with
// the VM: then they are the VM's own, and rules that depend on the objects are Undecided.
//
// Resolve never changes the object. One Budget covers the whole call, so that it ends
// whatever the object holds.
func Resolve(rules vmrules.Rules, object map[string]any, opts ...vmrules.ValidateOption) iter.Seq[Resolved] {
	return func(yield func(Resolved) bool) {
		judging := inside.Vmrules.Judging(rules, object, opts)
		defer judging.Release()
		each := make([]vmrules.Rule, 0, rules.Len())
		for i := range rules.Len() {
			rule, _ := inside.Vmrules.Rule(rules, i)
			each = append(each, rule)
		}
		targets := judging.Targets()
		for i := range targets {
			r := resolver{judging, rules, opts, each, &targets[i], map[string]*found{}}
			if !r.resolve(len(targets)-i, yield) {
				return
			}
		}
	}
}

// Rule returns a copy of the rule, in which literals replace the paths of its arguments. An
// argument that could not be read is absent.
func (r *Resolved) Rule() vmrules.Rule {
	if r.isOfNoRule() {
		return vmrules.Rule{}
	}
	return inside.Vmrules.Filled(r.rules, r.Index, r.read)
}

// isOfNoRule reports whether Resolve has not made it for a rule.
func (r *Resolved) isOfNoRule() bool { return r == nil || r.rules.Len() == 0 }

// Checker returns a ValueChecker for the rule, with the arguments that were read and the options of
// Resolve. To it, a field that the VM does not set is missing, even if an instance type or preference
// sets it. Checker returns an error if the rule is not in force, or if an argument could not be read.
// The error has no type of its own: Outcome and Unread tell these apart.
func (r *Resolved) Checker() (*ValueChecker, error) {
	if r.isOfNoRule() {
		return nil, errNoRule
	}
	rule := r.Rule()
	switch {
	case r.Outcome != "":
		return nil, fmt.Errorf("the rule %s is %s: %s", value.Quoted(rule.Name), r.Outcome, r.Note)
	case len(r.Unread) > 0:
		return nil, fmt.Errorf("the rule %s: %s", value.Quoted(rule.Name), r.Unread[0].Note)
	case !constraint.IsKind(rule.Kind):
		return nil, errOfKind(rule)
	}
	return &ValueChecker{inside.Vmrules.Alone(rule, r.set, r.implied, r.opts)}, nil
}

type resolver struct {
	door.Judging
	rules  vmrules.Rules
	opts   []vmrules.ValidateOption
	each   []vmrules.Rule
	target *vmtarget.Target
	known  map[string]*found // by path, because rules often share one
}

// A found is what a path selects in a target.
type found struct {
	values     []FieldValue
	unsearched string
	isOpen     bool
	implied    *jsonpath.Implied // what counts at the field; nil: nothing
}

// The costs of what Resolve makes, in units of work and in bytes that are kept.
const (
	writtenWork  = 10 // a byte of a path
	resolvedWork = 1000
	resolvedSize = 250 // a Resolved, or a value, without its texts
	valueWork    = 400 // a value that a path selects, with its location as text
)

// resolve yields all rules for the target. left counts this target and those after it. It
// returns false if the sequence ends here.
func (r *resolver) resolve(left int, yield func(Resolved) bool) bool {
	_ = r.Budget().Spend(len(r.each)*plan.Work, 0)
	var root vmrules.Path // zero if the object does not have it
	if t := r.target; !t.HasNoVM && (t.Nothing == "" || t.At != nil) {
		root = inside.Vmrules.At(t.At)
	}
	for i := range r.each {
		resolved := r.rule(i)
		resolved.Root = root
		if r.Budget().Err() != nil {
			yield(r.unresolved(left))
			return false
		}
		if !yield(resolved) {
			return false
		}
	}
	return true
}

// unresolved returns the Resolved for the rules of this target and of all after it.
func (r *resolver) unresolved(left int) Resolved {
	note := fmt.Sprintf("there is too much to resolve: the rules of %d VMs are incomplete", left)
	if r.target.Name != "" {
		note += ", from " + r.target.Name + " on"
	}
	return Resolved{Index: -1, Target: r.target.Name, Outcome: vmrules.OutcomeUndecided, Note: note}
}

func (r *resolver) rule(i int) Resolved {
	t, path, valid := r.target, inside.Vmrules.Parsed(r.each[i].Path), inside.Vmrules.Parsed(r.each[i].Valid)
	text := len(path.Text())
	_ = r.Budget().Spend(text*writtenWork+resolvedWork, t.At.TextSize()+2*text+resolvedSize)
	f := r.find(path)
	resolved := Resolved{
		Index: i, Target: t.Name, Field: t.At.Field(path), Pointer: t.At.PointerOf(path), HasParameters: t.HasParameters,
		Values: f.values, Unsearched: f.unsearched, IsOpen: f.isOpen,
		AtPath: r.place(path, f.implied), AtValid: r.place(valid, r.impliedAt(valid)),
		rules: r.rules, implied: f.implied, opts: r.opts,
	}
	demands, outcome, note := r.InForce(i, t)
	resolved.Outcome, resolved.Note = vmrules.Outcome(outcome), note
	resolved.Required = demands && outcome == "" && !f.isGiven() && !f.isOpen
	resolved.set, resolved.read = r.Arguments(i, t)
	for _, a := range resolved.read {
		if a.Note != "" {
			resolved.Unread = append(resolved.Unread, Unread{a.Key, a.Note})
		}
	}
	return resolved
}

// find returns what a path selects, and what counts if it selects nothing.
func (r *resolver) find(p *jsonpath.Path) *found {
	key := p.Key()
	if known := r.known[key]; known != nil {
		return known
	}
	f := &found{implied: r.impliedAt(p)}
	r.known[key] = f
	names := p.NamesField()
	all := r.Implied(r.target)
	w := r.Search(r.target, jsonpath.VisitorFunc(func(w *jsonpath.Search, v any) bool {
		if !w.Pay(valueWork, w.At().TextSize()+resolvedSize) {
			return false
		}
		if names && f.implied == nil {
			f.implied = all.Locate(w.At()[len(r.target.At):])
		}
		f.isOpen = f.isOpen || w.IsOpen()
		f.values = append(f.values, FieldValue{
			Field: w.At().String(), Pointer: w.At().Pointer(), Value: value.Canonical(v), Origin: r.target.OriginOf(w.At(), w.StandIn()),
		})
		return true
	}))
	if err := w.Run(p, r.target.Root); err != nil {
		f.unsearched, f.values = err.Error(), nil
		return f
	}
	switch isOpen, why := r.Doubt(r.target, &w); {
	case isOpen:
		f.isOpen = true
	case why != nil:
		f.unsearched = why.Error()
	}
	return f
}

// isGiven reports whether a value counts that the object does not hold.
func (f *found) isGiven() bool {
	return len(f.values) > 0 && f.implied.Default() != nil ||
		slices.ContainsFunc(f.values, func(v FieldValue) bool { return v.Origin != "" })
}

// impliedAt returns what counts at the field that a path names; nil if nothing does.
func (r *resolver) impliedAt(p *jsonpath.Path) *jsonpath.Implied {
	if !p.NamesField() {
		return nil
	}
	return r.Implied(r.target).Of(p.Steps())
}

// place returns what is known about a path, whatever the object holds there.
func (r *resolver) place(p *jsonpath.Path, implied *jsonpath.Implied) Place {
	if p == nil {
		return Place{}
	}
	steps, f := p.Steps(), r.Implied(r.target)
	unset := implied.Default()
	place := Place{Default: cmp.Or(value.Canonical(unset), unset), ZeroIsDefault: implied.ZeroIsUnset() && unset != nil}
	place.MayBeSet = f.MaySet(p, r.target.Open) != 0
	for i := range max(len(steps)-1, 0) {
		f = f.Of(steps[i : i+1])
		place.InDefault = place.InDefault || value.ChildCount(f.Default()) > 0
	}
	return place
}
