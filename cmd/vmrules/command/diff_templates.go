package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
)

// A ruleChange is what the new version of a template does differently by one rule.
type ruleChange struct {
	Rule   string   `json:"rule"`
	Change string   `json:"change"`         // one of changeWords
	To     string   `json:"to,omitempty"`   // the new name of a rule that was only renamed
	Keys   []string `json:"keys,omitempty"` // of the rule, which differ
	// Refused is what only the new version refuses, or warns about. Allowed is what only the old
	// version refused, or warned about.
	Refused *example `json:"refused,omitempty"`
	Allowed *example `json:"allowed,omitempty"`
}

var changeWords = []string{"added", "removed", "renamed", "stricter", "looser", "changed"}

// compareTemplates compares the rules and the VM of each template.
func (d *differ) compareTemplates(stderr io.Writer) {
	var pairs [][2]*template
	paired := map[*template]bool{}
	for _, t := range d.old.templates {
		_, now, err := d.choose(vmrules.Source{Namespace: t.Namespace, Name: t.Name})
		if err != nil {
			d.goesOn(err, aboutObject(t.Object), stderr)
			continue
		}
		pairs, paired[now.template] = append(pairs, [2]*template{t, now.template}), true
	}
	for _, t := range d.new.templates {
		if !paired[t] {
			pairs = append(pairs, [2]*template{nil, t})
		}
	}
	for _, p := range pairs {
		a := aboutObject(cmp.Or(p[1], p[0]).Object)
		d.compareTemplate(a, p[0], p[1])
		if !d.goesOn(nil, a, stderr) {
			return
		}
	}
}

// compareTemplate compares two versions of a template. One of them may be nil.
func (d *differ) compareTemplate(a about, before, after *template) {
	d.judged++
	c := changed{about: a}
	var old, now vmrules.Rules
	var was, is *vmrules.Report
	old, was, c.Old = d.ownVM(before)
	now, is, c.New = d.ownVM(after)
	if before != nil && after != nil && old.Len()+now.Len() > 0 {
		d.compared++
	}
	c.Changes = d.changes(d.newTrial(cmp.Or(after, before)), old, now)
	d.add(c, was, is)
}

// ownVM judges the VM of a template by its rules.
func (d *differ) ownVM(t *template) (vmrules.Rules, *vmrules.Report, string) {
	if t == nil {
		return vmrules.Rules{}, vmrules.NewReport(nil), noTemplate
	}
	report := vmrules.Validate(t.rules, t.filled, d.new.with.set.For(t.Kind, t.Namespace).Option())
	return t.rules, report, verdictOf(report)
}

// changes returns the rules that differ: first those of the old version, in its order, and then
// those that only the new one has.
func (d *differ) changes(t *trial, old, now vmrules.Rules) []ruleChange {
	var all []ruleChange
	var added []vmrules.Rule
	for _, r := range now.All() {
		if _, known := old.Named(r.Name); !known {
			added = append(added, r)
		}
	}
	for _, r := range old.All() {
		same, isKept := now.Named(r.Name)
		renamed := slices.IndexFunc(added, func(q vmrules.Rule) bool {
			q.Name = r.Name
			return q.Equal(r)
		})
		switch {
		case isKept && !same.Equal(r):
			all = append(all, t.change("changed", r, same))
		case isKept:
		case renamed >= 0:
			all = append(all, ruleChange{Rule: r.Name, Change: "renamed", To: added[renamed].Name})
			added = slices.Delete(added, renamed, renamed+1)
		default:
			all = append(all, t.change("removed", r, vmrules.Rule{}))
		}
	}
	for _, r := range added {
		all = append(all, t.change("added", vmrules.Rule{}, r))
	}
	return all
}

// change describes the change of a rule. The zero Rule is none.
func (t *trial) change(word string, old, now vmrules.Rule) ruleChange {
	c := ruleChange{Rule: cmp.Or(old.Name, now.Name), Change: word}
	c.Refused, c.Allowed = t.examples(old, now)
	if word != "changed" {
		return c
	}
	c.Keys = differing(old, now)
	switch {
	case c.Refused != nil && c.Allowed == nil:
		c.Change = "stricter"
	case c.Refused == nil && c.Allowed != nil:
		c.Change = "looser"
	}
	return c
}

// differing returns the keys whose values in an annotation differ.
func differing(old, now vmrules.Rule) []string {
	var members [2]map[string]json.RawMessage
	for i, r := range []vmrules.Rule{old, now} {
		text, _ := json.Marshal(r) // the rule was read from JSON
		_ = json.Unmarshal(text, &members[i])
	}
	keys := maps.Clone(members[0])
	maps.Copy(keys, members[1])
	maps.DeleteFunc(keys, func(key string, _ json.RawMessage) bool { return bytes.Equal(members[0][key], members[1][key]) })
	return slices.Sorted(maps.Keys(keys))
}

// String returns the change in a line.
func (c ruleChange) String() string {
	text := c.Rule
	if c.Keys != nil {
		text += " (" + strings.Join(c.Keys, ", ") + ")"
	}
	separator := ": "
	to := c.To
	if to != "" {
		to = "now " + to
	}
	for _, says := range []string{to, c.Refused.String(), c.Allowed.String()} {
		if says != "" {
			text += separator + says
			separator = "; "
		}
	}
	return fmt.Sprintf("%-8s  %s", c.Change, short(oneLine(text)))
}
