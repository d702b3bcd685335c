package engine

import "github.com/vmrules/vmrules/form"

func parameters(c *call) (any, error) {
	template, err := c.object("template")
	if err != nil {
		return nil, err
	}
	all, err := form.Parameters(template, c.parseOptions()...)
	return orEmpty(all), err
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
