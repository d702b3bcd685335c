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
		d.compareTemplate(a, basis{template: p[0]}, basis{template: p[1]})
		if !d.goesOn(nil, a, stderr) {
			return
		}
	}
}

// compareTemplate compares two versions of a template. One of them may be missing.
func (d *differ) compareTemplate(a about, before, after basis) {
	d.judged++
	old, now := before.rulesOfTemplate(), after.rulesOfTemplate()
	c := changedTemplate{a, "changed", changesOf(old, now)}
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
