package engine

import "github.com/vmrules/vmrules/form"

func parameters(c *call) (any, error) {
	all, err := form.Parameters(c.object("template"), c.parseOptions()...)
	return orEmpty(all), err
}

func fill(c *call) (any, error) {
	filled, err := form.Fill(c.object("template"), c.object("values"), c.parseOptions()...)
	if err != nil {
		return nil, err
	}
	return filled, nil
}
