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
	at           vmrules.Place      // what is known of such a field
	mayBeSet     *rule              // a rule about a field that an instance type or a preference may set
}

type askedPart struct{ must, should total }

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
func (r *parameterReader) addRule(rule *vmrules.Resolved) {
	if rule.Outcome == vmrules.Ignored || rule.Outcome == vmrules.Skipped {
		return
	}
	r.addDoubt(rule)
	added := map[int]bool{}
	for _, v := range rule.Values {
		for _, at := range r.byPointer[v.Pointer] {
			r.addUse(at, rule, added)
		}
	}
}

// addUse adds a rule that judges the field of a use. It adds a rule to a parameter once.
func (r *parameterReader) addUse(at useAt, rule *vmrules.Resolved, added map[int]bool) {
	of, use := &r.asked[at.parameter], &r.all[at.parameter].Uses[at.use]
	judging := &r.call.rules[rule.Index]
	must, should := &of.must, &of.should
	switch {
	case use.As == UsedPart:
		if of.parts[at.use] == nil {
			of.parts[at.use] = &askedPart{total{call: r.call}, total{call: r.call}}
		}
		must, should = &of.parts[at.use].must, &of.parts[at.use].should
	case use.As == UsedJSON:
		if kind, _ := apiType(judging.path); kind != "" {
			of.json = kind
		}
		if rule.AtPath.Default != nil {
			of.at = rule.AtPath
		}
	}
	if use.As != UsedPart && added[at.parameter] {
		return
	}
	added[at.parameter] = added[at.parameter] || use.As != UsedPart
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
func (r *parameterReader) addDoubt(rule *vmrules.Resolved) {
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
	for _, v := range rule.Values {
		if s, isString := v.Value.(string); isString && parameter.First(s) != "" && r.byPointer[v.Pointer] == nil {
			doubt("", "the template does not declare the parameter "+parameter.First(s)+", which is in "+v.Field)
		}
	}
}
