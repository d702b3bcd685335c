package vmrules

import (
	"strings"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/rulekey"
)

// A Version is a version of the annotation format.
type Version string

const (
	// V201902 is 201902-2, the current version.
	V201902 Version = "201902-2"
	// V201901 is 201901-1: paths have no prefix, and the annotation is on the template.
	V201901 Version = "201901-1"
)

// WithVersion sets the version of the annotation. The default is V201902, and for a template's own
// annotation what DetectVersion says.
func WithVersion(v Version) ParseOption {
	return parseOption(func(o *parseOptions) { o.version, o.detects = v, false })
}

// DetectVersion reads the annotation in V201902 if the path or valid of any rule has the prefix of
// paths, and in V201901 otherwise. RulesFor and ValidateOwn read a template's own annotation so.
func DetectVersion() ParseOption {
	return parseOption(func(o *parseOptions) { o.version, o.detects = "", true })
}

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

// parsePath reads a path as a version writes it.
func parsePath(s string, v Version) (Path, error) {
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
