package vmrules

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/rulekey"
	"github.com/vmrules/vmrules/internal/spelling"
)

// meantKey returns the key that an unknown key most likely means, out of the unused
// keys of its rule; "" if there is none.
func meantKey(key string, unused []string) string {
	if now := rulekey.OfAnyVersion(key).Name; slices.Contains(unused, now) {
		return now
	}
	return spelling.Nearest(key, unused)
}

// unusedKeys returns the keys of the format, and those of its kind, that a rule does
// not have.
func unusedKeys(n jsontext.Node, own []string) []string {
	used := make(map[string]bool, len(n.Members))
	for _, m := range n.Members {
		used[m.Key] = true
	}
	names := make([]string, 0, len(rulekey.All)+len(own))
	for _, k := range rulekey.All {
		names = append(names, k.Name)
	}
	return slices.DeleteFunc(append(names, own...), func(key string) bool { return used[key] })
}

// withPrefix returns the path that a value of a key means if it only lacks the prefix;
// "" if it is wrong in another way.
func withPrefix(key string, v any) string {
	s, ok := v.(string)
	a := constraint.Named(key)
	isBound := a != nil && !a.IsList && a.Key != constraint.Regex
	mayBePath := rulekey.Named(key).IsPath || isBound && jsonpath.PrefixHint(s) != ""
	if !ok || !mayBePath || strings.HasPrefix(s, jsonpath.Prefix) {
		return ""
	}
	path, err := ParsePath(jsonpath.WithPrefix(s))
	if err != nil {
		return ""
	}
	return path.String()
}

// meantKind returns the kind that an unknown one most likely means; "" if there is none.
func (o *parseOptions) meantKind(k Kind) string { return spelling.Nearest(string(k), o.kindNames()) }

// kindNames returns the names of all kinds that are known.
func (o *parseOptions) kindNames() []string {
	var names []string
	for _, k := range formatKinds {
		names = append(names, string(k))
	}
	for _, k := range o.kinds {
		names = append(names, string(k.kind))
	}
	return names
}
