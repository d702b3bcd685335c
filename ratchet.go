package vmrules

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrules/vmrules/internal/value"
)

// Ratcheting makes an update fail only by what it changes. It needs WithOldObject: without an
// old object, as when an object is created, it has no effect.
//
// A violation that the old object has too is a warning. That means the same rule, argument,
// limit and value at the same place, or a value that is missing in both. Items of the lists
// disks, volumes, interfaces and networks are the same if they have the same name, and items of
// other lists if they have the same index. A rule that is Undecided in both objects for the
// same reason is Warned, unless the reason is DoubtBound. If nothing else is wrong with a rule,
// it is Warned, with the Note "not changed by this update".
//
// Both objects are judged by the same rules. With WithInstancetypes, each is expanded with what
// it names itself.
func Ratcheting() ValidateOption { return validateOption(func(s *settings) { s.ratchets = true }) }

const notChanged = "not changed by this update"

// ratchet turns what the old object has too into warnings, in the decision about a rule.
func (e *evaluation) ratchet(r *rule, t *target) {
	d := e.decision
	if !e.ratchets || e.old == nil || !d.fails() || d.Undecided == DoubtBound {
		return
	}
	before := e.oldTarget(t)
	if before == nil {
		return
	}
	old := e.judgeOld(r, before)
	then := places{evaluation: e, target: before}
	known := map[string][]olden{}
	for i := range old.Violations {
		at, found := then.of(&old.Violations[i])
		known[at] = append(known[at], olden{&old.Violations[i], found})
	}
	now := places{evaluation: e, target: t}
	for i := range d.Violations {
		v := &d.Violations[i]
		at, found := now.of(v)
		v.Warning = v.Warning || d.Undecided == old.Undecided && slices.ContainsFunc(known[at], func(old olden) bool { return e.isSame(v, found, old) })
	}
	if e.isSpent() {
		return
	}
	if !slices.ContainsFunc(d.Violations, Violation.fails) {
		d.Outcome, d.Undecided, d.Note = Warned, "", notChanged
	}
	e.decision = d
}

// judgeOld judges a rule for the old object, for which there is no older one.
func (e *evaluation) judgeOld(r *rule, before *target) decision {
	old, checking := e.old, e.checking
	e.old, e.checking = nil, nil
	e.decision = decision{}
	e.judge(r, before, nil)
	e.old, e.checking = old, checking
	return e.decision
}

// oldTarget returns the target that a target was before the update; nil if it is new.
func (e *evaluation) oldTarget(t *target) *target {
	if e.before == nil {
		e.before = e.appendTargets([]target{}, value.Resolve(e.old), RootTemplate)
	}
	for i := range e.before {
		if old := &e.before[i]; old.Name == t.Name && slices.Equal(old.At, t.At) {
			return old
		}
	}
	return nil
}

// An olden is a violation by the old object, and what it is about.
type olden struct {
	*Violation
	found any
}

// isSame reports whether a violation says the same as an old one at the same place.
func (e *evaluation) isSame(v *Violation, found any, old olden) bool {
	switch {
	case v.Reason != old.Reason, v.Argument != old.Argument, !reflect.DeepEqual(v.Limit, old.Limit), !reflect.DeepEqual(v.Value, old.Value):
		return false
	case v.Reason == ReasonInternal:
		return v.Detail == old.Detail
	}
	return v.Value != nil || v.Reason == ReasonRequired || e.isEqual(found, old.found)
}

// isEqual reports whether two arrays or objects are equal.
func (e *evaluation) isEqual(x, y any) bool {
	plainX, err := value.Plain(x, 0, &e.budget.Meter)
	if err != nil {
		return false
	}
	plainY, err := value.Plain(y, 0, &e.budget.Meter)
	return err == nil && reflect.DeepEqual(plainX, plainY)
}

// hasNamedItems lists the lists whose items keep their identity if their index changes.
var hasNamedItems = map[string]bool{"disks": true, "volumes": true, "interfaces": true, "networks": true}

// places finds out where violations by a target are.
type places struct {
	*evaluation
	target *target
	known  map[string][]string // the texts for the items of a list, by its JSON Pointer
}

// of returns the JSON Pointer of a violation, in which names replace the indexes of items that
// have one, and what is there. If several items have the same name, the text also says which
// of them it is.
func (p *places) of(violation *Violation) (string, any) {
	pointer, isInside := strings.CutPrefix(violation.Pointer, p.target.VMAt.Pointer()+"/")
	v, at, list := p.target.VM, "", ""
	if !isInside {
		return "", v
	}
	for token := range strings.SplitSeq(pointer, "/") {
		if value.ShapeOf(v) != value.Array {
			list = pointerNames.Replace(token)
			v, _ = value.Member(v, list)
			at += "/" + token
			continue
		}
		i, _ := strconv.Atoi(token)
		if i < 0 || i >= value.Len(v) {
			return "", nil
		}
		if hasNamedItems[list] {
			token = p.items(at, v)[i]
		}
		v, _ = value.Item(v, i)
		at, list = at+"/"+token, ""
	}
	return at, v
}

var pointerNames = strings.NewReplacer("~1", "/", "~0", "~")

// items returns a text for each item of the list at a place, which tells them apart.
func (p *places) items(at string, list any) []string {
	if known := p.known[at]; known != nil {
		return known
	}
	n := value.Len(list)
	_ = p.budget.Spend(n*memberWork, n*valueSize)
	all := make([]string, n)
	times := map[string]int{}
	for i := range n {
		item, _ := value.Item(list, i)
		all[i] = strconv.Itoa(i)
		if name := value.StringAt(item, "name"); name != "" {
			all[i] = strconv.Quote(name) + "#" + strconv.Itoa(times[name])
			times[name]++
		}
	}
	if p.known == nil {
		p.known = map[string][]string{}
	}
	p.known[at] = all
	return all
}
