package command

import (
	"cmp"
	"io"

	"github.com/vmrules/vmrules"
)

// A changedTemplate is a template that is in one version only, or has other rules in each.
type changedTemplate struct {
	about
	Change string       `json:"change"` // "added", "removed" or "changed"
	Rules  []ruleChange `json:"rules"`
}

// compareTemplates compares the rules of each template.
func (d *differ) compareTemplates(stderr io.Writer) {
	paired := map[*template]bool{}
	for _, t := range d.old.templates {
		_, now, err := d.choose(vmrules.Source{Namespace: t.Namespace, Name: t.Name})
		if err == nil {
			d.compareTemplate(basis{template: t}, now)
			paired[now.template] = true
		}
		if !d.goesOn(err, aboutObject(t.Object), stderr) {
			return
		}
	}
	for _, t := range d.new.templates {
		if paired[t] {
			continue
		}
		d.compareTemplate(basis{}, basis{template: t})
		if !d.goesOn(nil, aboutObject(t.Object), stderr) {
			return
		}
	}
}

// compareTemplate compares two versions of a template. One of them may be missing.
func (d *differ) compareTemplate(before, after basis) {
	d.judged++
	old, now := before.rulesOfTemplate(), after.rulesOfTemplate()
	c := changedTemplate{aboutObject(cmp.Or(after.template, before.template).Object), "changed", changesOf(old, now)}
	switch {
	case before.template == nil:
		c.Change = "added"
	case after.template == nil:
		c.Change = "removed"
	case old.Len()+now.Len() > 0:
		d.compared++
	}
	if c.Change != "changed" || len(c.Rules) > 0 {
		d.templates = append(d.templates, c)
		d.kept += 1 + len(c.Rules)
	}
}
