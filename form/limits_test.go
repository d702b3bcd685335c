package form_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/internal/value"
)

func TestLimits(t *testing.T) {
	const cpu = `{"cpu": {"cores": 4}, "max": 6, "memory": {"guest": "4Gi"}}`
	tests := []struct {
		name   string
		rules  string // their members, without message; the name is optional
		domain string
		opts   []vmrules.ValidateOption
		want   string // members of limits that are not here are not compared
	}{
		{"one rule", `{"rule": "integer", "path": ".cpu.cores", "min": 1, "max": 8}`, cpu, nil,
			`[{"path": "jsonpath::.spec.domain.cpu.cores", "field": "spec.template.spec.domain.cpu.cores", "default": 1,
				"zeroIsDefault": true,
			"fields": [{"field": "spec.template.spec.domain.cpu.cores", "pointer": "/spec/template/spec/domain/cpu/cores", "value": 4}],
			"must": {"type": "integer", "min": 1, "max": 8, "rules": [{"rule": "r0", "message": "m0"}]}}]`},
		{"the tightest bounds",
			`{"rule": "integer", "path": ".n", "min": 1, "max": "2Gi"},
				{"rule": "integer", "path": "['n']", "min": "1k", "max": 2147483649, "minLength": 2},
			{"rule": "enum", "path": ".n", "min": 2, "minLength": 1, "maxLength": 9}`, `{}`, nil,
			`[{"fields": [], "must": {"type": "integer", "required": true, "min": 1000, "max": 2147483648, "minLength": 2, "maxLength": 9,
			"rules": [{"rule": "r0", "message": "m0"}, {"rule": "r1", "message": "m1"}, {"rule": "r2", "message": "m2"}]}}]`},
		{"values in the order of the first",
			`{"rule": "enum", "path": ".n", "values": ["c", "b", "a", "b", 1e1]},
				{"rule": "enum", "path": ".n", "values": ["a", "10", "b"]}`,
			`{}`, nil,
			`[{"must": {"type": "scalar", "required": true, "values": ["b", "a", "10"]}}]`},
		{"values that satisfy the rest",
			`{"rule": "integer", "path": ".n", "values": ["1", 2, "3Ki", "x", "1.5", true], "max": 1024, "maxLength": 1}`, `{}`, nil,
			`[{"must": {"values": ["1", "2"]}}]`},
		{"no value is left", `{"rule": "enum", "path": ".n", "values": ["a"]}, {"rule": "enum", "path": ".n", "values": []}`, `{}`, nil,
			`[{"must": {"values": [], "unsatisfiable": true}}]`},
		{"bounds cross",
			`{"rule": "string", "path": ".n", "minLength": 3}, {"rule": "string", "path": ".n", "maxLength": 2},
				{"rule": "integer", "path": ".m", "min": 2, "max": 1}`,
			`{}`, nil,
			`[{"must": {"type": "string", "minLength": 3, "maxLength": 2, "unsatisfiable": true}},
				{"must": {"min": 2, "max": 1, "unsatisfiable": true}}]`},
		{"patterns",
			`{"rule": "regex", "path": ".n", "regex": "^a"}, {"rule": "string", "path": ".n", "regex": "b$"},
				{"rule": "regex", "path": ".n", "regex": "^a"}`,
			`{}`, nil,
			`[{"must": {"type": "string", "patterns": ["^a", "b$"]}}]`},
		{"types",
			`{"rule": "enum", "path": ".a", "maxLength": 1}, {"rule": "enum", "path": ".b", "max": 1},
				{"rule": "string", "path": ".c", "max": 1},
			{"rule": "integer", "path": ".d"}, {"rule": "string", "path": ".d"}, {"rule": "string", "path": ".e"},
				{"rule": "integer", "path": ".f"}`,
			`{}`, nil,
			`[{"must": {"type": "scalar"}}, {"must": {"type": "number"}}, {"must": {"type": "quantity"}},
				{"must": {"type": "integralQuantity"}}, {"must": {"type": "string"}}, {"must": {"type": "integer"}}]`},
		{"warnings apart", `{"rule": "integer", "path": ".n", "min": 1}, {"rule": "integer", "path": ".n", "min": 2, "justWarning": true}`,
			`{}`, nil,
			`[{"must": {"type": "integer", "required": true, "min": 1},
				"should": {"type": "integer", "required": true, "min": 2, "rules": [{"rule": "r1", "message": "m1"}]}}]`},
		{"an argument from a path", `{"rule": "integer", "path": ".cpu.cores", "max": "jsonpath::.spec.domain.max"}`, cpu, nil,
			`[{"must": {"max": 6}}]`},
		{"an argument that is not there", `{"rule": "integer", "path": ".cpu.cores", "min": 1, "max": "jsonpath::.spec.domain.nothing"}`,
			cpu, nil,
			`[{"must": {"min": 1, "undecided": [{"rule": "r0", "message": "m0", "argument": "max",
				"note": "max cannot be read: jsonpath::.spec.domain.nothing is not there"}]}}]`},
		{"an argument that may come",
			`{"rule": "integer", "path": ".cpu.cores", "max": "jsonpath::.spec.domain.nothing", "values": [1,
				"jsonpath::.spec.domain.more"]}`,
			cpu, []vmrules.ValidateOption{vmrules.Partial()},
			`[{"must": {"type": "integer", "undecided": [{"rule": "r0", "message": "m0", "argument": "max",
				"note": "max is not filled in yet"},
			{"rule": "r0", "message": "m0", "argument": "values", "note": "values is not filled in yet"}]}}]`},
		{"valid is there", `{"rule": "integer", "path": ".n", "valid": ".cpu"}`, cpu, nil,
			`[{"must": {"type": "integer", "required": true}}]`},
		{"valid is not there", `{"rule": "integer", "path": ".n", "valid": ".gpu"}`, cpu, nil,
			`[{"field": "spec.template.spec.domain.n", "must": null, "off": [{"rule": "r0", "message": "m0",
				"note": "jsonpath::.spec.domain.gpu is not there"}]}]`},
		{"valid comes with the field",
			`{"rule": "integer", "path": ".gpu.n", "valid": ".gpu"}, {"rule": "string", "path": ".x", "valid": ".x"}`, cpu, nil,
			`[{"off": null, "must": {"type": "integer", "required": null}}, {"must": {"type": "string", "required": null}}]`},
		{"the object of the field is there",
			`{"rule": "integer", "path": ".cpu.n", "valid": ".cpu"}, {"rule": "integer", "path": ".cpu.cores", "valid": ".cpu.cores"}`,
			cpu, nil,
			`[{"must": {"required": true}}, {"must": {"required": null}}]`},
		{"a default", `{"rule": "integer", "path": ".cpu.sockets"}`, cpu, nil,
			`[{"default": 1, "fields": [{"field": "spec.template.spec.domain.cpu.sockets",
				"pointer": "/spec/template/spec/domain/cpu/sockets", "value": 1, "origin": "default"}], "must": {"required": null}}]`},
		{"a default whose parent is missing", `{"rule": "integer", "path": ".cpu.sockets"}`, `{}`, nil,
			`[{"default": 1, "fields": [], "must": {"required": true}}]`},
		{"a default of one's own", `{"rule": "integer", "path": ".n"}`, cpu,
			[]vmrules.ValidateOption{defaultOf(t, "jsonpath::.spec.domain.n", 7)},
			`[{"default": 7, "zeroIsDefault": null, "must": {"required": null}}]`},
		{"wildcards", `{"rule": "string", "path": ".disks[*].serial"}`, `{"disks": [{"serial": "a"}, {}]}`, nil,
			`[{"field": "spec.template.spec.domain.disks[*].serial", "fields": [{"field": "spec.template.spec.domain.disks[0].serial",
				"pointer": "/spec/template/spec/domain/disks/0/serial", "value": "a"}]}]`},
		{"defaults below any step",
			`{"rule": "integer", "path": "[*].cores"}, {"rule": "integer", "path": "..cores"}, {"rule": "integer", "path": "['cpu'].*"},
			{"rule": "integer", "path": ".*.cores"}, {"rule": "integer", "path": ".cpu['cores','x']"}`, cpu, nil,
			`[{"default": null, "fields": []}, {"default": null}, {"default": null}, {"default": 1},
				{"default": 1, "must": {"required": null}}]`},
		{"rules that enforce nothing", `{"rule": "range", "path": ".n"}, {"rule": "enum", "path": ".n"}`, cpu, nil,
			`[{"must": null, "off": [{"rule": "r0", "message": "m0", "note": "the kind \"range\" is not known"},
				{"rule": "r1", "message": "m1", "note": "the kind enum without any argument enforces nothing"}]}]`},
		{"another shape", `{"rule": "integer", "path": ".cpu"}`, cpu, nil,
			`[{"fields": [{"field": "spec.template.spec.domain.cpu", "pointer": "/spec/template/spec/domain/cpu"}]}]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := limitsJSON(t, form.Limits(limitRules(t, test.rules), vmWith(test.domain), test.opts...))
			var want any
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			want, _ = value.ThroughJSON(want)
			if diff := cmp.Diff(want, narrowed(got, want)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLimitsOfTargets(t *testing.T) {
	rules := limitRules(t, `{"rule": "integer", "path": ".n", "max": "jsonpath::.spec.domain.m"}, {"rule": "string", "path": ".s"}`)
	list := decodeExactly(json.RawMessage(`{"kind": "List", "items": [
		{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {"m": 1}}}}},
		{"kind": "VirtualMachine"},
		{"kind": "VirtualMachineInstance", "spec": {"domain": {"m": 2}}}]}`))
	got := narrowed(limitsJSON(t, form.Limits(rules, list)),
		slices.Repeat([]any{map[string]any{"target": nil, "field": nil, "must": map[string]any{"max": nil, "undecided": nil}}}, 6))
	nothing := func(rule int) []any {
		return []any{map[string]any{"rule": fmt.Sprint("r", rule), "message": fmt.Sprint("m", rule),
			"note": "nothing to validate: the object has no spec.template"}}
	}
	want := []any{
		map[string]any{"target": "items[0]", "field": "items[0].spec.template.spec.domain.n",
			"must": map[string]any{"max": json.Number("1"), "undecided": nil}},
		map[string]any{"target": "items[0]", "field": "items[0].spec.template.spec.domain.s",
			"must": map[string]any{"max": nil, "undecided": nil}},
		map[string]any{"target": "items[1]", "field": "items[1].spec.template.spec.domain.n",
			"must": map[string]any{"max": nil, "undecided": nothing(0)}},
		map[string]any{"target": "items[1]", "field": "items[1].spec.template.spec.domain.s",
			"must": map[string]any{"max": nil, "undecided": nothing(1)}},
		map[string]any{"target": "items[2]", "field": "items[2].spec.domain.n",
			"must": map[string]any{"max": json.Number("2"), "undecided": nil}},
		map[string]any{"target": "items[2]", "field": "items[2].spec.domain.s", "must": map[string]any{"max": nil, "undecided": nil}},
	}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := form.Limits(rules, map[string]any{"kind": "VirtualMachine"}, vmrules.Partial()); got[1].Must.Type != form.TypeString {
		t.Errorf("the limit of an empty form is %+v", got[1])
	}
	if got := form.Limits(vmrules.Rules{}, nil); got == nil || len(got) != 0 {
		t.Errorf("no rules: %#v", got)
	}
}

// TestLimitsOfFieldsLeftOut checks that a field that an instance type or preference may
// set is not required and has no default.
func TestLimitsOfFieldsLeftOut(t *testing.T) {
	for _, test := range []struct {
		reference, rule string
		required        bool
		value           any // the default
	}{
		{"instancetype", `"rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores"`, false, nil},
		{"instancetype", `"rule": "integer", "path": "jsonpath::.spec.domain.cpu.sockets"`, false, nil},
		{"instancetype", `"rule": "string", "path": "jsonpath::.spec.domain.cpu.realtime.mask"`, true, nil},
		{"instancetype", `"rule": "string", "path": "jsonpath::.spec.domain.machine.type"`, false, ""},
		{"instancetype", `"rule": "string", "path": "jsonpath::.spec.subdomain"`, true, nil},
		{"preference", `"rule": "integer", "path": "jsonpath::.spec.domain.cpu.sockets"`, false, json.Number("1")},
		{"preference", `"rule": "string", "path": "jsonpath::.spec.domain.machine.type"`, false, nil},
		{"preference", `"rule": "string", "path": "jsonpath::.spec.subdomain"`, false, nil},
		{"preference", `"rule": "string", "path": "jsonpath::.spec.x", "valid": "jsonpath::.spec"`, true, nil},
		{"preference", `"rule": "string", "path": "jsonpath::.spec.domain.clock.timer.rtc", "valid": "jsonpath::.spec.domain.clock"`,
			false, nil},
	} {
		rules := mustParse(t, `[{"name": "r", "message": "m", `+test.rule+`}]`)
		limit := form.Limits(rules, decodeExactly(json.RawMessage(`{"spec": {"`+test.reference+`": {"name": "x"},
			"template": {"spec": {"domain": {"cpu": {"cores": 2, "realtime": {}}, "machine": {}}}}}}`)))[0]
		type limits struct {
			Required, InForce bool
			Default           any
		}
		got := limits{limit.Must.Required, limit.Must.Type != "", limit.Default}
		if diff := cmp.Diff(limits{test.required, true, test.value}, got); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", test.reference, test.rule, diff)
		}
	}
}

// TestLimitsLeaveOutUnusable checks that the limits and the schema say which rules are left out: at the
// path of the rule, or at $ if that cannot be read.
func TestLimitsLeaveOutUnusable(t *testing.T) {
	rules, err := vmrules.ParseRules(`[
		{"name": "path", "rule": "integer", "path": "spec.n", "message": "m"},
		{"name": "min", "rule": "integer", "path": "jsonpath::.spec.n", "message": "m", "min": "x"},
		{"name": "max", "rule": "integer", "path": "jsonpath::.spec.n", "message": "m", "max": 8}
	]`, vmrules.LeaveOutUnusable())
	if err == nil {
		t.Fatal("no error")
	}
	vm := decodeExactly(json.RawMessage(`{"kind": "VirtualMachine", "spec": {"template": {"spec": {"n": 1}}}}`))
	for _, opts := range [][]vmrules.ValidateOption{nil, {vmrules.Partial()}} {
		var got []string
		for _, limit := range form.Limits(rules, vm, opts...) {
			said := limit.Path.String() + " max " + string(limit.Must.Max)
			for _, note := range limit.Must.Undecided {
				said += ", " + note.Rule + ": " + note.Note[:len("the rule cannot be used")]
			}
			got = append(got, said)
		}
		want := []string{"jsonpath::$ max , path: the rule cannot be used", "jsonpath::.spec.n max 8, min: the rule cannot be used"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		text, err := json.Marshal(form.Schema(rules, vm, opts...)[form.SchemaUnexpressed])
		if err != nil || strings.Count(string(text), "the rule cannot be used") != 2 {
			t.Errorf("the schema does not express %s, %v", text, err)
		}
		for r := range form.Resolve(rules, vm, opts...) {
			if _, err := r.Checker(); (err == nil) != (r.Index == 2) {
				t.Errorf("rules[%d]: %v", r.Index, err)
			}
		}
	}
}

// TestFieldsOfAFormWithoutKind checks that under Partial an object without a kind counts as a
// VirtualMachine.
func TestFieldsOfAFormWithoutKind(t *testing.T) {
	rules := mustParse(t, `[{"name": "n", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "max": 4}]`)
	for _, test := range []struct {
		object map[string]any
		opts   []vmrules.ValidateOption
		want   string
	}{
		{map[string]any{}, []vmrules.ValidateOption{vmrules.Partial()}, "spec.template.spec.domain.cpu.cores"},
		{nil, []vmrules.ValidateOption{vmrules.Partial()}, "spec.template.spec.domain.cpu.cores"},
		{map[string]any{"kind": "", "metadata": map[string]any{"name": "a"}}, []vmrules.ValidateOption{vmrules.Partial()},
			"spec.template.spec.domain.cpu.cores"},
		{map[string]any{"spec": map[string]any{"template": map[string]any{}}}, []vmrules.ValidateOption{vmrules.Partial()},
			"spec.template.spec.domain.cpu.cores"},
		{map[string]any{"kind": "VirtualMachine"}, []vmrules.ValidateOption{vmrules.Partial()}, "spec.template.spec.domain.cpu.cores"},
		{map[string]any{"spec": map[string]any{"domain": map[string]any{}}}, []vmrules.ValidateOption{vmrules.Partial()},
			"spec.domain.cpu.cores"},
		{map[string]any{"spec": map[string]any{"virtualMachineTemplate": map[string]any{}}}, []vmrules.ValidateOption{vmrules.Partial()},
			"spec.virtualMachineTemplate.spec.template.spec.domain.cpu.cores"},
		{map[string]any{"kind": "Other"}, []vmrules.ValidateOption{vmrules.Partial()}, "spec.domain.cpu.cores"},
		{map[string]any{}, nil, "spec.domain.cpu.cores"},
	} {
		limits := form.Limits(rules, test.object, test.opts...)
		if len(limits) != 1 || limits[0].Field != test.want {
			t.Errorf("%v: %s, want %s", test.object, mustJSON(limits), test.want)
		}
		schema := any(form.Schema(rules, test.object, test.opts...))
		for _, name := range strings.Split(test.want, ".") {
			schema = below(schema, "properties", name)
		}
		if schema == nil {
			t.Errorf("%v: the schema says nothing of %s: %s", test.object, test.want,
				mustJSON(form.Schema(rules, test.object, test.opts...)))
		}
	}
}

// TestLimitsOfEmptyStrings checks that limits agree with Validate about empty strings, which
// count as not filled in yet under Partial.
func TestLimitsOfEmptyStrings(t *testing.T) {
	const disks = `{"kind": "VirtualMachine", "spec": {"template": {"spec": {"hostname": %s,
		"domain": {"devices": {"disks": [{"serial": %[1]s}, {}]}}}}}}`
	for _, rule := range []string{
		`{"rule": "string", "path": ".hostname", "minLength": 1}`, `{"rule": "enum", "path": ".hostname", "values": ["a", "b"]}`,
		`{"rule": "integer", "path": ".hostname", "max": 4}`,
		`{"rule": "string", "path": ".domain.devices.disks[*].serial", "minLength": 1}`,
		`{"rule": "enum", "path": ".domain.devices.disks[*].serial", "values": ["a"]}`,
		`{"rule": "string", "path": ".hostname", "maxLength": 0}`,
	} {
		rule = strings.Replace(rule, `"path": "`, `"path": "jsonpath::.spec`, 1)
		rules := mustParse(t, `[`+strings.Replace(rule, "{", `{"name": "n", "message": "m", `, 1)+`]`)
		for _, value := range []string{`""`, `"a"`, `"1"`, `null`, `true`} {
			object := decodeExactly(json.RawMessage(fmt.Sprintf(disks, value)))
			if checkLimits(t, rules, object, true, vmrules.Partial()) == 0 {
				t.Errorf("nothing is checked of %s with %s", rules, value)
			}
		}
	}
}
