package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
)

const reportTemplate = `{"apiVersion": "template.openshift.io/v1", "kind": "Template", "metadata": {"name": "linux", "namespace": "templates"}, "objects": [
	{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": %q}}}]}`

const coresRule = `[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "at most 8", "max": 8}]`

// reported returns the Reports that audit writes, one a line: name, policy, owner, and results. All of them
// have the time of the audit.
func reported(t *testing.T, status int, input string, args ...string) (lines []string, rest string) {
	t.Helper()
	var out, messages bytes.Buffer
	began := time.Now().Unix()
	if got := cli.Execute(Command(build.Build{Name: "vmrules"}), append([]string{"-o", "report"}, append(args, "-")...), cli.Streams{In: strings.NewReader(input), Out: &out, Err: &messages}); got != status {
		t.Errorf("exit status %d, want %d: %s", got, status, messages.String())
	}
	for decoder := yaml.NewDecoder(strings.NewReader(out.String())); ; {
		var r struct {
			APIVersion string `yaml:"apiVersion"`
			Metadata   struct {
				Name, Namespace string
				Annotations     map[string]string
				OwnerReferences []struct{ UID string } `yaml:"ownerReferences"`
			}
			Results []struct {
				Result, Rule, Message string
				Timestamp             struct{ Seconds int64 }
			}
		}
		if err := decoder.Decode(&r); errors.Is(err, io.EOF) {
			return lines, messages.String() + out.String()
		} else if err != nil {
			t.Fatalf("%v:\n%s", err, out.String())
		}
		if r.APIVersion == "" {
			continue // only comments
		}
		line := fmt.Sprintf("%s/%s of %v by %s", r.Metadata.Namespace, r.Metadata.Name, r.Metadata.OwnerReferences, r.Metadata.Annotations["vmrules.io/policy"])
		for _, result := range r.Results {
			line += fmt.Sprintf("; %s %s: %s", result.Result, result.Rule, result.Message)
			if age := result.Timestamp.Seconds - began; age < 0 {
				t.Errorf("the timestamp is %d seconds too early", -age)
			}
		}
		lines = append(lines, line)
	}
}

func reportVM(name, metadata, spec string) string {
	return fmt.Sprintf(`{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": %q, "namespace": "office", %s}, "spec": {%s"template": {"spec": {"domain": {"cpu": {"cores": 12}}}}}}`+"\n", name, metadata, spec)
}

func TestAuditReport(t *testing.T) {
	const ofLinux = `"uid": "u-%s", "labels": {"vm.kubevirt.io/template": "linux", "vm.kubevirt.io/template.namespace": "templates"}`
	own, _ := json.Marshal(coresRule)
	file := filepath.Join(t.TempDir(), "template.json")
	if err := os.WriteFile(file, fmt.Appendf(nil, reportTemplate, coresRule), 0o600); err != nil {
		t.Fatal(err)
	}
	vms := reportVM("a", fmt.Sprintf(ofLinux, "a"), "") +
		reportVM("b", `"annotations": {"vm.kubevirt.io/validations": `+string(own)+`}`, "") +
		reportVM("c", `"annotations": {"vm.kubevirt.io/validations": "["}`, "") +
		reportVM("d", `"annotations": {"vm.kubevirt.io/skip-validations": ""}`, "") +
		strings.Replace(reportVM("e", fmt.Sprintf(ofLinux, "e"), `"instancetype": {"name": "u1"}, `), `"cores": 12`, `"model": "m"`, 1)
	const (
		lost = "; warn : the VM has lost the annotation vm.kubevirt.io/validations, which its template has for its VMs"
		b    = "office/vmrules-virtualmachine-b of [] by vm.kubevirt.io/validations; fail cores: at most 8 (12 is more than max 8)"
		c    = "office/vmrules-virtualmachine-c of [] by vm.kubevirt.io/validations; error : the validation rules cannot be used: VM: line 1, column 2: \"]\" is missing: the array that begins at line 1 is not closed"
	)
	for _, test := range []struct {
		name   string
		args   []string
		status int
		want   []string
	}{
		{"with the template", []string{"--template", file}, 2, []string{
			"office/vmrules-u-a of [{u-a}] by templates/linux; fail cores: at most 8 (12 is more than max 8)" + lost, b, c,
			"office/vmrules-u-e of [{u-e}] by templates/linux; error cores: at most 8 (spec.template.spec.domain.cpu.cores may be set by the instance type: the VirtualMachineClusterInstancetype u1 was not found)" + lost,
		}},
		{"without it", nil, 2, []string{
			"office/vmrules-u-a of [{u-a}] by templates/linux; error : the template templates/linux, which the VM names, is not there", b, c,
			"office/vmrules-u-e of [{u-e}] by templates/linux; error : the template templates/linux, which the VM names, is not there",
		}},
	} {
		got, _ := reported(t, test.status, vms, test.args...)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// What has no Report is said otherwise: an object without rules, if it needs some, and one without a name.
func TestAuditReportOfNothing(t *testing.T) {
	got, _ := reported(t, 1, reportVM("a", `"uid": "u"`, ""), "--strict")
	if diff := cmp.Diff([]string{"office/vmrules-u of [{u}] by vm.kubevirt.io/validations; error : the object has no rules"}, got); diff != "" {
		t.Error(diff)
	}
	if got, rest := reported(t, 2, `{"items": [7]}`); got != nil || rest != "# <stdin>: object: an object is expected\n" && rest != "# object: an object is expected\n" {
		t.Errorf("%q: %q", got, rest)
	}
	if got, rest := reported(t, 0, reportVM("a", `"uid": "u"`, "")); got != nil || rest != "" {
		t.Errorf("%q: %q", got, rest)
	}
	if _, rest := reported(t, 2, "", "--for", "ssp"); !strings.Contains(rest, "cannot be used together") {
		t.Error(rest)
	}
}
