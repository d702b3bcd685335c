// Package fields keeps internal/vmapi/fields.txt, the table of the fields that a VM may have, equal to
// KubeVirt's Go types.
package fields

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the table of fields")

const (
	table = "../../internal/vmapi/fields.txt"
	// tableStart is the first line that is generated; the lines before it are kept.
	tableStart = "\nVirtualMachineInstanceTemplateSpec\n"
)

// TestFields compares the table with the Go types of KubeVirt and Kubernetes that go.mod
// requires.
func TestFields(t *testing.T) {
	written, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	start := bytes.Index(written, []byte(tableStart))
	if start < 0 {
		t.Fatalf("%s has no line VirtualMachineInstanceTemplateSpec", table)
	}
	want := string(written[:start+1]) + generate(t)
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
