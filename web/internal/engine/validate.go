package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/instancetype"
)

// validate says of nothing that it is not valid, also if there are no rules for it.
func validate(rules vmrules.Rules, object map[string]any, opts ...vmrules.ValidateOption) json.RawMessage {
	if object == nil && rules.Len() == 0 {
		return textOf(vmrules.ValidateOwn(nil, opts...))
	}
	return textOf(vmrules.Validate(rules, object, opts...))
}

// textOf returns the JSON of a report. With a Report as such, all that reads reports would be linked.
func textOf(r *vmrules.Report) json.RawMessage {
	text, _ := r.MarshalJSON() // which reports always have
	return text
}

func validateOwn(c *call) (any, error) {
	opts := c.validateOptions()
	if c.is("lookUp") {
		opts = append(opts, vmrules.WithTemplates(c.lookUp()))
	}
	return textOf(vmrules.ValidateOwn(c.object("object"), append(opts, c.keepRules())...)), nil
}

// A keptOwn keeps the rules of VMs' own, as they were read with options.
type keptOwn struct {
	options string
	keep    vmrules.ValidateOption
}

// keepRules returns the option that keeps what ValidateOwn reads.
func (c *call) keepRules() vmrules.ValidateOption {
	if options := c.readOptions(); c.engine.own == nil || c.engine.own.options != options {
		c.engine.own = &keptOwn{options, vmrules.KeepRules(c.parseOptions()...)}
	}
	return c.engine.own.keep
}

// judging returns the operation that calls a function with the rules, the object and the options.
func judging[Result any](by func(vmrules.Rules, map[string]any, ...vmrules.ValidateOption) Result) operation {
	return func(c *call) (any, error) {
		rules, opts := c.rules(), c.validateOptions() // in the order of their errors
		return by(rules, c.object("object"), opts...), nil
	}
}

func (c *call) validateOptions() []vmrules.ValidateOption {
	var opts []vmrules.ValidateOption
	if all := c.defaults(); all != nil {
		opts = append(opts, vmrules.WithDefaults(all...))
	}
	if c.is("partial") {
		opts = append(opts, vmrules.Partial())
	}
	if c.is("ratcheting") {
		opts = append(opts, vmrules.Ratcheting())
	}
	if old := c.object("oldObject"); old != nil {
		opts = append(opts, vmrules.WithOldObject(old))
	}
	if small, preference := c.object("instancetype"), c.object("preference"); small != nil || preference != nil {
		opts = append(opts, vmrules.WithInstancetype(small, preference))
	}
	if cluster := c.objects("instancetypes"); cluster != nil {
		opts = append(opts, vmrules.WithInstancetypes(findAmong(cluster)))
	}
	return opts
}

func (c *call) defaults() (all []vmrules.Default) {
	values := c.object("defaults")
	for _, text := range slices.Sorted(maps.Keys(values)) {
		path, err := vmrules.ParsePath(text)
		c.fail("defaults", err)
		one, err := vmrules.NewDefault(path, values[text])
		c.fail("defaults", err)
		all = append(all, one)
	}
	return all
}

// findAmong returns a function that finds what a VM names among the objects of a cluster.
func findAmong(cluster []map[string]any) func(vm map[string]any) (_, _ map[string]any, _ error) {
	find := func(named *instancetype.Named) map[string]any {
		for _, object := range cluster {
			if named != nil && named.Fits(object) == nil {
				return object
			}
		}
		return nil
	}
	return func(vm map[string]any) (map[string]any, map[string]any, error) {
		small, preference := instancetype.NamesOf(vm)
		return find(small), find(preference), nil
	}
}

// check checks one value by one rule, which has an index or a name.
func check(c *call) (any, error) {
	rule := c.ruleIn(c.rules())
	value, err := decode(c.text("value"))
	c.fail("value", err)
	checker, err := form.NewValueChecker(rule, c.validateOptions()...)
	if err != nil {
		return nil, err
	}
	return orEmpty(checker.Check(value)), nil
}

func (c *call) ruleIn(rules vmrules.Rules) vmrules.Rule {
	what := "index " + c.text("index")
	if c.texts["name"] != nil {
		what = fmt.Sprintf("name %q", c.text("name"))
	}
	for i, r := range rules.All() {
		if what == fmt.Sprint("index ", i) || what == fmt.Sprintf("name %q", r.Name) {
			return r
		}
	}
	c.fail("", fmt.Errorf("there is no rule with the %s: there are %d rules", what, rules.Len()))
	return vmrules.Rule{}
}

// decode reads a value of any type, as ParseObject reads an object.
func decode(text string) (any, error) {
	object, err := vmrules.ParseObject([]byte(`{"value":` + text + "}"))
	if err != nil {
		return nil, err
	}
	if len(object) != 1 {
		return nil, errors.New("it is not one JSON value")
	}
	return object["value"], nil
}

// orEmpty returns a list that is [] in JSON if there is nothing in it.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
