package command

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/form"
)

// A trial finds out what two versions of a rule judge differently. It changes fields of a
// template's VM, and judges that by both.
type trial struct {
	object  map[string]any
	root    []fieldpath.Step // where in the object the rules' $ is
	with    vmrules.ValidateOption
	reading []vmrules.ParseOption
	tried   *int
}

// maxTried is the number of objects that are judged in all trials together.
const maxTried = 200_000

// An example is a value that two versions of a rule judge differently.
type example struct {
	Old    vmrules.Outcome `json:"old,omitempty"`
	New    vmrules.Outcome `json:"new,omitempty"`
	Field  string          `json:"field"`
	Value  any             `json:"value,omitempty"`
	Detail string          `json:"detail"` // of the version that refuses it
}

// String says what the new version does with the value; "" without an example.
func (e *example) String() string {
	if e == nil {
		return ""
	}
	says := "no longer warns about"
	switch {
	case e.New == vmrules.Violated:
		says = "now refuses"
	case e.New == vmrules.Warned && e.Old == vmrules.Violated:
		says = "now only warns about"
	case e.New == vmrules.Warned:
		says = "now warns about"
	case e.Old == vmrules.Violated:
		says = "no longer refuses"
	}
	return fmt.Sprintf("%s %s: %s", says, e.Field, e.Detail)
}

// newTrial returns a trial with the VM of a template or, if that has none, with an empty one.
func (d *differ) newTrial(t *template) *trial {
	made := &trial{
		object: t.filled, with: d.new.with.set.For(t.Kind, t.Namespace).Option(),
		reading: d.new.reading, tried: &d.tried,
	}
	for r := range form.Resolve(t.rules, t.filled) {
		made.root = fieldpath.Steps(r.Root)
		break
	}
	if len(made.root) == 0 {
		made.object = map[string]any{"kind": "VirtualMachine"}
		made.root = []fieldpath.Step{fieldpath.Name("spec"), fieldpath.Name("template")}
	}
	return made
}

// examples returns a value that only the new version of a rule refuses, and one that only the old
// version refused. It returns nil for what it does not find.
func (t *trial) examples(old, now vmrules.Rule) (refused, allowed *example) {
	before, after := t.alone(old), t.alone(now)
	for object := range t.objects(before, after) {
		was, is := t.judge(before, object), t.judge(after, object)
		if was.Outcome == vmrules.Undecided || is.Outcome == vmrules.Undecided {
			continue
		}
		switch more := severity(is) - severity(was); {
		case more > 0 && refused == nil:
			refused = newExample(was, is, is)
		case more < 0 && allowed == nil:
			allowed = newExample(was, is, was)
		}
		if refused != nil && allowed != nil {
			break
		}
	}
	return refused, allowed
}

func newExample(was, is, why vmrules.Result) *example {
	if len(why.Violations) == 0 {
		return nil // they are left out of the report
	}
	v := why.Violations[0]
	return &example{was.Outcome, is.Outcome, v.Field, v.Value, v.Detail}
}

func severity(r vmrules.Result) int {
	return slices.Index([]vmrules.Outcome{vmrules.Warned, vmrules.Violated}, r.Outcome)
}

// alone returns a rule as the only one of Rules; no rules for the zero Rule.
func (t *trial) alone(r vmrules.Rule) vmrules.Rules {
	if r.Name == "" {
		return vmrules.Rules{}
	}
	rules, _ := vmrules.NewRules([]vmrules.Rule{r}, t.reading...) // which has been read already
	return rules
}

// judge returns the worst result of a rule; the zero Result if there is no rule.
func (t *trial) judge(rules vmrules.Rules, object map[string]any) vmrules.Result {
	var worst vmrules.Result
	for _, r := range vmrules.Validate(rules, object, t.with).Results() {
		if worst.Outcome == "" || slices.Index(byWeight, r.Outcome) < slices.Index(byWeight, worst.Outcome) {
			worst = r
		}
	}
	return worst
}

// objects yields the object, and then variants in which the fields of the rules have other values
// or none, also with what their "valid" asks for.
func (t *trial) objects(both ...vmrules.Rules) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		inForce, isOther := t.object, false
		var paths []vmrules.Path
		for _, rules := range both {
			for _, r := range rules.All() {
				paths = append(paths, r.Path, r.Valid)
				inForce = t.put(inForce, r.Valid, func(v any) any {
					if v == nil {
						v, isOther = "x", true
					}
					return v
				})
			}
		}
		for _, base := range []map[string]any{t.object, inForce} {
			values := t.values(base, both)
			if !yield(base) {
				return
			}
			for _, path := range paths {
				for _, v := range values {
					if *t.tried++; *t.tried > maxTried || !yield(t.put(base, path, func(any) any { return v })) {
						return
					}
				}
			}
			if !isOther {
				return
			}
		}
	}
}

// put returns the object with another value at a path of the rules. If it cannot set that, it
// returns the object as it is.
func (t *trial) put(object map[string]any, path vmrules.Path, set func(any) any) map[string]any {
	if path.IsZero() {
		return object
	}
	if changed, ok := put(object, slices.Concat(t.root, fieldpath.Steps(path)), set).(map[string]any); ok {
		return changed
	}
	return object
}

// maxIndex is the highest index at which put adds an item.
const maxIndex = 100

// put returns a copy of a value in which what the steps select is set. It adds what is missing on
// the way. In arrays, it sets this in all items.
func put(in any, steps []fieldpath.Step, set func(any) any) any {
	if len(steps) == 0 {
		return set(in)
	}
	rest := steps[1:]
	array, _ := in.([]any)
	array = slices.Clone(array)
	length := 1
	switch step := steps[0].(type) {
	case fieldpath.Name:
		object, _ := in.(map[string]any)
		changed := map[string]any{}
		maps.Copy(changed, object)
		changed[string(step)] = put(object[string(step)], rest, set)
		return changed
	case fieldpath.Filter:
		path, isPath := step.Left().Steps()
		wanted, isLiteral := step.Right().Literal()
		if !isPath || !isLiteral || step.Operator() != "==" {
			return in
		}
		item := put(nil, path, func(any) any { return wanted })
		return append(array, put(item, rest, set))
	case fieldpath.Index:
		length = min(max(int(step)+1, 1), maxIndex)
	case fieldpath.Slice, fieldpath.Items:
	default:
		return in
	}
	for len(array) < length {
		array = append(array, nil)
	}
	for i := range array {
		array[i] = put(array[i], rest, set)
	}
	return array
}
