package engine

import "github.com/vmrules/vmrules/instancetype"

func expand(c *call) (any, error) {
	in := reader{call: c}
	vm, small, preference := in.object("vm"), in.object("instancetype"), in.object("preference")
	if in.err != nil {
		return nil, in.err
	}
	expansion, err := instancetype.Expand(vm, small, preference)
	if err != nil {
		return nil, err
	}
	return expansion, nil
}

func checkRequirements(c *call) (any, error) {
	in := reader{call: c}
	vm, small, preference := in.object("vm"), in.object("instancetype"), in.object("preference")
	if in.err != nil {
		return nil, in.err
	}
	return orEmpty(instancetype.CheckRequirements(vm, small, preference)), nil
}
