// Package rulekey lists the keys of a rule, in both versions of the format.
package rulekey

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsontext"
)

// The keys of a rule, apart from the arguments, whose keys are in package constraint. Spec:
// Mandatory Keys, Optional Keys.
const (
	Rule        = "rule"
	Name        = "name"
	Path        = "path"
	Message     = "message"
	Valid       = "valid"
	JustWarning = "justWarning"
)

// A Key is a key of a rule.
type Key struct {
	Name       string
	OldName    string // its name in version 201901-1; "" if that is the same
	Wanted     string // what its value must be, for messages
	IsPath     bool   // the value is always a JSONPath
	IsArgument bool   // it is in constraint.Arguments
}

// All lists the keys: first those that every kind has, then the arguments, in their order.
var All = withArguments([]Key{
	{Name: Rule, Wanted: "integer, string, regex or enum"},
	{Name: Name, Wanted: "an identifier that no other rule has"},
	{Name: Path, Wanted: "the JSONPath of the field to validate", IsPath: true},
	{Name: Message, Wanted: "the text that users see if the rule is violated"},
	{Name: Valid, Wanted: `a JSONPath, such as "jsonpath::.spec.domain.cpu"`, IsPath: true},
	{Name: JustWarning, Wanted: "true or false, without quotes"},
})

func withArguments(all []Key) []Key {
	for _, a := range constraint.Arguments {
		all = append(all, Key{Name: a.Key, OldName: a.OldName, Wanted: a.Wanted, IsArgument: true})
	}
	return all
}

// OfAnyVersion returns the key with a name, or with an old name; the zero Key if there is none.
func OfAnyVersion(name string) Key {
	for i := range All {
		if k := &All[i]; name != "" && (k.Name == name || k.OldName == name) {
			return *k
		}
	}
	return Key{}
}

// Named returns the key with a name in version 201902-2; the zero Key if there is none.
func Named(name string) Key {
	if k := OfAnyVersion(name); k.Name == name {
		return k
	}
	return Key{}
}

// synonyms has words of other languages for keys and kinds, each followed by that of the format.
var synonyms = [...]string{
	"type", Rule, "kind", Rule, "check", Rule, "id", Name, "key", Name, "title", Name, "field", Path, "jsonpath", Path,
	"msg", Message, "text", Message, "description", Message, "when", Valid, "if", Valid, "condition", Valid,
	"minimum", constraint.Min, "minValue", constraint.Min, "gte", constraint.Min,
	"maximum", constraint.Max, "maxValue", constraint.Max, "lte", constraint.Max,
	"minLen", constraint.MinLength, "min_length", constraint.MinLength,
	"maxLen", constraint.MaxLength, "max_length", constraint.MaxLength,
	"pattern", constraint.Regex, "match", constraint.Regex, "options", constraint.Values, "oneOf", constraint.Values,
	"enum", constraint.Values, "enumeration", constraint.Values, "list", constraint.Values, "allowed", constraint.Values,
	"warn", JustWarning, "warning", JustWarning,
	"int", "integer", "number", "integer", "bool", "enum", "boolean", "enum", "enumeration", "enum", "list", "enum",
	"text", "string", "str", "string", "length", "string", "range", "integer", "quantity", "integer", "oneOf", "enum",
}

// Meant returns the first of some keys or kinds for which other languages have a word; "" if there is
// none.
func Meant(word string, names []string) string {
	for i := 0; i < len(synonyms); i += 2 {
		if strings.EqualFold(word, synonyms[i]) && slices.Contains(names, synonyms[i+1]) {
			return synonyms[i+1]
		}
	}
	return ""
}

// Hint returns what to write instead of an unknown key: the key that is meant, if that is not "".
func Hint(key, meant string) string {
	if now := OfAnyVersion(key).Name; now != "" {
		return fmt.Sprintf("version 201902-2 calls it %q", now)
	}
	switch meant {
	case "":
		return "remove it, or correct its spelling"
	case JustWarning:
		return fmt.Sprintf("did you mean %q? Without it, the rule refuses VMs", meant)
	}
	return fmt.Sprintf("did you mean %q?", meant)
}

// Unused returns the keys of the format, and those of its kind, that a rule does not have.
func Unused(rule jsontext.Node, own []string) []string {
	isUsed := func(key string) bool {
		return slices.ContainsFunc(rule.Members, func(m jsontext.Member) bool { return m.Key == key })
	}
	names := make([]string, 0, len(All)+len(own))
	for _, k := range All {
		names = append(names, k.Name)
	}
	return slices.DeleteFunc(append(names, own...), isUsed)
}
