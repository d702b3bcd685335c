package form

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vmrules/vmrules"
)

// asked is what the rules ask of the fields whose whole value is a parameter, or of one field that
// contains parameters beside other text.
type asked struct{ must, should total }

// wholly is the use of all fields whose whole value is a parameter.
const wholly = -1

const (
	selectedWork = 100 // a value that a path selects
	useWork      = 500 // a use in it
	askedSize    = 800 // about the size in bytes of an asked
)

// ask finds what the rules ask of each parameter and of its uses.
func (r *parameterReader) ask(c *call) error {
	r.call, r.asked = c, map[useAt]*asked{}
	for target := range c.targets() {
		if target[0].Index < 0 {
			return errors.New(target[0].Note)
		}
		r.addTarget(target)
	}
	made := r.constraints()
	if c.isSpent() {
		return fmt.Errorf("the constraints of the parameters are too large: %w", c.budget.Err())
	}
	r.all = made
	return nil
}

// constraints returns the parameters with Must and Should.
func (r *parameterReader) constraints() []Parameter {
	made := slices.Clone(r.all)
	for i := range made {
		made[i].Uses = slices.Clone(made[i].Uses)
	}
	for at, of := range r.asked {
		p := &made[at.parameter]
		must, should := &p.Must, &p.Should
		if at.use != wholly {
			must, should = &p.Uses[at.use].Must, &p.Uses[at.use].Should
		}
		*must, *should = of.must.constraints(), of.should.constraints()
	}
	return made
}

// addTarget adds the rules for one target.
func (r *parameterReader) addTarget(target []Resolved) {
	selected := map[int]map[*asked]bool{} // by the index of the path
	for i := range target {
		rule := &target[i]
		if rule.Outcome == vmrules.OutcomeIgnored || rule.Outcome == vmrules.OutcomeSkipped {
			continue
		}
		path := r.call.rules[rule.Index].pathIndex
		if selected[path] == nil {
			selected[path] = r.selectedBy(rule)
		}
		for of := range selected[path] {
			if r.call.budget.Spend(sayWork, 0) != nil {
				return
			}
			if r.call.rules[rule.Index].JustWarning {
				of.should.addRule(rule)
			} else {
				of.must.addRule(rule)
			}
		}
	}
}

// selectedBy returns what is asked of the parameters, and of the fields that contain them beside other
// text, that the path of a rule selects.
func (r *parameterReader) selectedBy(rule *Resolved) map[*asked]bool {
	found := map[*asked]bool{}
	for _, v := range rule.Values {
		uses := r.byPointer[v.Pointer]
		if r.call.budget.Spend(selectedWork+len(uses)*useWork+len(v.Pointer), 0) != nil {
			return found
		}
		for _, at := range uses {
			if r.all[at.parameter].Uses[at.use].As != UsedPart {
				at.use = wholly
			}
			if r.asked[at] == nil {
				if r.call.budget.Spend(0, askedSize) != nil {
					return found
				}
				r.asked[at] = &asked{total{call: r.call}, total{call: r.call}}
			}
			found[r.asked[at]] = true
		}
	}
	return found
}
