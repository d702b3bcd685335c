package tables

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// oracle/ssp has a link to this file. A package that both modules import could require only one version
// of Kubernetes' types.

var update = flag.Bool("update", false, "rewrite the table")

// special has the types whose JSON does not follow from their Go type.
var special = map[reflect.Type]string{
	reflect.TypeFor[meta.Time]():          "time",
	reflect.TypeFor[meta.MicroTime]():     "time",
	reflect.TypeFor[meta.FieldsV1]():      "any",
	reflect.TypeFor[resource.Quantity]():  "quantity",
	reflect.TypeFor[intstr.IntOrString](): "int-or-string",
}

// A writer writes a table: each type behind the one that first refers to it, and its fields in the
// order of the Go type.
type writer struct {
	seen  map[string]bool
	queue []func()
	out   strings.Builder
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

// text writes all types, and returns the table.
func (w *writer) text() string {
	for len(w.queue) > 0 {
		next := w.queue[0]
		w.queue = w.queue[1:]
		next()
	}
	return w.out.String()
}

// tableStart is the first line of a table that is generated; the lines before it are kept.
const tableStart = "\nVirtualMachineInstanceTemplateSpec\n"

// compare compares a file with the table that the Go types make, of the versions that go.mod requires.
func compare(t *testing.T, file, generated string) {
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	start := bytes.Index(written, []byte(tableStart))
	if start < 0 {
		t.Fatalf("%s has no line VirtualMachineInstanceTemplateSpec", file)
	}
	want := string(written[:start+1]) + generated
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(written), "\n")); diff != "" {
		t.Errorf("run go test -update, and read the difference of %s (-types +table):\n%s", file, diff)
	}
}
