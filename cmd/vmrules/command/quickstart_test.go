package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// TestQuickstart keeps the two forms of the quickstart's template the same.
func TestQuickstart(t *testing.T) {
	var contents []map[string]any
	for file, err := range manifest.Read([]string{"../../../testdata/quickstart/template.yaml", "../../../testdata/quickstart/template.json"}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		contents = append(contents, file.Objects()[0].Content())
	}
	if diff := cmp.Diff(contents[0], contents[1]); diff != "" {
		t.Errorf("(-YAML +JSON):\n%s", diff)
	}
}

// A VM finds its template in the folder that is checked.
func TestCheckQuickstart(t *testing.T) {
	var out bytes.Buffer
	status := Main([]string{"check", "../../../testdata/quickstart/"}, strings.NewReader(""), &out, &out, build.Build{Name: "vmrules"})
	if want := "vm.json:44:13: error: VirtualMachine office/reception: rule \"licensed-cores\""; status != int(cli.ExitFailed) || !strings.Contains(out.String(), want) {
		t.Errorf("exit status %d, want %s in:\n%s", status, want, out.String())
	}
}

// TestQuickstartIsPortable checks that KubeVirt's template validator understands the rules of
// the quickstart as this library does, and lets the template's own VM pass.
func TestQuickstartIsPortable(t *testing.T) {
	var out bytes.Buffer
	status := Main([]string{"lint", "--for", "ssp", "../../../testdata/quickstart/"}, strings.NewReader(""), &out, &out, Build{})
	if want := "2 annotations: 0 errors, 0 warnings, 0 notes\n"; status != 0 || out.String() != want {
		t.Errorf("exit status %d, %s; want 0, %s", status, out.String(), want)
	}
}
