package vmrules

import (
	"strings"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/rulekey"
)

// What the versions of the format do differently, apart from the names of arguments.

// havePrefix reports whether the path or valid of any of the rules begins with the prefix of
// paths, which version 201901-1 did not have.
func havePrefix(rules []jsontext.Node) bool {
	for _, rule := range rules {
		for _, m := range rule.Members {
			s, _ := m.Value.Value.(string)
			if rulekey.Named(m.Key).IsPath && strings.HasPrefix(s, jsonpath.Prefix) {
				return true
			}
		}
	}
	return false
}

// pathOfVersion reads a path as a version writes it.
func pathOfVersion(s string, v Version) (Path, error) {
	if v != V201901 || strings.HasPrefix(s, jsonpath.Prefix) {
		return ParsePath(s)
	}
	return parseExpression(strings.TrimPrefix(s, "/"))
}

// isPath reports whether an argument is a path in the version that is read.
func (r *ruleReader) isPath(s string) bool {
	return strings.HasPrefix(s, jsonpath.Prefix) || r.version == V201901 && strings.HasPrefix(s, "/")
}

// isArgument reports whether a key means the argument in the version that is read.
func (r *ruleReader) isArgument(a *constraint.Argument, key string) bool {
	return key == a.Key || key == a.OldName && a.OldName != "" && r.version == V201901
}
