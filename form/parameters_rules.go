package form

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/parameter"
)

// asked is what the rules ask of parameters, and of fields that contain one beside other text.
// Those that the same paths select share one, because all rules ask the same of them.
type asked struct {
	sharers      int
	must, should total     // of the fields whose whole value the parameter is, or of the field
	json         inputType // the type in KubeVirt's API of a field that is its value, read as JSON
	at           Place     // what is known of such a field
	mayBeSet     *rule     // a rule about a field that an instance type or a preference may set

	Must, Should        Constraints // the totals, once they are settled
	size                int         // the bytes of their JSON
	messages            []string
	unsaid              []part // of must, what a schema for a part of a field does not say
	unsaidBesideLengths []part
}

// askedOf is what the rules ask of one parameter, and of each of its uses beside other text.
type askedOf struct {
	*asked
	parts []*asked // by the index of the use
}

// settle adds what follows from the totals.
func (a *asked) settle() {
	a.Must, a.Should = a.must.constraints(), a.should.constraints()
	text, _ := json.Marshal([]Constraints{a.Must, a.Should})
	a.size = len(text)
	a.messages = messagesOf(slices.Concat(a.must.notes, a.should.notes))
	for _, part := range a.must.parts {
		kind, _ := constraint.OfKind(string(part.rule.Kind))
		if part.constraint == nil && !kind.Is(constraint.Number) {
			continue
		}
		a.unsaid = append(a.unsaid, part)
		if _, isLength := part.constraint.(*constraint.Length); !isLength {
			a.unsaidBesideLengths = append(a.unsaidBesideLengths, part)
		}
	}
}

// A selection is what a path selects in one target: parameters, and fields that contain one
// beside other text.
type selection struct {
	as         map[**asked]UsedAs // a field is UsedWhole; UsedPart is a parameter that is only in such fields
	groups     map[group]int      // how many of these are in each
	undeclared []string           // for each value with a parameter that the template does not declare, a note
}

// A group is what several of a selection share.
type group struct {
	*asked
	as UsedAs
}

// group counts the groups, as they are now.
func (s *selection) group() {
	s.groups = map[group]int{}
	for of, as := range s.as {
		s.groups[group{*of, as}]++
	}
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
		of.settle()
	}
	made := r.all
	if !r.forInputs {
		made = r.constraints()
	}
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
	selections := map[int]*selection{} // by the index of the path
	for i := range target {
		path := r.call.rules[target[i].Index].pathIndex
		if selections[path] == nil {
			selections[path] = r.selectedBy(&target[i])
		}
	}
	for _, s := range selections {
		s.group()
	}
	for i := 0; i < len(target) && !r.call.isSpent(); i++ {
		s := selections[r.call.rules[target[i].Index].pathIndex]
		r.addDoubt(&target[i], s.undeclared)
		for g := range s.groups {
			r.addRule(&target[i], g)
		}
	}
}

const (
	selectedWork = 100 // a value that a path selects
	useWork      = 500 // a use in it
	scanWork     = 10  // a byte of it
	askedSize    = 800 // about the size in bytes of an asked
)

// selectedBy returns what the path of a rule selects. From then on, what the path does not select
// shares no asked with it.
func (r *parameterReader) selectedBy(rule *Resolved) *selection {
	found := &selection{as: map[**asked]UsedAs{}}
	for _, v := range rule.Values {
		text, _ := v.Value.(string)
		uses := r.byPointer[v.Pointer]
		if r.call.budget.Spend(selectedWork+len(uses)*useWork+len(v.Pointer)+len(text)*scanWork, 0) != nil {
			return found
		}
		for _, at := range uses {
			r.add(found, at)
		}
		name := parameter.First(text)
		if uses == nil && name != "" && r.call.budget.Spend(0, len(name)+len(v.Field)+saySize) == nil {
			found.undeclared = append(found.undeclared, "the template does not declare the parameter "+name+", which is in "+v.Field)
		}
	}
	r.split(found)
	return found
}

// add adds a use to a selection. A parameter is UsedJSON if one of its uses is.
func (r *parameterReader) add(s *selection, at useAt) {
	of, as := &r.asked[at.parameter], r.all[at.parameter].Uses[at.use].As
	if as == UsedPart {
		s.as[&of.parts[at.use]] = UsedWhole
	}
	if was := s.as[&of.asked]; was == "" || was == UsedPart || as == UsedJSON {
		s.as[&of.asked] = as
	}
}

// split gives each group of a selection an asked of its own.
func (r *parameterReader) split(s *selection) {
	s.group()
	own := map[group]*asked{}
	for g, n := range s.groups {
		own[g] = g.asked
		if g.sharers == n || r.call.budget.Spend(sayWork, askedSize) != nil {
			continue
		}
		g.sharers -= n
		copied := *g.asked
		copied.must, copied.should, copied.sharers = g.must.clone(), g.should.clone(), n
		r.shared, own[g] = append(r.shared, &copied), &copied
	}
	for of, as := range s.as {
		*of = own[group{*of, as}]
	}
}

// addRule adds a rule to what is asked of a group.
func (r *parameterReader) addRule(rule *Resolved, of group) {
	if r.call.budget.Spend(sayWork, 0) != nil {
		return
	}
	judging := &r.call.rules[rule.Index]
	if rule.AtPath.MayBeSet || rule.AtValid.MayBeSet {
		of.mayBeSet = judging
	}
	switch of.as {
	case UsedPart:
		return
	case UsedJSON:
		if kind, _ := apiType(judging.path); kind != "" {
			of.json = kind
		}
		if rule.AtPath.Default != nil {
			of.at = rule.AtPath
		}
	}
	to := &of.must
	if judging.JustWarning {
		to = &of.should
	}
	to.addRule(rule)
}

// addDoubt records why a rule may judge other fields, or may ask something else of them, once
// the template is filled in. It ignores what only a parameter as the value of a field causes.
func (r *parameterReader) addDoubt(rule *Resolved, undeclared []string) {
	of := &r.call.rules[rule.Index]
	if !r.forInputs || of.JustWarning {
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
