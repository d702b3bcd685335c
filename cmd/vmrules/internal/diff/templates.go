package diff

import (
	"cmp"
	"io"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/rulediff"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/shelf"
)

// A changedTemplate is a template that is in one version only, or has other rules in each.
type changedTemplate struct {
	output.About
	Change string            `json:"change"` // "added", "removed" or "changed"
	Rules  []rulediff.Change `json:"rules"`
}

// compareTemplates compares the rules of each template.
func (d *differ) compareTemplates(stderr io.Writer) {
	paired := map[*shelf.Template]bool{}
	for _, t := range d.old.Templates.All {
		ref := vmrules.TemplateRef{Namespace: t.Namespace, Name: t.Name}
		now, err := d.new.Templates.Named(ref)
		if _, unclear := d.old.Templates.Named(ref); err == nil {
			err = unclear
		}
		if err == nil {
			d.compareTemplate(t, now)
			paired[now] = true
		}
		if !d.goesOn(err, output.AboutObject(t.Object), stderr) {
			return
		}
	}
	for _, t := range d.new.Templates.All {
		if paired[t] {
			continue
		}
		d.compareTemplate(nil, t)
		if !d.goesOn(nil, output.AboutObject(t.Object), stderr) {
			return
		}
	}
}

// compareTemplate compares two versions of a template. One of them may be nil.
func (d *differ) compareTemplate(before, after *shelf.Template) {
	d.judged++
	old, _ := before.Rules() // they have been read
	now, _ := after.Rules()
	c := changedTemplate{output.AboutObject(cmp.Or(after, before).Object), "changed", rulediff.Of(old, now)}
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
