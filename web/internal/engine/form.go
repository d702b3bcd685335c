package engine

import (
	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
)

func limits(c *call) (any, error) {
	return c.judge(func(rules vmrules.Rules, object map[string]any, opts []vmrules.ValidateOption) any {
		return orEmpty(form.Limits(rules, object, opts...))
	})
}

func schema(c *call) (any, error) {
	return c.judge(func(rules vmrules.Rules, object map[string]any, opts []vmrules.ValidateOption) any {
		return form.Schema(rules, object, opts...)
	})
}

func inputs(c *call) (any, error) {
	return c.judge(func(rules vmrules.Rules, object map[string]any, opts []vmrules.ValidateOption) any {
		return form.Inputs(rules, object, opts...)
	})
}

func parameters(c *call) (any, error) {
	template, err := c.object("template")
	if err != nil {
		return nil, err
	}
	all, err := form.Parameters(template, c.parseOptions()...)
	return orEmpty(all), err
}

func parameterInputs(c *call) (any, error) {
	template, err := c.object("template")
	if err != nil {
		return nil, err
	}
	return form.ParameterInputs(template, c.parseOptions()...)
}

func fill(c *call) (any, error) {
	in := reader{call: c}
	template, values := in.object("template"), in.object("values")
	if in.err != nil {
		return nil, in.err
	}
	filled, err := form.Fill(template, values, c.parseOptions()...)
	if err != nil {
		return nil, err
	}
	return filled, nil
}
