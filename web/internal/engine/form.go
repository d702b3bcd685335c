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

func parameters(c *call) (any, error) {
	template, err := c.object("template")
	if err != nil {
		return nil, err
	}
	all, err := form.Parameters(template, c.parseOptions()...)
	return orEmpty(all), err
}
