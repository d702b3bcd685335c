// Package rulediff tells how rules differ.
package rulediff

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
)

// A Change is a rule that is in one version only, or is not the same in both.
type Change struct {
	Rule   string      `json:"rule"`
	Change string      `json:"change"` // one of ChangeWords
	Keys   []keyChange `json:"keys,omitempty"`
}

// ChangeWords are the words for how a rule may change.
var ChangeWords = []string{"added", "removed", "stricter", "looser", "changed"}

// A keyChange is a key of a rule whose values differ. A value is nil if the key is not there.
type keyChange struct {
	Key    string          `json:"key"`
	Change string          `json:"change"` // "stricter", "looser" or "changed"
	Old    json.RawMessage `json:"old,omitempty"`
	New    json.RawMessage `json:"new,omitempty"`
}

// Of returns the rules that differ: first those of the old version, in its order, and then
// those that only the new one has.
func Of(old, now vmrules.Rules) []Change {
	all := []Change{}
	for _, r := range old.All() {
		switch same, isKept := now.ByName(r.Name); {
		case !isKept:
			all = append(all, Change{Rule: r.Name, Change: "removed"})
		case !same.Equal(r):
			all = append(all, Change{r.Name, tendency(r, same), differing(r, same)})
		}
	}
	for _, r := range now.All() {
		if _, known := old.ByName(r.Name); !known {
			all = append(all, Change{Rule: r.Name, Change: "added"})
		}
	}
	return all
}

// differing returns the keys in an annotation whose values do not mean the same.
func differing(old, now vmrules.Rule) []keyChange {
	was, is := members(old), members(now)
	keys := maps.Clone(was)
	maps.Copy(keys, is)
	var all []keyChange
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if bytes.Equal(was[key], is[key]) {
			continue
		}
		if one, err := with(old, key, is[key]); err != nil || !one.Equal(old) {
			all = append(all, keyChange{key, tendency(old, one), was[key], is[key]})
		}
	}
	return all
}

// with returns a rule with another value of a key; without the key if that is nil.
func with(r vmrules.Rule, key string, value json.RawMessage) (one vmrules.Rule, err error) {
	all := members(r)
	if all[key] = value; value == nil {
		delete(all, key)
	}
	text, _ := json.Marshal(all)
	err = one.UnmarshalJSON(text)
	return one, err
}

func members(r vmrules.Rule) (all map[string]json.RawMessage) {
	text, _ := r.MarshalJSON() // the rule was read from JSON
	_ = json.Unmarshal(text, &all)
	return all
}

// String returns the change in a line, which says of each key whether it became stricter or looser.
func (c Change) String() string {
	if c.Keys == nil {
		return output.OneLine(output.Short(c.Rule)) + ": " + c.Change
	}
	var keys []string
	for _, k := range c.Keys {
		was, is := cmp.Or(string(k.Old), "not set"), cmp.Or(string(k.New), "not set")
		text := k.Key + " " + output.Short(was) + " → " + output.Short(is)
		if k.Change != "changed" {
			text += ": " + k.Change
		}
		keys = append(keys, text)
	}
	return output.OneLine(output.Short(c.Rule) + ": " + strings.Join(keys, ", "))
}
