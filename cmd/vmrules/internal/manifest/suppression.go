package manifest

import "strings"

// suppressing is the beginning of the keys of annotations that accept findings.
const suppressing = "ignore-check.vmrules.io/"

// A Suppression is an annotation of an object that accepts the findings of a check.
type Suppression struct {
	Check        string
	Rule         string // "" for all rules
	Reason       string
	Line, Column int
}

// Suppressions returns those in the metadata of the object itself.
func (o Object) Suppressions() []Suppression {
	annotations := o.tree().get("metadata", "annotations")
	if annotations == nil {
		return nil
	}
	var all []Suppression
	for _, m := range annotations.members {
		name, is := strings.CutPrefix(m.key, suppressing)
		if !is {
			continue
		}
		s := Suppression{}
		s.Check, s.Rule, _ = strings.Cut(name, ".")
		s.Reason, _ = m.value.scalar.(string)
		s.Line, s.Column = o.File.source.place(m.at)
		all = append(all, s)
	}
	return all
}
