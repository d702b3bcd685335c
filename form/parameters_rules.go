package form

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/vmrules/vmrules"
)

// asked is what the rules ask of parameters, and of fields that contain one beside other text.
// Those that the same paths select share one, because all rules ask the same of them.
type asked struct {
	sharers      int
	must, should total // of the fields whose whole value the parameter is, or of the field

	Must, Should Constraints // the totals, once they are settled
	size         int         // the bytes of their JSON
}

// askedOf is what the rules ask of one parameter, and of each of its uses beside other text.
type askedOf struct {
	*asked
	parts []*asked // by the index of the use
}

// A selection is what a path selects in one target: parameters that are the whole value of a
// field, and fields that contain one beside other text.
type selection map[**asked]bool

// groups counts those of a selection that share an asked, as it is now.
func (s selection) groups() map[*asked]int {
	groups := map[*asked]int{}
	for of := range s {
		groups[*of]++
	}
	return groups
}

// ask finds what the rules ask of each parameter and of its uses.
func (r *parameterReader) ask(c *call) error {
	r.call, r.asked = c, make([]askedOf, len(r.all))
	nothing := &asked{must: total{call: c}, should: total{call: c}}
	for i, p := range r.all {
		r.asked[i] = askedOf{nothing, slices.Repeat([]*asked{nothing}, len(p.Uses))}
	}
	for target := range c.targets() {
		if target[0].Index < 0 {
			return errors.New(target[0].Note)
		}
		r.addTarget(target)
	}
	for _, of := range r.shared {
		of.Must, of.Should = of.must.constraints(), of.should.constraints()
		text, _ := json.Marshal([]Constraints{of.Must, of.Should})
		of.size = len(text)
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
		p, of := &made[i], &r.asked[i]
		p.Must, p.Should, p.Uses = of.Must, of.Should, slices.Clone(p.Uses)
		_ = r.call.budget.Spend(0, of.size)
		for use, part := range of.parts {
			p.Uses[use].Must, p.Uses[use].Should = part.Must, part.Should
			_ = r.call.budget.Spend(0, part.size)
		}
	}
	return made
}

// addTarget adds the rules for one target.
func (r *parameterReader) addTarget(target []Resolved) {
	target = slices.DeleteFunc(target, func(rule Resolved) bool { return rule.Outcome == vmrules.Ignored || rule.Outcome == vmrules.Skipped })
	selections := map[int]selection{} // by the index of the path
	for i := range target {
		path := r.call.rules[target[i].Index].pathIndex
		if selections[path] == nil {
			selections[path] = r.selectedBy(&target[i])
		}
	}
	groups := map[int]map[*asked]int{}
	for path, s := range selections {
		groups[path] = s.groups()
	}
	for i := 0; i < len(target) && !r.call.isSpent(); i++ {
		for of := range groups[r.call.rules[target[i].Index].pathIndex] {
			r.addRule(&target[i], of)
		}
	}
}

const (
	selectedWork = 100 // a value that a path selects
	useWork      = 500 // a use in it
	askedSize    = 800 // about the size in bytes of an asked
)

// selectedBy returns what the path of a rule selects. From then on, what the path does not select
// shares no asked with it.
func (r *parameterReader) selectedBy(rule *Resolved) selection {
	found := selection{}
	for _, v := range rule.Values {
		uses := r.byPointer[v.Pointer]
		if r.call.budget.Spend(selectedWork+len(uses)*useWork+len(v.Pointer), 0) != nil {
			return found
		}
		for _, at := range uses {
			of := &r.asked[at.parameter]
			if r.all[at.parameter].Uses[at.use].As == UsedPart {
				found[&of.parts[at.use]] = true
			} else {
				found[&of.asked] = true
			}
		}
	}
	r.split(found)
	return found
}

// split gives each group of a selection an asked of its own.
func (r *parameterReader) split(s selection) {
	own := map[*asked]*asked{}
	for shared, n := range s.groups() {
		own[shared] = shared
		if shared.sharers == n || r.call.budget.Spend(sayWork, askedSize) != nil {
			continue
		}
		shared.sharers -= n
		copied := *shared
		copied.must, copied.should, copied.sharers = shared.must.clone(), shared.should.clone(), n
		r.shared, own[shared] = append(r.shared, &copied), &copied
	}
	for of := range s {
		*of = own[*of]
	}
}

// addRule adds a rule to what is asked of a group.
func (r *parameterReader) addRule(rule *Resolved, of *asked) {
	if r.call.budget.Spend(sayWork, 0) != nil {
		return
	}
	to := &of.must
	if r.call.rules[rule.Index].JustWarning {
		to = &of.should
	}
	to.addRule(rule)
}
