package vmrules

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/spelling"
)

// meantKey is the key of the format that an unknown key most likely means, out
// of those that its rule does not have; "" for none.
func meantKey(key string, unused []string) string {
	if now := renamed(key); slices.Contains(unused, now) {
		return now
	}
	return spelling.Nearest(key, unused)
}

// renamed returns what an argument of version 201901-1 is called now; "" for another key.
func renamed(key string) string {
	for _, a := range constraint.Arguments {
		if a.OldName == key && key != "" {
			return a.Key
		}
	}
	return ""
}

// unusedKeys are the keys of the format, and its kind's own, that a rule does
// not have.
func unusedKeys(n jsontext.Node, own []string) []string {
	used := make(map[string]bool, len(n.Members))
	for _, m := range n.Members {
		used[m.Key] = true
	}
	return slices.DeleteFunc(slices.Concat(commonKeys, argumentKeys, own), func(key string) bool { return used[key] })
}

// withPrefix is the path that a value of a key means where it lacks the prefix; ""
// where it has another mistake.
func withPrefix(key string, v any) string {
	s, ok := v.(string)
	a := constraint.Named(key)
	isBound := a != nil && !a.IsList && a.Key != constraint.Regex
	mayBePath := key == keyPath || key == keyValid || isBound && jsonpath.PrefixHint(s) != ""
	if !ok || !mayBePath || strings.HasPrefix(s, jsonpath.Prefix) {
		return ""
	}
	path, err := ParsePath(jsonpath.WithPrefix(s))
	if err != nil {
		return ""
	}
	return path.String()
}

// meantKind is the kind that an unknown one most likely means, "" for none.
func (o *parseOptions) meantKind(k Kind) string { return spelling.Nearest(string(k), o.kindNames()) }

// kindNames are the kinds that are known.
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
