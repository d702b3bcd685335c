package vmrules

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/rulekey"
	"github.com/vmrules/vmrules/internal/value"
)

// annotationOf returns the text of rules. The values in Unknown are in it unchanged.
func annotationOf(rules []Rule) string {
	texts := make([]string, 0, len(rules))
	for _, r := range rules {
		text, _ := r.MarshalJSON() // the rule is writable
		texts = append(texts, string(text))
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// MarshalJSON writes the rule in the form of version 201902-2. The error is always nil, but json.Marshal
// has one if a value in Unknown is not JSON.
func (r Rule) MarshalJSON() ([]byte, error) {
	n := jsontext.Node{Value: json.Delim('{')}
	add := func(present bool, key string, value any) {
		if present {
			n.Members = append(n.Members, jsontext.Member{Key: key, Value: jsontext.Node{Value: value}})
		}
	}
	add(true, rulekey.Name, r.Name)
	add(true, rulekey.Rule, r.Kind)
	add(!r.Path.IsZero(), rulekey.Path, r.Path)
	add(!r.Valid.IsZero(), rulekey.Valid, r.Valid)
	add(true, rulekey.Message, r.Message)
	for key, a := range r.Arguments() {
		add(true, key, a)
	}
	add(r.JustWarning, rulekey.JustWarning, true)
	for _, key := range slices.Sorted(maps.Keys(r.Unknown)) {
		add(true, key, r.Unknown[key])
	}
	return n.Raw(), nil
}

// UnmarshalJSON reads a rule in the form of version 201902-2, with the checks of ParseRules. Any error
// about the text is a *ParseError, whose problems have no line and column, and the rule is then unchanged.
func (r *Rule) UnmarshalJSON(text []byte) error {
	if r == nil {
		return errNilPointer
	}
	rules, nodes, problems := readRules("["+string(text)+"]", parseOptionsOf(nil))
	if len(nodes) > 1 || nodes == nil && problems == nil {
		message := fmt.Sprintf("there are %d values, but a rule is one object: { … }", len(nodes))
		problems = wholeProblem("", ReasonTypeInvalid, codeWrongType, message)
	}
	if problems != nil {
		return asParseError(withinKeys(problems, rules, nodes))
	}
	*r = rules[0].Rule
	return nil
}

// withinKeys keeps the positions of problems in the values of keys that only the rules' kinds
// know, counted from the start of the value, and removes all others.
func withinKeys(problems []Problem, rules []rule, nodes []jsontext.Node) []Problem {
	for i, p := range problems {
		offset := 0
		if 0 <= p.Index && p.Index < len(rules) && slices.Contains(rules[p.Index].own, p.Key) {
			n, _ := nodes[p.Index].Member(p.Key)
			offset = max(p.Offset-n.Start, 0)
		}
		problems[i].Offset, problems[i].Line, problems[i].Column = offset, 0, 0
	}
	return problems
}

// writable returns the rule without what cannot be written as JSON, and says what that is.
func (r Rule) writable() (Rule, []string) {
	var wrong []string
	r = r.clone()
	kind := string(r.Kind)
	for _, s := range []*string{&r.Name, &kind, &r.Message} {
		if !utf8.ValidString(*s) {
			wrong = append(wrong, value.Quoted(*s)+" is not valid UTF-8")
			*s = strings.ToValidUTF8(*s, "?")
		}
	}
	r.Kind = Kind(kind)
	texts := []string{r.Path.parsed.Text(), r.Valid.parsed.Text()}
	for _, argument := range r.Arguments() {
		for _, a := range argument.items() {
			texts = append(texts, a.String())
		}
	}
	for _, s := range texts {
		if !utf8.ValidString(s) {
			wrong = append(wrong, value.Quoted(s)+" is not valid UTF-8")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.Unknown)) {
		if why := r.cannotBeUnknown(key); why != "" {
			wrong = append(wrong, fmt.Sprintf("the key %s in Unknown %s", value.Quoted(key), why))
			delete(r.Unknown, key)
		}
	}
	return r, wrong
}

func (r Rule) cannotBeUnknown(key string) string {
	switch k := rulekey.Named(key); {
	case !json.Valid(r.Unknown[key]):
		return "has a value that is not JSON"
	case !utf8.ValidString(key):
		return "is not valid UTF-8"
	case k.Name != "" && (!k.IsArgument || r.Kind.isOfFormat()):
		return "is a field of Rule: set that"
	}
	return ""
}
