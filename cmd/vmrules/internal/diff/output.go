package diff

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/rulediff"
)

func writeChanged(w io.Writer, d *differ) error {
	if d.options.VMs == nil {
		return writeChangedTemplates(w, d)
	}
	worse, better := 0, 0
	for _, c := range d.changed {
		verdicts := string(c.Old)
		switch {
		case c.New == judged.Invalid && c.Old != judged.Invalid:
			worse++
			verdicts += " → " + output.Bad.Sprint(c.New)
		case c.Old == judged.Invalid && c.New != judged.Invalid:
			better++
			verdicts += " → " + output.Good.Sprint(c.New)
		case c.Old != c.New:
			verdicts += " → " + string(c.New)
		}
		fmt.Fprintf(w, "%s: %s\n", c.About, verdicts)
		if c.Note != "" {
			fmt.Fprintf(w, "  %s\n", c.Note)
		}
		for _, r := range c.Rules {
			writeSide(w, "-", r.oldText)
			writeSide(w, "+", r.newText)
		}
	}
	if u := d.unjudged; u != nil {
		fmt.Fprintf(w, "%s: without a template: %s\n", u.About, u.Why)
	}
	_, err := fmt.Fprintf(w, "%s: %d changed (%d now invalid, %d no longer invalid), %d without a template\n",
		output.Counted(d.judged, "VM"), len(d.changed), worse, better, d.withoutTemplate)
	return err
}

// writeSide writes an outcome behind a sign; nothing if there is no such rule.
func writeSide(w io.Writer, sign, text string) {
	if text != "" {
		fmt.Fprintf(w, "  %s %s\n", sign, strings.ReplaceAll(text, "\n", "\n    "))
	}
}

func writeChangedTemplates(w io.Writer, d *differ) error {
	rules := map[string]int{}
	titles := map[string][]string{} // of the templates with a change
	for _, t := range d.templates {
		for _, c := range t.Rules {
			rules[c.Change]++
			titles[t.said(c)] = append(titles[t.said(c)], t.Title)
		}
	}
	for _, t := range d.templates {
		if lines := d.linesOf(t, titles); lines != "" || t.Change != "changed" {
			fmt.Fprintf(w, "%s: %s\n%s", t.About, t.Change, lines)
		}
	}
	text := fmt.Sprintf("%s: %d changed", output.Counted(d.judged, "template"), len(d.templates))
	for _, word := range rulediff.ChangeWords {
		if n := rules[word]; n > 0 {
			text += fmt.Sprintf(", %s %s", output.Counted(n, "rule"), word)
		}
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

// said returns a text that is the same for changes of which the same is said.
func (t changedTemplate) said(c rulediff.Change) string {
	text, _ := json.Marshal(c)
	return t.Change + string(text)
}

// linesOf returns the lines about the rules of a template. Unless all are wanted, it removes each change
// from titles, so that only the first template has a line about it.
func (d *differ) linesOf(t changedTemplate, titles map[string][]string) string {
	lines := ""
	for _, c := range t.Rules {
		with := titles[t.said(c)]
		if with == nil {
			continue
		}
		lines += fmt.Sprintf("  %s\n", c)
		if !d.options.All {
			lines += alsoIn(with[1:])
			delete(titles, t.said(c))
		}
	}
	return lines
}

// mostNamed is how many other templates with the same change are named.
const mostNamed = 3

func alsoIn(titles []string) string {
	switch {
	case len(titles) == 0:
		return ""
	case len(titles) > mostNamed:
		return fmt.Sprintf("    also in %d more templates: --all shows them\n", len(titles))
	}
	return fmt.Sprintf("    also in %s\n", output.OneLine(strings.Join(titles, ", ")))
}

func writeChangedJSON(w io.Writer, d *differ) error {
	if d.options.VMs == nil {
		return output.JSON(w, struct {
			Templates int               `json:"templates"` // of both versions, each once
			Changed   []changedTemplate `json:"changed"`
			Unusable  []*manifest.Error `json:"unusable,omitempty"`
		}{d.judged, append([]changedTemplate{}, d.templates...), d.unusable})
	}
	return output.JSON(w, struct {
		VMs             int               `json:"vms"`
		WithoutTemplate int               `json:"withoutTemplate"`
		Unjudged        *withoutTemplate  `json:"unjudged,omitempty"` // the first of those without a template
		Changed         []changed         `json:"changed"`
		Unusable        []*manifest.Error `json:"unusable,omitempty"`
	}{d.judged, d.withoutTemplate, d.unjudged, append([]changed{}, d.changed...), d.unusable})
}
