package manifest

import (
	"fmt"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

// An Annotation holds rules in a file.
type Annotation struct {
	Object Object // the template, or else the VM

	key     string
	version vmrules.Version
	value   *node
}

// Annotations are those of an object and of the objects in it: the rules of a
// VM, and those of version 201901-1 on a template itself.
func (o Object) Annotations() []Annotation {
	var all []Annotation
	if own := o.node.get("metadata", "annotations", vmrules.OldAnnotation); own != nil && o.IsTemplate() {
		all = append(all, Annotation{o, vmrules.OldAnnotation, vmrules.VDetected, own})
	}
	return o.appendAnnotations(all, o.node)
}

func (o Object) appendAnnotations(all []Annotation, n *node) []Annotation {
	if own := n.get("metadata", "annotations", vmrules.Annotation); own != nil {
		all = append(all, Annotation{o, vmrules.Annotation, vmrules.V201902, own})
	}
	for _, m := range n.members {
		all = o.appendAnnotations(all, m.value)
	}
	for _, item := range n.items {
		all = o.appendAnnotations(all, item)
	}
	return all
}

// Lint is the library's, but for lines and columns: they are those in the file.
// Where a string is written in a way that hides them, they are those of its
// beginning. Rules that are written as YAML and not as a string are found, too.
func (a Annotation) Lint(opts ...vmrules.ParseOption) []lint.Finding {
	text, ok := a.value.scalar.(string)
	if !ok {
		line, column := a.place("", 0)
		return []lint.Finding{{
			Severity: lint.SeverityError, ID: "wrong-type", Index: -1, Line: line, Column: column,
			Message: fmt.Sprintf("the annotation %s must be a string that holds JSON: in YAML, write | in front of the rules", a.key),
		}}
	}
	findings := lint.Annotation(text, append(slices.Clip(opts), vmrules.WithVersion(a.version))...)
	a.placeAll(findings, text)
	return findings
}

// placeAll sets the lines and columns of findings about a text, which is read once.
func (a Annotation) placeAll(findings []lint.Finding, text string) {
	inOrder := make([]*lint.Finding, 0, len(findings))
	for i := range findings {
		inOrder = append(inOrder, &findings[i])
	}
	slices.SortStableFunc(inOrder, func(f, g *lint.Finding) int { return f.Offset - g.Offset })
	source := a.Object.file.source
	written := a.written(text)
	finder := newFinder(source.text, a.value.at, written.written)
	for _, f := range inOrder {
		f.Line, f.Column = source.place(finder.find(written.offset(f.Offset)))
	}
}

func (a Annotation) place(text string, offset int) (line, column int) {
	source := a.Object.file.source
	written := a.written(text)
	return source.place(newFinder(source.text, a.value.at, written.written).find(written.offset(offset)))
}

// written returns the text as it is in the file, where parameters stand.
func (a Annotation) written(text string) filledText {
	if filled, ok := a.Object.filled[a.value]; ok {
		return filled
	}
	return filledText{written: text}
}
