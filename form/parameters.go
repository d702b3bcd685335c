package form

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// A Parameter is a parameter that a template declares, and what the fields may hold that
// have its value: what a form needs to render an input for it.
type Parameter struct {
	Name        string `json:"name"`
	DisplayName string `json:"displayName,omitempty"`
	Description string `json:"description,omitempty"`
	Value       string `json:"value,omitempty"` // unless another is given
	Required    bool   `json:"required,omitempty"`
	Generate    string `json:"generate,omitempty"` // how a value is made where none is given
	From        string `json:"from,omitempty"`     // of what Generate makes it

	// Uses are the places that have its value, in document order.
	Uses []Use `json:"uses"`
	// Must and Should are what the rules ask of the fields that have it as their whole
	// value, all of them together, as in a Limit. Nothing is said of other fields.
	Must   Constraints `json:"must,omitzero"`
	Should Constraints `json:"should,omitzero"`
}

// Parameters returns the parameters of a template, which is an OpenShift Template or a
// VirtualMachineTemplate of KubeVirt, in the order in which it declares them. What may be
// given for them is known from the template's own rules, as RulesFor finds them. In these,
// parameters count as the values that the template declares for them.
//
// Where the rules cannot be read, or the Budget does not suffice for them, all parameters
// come with the error, without Must and Should. What is not a template has none.
func Parameters(template map[string]any, opts ...vmrules.ParseOption) ([]Parameter, error) {
	m := meterOf(opts)
	reading := m.Half()
	plain, err := value.Plain(template, 0, &m)
	if err != nil {
		return nil, err
	}
	object, _ := plain.(map[string]any)
	declared, inside := templateParts(object)
	if inside == nil {
		return nil, errors.New("only a Template or a VirtualMachineTemplate has parameters")
	}
	r := parameterReader{meter: &m, filled: object, byName: map[string]int{}, byPointer: map[string]int{}}
	r.declare(declared)
	r.walk(jsonpath.Lookup(object, inside), slices.Clone(inside))
	if r.meter.Err() != nil {
		return nil, fmt.Errorf("the template is too large to look for its parameters: %w", r.meter.Err())
	}
	filled, _ := r.filled.(map[string]any)
	rules, err := vmrules.RulesFor(nil, filled, append(slices.Clone(opts), share(reading))...)
	if err != nil {
		return r.all, err
	}
	return r.all, r.constrain(newCall(rules, filled, []vmrules.ValidateOption{share(m)}))
}

// meterOf returns the Budget among options.
func meterOf(opts []vmrules.ParseOption) meter.Meter {
	var given vmrules.Budget
	for _, opt := range opts {
		if b, ok := opt.(vmrules.Budget); ok {
			given = b
		}
	}
	return meter.OrDefault(given.Work, given.Kept)
}

// templateParts returns what a template declares, and where its objects are; nil for
// what is not a template.
func templateParts(object map[string]any) (declared any, inside jsonpath.Location) {
	version, _ := object["apiVersion"].(string)
	group, _, hasGroup := strings.Cut(version, "/")
	switch {
	case object["kind"] == "Template" && (!hasGroup || group == "template.openshift.io"):
		return object["parameters"], jsonpath.Members("objects")
	case object["kind"] == "VirtualMachineTemplate" && (version == "" || group == "template.kubevirt.io"):
		return jsonpath.Lookup(object, jsonpath.Members("spec", "parameters")), jsonpath.Members("spec", "virtualMachine")
	}
	return nil, nil
}

// A parameterReader finds the parameters of one template, and where they are used.
type parameterReader struct {
	meter     *meter.Meter
	all       []Parameter
	byName    map[string]int
	byPointer map[string]int // whose whole value is a parameter's
	filled    any            // the template with the parameters in its rules filled in
}

func (r *parameterReader) declare(declared any) {
	r.all = []Parameter{}
	list, _ := declared.([]any)
	for _, item := range list {
		member := func(name string) string {
			v, _ := value.Member(item, name)
			return written(v)
		}
		p := Parameter{
			Name: member("name"), DisplayName: member("displayName"), Description: member("description"), Value: member("value"),
			Required: member("required") == "true", Generate: member("generate"), From: member("from"), Uses: []Use{},
		}
		_, isKnown := r.byName[p.Name]
		if p.Name == "" || isKnown || r.meter.Spend(sayWork, saySize) != nil {
			continue
		}
		r.byName[p.Name] = len(r.all)
		r.all = append(r.all, p)
	}
}

// written returns a value as text, also where its quotes were forgotten.
func written(v any) string {
	s, ok := value.ScalarOf(v)
	if !ok || s.Err() != nil {
		return ""
	}
	return s.String()
}

// constrain says of each parameter what the rules ask of the fields that it fills.
func (r *parameterReader) constrain(c *call) error {
	must, should := make([]total, len(r.all)), make([]total, len(r.all))
	for i := range r.all {
		must[i].call, should[i].call = c, c
	}
	for target := range c.targets() {
		if target[0].Index < 0 {
			return errors.New(target[0].Note)
		}
		for i := range target {
			totals := must
			if c.rules[i].JustWarning {
				totals = should
			}
			r.addRule(totals, &target[i])
		}
	}
	constraints := make([][2]Constraints, len(r.all))
	for i := range r.all {
		constraints[i] = [2]Constraints{must[i].constraints(), should[i].constraints()}
	}
	if c.isSpent() {
		return fmt.Errorf("there is too much to say of the parameters: %w", c.budget.Err())
	}
	for i := range r.all {
		r.all[i].Must, r.all[i].Should = constraints[i][0], constraints[i][1]
	}
	return nil
}

// addRule adds a rule to the totals of the parameters whose fields it judges.
func (r *parameterReader) addRule(totals []total, rule *vmrules.Resolved) {
	if rule.Outcome == vmrules.Ignored || rule.Outcome == vmrules.Skipped {
		return
	}
	added := map[int]bool{}
	for _, v := range rule.Values {
		i, ok := r.byPointer[v.Pointer]
		if ok && !added[i] {
			added[i] = true
			totals[i].addRule(rule)
		}
	}
}
