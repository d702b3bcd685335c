package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// writeChanged writes the changes for people: each VM with its rules, and then a summary.
func writeChanged(w io.Writer, d *differ) error {
	worse, better := 0, 0
	for _, c := range d.changed {
		verdicts := c.Old
		switch {
		case c.New == notValid && c.Old != notValid:
			worse++
			verdicts += " → " + bad.Sprint(c.New)
		case c.Old == notValid && c.New != notValid:
			better++
			verdicts += " → " + good.Sprint(c.New)
		case c.Old != c.New:
			verdicts += " → " + c.New
		}
		fmt.Fprintf(w, "%s:%d: %s: %s\n", oneLine(c.File), c.Line, short(oneLine(c.title)), verdicts)
		if c.Note != "" {
			fmt.Fprintf(w, "  %s\n", c.Note)
		}
		for _, r := range c.Rules {
			writeSide(w, "-", r.oldText)
			writeSide(w, "+", r.newText)
		}
	}
	if u := d.unjudged; u != nil {
		fmt.Fprintf(w, "%s:%d: %s: without a template: %s\n", oneLine(u.File), u.Line, short(oneLine(u.title)), u.Why)
	}
	_, err := fmt.Fprintf(w, "%s: %d changed (%d now invalid, %d no longer invalid), %d without a template\n",
		counted(d.judged, "VM"), len(d.changed), worse, better, d.withoutTemplate)
	return err
}

// writeSide writes an outcome behind a sign; nothing if there is no such rule.
func writeSide(w io.Writer, sign, text string) {
	if text != "" {
		fmt.Fprintf(w, "  %s %s\n", sign, strings.ReplaceAll(text, "\n", "\n    "))
	}
}

func writeChangedJSON(w io.Writer, d *differ) error {
	return writeJSON(w, struct {
		VMs             int               `json:"vms"`
		WithoutTemplate int               `json:"withoutTemplate"`
		Unjudged        *unjudged         `json:"unjudged,omitempty"` // the first of those without a template
		Changed         []changed         `json:"changed"`
		Unusable        []*manifest.Error `json:"unusable,omitempty"`
	}{d.judged, d.withoutTemplate, d.unjudged, append([]changed{}, d.changed...), d.unusable})
}
