package engine

import "github.com/vmrules/vmrules/lint"

func lintAnnotation(c *call) (any, error) {
	opts := c.parseOptions()
	if c.Profile != "" {
		opts = append(opts, lint.For(lint.Profile(c.Profile)))
	}
	return lint.Annotation(c.text("annotation"), opts...), nil
}

func checks(*call) (any, error) { return lint.Checks(), nil }
