package engine

import (
	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

func lintAnnotation(c *call) (any, error) {
	opts := append(c.parseOptions(), lint.For(lint.Profile(c.text("profile"))))
	return lint.Annotation(c.text("annotation"), opts...), nil
}

func checks(*call) (any, error) { return lint.Checks(), nil }

// knownFields returns the fields that a VM may have below a path.
func knownFields(c *call) (any, error) {
	var path vmrules.Path
	if text := c.text("path"); text != "" {
		var err error
		if path, err = vmrules.ParsePath(text); err != nil {
			return nil, err
		}
	}
	return lint.KnownFields(path), nil
}
