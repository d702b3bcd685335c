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

func (d *differ) compareTemplates(stderr io.Writer) {
	paired := map[*shelf.Template]bool{}
	for _, t := range d.old.Templates.All {
		same, unclear := likeIn(&d.old.Templates, t)
		if unclear == nil && same != t {
			continue // it counts as one with the other
		}
		now, err := likeIn(&d.new.Templates, t)
		if err = cmp.Or(err, unclear); err == nil {
			d.compareTemplate(t, now)
			paired[now] = true
		}
		if !d.goesOn(err, output.AboutObject(t.Object), stderr) {
			return
		}
	}
	for _, t := range d.new.Templates.All {
		same, unclear := likeIn(&d.new.Templates, t)
		if paired[t] || unclear == nil && same != t {
			continue
		}
		d.compareTemplate(nil, t)
		if !d.goesOn(nil, output.AboutObject(t.Object), stderr) {
			return
		}
	}
}

// likeIn returns the template of a version with the name of another, which may have moved to another namespace.
func likeIn(version *shelf.Shelf, t *shelf.Template) (*shelf.Template, error) {
	like, err := version.Named(vmrules.TemplateRef{Namespace: t.Namespace, Name: t.Name})
	if like != nil || err != nil {
		return like, err
	}
	return version.Named(vmrules.TemplateRef{Name: t.Name})
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
