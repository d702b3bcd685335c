package vmsource

import (
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/internal/value"
)

// The keys of annotations and labels. Package vmrules exports the same, and says what they mean.
const (
	Annotation                = "vm.kubevirt.io/validations"
	OldAnnotation             = "validations"
	SkipAnnotation            = "vm.kubevirt.io/skip-validations"
	TemplateLabel             = "vm.kubevirt.io/template"
	TemplateNamespaceLabel    = "vm.kubevirt.io/template.namespace"
	OldTemplateNamespaceLabel = "vm.kubevirt.io/template-namespace"
)

// Whose a Text is.
const (
	OfVM       = "VM"
	OfTemplate = "template"
)

// A Text is what is found at the key of an annotation, which should be a text.
type Text struct {
	Value any // nil: absent
	Key   string
	Of    string // OfVM or OfTemplate
}

// TextAt returns the annotation of an object with a key.
func TextAt(v any, key, of string) Text {
	t := Text{value.At(v, "metadata", "annotations", key), key, of}
	if t.Value == nil {
		t.Value = misshapenIn(v, "annotations")
	}
	return t
}

// OwnText returns the annotation with the rules of a VM itself. That is SkipAnnotation if it is not
// readable, so that the VM may be exempt.
func OwnText(vm any) Text {
	if skip := TextAt(vm, SkipAnnotation, OfVM); !value.IsReadable(skip.Value) {
		return skip
	}
	return TextAt(vm, Annotation, OfVM)
}

// IsExempt reports whether a VM is certainly exempt from all rules.
func IsExempt(vm any) bool {
	skip := value.At(vm, "metadata", "annotations", SkipAnnotation)
	return skip != nil && value.IsReadable(skip)
}

// IsBlank reports whether there is no annotation, or only white space in it.
func (t Text) IsBlank() bool {
	s, isString := t.Value.(string)
	return t.Value == nil || isString && strings.TrimSpace(s) == ""
}

// Wrong says why the value is not a text; "" if it is one.
func (t Text) Wrong() string {
	switch v := t.Value.(type) {
	case string:
		return ""
	case misshapen:
		return string(v)
	}
	if !value.IsReadable(t.Value) {
		return fmt.Sprintf("%s cannot be read: it is, or is inside, %s", t.Key, value.Describe(t.Value))
	}
	return fmt.Sprintf("the annotation %s must be a string that holds JSON, not %s", t.Key, value.Describe(t.Value))
}

// HasSame reports whether both are texts, and equal.
func (t Text) HasSame(u Text) bool {
	a, isText := t.Value.(string)
	return isText && a == u.Value && t.Key == u.Key
}

// A misshapen says what is wrong with metadata in which an annotation or label may be meant to be.
type misshapen string

// misshapenIn returns what is wrong with the shape of an object's metadata, or with a member of it
// that holds texts by their keys; nil if both are well.
func misshapenIn(v any, member string) any {
	at := "metadata"
	found := value.At(v, "metadata")
	if value.ShapeOf(found) == value.Object {
		at += "." + member
		found = value.At(found, member)
	}
	if found == nil || !value.IsReadable(found) || value.ShapeOf(found) == value.Object {
		return nil
	}
	return misshapen(fmt.Sprintf("%s must be an object, not %s", at, value.Describe(found)))
}
