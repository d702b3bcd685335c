package engine

import "github.com/vmrules/vmrules/instancetype"

func expand(c *call) (any, error) {
	expansion, err := instancetype.Expand(c.object("vm"), c.object("instancetype"), c.object("preference"))
	if err != nil {
		return nil, err
	}
	return expansion, nil
}

func checkRequirements(c *call) (any, error) {
	return orEmpty(instancetype.CheckRequirements(c.object("vm"), c.object("instancetype"), c.object("preference"))), nil
}
