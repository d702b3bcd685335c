package manifest

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/config"
	"github.com/vmrules/vmrules/lint"
)

// An Annotation is an annotation that contains rules, and its place in a file.
type Annotation struct {
	Object Object // the object that contains it, such as a template or a VM

	key     string
	version vmrules.ParseOption
	value   *node
}

// Annotations returns the annotations of an object, and of those inside it, that are read as rules. On
// a template, it also returns the annotation of version 201901-1.
func (o Object) Annotations() []Annotation {
	var all []Annotation
	root := o.tree()
	if own := root.get("metadata", "annotations", vmrules.OldAnnotation); own != nil && o.IsTemplate() {
		all = append(all, Annotation{o, vmrules.OldAnnotation, vmrules.DetectVersion(), own})
	}
	asWritten := func(_ *node, kind string) string { return kind }
	for _, n := range readers(root, o.Kind, asWritten) {
		if own := n.get("metadata", "annotations", vmrules.Annotation); own != nil {
			all = append(all, Annotation{o, vmrules.Annotation, nil, own})
		}
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
		f := lint.Finding{
			Severity: lint.SeverityError, ID: "wrong-type", Index: -1,
			Message: fmt.Sprintf("the annotation %s must be a string that contains JSON: in YAML, write | behind the key, and the JSON in the lines below it", a.key),
		}
		at := Span{a.value.at, a.value.end}
		if key := strings.LastIndex(a.Object.File.source.text[:a.value.at], a.key); key >= 0 {
			at = Span{key, key + len(a.key)}
		}
		a.Object.File.source.setPlace(&f, at)
		return []lint.Finding{f}
	}
	findings := lint.Annotation(text, a.Options(opts)...)
	places := a.finder()
	for i := range findings {
		f := &findings[i]
		a.Object.File.source.setPlace(f, a.locate(places, Span{f.Offset, max(f.Offset, f.End)}))
		f.Message = a.inFile(f.Message)
	}
	return append(a.folded(), findings...)
}

// Line returns the line on which the value of the annotation begins.
func (a Annotation) Line() int {
	line, _ := a.Object.File.source.place(a.value.at)
	return line
}

// Options returns options for reading the annotation with its version.
func (a Annotation) Options(opts []vmrules.ParseOption) []vmrules.ParseOption {
	return append(slices.Clip(opts), a.version)
}

// inLine matches the part of a message, about what has no end, that counts the lines of the text.
var inLine = regexp.MustCompile(`^(".*" is missing: the \w+ that begins at line )(\d+)( is not closed)`)

func (a Annotation) inFile(message string) string {
	found := inLine.FindStringSubmatch(message)
	if found == nil {
		return message
	}
	line, _ := strconv.Atoi(found[2])
	text := newSource(a.Text())
	line = min(line, len(text.lines)) // the message may be about another VM
	at := text.lines[line-1]
	at += len(text.line(line)) - len(strings.TrimLeft(text.line(line), " \t\r"))
	line, _ = a.Object.File.source.place(a.locate(a.finder(), Span{at, at + 1}).Start)
	return fmt.Sprint(found[1], line, found[3]) + message[len(found[0]):]
}

// PlaceProblems sets the lines and columns of problems of rules to those in the file, and their files,
// if they are in the annotations of the object or of an object inside it. It leaves alone what has a file.
// The options are those with which the annotations were read. It finds problems by reading the
// annotations again, and places each once, since other VMs may have the same annotation.
func (o Object) PlaceProblems(problems []vmrules.Problem, files map[*vmrules.Problem]string, opts ...vmrules.ParseOption) {
	for _, a := range o.Annotations() {
		places := map[string]lint.Finding{}
		for _, f := range a.Lint(opts...) {
			places[mistakeOf(f.Index, f.Offset, f.Message)] = f
		}
		for i := range problems {
			p := &problems[i]
			key := mistakeOf(p.Index, p.Offset, p.Message)
			if found, isHere := places[key]; isHere && files[p] == "" {
				p.Line, p.Column, files[p] = found.Line, found.Column, o.File.Name
				p.Message = a.inFile(p.Message)
				delete(places, key)
			}
		}
	}
}

// mistakeOf identifies a problem in the text of an annotation.
func mistakeOf(index, offset int, message string) string {
	message, _, _ = strings.Cut(message, " must be a string") // about rules in YAML, Lint says more
	message, _, _ = strings.Cut(message, " that begins at ")  // of lines, Lint counts those of the file
	return fmt.Sprintf("%d %d %s", index, offset, message)
}

// A Span is a part of a text, in bytes.
type Span struct{ Start, End int }

// Locate returns where a part of Text is in the file. It returns false if the file has something else
// there, such as a parameter, or if that cannot be determined.
func (a Annotation) Locate(s Span) (Span, bool) {
	written := a.written()
	part, inFile := written.span(s), a.locate(a.finder(), s)
	isWritten := written.written[part.Start:part.End] == a.Text()[s.Start:s.End]
	return inFile, isWritten && inFile.Start < inFile.End
}

// locate returns where a part of Text is in the file: of a parameter's value, the reference; of what
// cannot be determined, an empty Span at the beginning of the annotation.
func (a Annotation) locate(places *finder, s Span) Span {
	return places.span(a.written().span(s))
}

// finder returns a finder for the written text. It serves for all parts of it, in ascending order.
func (a Annotation) finder() *finder {
	return newFinder(a.Object.File.source.text, a.value.at, a.written().written)
}

// PlaceAtRule places a finding at the key of its rule, or else at the rule's name, and reports whether
// the rule is in the annotation.
func (a Annotation) PlaceAtRule(f *lint.Finding) bool {
	for _, rule := range typed(a.Text()).members {
		if rule.value.text("name") == f.Rule {
			at := cmp.Or(rule.value.get(f.Key), rule.value.get("name"))
			a.Object.File.source.setPlace(f, a.locate(a.finder(), Span{at.at, at.end}))
			return true
		}
	}
	return false
}

// written returns the text as it is in the file, with its parameters not yet filled in.
func (a Annotation) written() filledText {
	if a.value.filled != nil {
		return *a.value.filled
	}
	return filledText{written: a.Text()}
}

// ReferenceAt returns the reference to the parameter whose value is at an offset of Text; "" if there is none.
func (a Annotation) ReferenceAt(offset int) string {
	t := a.written()
	if p := t.pieceBefore(offset + 1); offset < p.end {
		return t.written[p.from:p.to]
	}
	return ""
}

// suppressing is the beginning of the keys of annotations that accept findings.
const suppressing = "ignore-check.vmrules.io/"

// Suppressions returns the annotations in the metadata of the object itself that accept the findings of a
// check.
func (o Object) Suppressions() []*config.Ignore {
	var all []*config.Ignore
	for _, m := range o.tree().get("metadata", "annotations").inside(object) {
		if name, is := strings.CutPrefix(m.key, suppressing); is {
			s := &config.Ignore{}
			s.Check, s.Rule, _ = strings.Cut(name, ".")
			s.Reason, _ = m.value.scalar.(string)
			s.Line, s.Column = o.File.source.place(m.at)
			all = append(all, s)
		}
	}
	return all
}
