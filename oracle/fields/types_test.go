package fields

import (
	"reflect"
	"strings"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirt "kubevirt.io/api/core/v1"
)

// generateTypes returns the table of lint/ssp: what KubeVirt's template validator sees of a VM.
func generateTypes() string {
	w := &writer{seen: map[string]bool{}}
	w.goType(reflect.TypeFor[kubevirt.VirtualMachineInstanceTemplateSpec]())
	for len(w.queue) > 0 {
		next := w.queue[0]
		w.queue = w.queue[1:]
		next()
	}
	return w.out.String()
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
