package manifest

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

// moveRules returns the Change that moves rules, which a finding of Mistakes is about, from the metadata of a
// KubeVirt template to that of its VM; an empty one if they are not lines of YAML, or cannot be read there.
func (f *File) moveRules(found lint.Finding) Change {
	isFound := func(m member) bool { return m.at == found.Offset }
	for _, o := range f.Objects() {
		if !slices.ContainsFunc(o.node.get("metadata", "annotations").inside(object), isFound) {
			continue
		}
		filled, err := o.Fill(nil)
		if err != nil {
			break
		}
		_, err = vmrules.ParseRules(filled.Annotations()[0].Text())
		if edits := f.moveToVM(found.Offset, o.node.get("spec", "virtualMachine")); err == nil && edits != nil {
			return Change{inFile: edits, template: o.node}
		}
	}
	return Change{}
}

// moveToVM returns the edits that move the rules with a key at an offset to a VM; nil if it cannot.
func (f *File) moveToVM(key int, to *node) []Edit {
	missing := []string{"metadata", "annotations"}
	for len(missing) > 0 && to.get(missing[0]) != nil {
		to, missing = to.get(missing[0]), missing[1:]
	}
	there := to.inside(object)
	if len(there) == 0 {
		return nil
	}
	s := f.source
	from, _ := s.place(key)
	line, _ := s.place(there[0].at)
	if s.beginOf(from) != key || s.beginOf(line) != there[0].at { // they are in brackets
		return nil
	}
	own, indent := s.text[s.lines[from-1]:key], s.text[s.lines[line-1]:there[0].at]
	start := s.lines[from-1]
	end := start
	for line := range strings.Lines(s.text[start:]) {
		if end > start && strings.TrimSpace(line) != "" && indentOf(line) <= len(own) {
			break
		}
		end += len(line)
	}
	text := ""
	for _, name := range missing {
		text += indent + name + ":\n"
		indent += "  "
	}
	rules := strings.TrimSuffix(s.text[endOfScalar(s.text, key, vmrules.OldAnnotation):end], "\n") + "\n"
	text += indent + vmrules.Annotation + strings.ReplaceAll(rules, "\n"+own, "\n"+indent)
	if strings.Contains(f.Raw, "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if strings.TrimSpace(s.line(from-1)) == "annotations:" && indentOf(s.text[end:]) < len(own) { // it is the only one
		start = s.lines[from-2]
	}
	at := s.lines[line-1]
	edits := []Edit{{Span{start, end}, ""}, {Span{at, at}, text}}
	slices.SortFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
	return edits
}

// hasMoved reports whether another file is the same, but for rules that have moved from a template to its VM.
func (f *File) hasMoved(template *node, to *File) bool {
	return slices.EqualFunc(f.documents, to.documents, func(a, b *node) bool {
		rules := b.text("spec", "virtualMachine", "metadata", "annotations", vmrules.Annotation)
		isThere := a != template || rules == a.text("metadata", "annotations", vmrules.OldAnnotation)
		return isThere && reflect.DeepEqual(withoutRules(a.plain()), withoutRules(b.plain()))
	})
}

// withoutRules removes rules from a value, and objects in which nothing else is.
func withoutRules(v any) any {
	object, _ := v.(map[string]any)
	maps.DeleteFunc(object, func(key string, value any) bool {
		inside, isObject := withoutRules(value).(map[string]any)
		return key == vmrules.Annotation || key == vmrules.OldAnnotation || isObject && len(inside) == 0
	})
	return v
}
