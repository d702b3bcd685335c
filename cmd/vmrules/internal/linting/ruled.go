package linting

import (
	"fmt"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/rulediff"
)

// A ruled is an object, or a document, with its rules in one text.
type ruled struct {
	about string
	line  int
	rules vmrules.Rules // none, if they are refused
}

// changes returns lines about how fixes change rules.
func (l *Linter) changes(before, after *manifest.File) (lines []string) {
	if before == after {
		return nil
	}
	olds := l.ruledIn(before)
	for _, now := range l.ruledIn(after) {
		var old vmrules.Rules // none, if nobody has read them
		if i := slices.IndexFunc(olds, func(o ruled) bool { return o.line == now.line }); i >= 0 {
			old = olds[i].rules
			olds = slices.Delete(olds, i, i+1)
		}
		for _, c := range rulediff.Of(old, now.rules) {
			lines = append(lines, fmt.Sprintf("%s: %s", output.OneLine(output.Short(now.about)), c))
		}
	}
	return lines
}

// ruledIn returns all texts with rules in a file.
func (l *Linter) ruledIn(file *manifest.File) []ruled {
	var all []ruled
	add := func(about, text string, line int, reading []vmrules.ParseOption) {
		rules, _ := vmrules.ParseRules(text, reading...)
		all = append(all, ruled{about, line, rules})
	}
	for _, d := range file.Documents() {
		if text, err := d.JSON(); d.IsArray() && err == nil {
			add(d.String(), text, d.Line, l.Build.Options())
		}
	}
	for _, o := range file.Objects() {
		filled, err := l.Fill(o)
		if err != nil {
			continue
		}
		for _, a := range filled.Annotations() {
			add(o.String(), a.Text(), a.Line(), a.Options(l.Build.Options()))
		}
	}
	return all
}
