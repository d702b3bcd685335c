// Package vmsource says whose rules a VM has, as its annotations and labels, and those of the template
// around it, tell. It reads no rules.
package vmsource

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// A Kind says from where a VM has its rules.
type Kind string

// The kinds. "" means that it has none.
const (
	Exempt     Kind = "exempt"     // from all rules
	Own        Kind = "own"        // from its own annotation
	Around     Kind = "around"     // from the annotation of the template around it
	Template   Kind = "template"   // from the template that it names
	Unreadable Kind = "unreadable" // it may name a template, but that cannot be read
)

// A Ref is how a VM names a template.
type Ref struct {
	Namespace   string // "" if the VM does not say it
	Name        string
	VMNamespace string // of the VM, or of what makes it
}

// A Source is whose rules a VM has.
type Source struct {
	From     Kind
	Text     Text // of Own and Around, and what is wrong if it is Unreadable
	Template Ref
}

// Of returns whose rules the VM of a target has: the first that applies in the order of the Kinds.
func Of(t *vmtarget.Target) Source {
	if IsExempt(t.VM) {
		return Source{From: Exempt}
	}
	if own := OwnText(t.VM); !own.IsBlank() {
		return Source{From: Own, Text: own}
	}
	if around := TextAt(t.Template, OldAnnotation, OfTemplate); !around.IsBlank() {
		return Source{From: Around, Text: around}
	}
	if wrong := cmp.Or(misshapenIn(t.VM, "labels"), wrongName(t.VM)); wrong != nil {
		return Source{From: Unreadable, Text: Text{wrong, TemplateLabel, OfVM}}
	}
	namespace, name := named(t.VM)
	if name == "" {
		return Source{}
	}
	return Source{From: Template, Template: Ref{namespace, name, cmp.Or(namespaceOf(t.VM), namespaceOf(t.Holder))}}
}

// IsSame reports whether an update changes nothing of whose rules a VM has. A VM that names a template
// by half names another one in another namespace.
func (s Source) IsSame(old Source) bool {
	switch {
	case s.From != old.From, s.From == Unreadable:
		return false
	case s.From == Own:
		return s.Text.HasSame(old.Text)
	case s.From == Template && s.Template.Namespace != "":
		return s.Template.Namespace == old.Template.Namespace && s.Template.Name == old.Template.Name
	}
	return s.Template == old.Template
}

// TemplateOf returns the template that a VM names with its namespace; "" if there is none, or if that
// cannot be read.
func TemplateOf(vm any) (namespace, name string) {
	if namespace, name = named(vm); namespace == "" || wrongName(vm) != nil {
		return "", ""
	}
	return namespace, name
}

// NameOf returns the namespace and name of an object.
func NameOf(v any) string {
	return Join(namespaceOf(v), value.StringAt(value.At(v, "metadata"), "name"))
}

// Join joins a namespace, which may be "", and a name.
func Join(namespace, name string) string { return strings.TrimPrefix(namespace+"/"+name, "/") }

func namespaceOf(v any) string { return value.StringAt(value.At(v, "metadata"), "namespace") }

// named returns the template that a VM names in its labels or its annotations. If neither has the
// namespace, it returns the name alone.
func named(vm any) (namespace, name string) {
	for _, in := range []string{"labels", "annotations"} {
		values := value.At(vm, "metadata", in)
		next := value.StringAt(values, TemplateLabel)
		if next == "" {
			continue
		}
		namespace = cmp.Or(value.StringAt(values, TemplateNamespaceLabel), value.StringAt(values, OldTemplateNamespaceLabel))
		if namespace != "" {
			return namespace, next
		}
		name = cmp.Or(name, next)
	}
	return "", name
}

// wrongName returns what may name a template, but is no readable text; nil if there is none.
func wrongName(vm any) any {
	for _, where := range []string{"labels", "annotations"} {
		for _, key := range []string{TemplateLabel, TemplateNamespaceLabel, OldTemplateNamespaceLabel} {
			switch v := value.At(vm, "metadata", where, key); {
			case !value.IsReadable(v):
				return v
			case v != nil && value.ShapeOf(v) != value.String:
				return misshapen(fmt.Sprintf("metadata.%s: %s must be a string, not %s", where, key, value.Describe(v)))
			}
		}
	}
	return nil
}
