package form

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/inside"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// A Parameter is a parameter that a template declares, with what the fields that take its
// value may hold. A form needs this to render an input for the parameter.
type Parameter struct {
	Name        string `json:"name"`
	DisplayName string `json:"displayName,omitempty"`
	Description string `json:"description,omitempty"`
	Value       string `json:"value,omitempty"` // the default
	Required    bool   `json:"required,omitempty"`
	Generate    string `json:"generate,omitempty"` // the generator of a value, if none is given
	From        string `json:"from,omitempty"`     // the input of Generate

	// Uses lists the places that use the parameter, in document order.
	Uses []Use `json:"uses"`
	// Must and Should say what the rules ask, as in a Limit, of all the fields together
	// whose whole value is the parameter. What they ask of a field that contains it beside
	// other text is in its Use.
	Must   Constraints `json:"must,omitzero"`
	Should Constraints `json:"should,omitzero"`
}

// Parameters returns the parameters of a template, in the order in which it declares them.
// A template is an OpenShift Template or a VirtualMachineTemplate of KubeVirt. The
// constraints of the parameters come from the template's own rules, which RulesFor finds.
// A parameter inside the rules is replaced by the value that the template declares for it.
//
// If the rules cannot be read, Parameters returns a *vmrules.ParseError, and all parameters without Must
// and Should. If the Budget does not allow to find these, the same, but the error has no type of its
// own. If the object is not a template, or too large, it returns such an error and no parameters.
func Parameters(template map[string]any, opts ...vmrules.ParseOption) ([]Parameter, error) {
	budget, _, _ := inside.Vmrules.Options(opts)
	reading := share(budget.Half(), budget.Backtracking)
	r, inside, err := newParameterReader(template, &budget.Meter)
	if err != nil {
		return nil, err
	}
	r.walk(jsonpath.Lookup(r.filled, inside), slices.Clone(inside))
	if budget.Err() != nil {
		return nil, fmt.Errorf("the template is too large to search for parameters: %w", budget.Err())
	}
	filled, _ := r.filled.(map[string]any)
	rules, err := vmrules.RulesFor(nil, filled, append(slices.Clone(opts), reading)...)
	if err == nil {
		err = r.ask(newCall(rules, filled, []vmrules.ValidateOption{share(budget.Meter, budget.Backtracking)}))
	}
	return r.all, err
}

var errNoTemplate = errors.New("only a Template or a VirtualMachineTemplate has parameters")

type parameterReader struct {
	meter     *meter.Meter
	all       []Parameter
	byName    map[string]int
	own       map[string]string  // the values that the template itself gives, by name
	byPointer map[string][]useAt // the uses in the values of fields
	filled    any                // the template, with the parameters filled in inside its rules

	// These are what the rules ask, once it is known.
	call  *call
	asked map[useAt]*asked
}

// A useAt is a use of a parameter: their indexes.
type useAt struct{ parameter, use int }

// newParameterReader returns a reader that knows the declared parameters of a template, and the
// location of the template's objects.
func newParameterReader(template map[string]any, m *meter.Meter) (r *parameterReader, inside jsonpath.Location, err error) {
	r = &parameterReader{meter: m, byName: map[string]int{}, own: map[string]string{}, byPointer: map[string][]useAt{}}
	plain, err := value.Plain(template, 0, m)
	if err != nil {
		return nil, nil, err
	}
	object, _ := plain.(map[string]any)
	declared, inside := vmtarget.TemplateParts(object)
	if inside == nil {
		return nil, nil, errNoTemplate
	}
	r.filled = object
	r.declare(declared)
	return r, inside, nil
}

// parameterSize is about the size in bytes of a parameter and its copy, with what is asked of it.
const parameterSize = 2500

func (r *parameterReader) declare(declared any) {
	list, _ := declared.([]any)
	if r.meter.Spend(meter.Times(len(list), sayWork), meter.Times(len(list), parameterSize)) != nil {
		return
	}
	r.all = make([]Parameter, 0, len(list))
	for _, item := range list {
		member := func(name string) string {
			v, _ := value.Member(item, name)
			return r.written(v)
		}
		p := Parameter{
			Name: member("name"), DisplayName: member("displayName"), Description: member("description"), Value: member("value"),
			Required: member("required") == "true", Generate: member("generate"), From: member("from"), Uses: []Use{},
		}
		_, isKnown := r.byName[p.Name]
		if p.Name == "" || isKnown {
			continue
		}
		r.byName[p.Name] = len(r.all)
		if p.Value != "" || !p.Required && p.Generate == "" {
			r.own[p.Name] = p.Value
		}
		r.all = append(r.all, p)
	}
}

// written returns a scalar as text, even if the template forgot its quotes.
func (r *parameterReader) written(v any) string {
	s, ok := value.ScalarOf(v)
	if !ok || s.Err() != nil || r.meter.Spend(s.Cost(), s.RenderedSize()) != nil {
		return ""
	}
	return s.String()
}

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
