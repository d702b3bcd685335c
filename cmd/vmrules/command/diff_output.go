package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// writeChanged writes the changes for people: each VM with its rules, and then a summary.
func writeChanged(w io.Writer, d *differ) error {
	worse, better, changes := 0, 0, map[string]int{}
	for _, c := range d.changed {
		verdicts := c.Old
		switch {
		case c.New == isInvalid && c.Old != isInvalid:
			worse++
			verdicts += " → " + bad.Sprint(c.New)
		case c.Old == isInvalid && c.New != isInvalid:
			better++
			verdicts += " → " + good.Sprint(c.New)
		case c.Old != c.New:
			verdicts += " → " + c.New
		}
		fmt.Fprintf(w, "%s: %s\n", c.about, verdicts)
		if c.Note != "" {
			fmt.Fprintf(w, "  %s\n", c.Note)
		}
		for _, rule := range c.Changes {
			changes[rule.Change]++
			fmt.Fprintf(w, "  %s\n", rule)
		}
		for _, r := range c.Rules {
			writeSide(w, "-", r.oldText)
			writeSide(w, "+", r.newText)
		}
	}
	if u := d.unjudged; u != nil {
		fmt.Fprintf(w, "%s: without a template: %s\n", u.about, u.Why)
	}
	noun, more := "VM", fmt.Sprintf(", %d without a template", d.withoutTemplate)
	if d.vms == nil {
		noun, more = "template", ""
		for _, word := range changeWords {
			if n := changes[word]; n > 0 {
				more += fmt.Sprintf(", %s %s", counted(n, "rule"), word)
			}
		}
	}
	_, err := fmt.Fprintf(w, "%s: %d changed (%d now invalid, %d no longer invalid)%s\n",
		counted(d.judged, noun), len(d.changed), worse, better, more)
	return err
}

// writeSide writes an outcome behind a sign; nothing if there is no such rule.
func writeSide(w io.Writer, sign, text string) {
	if text != "" {
		fmt.Fprintf(w, "  %s %s\n", sign, strings.ReplaceAll(text, "\n", "\n    "))
	}
}

func writeChangedJSON(w io.Writer, d *differ) error {
	all := struct {
		Templates       *int              `json:"templates,omitempty"` // of both versions, each once
		VMs             *int              `json:"vms,omitempty"`
		WithoutTemplate *int              `json:"withoutTemplate,omitempty"`
		Unjudged        *withoutTemplate  `json:"unjudged,omitempty"` // the first of those without a template
		Changed         []changed         `json:"changed"`
		Unusable        []*manifest.Error `json:"unusable,omitempty"`
	}{Unjudged: d.unjudged, Changed: append([]changed{}, d.changed...), Unusable: d.unusable}
	if d.vms == nil {
		all.Templates = &d.judged
	} else {
		all.VMs, all.WithoutTemplate = &d.judged, &d.withoutTemplate
	}
	return writeJSON(w, all)
}
