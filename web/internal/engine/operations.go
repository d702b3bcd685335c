package engine

import (
	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/instancetype"
	"github.com/vmrules/vmrules/lint"
)

func lintAnnotation(c *call) (any, error) {
	opts := append(c.parseOptions(), lint.For(lint.Profile(c.text("profile"))))
	return lint.Annotation(c.text("annotation"), opts...), nil
}

// knownFields returns the fields that a VM may have below a path.
func knownFields(c *call) (any, error) {
	var path vmrules.Path
	if text := c.text("path"); text != "" {
		var err error
		path, err = vmrules.ParsePath(text)
		c.fail("", err)
	}
	return lint.KnownFields(path), nil
}

func parameters(c *call) (any, error) {
	all, err := form.Parameters(c.object("template"), c.parseOptions()...)
	return orEmpty(all), err // those without constraints are a result, too
}

func fill(c *call) (any, error) {
	filled, err := form.Fill(c.object("template"), c.object("values"), c.parseOptions()...)
	c.fail("", err)
	return filled, nil
}

func expand(c *call) (any, error) {
	expansion, err := instancetype.Expand(c.object("vm"), c.object("instancetype"), c.object("preference"))
	c.fail("", err)
	return expansion, nil
}

func checkRequirements(c *call) (any, error) {
	return orEmpty(instancetype.CheckRequirements(c.object("vm"), c.object("instancetype"), c.object("preference"))), nil
}
