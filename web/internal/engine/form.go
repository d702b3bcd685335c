package engine

import (
	"maps"
	"slices"

	"github.com/vmrules/vmrules/form"
)

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

// formats returns the names in a schema that are formats of this package.
func formats(c *call) (any, error) {
	schema, err := c.object("schema")
	names := map[string]bool{}
	addFormats(schema, names)
	return orEmpty(slices.Sorted(maps.Keys(names))), err
}

func addFormats(schema any, to map[string]bool) {
	switch schema := schema.(type) {
	case map[string]any:
		if name, ok := schema["format"].(string); ok {
			if _, err := form.ParseFormat(name); err == nil {
				to[name] = true
			}
		}
		for _, below := range schema {
			addFormats(below, to)
		}
	case []any:
		for _, below := range schema {
			addFormats(below, to)
		}
	}
}

// allows reports whether a format allows a string.
func allows(c *call) (any, error) {
	format, err := form.ParseFormat(c.text("format"))
	if err != nil {
		return nil, err
	}
	return format.Allows(c.text("value")), nil
}
