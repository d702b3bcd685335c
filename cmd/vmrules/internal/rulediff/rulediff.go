// Package rulediff tells how rules differ.
package rulediff

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
)

// A Change is a rule that is in one version only, or is not the same in both.
type Change struct {
	Rule   string      `json:"rule"`
	Change string      `json:"change"` // one of changeWords
	Keys   []keyChange `json:"keys,omitempty"`
}

// ChangeWords are the words for how a rule may change.
var ChangeWords = []string{"added", "removed", "stricter", "looser", "changed"}

// A keyChange is a key of a rule whose values differ. A value is nil if the key is not there.
type keyChange struct {
	Key string          `json:"key"`
	Old json.RawMessage `json:"old,omitempty"`
	New json.RawMessage `json:"new,omitempty"`
}

// Of returns the rules that differ: first those of the old version, in its order, and then
// those that only the new one has.
func Of(old, now vmrules.Rules) []Change {
	all := []Change{}
	for _, r := range old.All() {
		switch same, isKept := now.Named(r.Name); {
		case !isKept:
			all = append(all, Change{Rule: r.Name, Change: "removed"})
		case !same.Equal(r):
			all = append(all, Change{r.Name, tendency(r, same), differing(r, same)})
		}
	}
	for _, r := range now.All() {
		if _, known := old.Named(r.Name); !known {
			all = append(all, Change{Rule: r.Name, Change: "added"})
		}
	}
	return all
}

// differing returns the keys whose values in an annotation differ.
func differing(old, now vmrules.Rule) []keyChange {
	was, is := members(old), members(now)
	keys := maps.Clone(was)
	maps.Copy(keys, is)
	var all []keyChange
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if !bytes.Equal(was[key], is[key]) {
			all = append(all, keyChange{key, was[key], is[key]})
		}
	}
	return all
}

// members returns the keys and values of a rule in an annotation.
func members(r vmrules.Rule) (all map[string]json.RawMessage) {
	text, _ := r.MarshalJSON() // the rule was read from JSON
	_ = json.Unmarshal(text, &all)
	return all
}

// String returns the change in a line.
func (c Change) String() string {
	text := output.Short(c.Rule)
	separator := ": "
	for _, k := range c.Keys {
		was, is := cmp.Or(string(k.Old), notSet), cmp.Or(string(k.New), notSet)
		text += separator + k.Key + " " + output.Short(was) + " → " + output.Short(is)
		separator = ", "
	}
	return fmt.Sprintf("%-8s  %s", c.Change, output.OneLine(text))
}

const notSet = "not set"
