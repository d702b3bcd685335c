package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// Nothing returns an *Error if a stream holds no object of a kind, and no document that counts
// otherwise. What came then is often the message of a command that failed, which may be YAML.
func (f *File) Nothing(counts func(Document) bool) error {
	hasKind := func(n *node) bool { return n.text("kind") != "" }
	switch {
	case !f.isStream, slices.ContainsFunc(f.documents, hasKind), slices.ContainsFunc(f.Documents(), counts):
		return nil
	case len(f.documents) == 0:
		return &Error{File: f.Name, Message: "empty input: the command that writes it may have failed"}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(f.source.text), "\n")
	return &Error{File: f.Name, Message: fmt.Sprintf("no Kubernetes object in the input: the command that writes it may have failed: %.200q", first)}
}

// HoldsVM reports whether the document is an object that may contain VMs or has an annotation
// with rules.
func (d Document) HoldsVM() bool {
	return d.IsObject() && d.Object.HoldsVM()
}
