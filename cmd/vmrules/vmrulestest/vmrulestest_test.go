package vmrulestest

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/instancetypes"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

func TestTemplates(t *testing.T) {
	Templates(t, os.DirFS("../../../testdata/quickstart"))
}

const template = `kind: Template
metadata: {name: small}
parameters:
- {name: CORES, value: "CORES_VALUE"}
- {name: MODEL, required: true}
objects:
- kind: VirtualMachine
  metadata:
    annotations:
      vm.kubevirt.io/validations: |
        [{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "up to 4", "max": 4,
          "owner": "me"}]
  spec: {template: {spec: {domain: {cpu: {cores: "${{CORES}}"}}}}}
`

func TestTemplatesWithParameters(t *testing.T) {
	TemplatesWithParameters(t, fstest.MapFS{
		"small.yaml": {Data: []byte(template)},
		"other.yaml": {Data: []byte(strings.ReplaceAll(template, "CORES_VALUE", "1"))},
	}, map[string]string{"CORES": "4", "MODEL": "m"})
}

func TestUndeclared(t *testing.T) {
	file, err := manifest.Parse("small.yaml", []byte(template))
	if err != nil {
		t.Fatal(err)
	}
	got := undeclared(file.Objects(), map[string]string{"CORES": "4", "CORE": "4", "MODELS": ""})
	if diff := cmp.Diff([]string{"CORE", "MODELS"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Instance types may be in other files than the template.
func TestTemplatesWithInstancetypes(t *testing.T) {
	Templates(t, fstest.MapFS{
		"a.yaml": {Data: []byte(`kind: Template
metadata: {name: sized}
objects:
- kind: VirtualMachine
  metadata:
    annotations:
      vm.kubevirt.io/validations: |
        [{"name": "sockets", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.sockets", "message": "2", "min": 2}]
  spec: {instancetype: {name: small}, template: {spec: {domain: {}}}}
`)},
		"b.yaml": {Data: []byte(`kind: VirtualMachineClusterInstancetype
metadata: {name: small}
spec: {cpu: {guest: 2}, memory: {guest: 2Gi}}
`)},
	})
}

// The options can add a kind beyond the format.
func TestLookWithOptions(t *testing.T) {
	never := vmrules.WithKind("never", func(vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) {
		return neverSatisfied{}, nil
	})
	file := strings.ReplaceAll(strings.ReplaceAll(template, `"rule": "integer"`, `"rule": "never"`), ",\n          \"owner\": \"me\"", "")
	tests := []struct {
		name string
		opts []vmrules.ParseOption
		want []string
	}{
		{"known", []vmrules.ParseOption{never}, []string{
			`objects[0].spec.template.spec.domain.cpu.cores: Invalid value: "CORES_VALUE": up to 4 (never)`,
		}},
		{"not known", nil, nil},
		{"not known, with Strict", []vmrules.ParseOption{vmrules.Strict()}, []string{
			`small.yaml:11:36: error: rule "cores": rule: unknown kind "never": ` +
				`write one of integer, string, regex, enum, in lower case (unknown-kind)`,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for file, err := range manifest.ReadFS(fstest.MapFS{"small.yaml": {Data: []byte(file)}}) {
				if err != nil {
					t.Fatal(err)
				}
				got := look(file.Objects()[0], &instancetypes.Set{}, nil, test.opts).errors
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

// neverSatisfied is the Checker of a kind that no value satisfies.
type neverSatisfied struct{}

func (neverSatisfied) Check(in *vmrules.Input) vmrules.Verdict {
	v := in.Violation(0)
	v.Detail = "never"
	return vmrules.Verdict{Outcome: vmrules.Violated, Violations: []vmrules.Violation{v}}
}

func TestLook(t *testing.T) {
	const (
		warning = `small.yaml:12:11: warning: rule "cores": unknown key "owner": remove it, or correct its spelling (unknown-key)`
		missing = "parameter MODEL is required and has no value: write one in the template, or give one with TemplatesWithParameters"
	)
	replaced := func(old, new string) []byte { return []byte(strings.ReplaceAll(template, old, new)) }
	tests := []struct {
		name   string
		file   []byte
		values map[string]string
		want   verdict
	}{
		{"a VM that satisfies the rules", replaced("CORES_VALUE", "4"), nil, verdict{nil, []string{missing, warning}, ""}},
		{"a VM that violates the rules", replaced("CORES_VALUE", "5"), nil, verdict{
			[]string{"objects[0].spec.template.spec.domain.cpu.cores: Invalid value: 5: up to 4 (5 is more than max 4)"},
			[]string{missing, warning}, "",
		}},
		{"a parameter without a value", replaced("${{CORES}}", "${{MODEL}}"), nil, verdict{
			[]string{"Not decided: up to 4 (objects[0].spec.template.spec.domain.cpu.cores: the template's parameter ${{MODEL}} is not filled in)"},
			[]string{missing, warning}, "",
		}},
		{"rules that cannot be read", replaced(`"rule": "integer", `, ""), nil, verdict{
			[]string{`small.yaml:11:10: error: rule "cores": the rule has no "rule": add integer, string, regex or enum (missing-key)`},
			[]string{missing, warning}, "",
		}},
		{"a parameter in the rules", []byte(strings.NewReplacer("CORES_VALUE", "4", `"max": 4`, `"max": ${CORES}`).Replace(template)), nil, verdict{
			nil, []string{missing, warning}, "",
		}},
		{"a parameter without a value in the rules", replaced(`"max": 4`, `"max": ${MODEL}`), nil, verdict{
			[]string{`small.yaml:11:120: error: "${MODEL" is not allowed here, where a value is expected (unreadable)`}, []string{missing}, "",
		}},
		{"values for parameters", replaced(`"max": 4`, `"max": ${MODEL}`), map[string]string{"CORES": "5", "MODEL": "4", "OTHER": ""}, verdict{
			[]string{"objects[0].spec.template.spec.domain.cpu.cores: Invalid value: 5: up to 4 (5 is more than max 4)"}, []string{warning}, "",
		}},
		{"a rule that only warns", replaced(`"owner": "me"`, `"justWarning": true`), map[string]string{"CORES": "5", "MODEL": "m"}, verdict{
			nil, []string{"objects[0].spec.template.spec.domain.cpu.cores: Invalid value: 5: up to 4 (5 is more than max 4)"}, "",
		}},
		{"a rule that does not apply", replaced(`"owner": "me"`, `"valid": "jsonpath::.spec.domain.machine"`), map[string]string{"MODEL": "m"}, verdict{
			nil, nil, "none of its rules applies",
		}},
		{"a VM without rules", replaced("vm.kubevirt.io/validations", "other"), nil, verdict{nil, []string{missing}, "no rules"}},
		{"two VMs, one without rules", replaced("  spec: {template", "  spec: {template: {spec: {domain: {cpu: {cores: 1}}}}}\n- kind: VirtualMachine\n  spec: {template"), map[string]string{"MODEL": "m"}, verdict{
			nil, []string{warning, "objects[1] has no rules"}, "",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for file, err := range manifest.ReadFS(fstest.MapFS{"small.yaml": {Data: test.file}}) {
				if err != nil {
					t.Fatal(err)
				}
				got := look(file.Objects()[0], &instancetypes.Set{}, test.values, nil)
				if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(verdict{})); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}
