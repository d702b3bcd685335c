package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/shelf"
)

// A ruleChange is a rule that is in one version only, or is not the same in both.
type ruleChange struct {
	Rule   string      `json:"rule"`
	Change string      `json:"change"` // one of changeWords
	Keys   []keyChange `json:"keys,omitempty"`
}

var changeWords = []string{"added", "removed", "stricter", "looser", "changed"}

// A keyChange is a key of a rule whose values differ. A value is nil if the key is not there.
type keyChange struct {
	Key string          `json:"key"`
	Old json.RawMessage `json:"old,omitempty"`
	New json.RawMessage `json:"new,omitempty"`
}

// changesOf returns the rules that differ: first those of the old version, in its order, and then
// those that only the new one has.
func changesOf(old, now vmrules.Rules) []ruleChange {
	all := []ruleChange{}
	for _, r := range old.All() {
		switch same, isKept := now.Named(r.Name); {
		case !isKept:
			all = append(all, ruleChange{Rule: r.Name, Change: "removed"})
		case !same.Equal(r):
			all = append(all, ruleChange{r.Name, tendency(r, same), differing(r, same)})
		}
	}
	for _, r := range now.All() {
		if _, known := old.Named(r.Name); !known {
			all = append(all, ruleChange{Rule: r.Name, Change: "added"})
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

// tendency says whether a rule became stricter or looser, if its literals alone show that. A rule of
// which more than that changed is only "changed".
func tendency(old, now vmrules.Rule) string {
	isStricter, isLooser := old.JustWarning && !now.JustWarning, now.JustWarning && !old.JustWarning
	after := limitsOf(now)
	for i, before := range limitsOf(old) {
		isStricter = isStricter || !covers(after[i], before)
		isLooser = isLooser || !covers(before, after[i])
	}
	now.Message, now.JustWarning, now.Values = old.Message, old.JustWarning, old.Values
	now.Min, now.Max, now.MinLength, now.MaxLength = old.Min, old.Max, old.MinLength, old.MaxLength
	switch {
	case isStricter == isLooser || !now.Equal(old):
		return "changed"
	case isStricter:
		return "stricter"
	}
	return "looser"
}

// limitsOf returns each limit of a rule as a rule of its own. A limit of a length is one of a number.
func limitsOf(r vmrules.Rule) []vmrules.Rule {
	n := vmrules.KindInteger
	return []vmrules.Rule{
		{Kind: n, Min: r.Min}, {Kind: n, Max: r.Max}, {Kind: n, Min: r.MinLength}, {Kind: n, Max: r.MaxLength},
		{Kind: vmrules.KindEnum, Values: r.Values},
	}
}

// covers reports whether it is certain that a limit, or none, allows all that another does.
func covers(limit, other vmrules.Rule) bool {
	for _, literals := range other.Arguments() {
		return allows(limit, literals...)
	}
	for range limit.Arguments() {
		return false
	}
	return true
}

// String returns the change in a line.
func (c ruleChange) String() string {
	text := short(c.Rule)
	separator := ": "
	for _, k := range c.Keys {
		was, is := cmp.Or(string(k.Old), notSet), cmp.Or(string(k.New), notSet)
		text += separator + k.Key + " " + short(was) + " → " + short(is)
		separator = ", "
	}
	return fmt.Sprintf("%-8s  %s", c.Change, oneLine(text))
}

const notSet = "not set"

// A changedTemplate is a template that is in one version only, or has other rules in each.
type changedTemplate struct {
	about
	Change string       `json:"change"` // "added", "removed" or "changed"
	Rules  []ruleChange `json:"rules"`
}

// compareTemplates compares the rules of each template.
func (d *differ) compareTemplates(stderr io.Writer) {
	paired := map[*shelf.Template]bool{}
	for _, t := range d.old.templates.All {
		ref := vmrules.TemplateRef{Namespace: t.Namespace, Name: t.Name}
		now, err := d.new.templates.Named(ref)
		if _, unclear := d.old.templates.Named(ref); err == nil {
			err = unclear
		}
		if err == nil {
			d.compareTemplate(t, now)
			paired[now] = true
		}
		if !d.goesOn(err, aboutObject(t.Object), stderr) {
			return
		}
	}
	for _, t := range d.new.templates.All {
		if paired[t] {
			continue
		}
		d.compareTemplate(nil, t)
		if !d.goesOn(nil, aboutObject(t.Object), stderr) {
			return
		}
	}
}

// compareTemplate compares two versions of a template. One of them may be nil.
func (d *differ) compareTemplate(before, after *shelf.Template) {
	d.judged++
	old, _ := before.Rules() // they have been read
	now, _ := after.Rules()
	c := changedTemplate{aboutObject(cmp.Or(after, before).Object), "changed", changesOf(old, now)}
	switch {
	case before == nil:
		c.Change = "added"
	case after == nil:
		c.Change = "removed"
	case old.Len()+now.Len() > 0:
		d.compared++
	}
	if c.Change != "changed" || len(c.Rules) > 0 {
		d.templates = append(d.templates, c)
		d.kept += 1 + len(c.Rules)
	}
}
