package audit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
)

// TestAuditByTemplates judges many VMs on all cores by the templates that they name, and templates
// with parameters among them.
func TestAuditByTemplates(t *testing.T) {
	const (
		all       = 600
		templates = 3
		rules     = `"annotations": {"vm.kubevirt.io/validations": "[{\"name\": \"%s\", \"rule\": \"integer\", \"path\": \"jsonpath::.spec.domain.cpu.cores\", \"message\": \"m\", \"max\": %s}]"}`
	)
	template := func(i int) string {
		return fmt.Sprintf(`{"kind": "Template", "metadata": {"name": "t%d"}, "parameters": [{"name": "MAX", "value": "1"}], "objects": [{"kind": "VirtualMachine", "metadata": {`+rules+`}, "spec": {"template": {"spec": {"domain": {"cpu": {"cores": 4}}}}}}]}`+"\n",
			i, fmt.Sprintf("r%d", i), "${MAX}")
	}
	var bundle, stream strings.Builder
	for i := range templates {
		bundle.WriteString(template(i))
	}
	for i := range all {
		own := ""
		if i%4 == templates {
			own = ", " + fmt.Sprintf(rules, "own", "2")
		}
		fmt.Fprintf(&stream, `{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "v%d", "labels": {"vm.kubevirt.io/template": "t%d", "vm.kubevirt.io/template.namespace": "n"}%s}, "spec": {"template": {"spec": {"domain": {"cpu": {"cores": %d}}}}}}`+"\n",
			i, i%4, own, 4+i/4%2)
		if i%10 == 0 {
			stream.WriteString(template(9))
		}
	}
	file := filepath.Join(t.TempDir(), "bundle.json")
	if err := os.WriteFile(file, []byte(bundle.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	status := cli.Execute(Command(build.Build{Name: "vmrules"}), []string{"--template", file, "-p", "MAX=4", "-"}, cli.Streams{In: strings.NewReader(stream.String()), Out: &out, Err: &out})
	got, _, _ := strings.Cut(out.String(), "\n\nTEMPLATE")
	want := "660 objects: 285 valid, 375 invalid, 0 without rules, 0 unreadable RULE VIOLATED WARNED UNDECIDED own 150 0 0 r0 75 0 0 r1 75 0 0 r2 75 0 0"
	if diff := cmp.Diff(want, strings.Join(strings.Fields(got), " ")); diff != "" || status != int(cli.ExitFailed) {
		t.Errorf("exit status %d (-want +got):\n%s", status, diff)
	}
}
