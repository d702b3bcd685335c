package manifest

import (
	"reflect"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

// MoveRules returns the Change that moves rules, which a finding of Mistakes is about, from the metadata of a
// KubeVirt template to that of its VM. It returns false if they are not lines of YAML, or cannot be read there.
func (f *File) MoveRules(found lint.Finding) (Change, bool) {
	isFound := func(m member) bool { return m.at == found.Offset }
	for _, o := range f.Objects() {
		annotations := o.node.get("metadata", "annotations")
		filled, err := o.Fill(nil)
		if err != nil || annotations == nil || !slices.ContainsFunc(annotations.members, isFound) {
			continue
		}
		_, err = vmrules.ParseRules(filled.Annotations()[0].Text(), vmrules.WithVersion(vmrules.V201902))
		edits := f.moveToVM(found.Offset, o.node.get("spec", "virtualMachine"))
		return Change{inFile: edits, moved: o.node}, err == nil && edits != nil
	}
	return Change{}, false
}

// moveToVM returns the edits that move the rules with a key at an offset to a VM; nil if it cannot.
func (f *File) moveToVM(key int, to *node) []Edit {
	missing := []string{"metadata", "annotations"}
	for to != nil && len(missing) > 0 && to.get(missing[0]) != nil {
		to, missing = to.get(missing[0]), missing[1:]
	}
	if to == nil || len(to.members) == 0 {
		return nil
	}
	s := f.source
	from, _ := s.place(key)
	line, _ := s.place(to.members[0].at)
	if s.beginOf(from) != key || s.beginOf(line) != to.members[0].at { // they are in brackets
		return nil
	}
	own, indent := strings.Repeat(" ", indentOf(s.line(from))), strings.Repeat(" ", indentOf(s.line(line)))
	end := from
	for end < len(s.lines) && (!hasText(s.line(end+1)) || indentOf(s.line(end+1)) > len(own)) {
		end++
	}
	rules := strings.TrimSuffix(s.text[endOfScalar(s.text, key, vmrules.OldAnnotation):s.endOf(end)], "\n") + "\n"
	text := ""
	for _, name := range missing {
		text += indent + name + ":\n"
		indent += "  "
	}
	text += indent + vmrules.Annotation + strings.ReplaceAll(rules, "\n"+own, "\n"+indent)
	if strings.Contains(f.Raw, "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	cut, at := Span{s.lines[from-1], s.endOf(end)}, s.lines[line-1]
	if isLast := indentOf(s.line(end+1)) < len(own); isLast && strings.TrimSpace(s.line(from-1)) == "annotations:" {
		cut.Start = s.lines[from-2]
	}
	edits := []Edit{{cut, ""}, {Span{at, at}, text}}
	slices.SortFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
	return edits
}

// endOf returns the end of a line, with its line end.
func (s *source) endOf(n int) int {
	if n == len(s.lines) {
		return len(s.text)
	}
	return s.lines[n]
}

// hasMoved reports whether another file is the same, but for rules that have moved from a template to its VM.
func (f *File) hasMoved(template *node, to *File) bool {
	return slices.EqualFunc(f.documents, to.documents, func(a, b *node) bool {
		content := a.plain()
		if a == template {
			want := content.(map[string]any)
			metadata, vm := inside(want, "metadata"), inside(inside(want, "spec"), "virtualMachine")
			annotations := inside(metadata, "annotations")
			inside(inside(vm, "metadata"), "annotations")[vmrules.Annotation] = annotations[vmrules.OldAnnotation]
			if delete(annotations, vmrules.OldAnnotation); len(annotations) == 0 {
				delete(metadata, "annotations")
			}
		}
		return reflect.DeepEqual(content, b.plain())
	})
}

// inside returns the object at a key of another, which it adds if it is missing.
func inside(object map[string]any, key string) map[string]any {
	found, _ := object[key].(map[string]any)
	if found == nil {
		found = map[string]any{}
		object[key] = found
	}
	return found
}
