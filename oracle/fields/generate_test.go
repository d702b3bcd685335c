package fields

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	kubevirt "kubevirt.io/api/core/v1"
)

// A writer writes the table: each type when it is first referred to, and its fields in the
// order of the Go type.
type writer struct {
	constants map[string][]string // the values of KubeVirt's string types
	seen      map[string]bool
	queue     []func()
	out       strings.Builder
}

func generate(t *testing.T) string {
	w := &writer{constants: readConstants(t), seen: map[string]bool{}}
	w.name(reflect.TypeFor[kubevirt.VirtualMachineInstanceTemplateSpec]())
	for len(w.queue) > 0 {
		next := w.queue[0]
		w.queue = w.queue[1:]
		next()
	}
	return w.out.String()
}

// special has the types whose JSON does not follow from their Go type.
var special = map[reflect.Type]string{
	reflect.TypeFor[meta.Time]():          "time",
	reflect.TypeFor[meta.MicroTime]():     "time",
	reflect.TypeFor[meta.FieldsV1]():      "any",
	reflect.TypeFor[resource.Quantity]():  "quantity",
	reflect.TypeFor[intstr.IntOrString](): "int-or-string",
}

// of returns the notation for a type; "" for a string.
func (w *writer) of(t reflect.Type) string {
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
		return w.text(t)
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
func (w *writer) name(t reflect.Type) string {
	name := t.Name()
	switch t.PkgPath() {
	case reflect.TypeFor[core.Affinity]().PkgPath():
		name = "core." + name
	case reflect.TypeFor[meta.ObjectMeta]().PkgPath():
		name = "meta." + name
	}
	w.later(name, func() []string { return w.fields(t) })
	return name
}

// text returns the name of a string type that has constants.
func (w *writer) text(t reflect.Type) string {
	values := w.constants[t.Name()]
	if values == nil || t.PkgPath() != reflect.TypeFor[kubevirt.DiskBus]().PkgPath() {
		return ""
	}
	return w.enumeration(t.Name(), values)
}

func (w *writer) enumeration(name string, values []string) string {
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
func (w *writer) documented(t reflect.Type, field string) string {
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

func (w *writer) fields(t reflect.Type) []string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var words []string
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name == "" && field.Anonymous, strings.Contains(options, "inline"):
			words = append(words, w.fields(field.Type)...)
		default:
			of := w.of(field.Type)
			if of == "" {
				of = w.documented(t, name)
			}
			if of != "" {
				name += ":" + of
			}
			words = append(words, name)
		}
	}
	return words
}

// later writes a type once, after the types before it.
func (w *writer) later(name string, words func() []string) {
	if w.seen[name] {
		return
	}
	w.seen[name] = true
	w.queue = append(w.queue, func() { w.write(name, words()) })
}

const width = 80

func (w *writer) write(name string, words []string) {
	fmt.Fprintln(&w.out, name)
	line := ""
	for _, word := range words {
		if line != "" && len("    ")+len(line)+len(" ")+len(word) > width {
			fmt.Fprintf(&w.out, "\t%s\n", line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	if line != "" {
		fmt.Fprintf(&w.out, "\t%s\n", line)
	}
}
