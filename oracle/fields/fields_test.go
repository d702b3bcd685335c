// Package fields keeps internal/vmapi/fields.txt, the table of the fields that a VM may have, and
// lint/ssp/types.txt, that of their types in Go, equal to KubeVirt's Go types.
package fields

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the tables")

// tableStart is the first line of a table that is generated; the lines before it are kept.
const tableStart = "\nVirtualMachineInstanceTemplateSpec\n"

// TestFields and TestTypes compare the tables with the Go types of KubeVirt and Kubernetes that
// go.mod requires.
func TestFields(t *testing.T) { compare(t, "../../internal/vmapi/fields.txt", generate(t)) }

func TestTypes(t *testing.T) { compare(t, "../../lint/ssp/types.txt", generateTypes()) }

func compare(t *testing.T, table, generated string) {
	written, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	start := bytes.Index(written, []byte(tableStart))
	if start < 0 {
		t.Fatalf("%s has no line VirtualMachineInstanceTemplateSpec", table)
	}
	want := string(written[:start+1]) + generated
	if *update {
		if err := os.WriteFile(table, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(written), "\n")); diff != "" {
		t.Errorf("run go test -update, and read the difference of %s (-types +table):\n%s", table, diff)
	}
}
