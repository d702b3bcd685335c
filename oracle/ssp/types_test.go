// Package tables keeps lint/ssp/types.txt, the table of what KubeVirt's template validator sees of a VM,
// equal to the Go types that it is compiled with.
package tables

import (
	"reflect"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirt "kubevirt.io/api/core/v1"
)

func TestTypes(t *testing.T) {
	w := &writer{seen: map[string]bool{}}
	w.goType(reflect.TypeFor[kubevirt.VirtualMachineInstanceTemplateSpec]())
	compare(t, "../../lint/ssp/types.txt", w.text())
}

// goType returns the notation for a type in Go, and writes later what it is.
func (w *writer) goType(t reflect.Type) string {
	name := goName(t)
	switch {
	case special[t] != "":
		w.later(name, func() []string { return []string{"=" + special[t]} })
		return name
	case t.Kind() == reflect.Struct:
		w.later(name, func() []string { return w.goFields(t) })
		return name
	case t.PkgPath() != "":
		w.later(name, func() []string { return []string{"=" + w.underlying(t)} })
		return name
	}
	return w.underlying(t)
}

func (w *writer) underlying(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + w.goType(t.Elem())
	case reflect.Slice:
		return "[]" + w.goType(t.Elem())
	case reflect.Map:
		return "{}" + w.goType(t.Elem())
	}
	return t.Kind().String()
}

// goName returns the name of a type with that of its package, which is left out if it is
// KubeVirt's.
func goName(t reflect.Type) string {
	switch t.PkgPath() {
	case reflect.TypeFor[kubevirt.DiskBus]().PkgPath():
		return t.Name()
	case reflect.TypeFor[core.Affinity]().PkgPath():
		return "core." + t.Name()
	case reflect.TypeFor[meta.ObjectMeta]().PkgPath():
		return "meta." + t.Name()
	}
	return t.String()
}

// goFields returns the fields of a struct in the order of Go. An embedded struct has no name.
func (w *writer) goFields(t reflect.Type) []string {
	var words []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if of := w.goType(t.Field(i).Type); of != "string" {
			name += ":" + of
		}
		words = append(words, name)
	}
	return words
}
