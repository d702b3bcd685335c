package manifest

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vmrules/vmrules/lint"
)

// An Edit puts other text in the place of a part of a text.
type Edit struct {
	Span
	With string
}

// A Change is a change of one text in a file: of rules, or of a key; or it moves rules. All else of the file stays
// as it is, byte for byte.
type Change struct {
	of       place
	isJSON   bool   // the text is that of a Document
	text     string // as the file has it
	edits    []Edit // of the text
	inFile   []Edit
	template *node // in which it moves rules; nil for any other Change
}

// A place tells a key from the value or the object that begins with it.
type place struct {
	at    int
	isKey bool
}

// Around returns the part of the file in which the Change is.
func (c Change) Around() Span { return Span{c.inFile[0].Start, c.inFile[len(c.inFile)-1].End} }

// Change returns the Change that edits Text. The edits are in ascending order. It returns false if there are
// none, if the file has something else there, such as a parameter, or if that cannot be determined.
func (a Annotation) Change(edits []Edit) (Change, bool) {
	text := a.Text()
	written := a.written()
	c := Change{of: place{at: a.value.at}, text: written.written}
	form := newScalarText(a.Object.File.source.text, a.value.at).form
	for _, e := range edits {
		at, ok := e.locate(text, a.Locate)
		if !ok {
			return Change{}, false
		}
		c.edits = append(c.edits, Edit{written.span(e.Span), e.With})
		c.inFile = append(c.inFile, Edit{at, inForm(form, e.With)})
	}
	return c, len(edits) > 0
}

// locate returns where a part of a text is in the file, as inFile says of any part that is not empty. What is
// inserted belongs beside a character: that before it, if there is one and it is not a blank.
func (s Span) locate(text string, inFile func(Span) (Span, bool)) (Span, bool) {
	if s.Start < s.End {
		return inFile(s)
	}
	if c, size := utf8.DecodeLastRuneInString(text[:s.Start]); size > 0 && !isBlank(c) {
		at, ok := inFile(Span{s.Start - size, s.End})
		return Span{at.End, at.End}, ok
	}
	_, size := utf8.DecodeRuneInString(text[s.Start:])
	at, ok := inFile(Span{s.Start, s.End + size})
	return Span{at.Start, at.Start}, ok
}

// inForm returns text as it is written in a scalar with these quotes, or without any.
func inForm(quote byte, text string) string {
	switch quote {
	case '"':
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
	case '\'':
		return strings.ReplaceAll(text, "'", "''")
	}
	return text
}

// Change returns the Change that edits what JSON has returned. It returns false if there are no edits, or if it
// cannot make them.
func (d Document) Change(edits []Edit) (Change, bool) {
	c := Change{of: place{at: d.node.at}, isJSON: true, text: d.made, edits: edits}
	for _, e := range edits {
		at, _ := e.locate(d.made, func(s Span) (Span, bool) { return d.locate(s), true })
		inFile := Edit{at, e.With}
		if d.node.end == 0 && d.markBefore(e.Start+1).written < e.Start { // in a string
			var meant string
			if json.Unmarshal([]byte(`"`+e.With+`"`), &meant) != nil {
				return Change{}, false
			}
			inFile.With = inForm(newScalarText(d.File.source.text, d.markBefore(e.Start).at).form, meant)
		}
		c.inFile = append(c.inFile, inFile)
	}
	return c, len(edits) > 0
}

// MovesRules reports whether the Change moves rules from a template to its VM.
func (c Change) MovesRules() bool { return c.template != nil }

// ChangeKey returns the Change that writes what a finding of Mistakes suggests instead of a key, or of
// the value of its Key; or that moves rules.
func (f *File) ChangeKey(found lint.Finding) Change {
	if found.ID == "misplaced-annotation" {
		return f.moveRules(found)
	}
	quote := ""
	if form := newScalarText(f.source.text, found.Offset).form; form != 0 {
		quote = string(form)
	}
	return Change{
		of: place{found.Offset, found.Key == ""}, edits: []Edit{{With: found.Suggestion}},
		inFile: []Edit{{Span{found.Offset, found.End}, quote + found.Suggestion + quote}},
	}
}

// Replacements returns what a Change writes, each with the place of what is there now.
func (f *File) Replacements(c Change) []lint.Finding {
	var all []lint.Finding
	for _, e := range c.inFile {
		at := lint.Finding{Suggestion: e.With}
		f.source.setPlace(&at, e.Span)
		all = append(all, at)
	}
	return all
}

// With returns the file with changes. It returns false if these overlap, or if anything but
// the texts that they change would have another value then. A Change that moves rules must be the only one.
func (f *File) With(changes []Change) (*File, bool) {
	isMove := slices.ContainsFunc(changes, Change.MovesRules)
	if isMove && len(changes) > 1 {
		return nil, false
	}
	var inFile []Edit
	texts := map[place]Change{} // each with all of its edits
	for _, c := range changes {
		inFile = append(inFile, c.inFile...)
		c.edits = append(texts[c.of].edits, c.edits...)
		texts[c.of] = c
	}
	wanted := values{}
	for at, c := range texts {
		text, ok := Splice(c.text, c.edits)
		wanted[at] = text
		if c.isJSON && ok {
			read := typed(text)
			wanted[at], ok = read.plain(), read.shape == array
		}
		if !ok {
			return nil, false
		}
	}
	text, ok := Splice(f.Raw, f.inRaw(inFile))
	if !ok {
		return nil, false
	}
	changed, _ := Parse(f.Name, text)
	changed.isStream = f.isStream
	if isMove {
		return changed, f.hasMoved(changes[0].template, changed)
	}
	same := func(a, b *node) bool { return wanted.same(f.source.whole(a), changed.source.whole(b)) }
	return changed, len(changed.Wrong) == len(f.Wrong) && slices.EqualFunc(f.documents, changed.documents, same)
}

// inRaw returns edits of the text of the source as edits of the bytes of the file, which may also
// have a byte order mark, and CRLF at the ends of lines.
func (f *File) inRaw(edits []Edit) []Edit {
	lines := newSource(f.Raw).lines
	lines[0] = len(f.Raw) - len(strings.TrimPrefix(f.Raw, byteOrderMark))
	inRaw := func(at int) int {
		line, _ := f.source.place(at)
		return lines[line-1] + at - f.source.lines[line-1]
	}
	edits = slices.Clone(edits)
	for i, e := range edits {
		edits[i].Span = Span{inRaw(e.Start), inRaw(e.End)}
	}
	return edits
}

// Splice returns a text with edits; false if these overlap.
func Splice(text string, edits []Edit) (string, bool) {
	var b strings.Builder
	at := 0
	for _, e := range slices.SortedStableFunc(slices.Values(edits), func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) }) {
		if e.Start < at || e.End < e.Start {
			return text, false
		}
		b.WriteString(text[at:e.Start] + e.With)
		at = e.End
	}
	return b.String() + text[at:], true
}

// values are those that keys, strings and documents must have after changes.
type values map[place]any

// same reports whether a value is the same as before, apart from what must change in it.
func (v values) same(old, changed *node) bool {
	if want, ok := v[place{at: old.at}]; ok && old.shape != object {
		return reflect.DeepEqual(want, changed.plain())
	}
	return old.shape == changed.shape && reflect.DeepEqual(old.scalar, changed.scalar) &&
		slices.EqualFunc(old.members, changed.members, func(a, b member) bool {
			want, ok := v[place{a.at, true}]
			if !ok || old.shape == array {
				want = a.key
			}
			return want == b.key && v.same(a.value, b.value)
		})
}
