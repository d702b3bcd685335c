package vmrulestest

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
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
	Templates(t, fstest.MapFS{
		"small.yaml": {Data: []byte(template)},
		"other.yaml": {Data: []byte(strings.ReplaceAll(template, "CORES_VALUE", "1"))},
	}, WithParameters(map[string]string{"CORES": "4", "MODEL": "m"}), AllowWarnings())
}

// suiteOf returns a suite that has read a file.
func suiteOf(t *testing.T, text string, opts ...Option) *suite {
	t.Helper()
	s := &suite{}
	for _, opt := range opts {
		opt(s)
	}
	if wrong := s.read(fstest.MapFS{"small.yaml": {Data: []byte(text)}}); wrong != nil {
		t.Fatal(wrong)
	}
	return s
}

func TestUndeclared(t *testing.T) {
	got := suiteOf(t, template, WithParameters(map[string]string{"CORES": "4", "CORE": "4", "MODELS": ""})).undeclared()
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
		{"not known", nil, []string{
			`small.yaml:11:36: warning: rule "cores": rule: unknown kind "never": write one of integer, string, regex, enum, in lower case (unknown-kind)`,
			`objects[0]: not validated: the kind "never" is not known`,
		}},
		{"not known, with Strict", []vmrules.ParseOption{vmrules.Strict()}, []string{
			`small.yaml:11:36: error: rule "cores": rule: unknown kind "never": ` +
				`write one of integer, string, regex, enum, in lower case (unknown-kind)`,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := suiteOf(t, file, WithParseOptions(test.opts...))
			if diff := cmp.Diff(test.want, s.look(s.Templates.All[0].Object).errors); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// neverSatisfied is the Checker of a kind that no value satisfies.
type neverSatisfied struct{}

func (neverSatisfied) Check(in *vmrules.Input) vmrules.Verdict {
	v := in.Violation(0)
	v.Detail = "never"
	return vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{v}}
}

func TestLook(t *testing.T) {
	const (
		warning = `small.yaml:12:11: warning: rule "cores": unknown key "owner": remove it, or correct its spelling (unknown-key)`
		missing = "parameter MODEL is required and has no value: write one in the template, or give one by WithParameters"
	)
	replaced := func(old, new string) []byte { return []byte(strings.ReplaceAll(template, old, new)) }
	tests := []struct {
		name   string
		file   []byte
		values map[string]string
		want   verdict
	}{
		{"a VM that satisfies the rules", replaced("CORES_VALUE", "4"), nil, verdict{nil, []string{missing, warning}}},
		{"a VM that violates the rules", replaced("CORES_VALUE", "5"), nil, verdict{
			[]string{"objects[0].spec.template.spec.domain.cpu.cores: Invalid value: 5: up to 4 (5 is more than max 4)"},
			[]string{missing, warning},
		}},
		{"a parameter without a value", replaced("${{CORES}}", "${{MODEL}}"), nil, verdict{
			[]string{"Not decided: up to 4 (objects[0].spec.template.spec.domain.cpu.cores: the template's parameter ${{MODEL}} is not filled in)"},
			[]string{missing, warning},
		}},
		{"rules that cannot be read", replaced(`"rule": "integer", `, ""), nil, verdict{
			[]string{`small.yaml:11:10: error: rule "cores": the rule has no "rule": add integer, string, regex or enum (missing-key)`},
			[]string{missing, warning},
		}},
		{"a parameter in the rules", []byte(strings.NewReplacer("CORES_VALUE", "4", `"max": 4`, `"max": ${CORES}`).Replace(template)), nil, verdict{
			nil, []string{missing, warning},
		}},
		{"a parameter without a value in the rules", replaced(`"max": 4`, `"max": ${MODEL}`), nil, verdict{
			[]string{`small.yaml:11:120: error: "${MODEL" is not allowed here, where a value is expected (unreadable)`}, []string{missing},
		}},
		{"values for parameters", replaced(`"max": 4`, `"max": ${MODEL}`), map[string]string{"CORES": "5", "MODEL": "4", "OTHER": ""}, verdict{
			[]string{"objects[0].spec.template.spec.domain.cpu.cores: Invalid value: 5: up to 4 (5 is more than max 4)"}, []string{warning},
		}},
		{"a rule that only warns", replaced(`"owner": "me"`, `"justWarning": true`), map[string]string{"CORES": "5", "MODEL": "m"}, verdict{
			nil, []string{"objects[0].spec.template.spec.domain.cpu.cores: Invalid value: 5: up to 4 (5 is more than max 4)"},
		}},
		{"a rule that does not apply", replaced(`"owner": "me"`, `"valid": "jsonpath::.spec.domain.machine"`), map[string]string{"MODEL": "m"}, verdict{
			nil, nil,
		}},
		{"a VM without rules", replaced("vm.kubevirt.io/validations", "other"), nil, verdict{[]string{"objects[0]: no rules"}, []string{missing}}},
		{"two VMs, one without rules", replaced("  spec: {template", "  spec: {template: {spec: {domain: {cpu: {cores: 1}}}}}\n- kind: VirtualMachine\n  spec: {template"), map[string]string{"MODEL": "m"}, verdict{
			[]string{"objects[1]: no rules"}, []string{warning},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := suiteOf(t, string(test.file), AllowWarnings(), WithParameters(test.values))
			if diff := cmp.Diff(test.want, s.look(s.Templates.All[0].Object), cmp.AllowUnexported(verdict{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A VM that names the template around it has the rules of that in the cluster, whatever other template has this name.
func TestOwnTemplateForSSP(t *testing.T) {
	const named = `kind: Template
metadata:
  name: small
  annotations: {validations: '[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "max": MAX}]'}
objects:
- kind: VirtualMachine
  metadata: {labels: {vm.kubevirt.io/template: small, vm.kubevirt.io/template.namespace: a}}
  spec: {template: {spec: {domain: {cpu: {cores: 4}}}}}
`
	file := func(most string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(strings.ReplaceAll(named, "MAX", most))}
	}
	s := &suite{}
	ForSSP()(s)
	if wrong := s.read(fstest.MapFS{"eight.yaml": file("8"), "two.yaml": file("2")}); wrong != nil {
		t.Fatal(wrong)
	}
	for i, want := range []bool{false, true} {
		v := s.look(s.Templates.All[i].Object)
		refuses := func(text string) bool {
			return strings.HasPrefix(text, "KubeVirt's template validator refuses this VM")
		}
		if got := slices.ContainsFunc(v.errors, refuses); got != want {
			t.Errorf("template %d: refused %t: %q", i, got, v)
		}
	}
}

// What lint refuses fails, and so does what no rule judges. Options say otherwise.
func TestStrict(t *testing.T) {
	good := strings.NewReplacer("CORES_VALUE", "4", "required: true", "value: m", `"owner": "me"`, `"min": 1`).Replace(template)
	replaced := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the template has no %q", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	bus := replaced(`"jsonpath::.spec.domain.cpu.cores", "message": "up to 4", "max": 4`, `"jsonpath::.spec.domain.devices.disks.disk.bus", "valid": "jsonpath::.spec.domain.devices.disks.disk.bus", "message": "m", "max": 4`)
	tests := []struct {
		name, file string
		opts       []Option
		want       string // the IDs of lint, or what else is wrong
	}{
		{"a good template", good, nil, ""},
		{"a misspelt annotation", replaced("validations:", "validation:"), nil, "(misspelt-annotation) | objects[0]: no rules"},
		{"a misspelt kind", replaced(`"integer"`, `"Integer"`), nil, "(misspelt-kind) | not known"},
		{"an unknown kind that may be", replaced(`"integer"`, `"tree"`), []Option{AllowWarnings()}, "not known"},
		{"a missing [*]", bus, nil, "(wrong-kind) | (missing-wildcard) | (missing-wildcard)"},
		{"object for objects", replaced("objects:", "object:"), nil, "(misspelt-object) | no VirtualMachine"},
		{"a misspelt field", replaced("cpu.cores", "cpu.core"), nil, "(misspelt-field) | is not set)"},
		{"an undeclared parameter", replaced("${{CORES}}", "${{CORE}}"), nil, "(undeclared-parameter) | is not filled in)"},
		{"no rules", replaced("vm.kubevirt.io/validations", "other"), nil, "objects[0]: no rules"},
		{"no rules in another template", replaced("vm.kubevirt.io/validations", "other"), []Option{WithoutRules("large")}, "objects[0]: no rules"},
		{"two VMs without rules", replaced("objects:\n", "objects: [{kind: VirtualMachine}, {kind: VirtualMachine}]\nother:\n"), nil, "(misplaced-annotation) | objects[0]: no rules | objects[1]: no rules"},
		{"no rules, which may be", replaced("vm.kubevirt.io/validations", "other"), []Option{WithoutRules("small")}, ""},
		{"what the deployed validator refuses", replaced(`"max": 4`, `"max": "4"`), []Option{ForSSP()}, "(ssp-bound) | neither a number nor a path: the path 4 cannot be read: it does not begin with \"jsonpath::\""},
		{"no rules for the deployed validator", replaced("    annotations:\n      vm.kubevirt.io/validations: |", "    annotations:\n      vm.kubevirt.io/skip-validations: |"), []Option{ForSSP()}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := suiteOf(t, test.file, test.opts...)
			got := s.look(s.Templates.All[0].Object).errors
			if want := strings.Split(test.want, " | "); len(got) != len(want) && test.want != "" || test.want == "" && got != nil {
				t.Fatalf("got %q, want %q", got, test.want)
			} else if test.want != "" {
				for i := range want {
					if !strings.HasSuffix(got[i], want[i]) {
						t.Errorf("got %q, want %q", got[i], want[i])
					}
				}
			}
		})
	}
}
