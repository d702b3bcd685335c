package model

import (
	"cmp"
	"strings"
)

// A rule is one object of the annotation (201902-2: Mandatory Keys, Optional Keys).
type rule struct {
	name, kind  string
	path        path
	valid       *path
	justWarning bool
	arguments   map[string]any // literals or paths; for values, also a list of both
}

var knownKinds = map[string]bool{"integer": true, "string": true, "enum": true, "regex": true}

// readRules reads an annotation. A blank annotation has no rules.
func readRules(annotation string, old bool) ([]rule, error) {
	v, err := decode(cmp.Or(strings.TrimSpace(annotation), "[]"))
	if err != nil {
		return nil, err
	}
	var rules []rule
	for _, keys := range v.([]any) {
		rules = append(rules, readRule(object(keys), old))
	}
	return rules, nil
}

// readRule reads one rule. A null key is absent, and an unknown key is ignored (vmrules:
// Reading the annotation).
func readRule(keys map[string]any, old bool) rule {
	r := rule{
		name:        text(keys["name"]),
		kind:        text(keys["rule"]),
		path:        readPath(text(keys["path"])),
		justWarning: keys["justWarning"] == true,
		arguments:   map[string]any{},
	}
	if valid, ok := keys["valid"].(string); ok {
		p := readPath(valid)
		r.valid = &p
	}
	if old && keys["values"] == nil {
		keys["values"] = keys["included"] // 201901-1: included
	}
	for _, key := range argumentKeys {
		if keys[key] != nil && knownKinds[r.kind] {
			r.arguments[key] = readArgument(keys[key], old)
		}
	}
	return r
}

// readArgument reads a literal or a path. A path has the prefix or, in version 201901-1,
// a leading slash (201902-2: Rule arguments).
func readArgument(v any, old bool) any {
	switch v := v.(type) {
	case string:
		if strings.HasPrefix(v, prefix) || old && strings.HasPrefix(v, "/") {
			return readPath(v)
		}
	case []any:
		list := []any{}
		for _, item := range v {
			list = append(list, readArgument(item, old))
		}
		return list
	}
	return v
}
