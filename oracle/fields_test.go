package oracle

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fieldTable is the table of fields that package lint knows. Its head describes its form.
const fieldTable = "../lint/fields.txt"

// fieldRoots are the Kubernetes types that a VM holds, by their names in the table. The
// test finds the types below them by reflection.
var fieldRoots = map[string]any{
	"meta.ObjectMeta":                        meta.ObjectMeta{},
	"core.Affinity":                          core.Affinity{},
	"core.Toleration":                        core.Toleration{},
	"core.TopologySpreadConstraint":          core.TopologySpreadConstraint{},
	"core.PodDNSConfig":                      core.PodDNSConfig{},
	"core.PodResourceClaim":                  core.PodResourceClaim{},
	"core.ExecAction":                        core.ExecAction{},
	"core.HTTPGetAction":                     core.HTTPGetAction{},
	"core.TCPSocketAction":                   core.TCPSocketAction{},
	"core.LocalObjectReference":              core.LocalObjectReference{},
	"core.PersistentVolumeClaimVolumeSource": core.PersistentVolumeClaimVolumeSource{},
	"core.DownwardAPIVolumeFile":             core.DownwardAPIVolumeFile{},
}

// fieldTypes has types by name; of each, the type of each field.
type fieldTypes map[string]map[string]string

// TestFields compares the Kubernetes types in the table with the Go types. KubeVirt's own
// types have no such test, since this module does not require KubeVirt's.
func TestFields(t *testing.T) {
	want := fieldTypes{}
	for name, root := range fieldRoots {
		if got := want.of(reflect.TypeOf(root)); got != name {
			t.Errorf("%s is called %s", name, got)
		}
	}
	got, used := readFieldTable(t)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Kubernetes' types in fields.txt (-want +got):\n%s", diff)
	}
	for name := range fieldRoots {
		if !used[name] {
			t.Errorf("no type of KubeVirt holds a %s", name)
		}
	}
}

// readFieldTable reads the Kubernetes types, and which of them other types refer to.
func readFieldTable(t *testing.T) (fieldTypes, map[string]bool) {
	text, err := os.ReadFile(fieldTable)
	if err != nil {
		t.Fatal(err)
	}
	types, used := fieldTypes{}, map[string]bool{}
	current := ""
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || line[0] == '#':
			continue
		case line[0] != '\t':
			current = words[0]
			continue
		}
		for _, word := range words {
			name, of, _ := strings.Cut(word, ":")
			if !strings.Contains(current, ".") {
				used[strings.TrimPrefix(of, "[]")] = true
				continue
			}
			if types[current] == nil {
				types[current] = map[string]string{}
			}
			types[current][name] = of
		}
	}
	return types, used
}

// of returns the table's name for a type. It adds the types that it finds.
func (f fieldTypes) of(t reflect.Type) string {
	switch t.Name() {
	case "Time", "MicroTime", "Quantity", "IntOrString":
		return "" // a scalar in JSON
	case "FieldsV1":
		return "any"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return f.of(t.Elem())
	case reflect.Slice:
		return "[]" + f.of(t.Elem())
	case reflect.Map:
		return "map"
	case reflect.Struct:
		return f.add(t)
	}
	return ""
}

func (f fieldTypes) add(t reflect.Type) string {
	name := "core." + t.Name()
	if t.PkgPath() == reflect.TypeFor[meta.ObjectMeta]().PkgPath() {
		name = "meta." + t.Name()
	}
	if f[name] != nil {
		return name
	}
	f[name] = map[string]string{}
	for i := range t.NumField() {
		field, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		f[name][field] = f.of(t.Field(i).Type)
	}
	return name
}
