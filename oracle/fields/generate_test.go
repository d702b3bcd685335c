package tables

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirt "kubevirt.io/api/core/v1"
)

// A fieldWriter writes the table of fields.
type fieldWriter struct {
	writer
	constants map[string][]string // the values of KubeVirt's string types
	versions  map[string]string   // that the table has, by type and field
	newest    string              // the version of KubeVirt that go.mod requires
}

func generate(t *testing.T, table string) string {
	w := &fieldWriter{writer{seen: map[string]bool{}}, readConstants(t), readTable(t, table), readVersion(t)}
	w.name(reflect.TypeFor[kubevirt.VirtualMachineInstanceTemplateSpec]())
	return w.text()
}

// of returns the notation for a type; "" for a string.
func (w *fieldWriter) of(t reflect.Type) string {
	if written := special[t]; written != "" {
		return written
	}
	switch t.Kind() {
	case reflect.Pointer:
		return pointerTo(t.Elem(), w.of(t.Elem()))
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "" // base64
		}
		return "[]" + w.of(t.Elem())
	case reflect.Map:
		return "{}" + w.of(t.Elem())
	case reflect.Struct:
		return w.name(t)
	case reflect.Bool:
		return "bool"
	case reflect.String:
		return w.ofString(t)
	}
	if !t.ConvertibleTo(reflect.TypeFor[int64]()) {
		panic(fmt.Sprintf("there is no notation for %v", t))
	}
	return "int"
}

// pointerTo returns the notation for a pointer. Only scalars show that they are one.
func pointerTo(t reflect.Type, written string) string {
	if t.Kind() == reflect.Struct && special[t] == "" || written == "any" {
		return written
	}
	if written == "" {
		written = "string"
	}
	return "*" + written
}

// name returns the name of a struct, and writes it later.
func (w *fieldWriter) name(t reflect.Type) string {
	name := t.Name()
	switch t.PkgPath() {
	case reflect.TypeFor[core.Affinity]().PkgPath():
		name = "core." + name
	case reflect.TypeFor[meta.ObjectMeta]().PkgPath():
		name = "meta." + name
	}
	w.later(name, func() []string { return w.fields(t, name, false) })
	return name
}

// ofString returns the name of a string type that has constants.
func (w *fieldWriter) ofString(t reflect.Type) string {
	values := w.constants[t.Name()]
	if values == nil || t.PkgPath() != reflect.TypeFor[kubevirt.DiskBus]().PkgPath() {
		return ""
	}
	return w.enumeration(t.Name(), values)
}

func (w *fieldWriter) enumeration(name string, values []string) string {
	w.later(name, func() []string {
		words := make([]string, 0, len(values))
		for _, v := range values {
			words = append(words, "="+v)
		}
		return words
	})
	return name
}

// oneOf finds the values in the doc comment of a field.
var oneOf = regexp.MustCompile(`One of: ([\w, ]+)\.`)

// documented returns the name of the values that a doc comment lists for a string, such as
// Interface.model; "" if it lists none.
func (w *fieldWriter) documented(t reflect.Type, field string) string {
	documented, ok := reflect.Zero(t).Interface().(interface{ SwaggerDoc() map[string]string })
	if !ok {
		return ""
	}
	found := oneOf.FindStringSubmatch(documented.SwaggerDoc()[field])
	if found == nil {
		return ""
	}
	return w.enumeration(t.Name()+"."+field, strings.Split(found[1], ", "))
}

// fields returns the fields of a struct, which may be embedded in another one. Kubernetes' JSONPath does not
// search in an embedded pointer.
func (w *fieldWriter) fields(t reflect.Type, of string, isHidden bool) []string {
	if t.Kind() == reflect.Pointer {
		return w.fields(t.Elem(), of, true)
	}
	var words []string
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name == "" && field.Anonymous, strings.Contains(options, "inline"):
			words = append(words, w.fields(field.Type, of, isHidden)...)
		default:
			written := w.of(field.Type)
			if written == "" {
				written = w.documented(t, name)
			}
			since := w.since(of, name)
			if isHidden {
				since = "@embedded"
			}
			if written+since != "" {
				name += ":" + written + since
			}
			words = append(words, name)
		}
	}
	return words
}
