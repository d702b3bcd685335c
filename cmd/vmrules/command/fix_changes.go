package command

import (
	"fmt"
	"io"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A ruled is an object, or a document, with its rules in one text.
type ruled struct {
	about string
	line  int
	rules vmrules.Rules // none, if they are refused
}

// writeChanges writes how fixes that are not safe change rules.
func (l *linter) writeChanges(before, after *manifest.File, stderr io.Writer) {
	if before == after {
		return
	}
	olds := l.ruledIn(before)
	for _, now := range l.ruledIn(after) {
		var old vmrules.Rules // none, if nobody has read them
		if i := slices.IndexFunc(olds, func(o ruled) bool { return o.line == now.line }); i >= 0 {
			old = olds[i].rules
			olds = slices.Delete(olds, i, i+1)
		}
		for _, c := range changesOf(old, now.rules) {
			fmt.Fprintf(stderr, "vmrules: %s: %s: %s\n", oneLine(after.Name), oneLine(short(now.about)), c)
		}
	}
}

// ruledIn returns all texts with rules in a file.
func (l *linter) ruledIn(file *manifest.File) []ruled {
	var all []ruled
	add := func(about, text string, line int, reading []vmrules.ParseOption) {
		rules, _ := vmrules.ParseRules(text, reading...)
		all = append(all, ruled{about, line, rules})
	}
	for _, d := range file.Documents() {
		if text, err := d.JSON(); d.IsArray() && err == nil {
			line, _ := d.Place(0)
			add(d.String(), text, line, l.build.options())
		}
	}
	for _, o := range file.Objects() {
		filled, err := l.fill(o)
		if err != nil {
			continue
		}
		for _, a := range filled.Annotations() {
			add(o.String(), a.Text(), a.Line(), a.Options(l.build.options()))
		}
	}
	return all
}
