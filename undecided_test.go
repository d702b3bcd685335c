package vmrules_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// undecided makes the report that docs/undecided.md shows below a heading.
func undecided(t *testing.T, heading string) *vmrules.Report {
	t.Helper()
	const cores, memory = `"rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "max": `, `"rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "min": `
	rules := map[string]string{
		"Argument":      cores + `"jsonpath::.spec.domain.cpu.maxSockets"`,
		"Parameter":     cores + `8`,
		"Instancetype":  memory + `"2Gi"`,
		"Preference":    `"rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "values": ["virtio"]`,
		"Conflict":      memory + `"2Gi"`,
		"Rules":         cores + `"eight"`,
		"Bound":         `"rule": "regex", "path": "jsonpath::.spec.domain.cpu.model", "regex": "^(a+)+\\1$"`,
		"Ignored":       `"rule": "range", "path": "jsonpath::.spec.domain.cpu.cores", "max": 8`,
		"Skipped":       cores + `8, "valid": "jsonpath::.spec.domain.cpu.model"`,
		"NotApplicable": cores + `8, "valid": "jsonpath::.spec.domain.cpu.model"`,
		"Nothing":       cores + `8`,
		"Incomplete":    memory + `"2Gi"`,
		"Judged":        cores + `8`,
		"Exempt":        cores + `8`,
		"Kind":          `"rule": "odd", "path": "jsonpath::.spec.domain.cpu.cores"`,
	}
	domain := map[string]string{
		"Parameter": `{"cpu": {"cores": "${CORES}"}}`, "Preference": `{"devices": {"disks": [{"name": "root", "disk": {}}]}}`,
		"Instancetype": `{}`, "Incomplete": `{}`, "Bound": `{"cpu": {"model": "` + strings.Repeat("a", 60) + `b"}}`,
	}[heading]
	if domain == "" {
		domain = `{"cpu": {"cores": 4}}`
	}
	annotations, more, labels := "{}", "", ""
	if rule := rules[heading]; rule != "" {
		annotations = fmt.Sprintf(`{"vm.kubevirt.io/validations": %q}`, `[{"name": "r", "message": "m", `+rule+`}]`)
	}
	switch heading {
	case "Exempt":
		annotations = `{"vm.kubevirt.io/skip-validations": ""}`
	case "Template", "Lookup", "NoTemplate":
		labels = `, "labels": {"vm.kubevirt.io/template": "windows", "vm.kubevirt.io/template.namespace": "openshift"}`
	case "Instancetype", "Conflict":
		more = `"instancetype": {"name": "u1.small"}, `
	case "Preference":
		more = `"preference": {"name": "fedora"}, `
	}
	vm := fmt.Sprintf(`{"kind": "VirtualMachine", "metadata": {"name": "vm", "annotations": %s%s}, "spec": {%s"template": {"spec": {"domain": %s}}}}`, annotations, labels, more, domain)
	switch heading {
	case "Nothing":
		vm = fmt.Sprintf(`{"kind": "VirtualMachine", "metadata": {"annotations": %s}, "spec": {}}`, annotations)
	case "Parameter":
		vm = fmt.Sprintf(`{"kind": "Template", "parameters": [{"name": "CORES"}], "objects": [%s]}`, vm)
	case "NotVM":
		vm = `{"kind": "Pod"}`
	}
	lookUp := func(ref vmrules.TemplateRef) (*vmrules.Template, error) {
		if heading == "Lookup" {
			return nil, errors.New("the server does not answer")
		}
		return nil, nil
	}
	var opts []vmrules.ValidateOption
	switch heading {
	case "Template", "Lookup":
		opts = append(opts, vmrules.WithTemplates(lookUp))
	case "Conflict":
		opts = append(opts, vmrules.WithInstancetype(object(`{"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "u1.small"}, "spec": {"cpu": {"guest": 1}, "memory": {"guest": "2Gi"}}}`), nil))
	case "Incomplete":
		opts = append(opts, vmrules.Partial())
	case "Bound":
		opts = append(opts, vmrules.WithBudget(vmrules.Budget{Backtracking: time.Nanosecond}))
	case "Kind":
		opts = append(opts, vmrules.WithParseOptions(vmrules.WithKind("odd", always(func(*vmrules.Input) vmrules.Verdict {
			return vmrules.Verdict{Note: "the server for it does not answer"}
		}))))
	}
	return vmrules.ValidateOwn(object(vm), opts...)
}

// TestUndecidedPage compares the reports on docs/undecided.md with real ones, and its headings with what there is.
func TestUndecidedPage(t *testing.T) {
	text, err := os.ReadFile("docs/undecided.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{}
	for _, m := range regexp.MustCompile("(?ms)^### (\\w+)\n.*?^```\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		shown[m[1]] = m[2]
	}
	want := map[string]string{}
	for _, heading := range []string{
		"Argument", "Parameter", "Instancetype", "Preference", "Conflict", "Template", "Lookup", "Rules", "Bound", "Nothing", "Kind",
		"Ignored", "Skipped",
		"Judged", "Exempt", "NoRules", "NoTemplate", "NotApplicable", "Incomplete", "NotVM",
	} {
		report := undecided(t, heading)
		said := report.String() + "\n"
		if target := report.Targets()[0]; !strings.Contains("Ignored Skipped", heading) {
			what := string(target.Coverage)
			if target.Coverage == vmrules.CoverageUndecided {
				what = string(target.Doubt)
			}
			if what != heading {
				t.Errorf("%s: the target is %s", heading, what)
			}
		}
		want[heading] = said
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("(-reports +page):\n%s", diff)
	}
}
