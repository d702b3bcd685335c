package ssp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vmrules/vmrules/lint"
	"github.com/vmrules/vmrules/lint/ssp"
)

// A judgeCase has rules, and the verdict about the VM of the file. A rule without a name is named
// by its index; one without a message has a message. The prefix of paths and valid is left out.
type judgeCase struct {
	Name  string
	Rules []map[string]any
	ssp.Verdict
}

func (c judgeCase) annotation(t *testing.T) string {
	for i, r := range c.Rules {
		for key, text := range map[string]string{"name": fmt.Sprint("r", i), "message": "m"} {
			if r[key] == nil {
				r[key] = text
			}
		}
		for _, key := range []string{"path", "valid"} {
			if r[key] != nil {
				r[key] = "jsonpath::" + r[key].(string)
			}
		}
	}
	text, err := json.Marshal(c.Rules)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

type judgeFile struct {
	VM    map[string]any
	Cases []judgeCase
}

func readCases(t *testing.T) (file judgeFile) {
	text, err := os.ReadFile("testdata/judge.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

func (f judgeFile) vm() map[string]any {
	return map[string]any{"spec": map[string]any{"template": f.VM}}
}

func TestJudge(t *testing.T) {
	file := readCases(t)
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			got := ssp.Judge(c.annotation(t), file.vm())
			if diff := cmp.Diff(c.Verdict, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(ssp.Verdict{}, "Key")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestKey: a verdict says which key of a rule is about what fails.
func TestKey(t *testing.T) {
	file := readCases(t)
	for rule, want := range map[string]string{
		`"rule": "string", "path": "jsonpath::.spec.absent"`:                                                  "path",
		`"rule": "other", "path": "jsonpath::.spec.hostname"`:                                                 "rule",
		`"rule": "string", "path": "jsonpath::.spec.hostname", "minLength": 99`:                               "minLength",
		`"rule": "string", "path": "jsonpath::.spec.hostname", "maxLength": 1`:                                "maxLength",
		`"rule": "string", "path": "jsonpath::.spec.hostname", "maxLength": "jsonpath::.spec.hostname"`:       "maxLength",
		`"rule": "enum", "path": "jsonpath::.spec.hostname", "values": ["a"]`:                                 "values",
		`"rule": "enum", "path": "jsonpath::.spec.hostname", "values": ["jsonpath::.spec.absent"]`:            "values",
		`"rule": "enum", "path": "jsonpath::.spec.hostname", "values": ["jsonpath::.spec.volumes[*].name"]`:   "values",
		`"rule": "regex", "path": "jsonpath::.spec.hostname", "regex": "(?=a)"`:                               "regex",
		`"rule": "regex", "path": "jsonpath::.spec.hostname", "regex": "^a$"`:                                 "regex",
		`"rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "min": 1, "max": "jsonpath::.spec.x"`: "max",
		`"rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "max": 0`:                             "max",
	} {
		verdict := ssp.Judge(`[{"name": "r", "message": "m", `+rule+`}]`, file.vm())
		if got := verdict.Key["r"]; got != want || verdict.Why["r"] == "" {
			t.Errorf("%s: %q, want %q: %v", rule, got, want, verdict)
		}
	}
}

const oneRule = `[{"name": "r", "rule": "string", "path": "jsonpath::.spec.hostname", "message": "m"}]`

// TestRefused: what cannot be decided is refused, never accepted.
func TestRefused(t *testing.T) {
	vm := func(template any) map[string]any { return map[string]any{"spec": map[string]any{"template": template}} }
	for _, test := range []struct {
		annotation string
		vm         map[string]any
		want       string
	}{
		{"[", vm(map[string]any{}), "unexpected end of JSON input"},
		{"{}", vm(map[string]any{}), "json: cannot unmarshal object into Go value of type []ssp.rule"},
		{strings.Repeat(" ", 256<<10) + "[]", vm(map[string]any{}), "the annotation is longer than Kubernetes allows"},
		{oneRule, nil, "the VM has no spec.template"},
		{oneRule, vm("x"), "the VM has no spec.template"},
		{oneRule, vm(map[string]any{"spec": map[string]any{"hostname": 1}}), "spec.template.spec.hostname: 1 cannot be read as string"},
		{oneRule, vm(map[string]any{"spec": map[string]any{"networks": []any{map[string]any{"name": true}}}}),
			"spec.template.spec.networks[0].name: true cannot be read as string"},
		{oneRule, vm(map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": 1}}}),
			"spec.template.metadata.labels.a: 1 cannot be read as string"},
		{oneRule, vm(map[string]any{"spec": map[string]any{"domain": map[string]any{"memory": map[string]any{"guest": "x"}}}}),
			`spec.template.spec.domain.memory.guest: "x" cannot be read as resource.Quantity`},
		{oneRule, map[string]any{"spec": "x"}, `spec: string is "x" in JSON, not an object (for JSON text, pass a json.RawMessage)`},
		{oneRule, vm(map[string]any{"spec": "x"}), `spec.template.spec: "x" cannot be read as v1.VirtualMachineInstanceSpec`},
		{oneRule, vm(map[string]any{"metadata": map[string]any{"labels": "x"}}), `spec.template.metadata.labels: "x" cannot be read as map[string]string`},
		{oneRule, vm(map[string]any{"spec": map[string]any{"networks": "x"}}), `spec.template.spec.networks: "x" cannot be read as []v1.Network`},
		{oneRule, vm(map[string]any{"spec": map[string]any{"domain": map[string]any{"devices": map[string]any{"disableHotplug": 1}}}}),
			"spec.template.spec.domain.devices.disableHotplug: 1 cannot be read as bool"},
		{oneRule, vm(map[string]any{"spec": map[string]any{"domain": map[string]any{"cpu": map[string]any{"cores": 1.5}}}}),
			"spec.template.spec.domain.cpu.cores: 1.5 cannot be read as uint32"},
		{oneRule, vm(map[string]any{"spec": map[string]any{"domain": map[string]any{"cpu": map[string]any{"cores": -1}}}}),
			"spec.template.spec.domain.cpu.cores: -1 cannot be read as uint32"},
		{oneRule, vm(map[string]any{"spec": map[string]any{"domain": map[string]any{"cpu": map[string]any{"cores": 1 << 32}}}}),
			"spec.template.spec.domain.cpu.cores: 4294967296 cannot be read as uint32"},
		{oneRule, vm(map[string]any{"spec": map[string]any{"domain": map[string]any{"cpu": map[string]any{"cores": "2"}}}}),
			`spec.template.spec.domain.cpu.cores: "2" cannot be read as uint32, because it is in quotes: write 2`},
		{oneRule, vm(map[string]any{"spec": map[string]any{"terminationGracePeriodSeconds": " 0x1e"}}),
			`spec.template.spec.terminationGracePeriodSeconds: " 0x1e" cannot be read as int64, because it is in quotes: write 30`},
		{oneRule, vm(map[string]any{"spec": map[string]any{"terminationGracePeriodSeconds": "${SECONDS}"}}),
			`spec.template.spec.terminationGracePeriodSeconds: "${SECONDS}" cannot be read as int64`},
		{oneRule, vm(map[string]any{"spec": map[string]any{"readinessProbe": map[string]any{"tcpSocket": map[string]any{"port": true}}}}),
			"spec.template.spec.readinessProbe.tcpSocket.port: true cannot be read as intstr.IntOrString"},
	} {
		got := ssp.Judge(test.annotation, test.vm)
		want := ssp.Verdict{Refused: test.want}
		if field, _, ok := strings.Cut(test.want, ": "); ok && strings.HasPrefix(field, "spec.template") {
			want.Pointer = "/" + strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(field)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%.60s, %v (-want +got):\n%s", test.annotation, test.vm, diff)
		}
	}
}

// TestPointer: a name with a slash is written as RFC 6901 demands.
func TestPointer(t *testing.T) {
	template := map[string]any{"metadata": map[string]any{"labels": map[string]any{"a/b~": 1}}}
	got := ssp.Judge(oneRule, map[string]any{"spec": map[string]any{"template": template}})
	if want := "/spec/template/metadata/labels/a~1b~0"; got.Pointer != want {
		t.Errorf("%q, want %q", got.Pointer, want)
	}
}

// TestOrder: of several values that cannot be read, the verdict is always about the same.
func TestOrder(t *testing.T) {
	labels := map[string]any{"a": 1, "b": 2, "c": 3, "d": 4}
	template := map[string]any{"metadata": map[string]any{"labels": labels}}
	for range 20 {
		got := ssp.Judge(oneRule, map[string]any{"spec": map[string]any{"template": template}})
		if want := "/spec/template/metadata/labels/a"; got.Pointer != want {
			t.Fatalf("%q, want %q", got.Pointer, want)
		}
	}
}

// TestZero: a boolean of the validator's own VM is false.
func TestZero(t *testing.T) {
	vm := map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"domain": map[string]any{
		"devices": map[string]any{"disks": []any{map[string]any{"name": "a", "cdrom": map[string]any{"bus": "sata"}}}},
	}}}}}
	for condition, want := range map[string]string{"== false": "", "!= true": "", "== true": "selects nothing", "!= false": "selects nothing"} {
		path := "jsonpath::.spec.domain.devices.disks[?(@.disk.readonly " + condition + ")].disk.bus"
		got := ssp.Judge(`[{"name": "r", "message": "m", "rule": "string", "maxLength": 3, "path": "`+path+`"}]`, vm)
		if got.Accepted != (want == "") || !strings.Contains(got.Why["r"], want) {
			t.Errorf("%s: %+v", condition, got)
		}
	}
}

// TestUnset: an annotation without rules judges nothing, also of a VM without a template.
func TestUnset(t *testing.T) {
	for _, annotation := range []string{"", "[]", "null"} {
		if got := ssp.Judge(annotation, nil); !got.Accepted {
			t.Errorf("%q: %+v", annotation, got)
		}
	}
}

// TestUnsetQuantity: an integer rule does not accept a VM without the quantity that it is about.
func TestUnsetQuantity(t *testing.T) {
	vm := map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"domain": map[string]any{
		"memory": map[string]any{},
	}}}}}
	got := ssp.Judge(`[{"name": "r", "message": "m", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest"}]`, vm)
	if got.Accepted || got.Why["r"] != "the quantity is not set" {
		t.Errorf("%+v", got)
	}
}

// TestBudget: a rule that needs too much work fails.
func TestBudget(t *testing.T) {
	for name, rule := range map[string]string{
		"search": `"path": "jsonpath::.spec.domain...*...*...*...*", "rule": "string"`,
		"valid":  `"valid": "jsonpath::.spec.domain...*...*...*...*", "path": "jsonpath::.spec.hostname", "rule": "string"`,
		"regex":  `"path": "jsonpath::.spec.hostname", "rule": "regex", "regex": "` + strings.Repeat("(a{900}|b)", 10_000) + `"`,
	} {
		got := ssp.Judge(`[{"name": "r", "message": "m", "justWarning": true, `+rule+`}]`, map[string]any{"spec": map[string]any{
			"template": map[string]any{"spec": map[string]any{"hostname": "a", "domain": deep(11)}},
		}})
		if got.Accepted || !strings.Contains(got.Why["r"], "budget") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// deep returns a domain with many disks.
func deep(n int) map[string]any {
	disks := make([]any, 1<<n)
	for i := range disks {
		disks[i] = map[string]any{"disk": map[string]any{"bus": "sata"}}
	}
	return map[string]any{"devices": map[string]any{"disks": disks}}
}

// TestLint: where lint finds that the validator refuses an annotation or cannot use a rule, Judge
// does not accept the VM. What this library refuses may be used there, and an object may be
// compared by the name of its type.
func TestLint(t *testing.T) {
	file := readCases(t)
	found := map[string]bool{}
	for _, c := range file.Cases {
		annotation := c.annotation(t)
		verdict := ssp.Judge(annotation, file.vm())
		for _, f := range lint.Annotation(annotation, lint.For(lint.SSP)) {
			isOurs := f.ID == "invalid-path" || f.ID == "not-a-scalar"
			isSkipped := f.Key == "valid"
			if !f.Refuses || isOurs || isSkipped {
				continue
			}
			found[f.ID] = true
			if verdict.Accepted || verdict.Refused == "" && verdict.Why[f.Rule] == "" {
				t.Errorf("%s: lint finds %v, but the verdict is %+v", c.Name, f, verdict)
			}
		}
	}
	if len(found) < 8 {
		t.Errorf("the cases have findings of %v only", found)
	}
}
