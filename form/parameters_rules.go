package form

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/parameter"
)

// asked is what the rules ask of one parameter.
type asked struct {
	must, should total              // of the fields whose whole value it is
	parts        map[int]*askedPart // of the fields that contain it beside other text, by the index of the use
	json         inputType          // the type in KubeVirt's API of a field that is its value, read as JSON
	at           Place              // what is known of such a field
	mayBeSet     *rule              // a rule about a field that an instance type or a preference may set
}

type askedPart struct{ must, should total }

const partSize = 650 // about the size in bytes of an askedPart

// A selection is what a path selects in one target.
type selection struct {
	uses       []useAt     // every UsedPart, and one other use of each parameter
	others     map[int]int // the indexes of the latter, by the parameter
	undeclared []string    // for each value with a parameter that the template does not declare, a note
}

// add adds a use. Where only one is kept, it is UsedJSON if there is one.
func (s *selection) add(at useAt, as UsedAs) {
	i, isKnown := s.others[at.parameter]
	switch {
	case as == UsedPart:
		s.uses = append(s.uses, at)
	case !isKnown:
		s.others[at.parameter] = len(s.uses)
		s.uses = append(s.uses, at)
	case as == UsedJSON:
		s.uses[i] = at
	}
}

// constrain sets Must and Should of each parameter and of its uses.
func (r *parameterReader) constrain(c *call) error {
	r.call, r.asked = c, make([]asked, len(r.all))
	for i := range r.all {
		r.asked[i] = asked{must: total{call: c}, should: total{call: c}, parts: map[int]*askedPart{}}
	}
	for target := range c.targets() {
		if target[0].Index < 0 {
			return errors.New(target[0].Note)
		}
		r.selected = map[int]*selection{}
		for i := range target {
			r.addRule(&target[i])
		}
	}
	made := r.constraints()
	if c.isSpent() {
		return fmt.Errorf("the constraints of the parameters are too large: %w", c.budget.Err())
	}
	for i := range r.all {
		r.all[i] = made[i]
	}
	return nil
}

// constraints returns the parameters with Must and Should.
func (r *parameterReader) constraints() []Parameter {
	made := make([]Parameter, len(r.all))
	for i, p := range r.all {
		of := &r.asked[i]
		if r.call.isSpent() {
			break
		}
		p.Must, p.Should = of.must.constraints(), of.should.constraints()
		p.Uses = slices.Clone(p.Uses)
		for use := range p.Uses {
			if part := of.parts[use]; part != nil && !r.call.isSpent() {
				p.Uses[use].Must, p.Uses[use].Should = part.must.constraints(), part.should.constraints()
			}
		}
		made[i] = p
	}
	return made
}

// addRule adds a rule to the totals of the parameters whose fields it judges.
func (r *parameterReader) addRule(rule *Resolved) {
	if rule.Outcome == vmrules.Ignored || rule.Outcome == vmrules.Skipped || r.call.isSpent() {
		return
	}
	selected := r.selectedBy(rule)
	r.addDoubt(rule, selected.undeclared)
	for _, at := range selected.uses {
		r.addUse(at, rule)
	}
}

const (
	selectedWork = 100 // a value that a path selects
	scanWork     = 10  // a byte of it
)

// selectedBy returns what the path of a rule selects. Rules with the same path share it.
func (r *parameterReader) selectedBy(rule *Resolved) *selection {
	path, budget := r.call.rules[rule.Index].pathIndex, &r.call.budget
	if known := r.selected[path]; known != nil {
		return known
	}
	found := &selection{others: map[int]int{}}
	r.selected[path] = found
	for _, v := range rule.Values {
		text, _ := v.Value.(string)
		if budget.Spend(selectedWork+len(v.Pointer)+len(text)*scanWork, 0) != nil {
			return found
		}
		uses := r.byPointer[v.Pointer]
		for _, at := range uses {
			found.add(at, r.all[at.parameter].Uses[at.use].As)
		}
		name := parameter.First(text)
		if uses == nil && name != "" && budget.Spend(0, len(name)+len(v.Field)+saySize) == nil {
			found.undeclared = append(found.undeclared, "the template does not declare the parameter "+name+", which is in "+v.Field)
		}
	}
	return found
}

// addUse adds a rule that judges the field of a use.
func (r *parameterReader) addUse(at useAt, rule *Resolved) {
	if r.call.budget.Spend(sayWork, 0) != nil {
		return
	}
	of := &r.asked[at.parameter]
	judging := &r.call.rules[rule.Index]
	must, should := &of.must, &of.should
	switch r.all[at.parameter].Uses[at.use].As {
	case UsedPart:
		if of.parts[at.use] == nil {
			if r.call.budget.Spend(0, partSize) != nil {
				return
			}
			of.parts[at.use] = &askedPart{total{call: r.call}, total{call: r.call}}
		}
		must, should = &of.parts[at.use].must, &of.parts[at.use].should
	case UsedJSON:
		if kind, _ := apiType(judging.path); kind != "" {
			of.json = kind
		}
		if rule.AtPath.Default != nil {
			of.at = rule.AtPath
		}
	}
	if rule.AtPath.MayBeSet || rule.AtValid.MayBeSet {
		of.mayBeSet = judging
	}
	if judging.JustWarning {
		must = should
	}
	must.addRule(rule)
}

// addDoubt records why a rule may judge other fields, or may ask something else of them, once
// the template is filled in. It ignores what only a parameter as the value of a field causes.
func (r *parameterReader) addDoubt(rule *Resolved, undeclared []string) {
	of := &r.call.rules[rule.Index]
	if of.JustWarning {
		return
	}
	doubt := func(argument, why string) {
		if r.call.budget.Spend(sayWork, len(why)+2*saySize) == nil {
			r.doubt = append(r.doubt, Unexpressed{Rule: of.Name, Target: rule.Target, Argument: argument, Reason: why})
		}
	}
	switch {
	case rule.Outcome == vmrules.Undecided:
		doubt("", rule.Note)
		return
	case !of.Kind.IsOfFormat():
		doubt("", errKindItself.Error())
		return
	case rule.Unsearched != "":
		doubt("", rule.Unsearched)
	}
	for _, u := range rule.Unread {
		doubt(u.Argument, u.Note)
	}
	for _, why := range undeclared {
		doubt("", why)
	}
}
