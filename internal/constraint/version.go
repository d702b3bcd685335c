package constraint

import (
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
)

// HasPrefix reports whether the "path" or "valid" of any of the rules begins with the
// prefix of paths, which version 201901-1 did not have.
func HasPrefix(rules []jsontext.Node) bool {
	for _, rule := range rules {
		for _, m := range rule.Members {
			s, _ := m.Value.Value.(string)
			if (m.Key == "path" || m.Key == "valid") && strings.HasPrefix(s, jsonpath.Prefix) {
				return true
			}
		}
	}
	return false
}

// PresentKey returns the present key of an argument that version 201901-1 called otherwise; ""
// for any other key.
func PresentKey(key string) string {
	for _, a := range Arguments {
		if a.OldName == key && key != "" {
			return a.Key
		}
	}
	return ""
}
