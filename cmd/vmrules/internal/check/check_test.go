package check

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
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
)

// Many objects that break many rules have more to say than is kept; what was said
// until then is written, and the exit status is that of what cannot be used.
func TestReportsAreBounded(t *testing.T) {
	var rules []string
	for i := range 1_000 {
		rules = append(rules, fmt.Sprintf(`{\"name\": \"r%d\", \"rule\": \"string\", \"path\": \"jsonpath::.x\", \"message\": \"m\"}`, i))
	}
	vm := `{"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": "[` +
		strings.Join(rules, ",") + `]"}}, "spec": {"template": {"spec": {}}}}` + "\n"
	const enough = judging.MaxKeptWeight / (1_000 * 11)
	for n, want := range map[int]string{
		enough:     "",
		enough + 9: fmt.Sprintf("vmrules: <stdin>:%d:1: too many results", enough+1),
	} {
		var stdout, stderr bytes.Buffer
		status := cli.Execute(Command(build.Build{Name: "vmrules"}), []string{"-v", "-"}, cli.Streams{In: strings.NewReader(strings.Repeat(vm, n)), Out: &stdout, Err: &stderr})
		if !strings.HasPrefix(stderr.String(), want) || (want == "") != (status == int(cli.ExitFailed)) {
			t.Errorf("%d objects: status %d, %.200s", n, status, stderr.String())
		}
		if got := strings.Count(stdout.String(), ": invalid"); got != min(n, enough+1) {
			t.Errorf("%d of %d objects are reported", got, n)
		}
	}
}

// A List in JSON, whose items are read one by one, has the results of the same text in YAML, which
// is read as a whole: whatever comes first, and whatever else is in the List.
func TestListsAlike(t *testing.T) {
	vm := func(name, more string) string {
		return `{"kind": "VirtualMachine", "metadata": {"name": "` + name + `"}, "spec": {` + more + `"template": {"spec": {"domain": {"cpu": {"cores": 9}}}}}}`
	}
	const typed = `{"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "big"}, "spec": {"cpu": {"guest": 9}, "memory": {"guest": "1Gi"}, "x": 1}}`
	rules := `"annotations": {"vm.kubevirt.io/validations": "[{\"name\": \"most\", \"rule\": \"integer\", \"path\": \"jsonpath::.spec.domain.cpu.cores\", \"message\": \"m\", \"max\": ${MOST}}]"}`
	template := `{"kind": "Template", "parameters": [{"name": "MOST", "value": "4"}], "objects": [` + strings.Replace(vm("${NAME}", ""), `"metadata": {`, `"metadata": {`+rules+", ", 1) + `]}`
	lists := []string{
		`{"items": [` + vm("a", "") + ",\n" + typed + `, {"kind": "List", "items": [` + template + `]}], "kind": "List"}`,
		`{"kind": "List", "items": [` + vm("a", `"instancetype": {"name": "big"}, `) + `, ` + typed + `, {"kind": "ConfigMap"}, {}]}`,
		`{"kind": "VirtualMachineList", "items": [{"metadata": {"labels": {"vm.kubevirt.io/validations": "x"}}, "spec": {}}], "apiVersion": "kubevirt.io/v1"}`,
		`{"kind": "List", "items": [` + strings.Replace(template, "${MOST}", `\u0024{MOST}x`, 1) + `]}`,
		`{"kind": "List", "items": [` + vm("a", "") + `, 5, ` + vm("b", "") + `]}`,
		`{"kind": "List", "items": null}`,
	}
	folder := t.TempDir()
	for i, list := range lists {
		for _, flags := range [][]string{{"-v"}, {"-o", "json"}, {"-o", "github", "--strict"}, {"-o", "junit"}} {
			var said []string
			for _, name := range []string{"f.json", "f.yaml"} {
				file := filepath.Join(folder, name)
				if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
					t.Fatal(err)
				}
				var out bytes.Buffer
				status := cli.Execute(Command(build.Build{Name: "vmrules"}), append([]string{file}, flags...), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
				said = append(said, fmt.Sprintf("exit status %d\n%s", status, strings.ReplaceAll(out.String(), name, "f")))
			}
			if diff := cmp.Diff(said[1], said[0]); diff != "" {
				t.Errorf("list %d, %q (-YAML +JSON):\n%s", i, flags, diff)
			}
		}
	}
}
