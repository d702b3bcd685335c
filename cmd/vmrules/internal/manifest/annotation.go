package manifest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

// An Annotation is an annotation that contains rules, and its place in a file.
type Annotation struct {
	Object Object // the object that contains it, such as a template or a VM

	key     string
	version vmrules.ParseOption
	value   *node
}

// Annotations returns the annotations with rules of an object and of all objects inside it. On
// a template, it also returns the annotation of version 201901-1.
func (o Object) Annotations() []Annotation {
	var all []Annotation
	if own := o.node.get("metadata", "annotations", vmrules.OldAnnotation); own != nil && o.IsTemplate() {
		all = append(all, Annotation{o, vmrules.OldAnnotation, vmrules.DetectVersion(), own})
	}
	return o.appendAnnotations(all, o.node)
}

func (o Object) appendAnnotations(all []Annotation, n *node) []Annotation {
	if own := n.get("metadata", "annotations", vmrules.Annotation); own != nil {
		all = append(all, Annotation{o, vmrules.Annotation, vmrules.WithVersion(vmrules.V201902), own})
	}
	for _, m := range n.members {
		all = o.appendAnnotations(all, m.value)
	}
	for _, item := range n.items {
		all = o.appendAnnotations(all, item)
	}
	return all
}

// Text returns the text of the annotation, with the parameters of a template filled in. It is ""
// if the annotation is not a string.
func (a Annotation) Text() string {
	text, _ := a.value.scalar.(string)
	return text
}

// Lint returns the findings of package lint, with lines and columns in the file. If a place
// inside the annotation cannot be determined, its line and column are those of the beginning
// of the annotation. Lint also reports rules that are written as YAML instead of a string.
func (a Annotation) Lint(opts ...vmrules.ParseOption) []lint.Finding {
	text, ok := a.value.scalar.(string)
	if !ok {
		line, column := a.place("", 0)
		return []lint.Finding{{
			Severity: lint.SeverityError, ID: "wrong-type", Index: -1, Line: line, Column: column,
			Message: fmt.Sprintf("the annotation %s must be a string that contains JSON: in YAML, write | behind the key, and the JSON in the lines below it", a.key),
		}}
	}
	findings := lint.Annotation(text, append(slices.Clip(opts), a.version)...)
	a.placeAll(findings, text)
	return findings
}

// placeAll sets the lines and columns of findings about a text. It sorts the findings by place,
// so that it reads the text only once.
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

// PlaceOfRule returns where the name of a rule is written; false if that is not in the annotation.
func (a Annotation) PlaceOfRule(name string) (line, column int, ok bool) {
	quoted, _ := json.Marshal(name)
	offset := strings.Index(a.Text(), string(quoted))
	line, column = a.place(a.Text(), max(offset, 0))
	return line, column, offset >= 0
}

func (a Annotation) place(text string, offset int) (line, column int) {
	source := a.Object.file.source
	written := a.written(text)
	return source.place(newFinder(source.text, a.value.at, written.written).find(written.offset(offset)))
}

// written returns the text of the annotation as it is in the file, with its parameters not yet
// filled in.
func (a Annotation) written(text string) filledText {
	if filled, ok := a.Object.filled[a.value]; ok {
		return filled
	}
	return filledText{written: text}
}
