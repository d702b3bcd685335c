package docs_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// An undecidedCase makes the report that docs/undecided.md shows below a heading.
type undecidedCase struct {
	heading  string
	rule     string // without its name and its message; "": no rules
	domain   string // of the VM; "": 4 cores
	metadata string // more of it
	spec     string // more of it
	around   string // what is made of the VM; "": the VM itself
	options  []vmrules.ValidateOption
}

// unreachable checks values where it cannot ask.
type unreachable struct{}

func (unreachable) Check(*vmrules.Input) vmrules.Verdict {
	return vmrules.Verdict{Note: "the server for it does not answer"}
}

func object(text string) map[string]any {
	o, err := vmrules.ParseObject([]byte(text))
	if err != nil {
		panic(err) // all texts are here
	}
	return o
}

func undecidedCases() []undecidedCase {
	const (
		cores  = `"rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "max": 8`
		memory = `"rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "min": "2Gi"`
		named  = `, "labels": {"vm.kubevirt.io/template": "windows", "vm.kubevirt.io/template.namespace": "openshift"}`
		small  = `"instancetype": {"name": "u1.small"}, `
	)
	found := func(err error) []vmrules.ValidateOption {
		return []vmrules.ValidateOption{vmrules.WithTemplates(func(vmrules.TemplateRef) (*vmrules.Template, error) { return nil, err })}
	}
	fails := func(vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) { return unreachable{}, nil }
	oneCPU := object(`{"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "u1.small"}, "spec": {"cpu": {"guest": 1}, "memory": {"guest": "2Gi"}}}`)
	return []undecidedCase{
		{heading: "Argument", rule: `"rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "max": "jsonpath::.spec.domain.cpu.maxSockets"`},
		{heading: "Parameter", rule: cores, domain: `{"cpu": {"cores": "${CORES}"}}`, around: `{"kind": "Template", "parameters": [{"name": "CORES"}], "objects": [%s]}`},
		{heading: "Instancetype", rule: memory, domain: `{}`, spec: small},
		{
			heading: "Preference", rule: `"rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "values": ["virtio"]`,
			domain: `{"devices": {"disks": [{"name": "root", "disk": {}}]}}`, spec: `"preference": {"name": "fedora"}, `,
		},
		{heading: "Conflict", rule: memory, spec: small, options: []vmrules.ValidateOption{vmrules.WithInstancetype(oneCPU, nil)}},
		{heading: "Template", metadata: named, options: found(nil)},
		{heading: "Lookup", metadata: named, options: found(errors.New("the server does not answer"))},
		{heading: "Rules", rule: `"rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "max": "eight"`},
		{
			heading: "Bound", rule: `"rule": "regex", "path": "jsonpath::.spec.domain.cpu.model", "regex": "^(a+)+\\1$"`,
			domain:  `{"cpu": {"model": "` + strings.Repeat("a", 60) + `b"}}`,
			options: []vmrules.ValidateOption{vmrules.WithBudget(vmrules.Budget{Backtracking: time.Nanosecond})},
		},
		{heading: "Nothing", rule: cores, domain: "none"},
		{
			heading: "Kind", rule: `"rule": "odd", "path": "jsonpath::.spec.domain.cpu.cores"`,
			options: []vmrules.ValidateOption{vmrules.WithParseOptions(vmrules.WithKind("odd", fails))},
		},
		{heading: "Ignored", rule: `"rule": "range", "path": "jsonpath::.spec.domain.cpu.cores", "max": 8`},
		{heading: "Skipped", rule: cores + `, "valid": "jsonpath::.spec.domain.cpu.model"`},
		{heading: "Judged", rule: cores},
		{heading: "Exempt", metadata: `, "annotations": {"vm.kubevirt.io/skip-validations": ""}`},
		{heading: "NoRules"},
		{heading: "NoTemplate", metadata: named},
		{heading: "NotApplicable", rule: cores + `, "valid": "jsonpath::.spec.domain.cpu.model"`},
		{heading: "Incomplete", rule: memory, domain: `{}`, options: []vmrules.ValidateOption{vmrules.Partial()}},
		{heading: "NotVM", around: `{"kind": "Pod", "metadata": {"annotations": {"vm": %q}}}`},
	}
}

func (c undecidedCase) report() *vmrules.Report {
	if c.rule != "" {
		c.metadata += fmt.Sprintf(`, "annotations": {"vm.kubevirt.io/validations": %q}`, `[{"name": "r", "message": "m", `+c.rule+`}]`)
	}
	template := fmt.Sprintf(`"template": {"spec": {"domain": %s}}`, cmp.Or(c.domain, `{"cpu": {"cores": 4}}`))
	if c.domain == "none" {
		template = `"runStrategy": "Halted"`
	}
	vm := fmt.Sprintf(`{"kind": "VirtualMachine", "metadata": {"name": "vm"%s}, "spec": {%s%s}}`, c.metadata, c.spec, template)
	return vmrules.ValidateOwn(object(fmt.Sprintf(cmp.Or(c.around, "%s"), vm)), c.options...)
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
	for _, c := range undecidedCases() {
		report := c.report()
		want[c.heading] = report.String() + "\n"
		target := report.Targets()[0]
		what := string(cmp.Or(target.Doubt, vmrules.Doubt(target.Coverage)))
		if what != c.heading && c.heading != "Ignored" && c.heading != "Skipped" { // which are outcomes
			t.Errorf("%s: the target is %s", c.heading, what)
		}
	}
	if diff := gocmp.Diff(want, shown); diff != "" {
		t.Errorf("(-reports +page):\n%s", diff)
	}
}
