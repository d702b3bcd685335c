package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/lint"
	"github.com/vmrules/vmrules/web/internal/engine"
)

// The other operations return what the library does, for the rules of all vectors. Their lists
// are never null, which the types of TypeScript do not allow.
func TestOperations(t *testing.T) {
	e := engine.New()
	for file, vectors := range conformance.Read(t, "../../../testdata/conformance") {
		for _, v := range vectors {
			one := vectorOf(t, file+"/"+v.Name, v)
			compare := func(operation string, want any, settings map[string]any, names ...string) {
				t.Helper()
				result, failure := ask(t, e, operation, settings, one.Texts, one.Instancetypes, names...)
				if diff := cmp.Diff(string(marshal(t, want)), result); diff != "" || failure != "" {
					t.Errorf("%s: %s (-library +engine):\n%s%s", one.Name, operation, diff, failure)
				}
				if strings.Contains(result, ":null") && (operation == "lint" || operation == "limits") {
					t.Errorf("%s: %s: there is a null in %s", one.Name, operation, result)
				}
			}
			compare("lint", lint.Annotation(one.Texts["annotation"], one.opts...), one.Parse, "annotation")
			rules, err := vmrules.ParseRules(one.Texts["annotation"], one.opts...)
			if err != nil {
				continue
			}
			result, _ := ask(t, e, "parseRules", one.Parse, one.Texts, nil, "annotation")
			var read engine.Read
			unmarshal(t, result, &read)
			settings := map[string]any{"rules": read.Rules}
			compare("rulesOf", rules, settings)
			settings = with(one.Validate, "rules", read.Rules)
			vm := object(t, one.Texts["object"])
			objects := []string{"object", "oldObject", "instancetype", "preference"}
			if limits := form.Limits(rules, vm, one.judging...); limits != nil {
				compare("limits", limits, settings, objects...)
			}
			compare("schema", form.Schema(rules, vm, one.judging...), settings, objects...)
		}
	}
}

const (
	cores = `[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "min": 1, "max": 8}]`
	small = `{"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "small"}, "spec": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}}`
	vm    = `{"kind": "VirtualMachine", "metadata": {"labels": {"vm.kubevirt.io/template": "t", "vm.kubevirt.io/template.namespace": "n"}},
		"spec": {"instancetype": {"name": "small"}, "template": {"spec": {"domain": {}}}}}`
	template = `{"kind": "Template", "apiVersion": "template.openshift.io/v1", "parameters": [{"name": "P"}], "objects": []}`
)

func TestCall(t *testing.T) {
	e := engine.New()
	ask(t, e, "parseRules", nil, map[string]string{"annotation": cores}, nil, "annotation")
	texts := map[string]string{
		"annotation": cores, "broken": `[{"name": "x"}]`, "vm": vm, "instancetype": small, "template": template, "other": `{}`,
		"value": `9`, "word": `"a"`, "two": `1, "b": 2`, "list": `[]`, "none": `null`,
	}
	for _, test := range []struct {
		name, operation string
		settings        map[string]any
		texts           string // names of the call's texts, with the name in texts after a colon
		result, failure string // what they contain; "" means that there is none
	}{
		{"the number is never 0", "parseRules", nil, "annotation", `{"rules":2,"length":1}`, ""},
		{"no rules", "parseRules", nil, "", `{"rules":3,"length":0}`, ""},
		{"problems", "parseRules", nil, "annotation:broken", "", `"problems":[{"rule":"x","index":0`},
		{"an option", "parseRules", map[string]any{"version": "1"}, "annotation", "", `the format has no version \"1\"`},
		{"a root", "parseRules", map[string]any{"root": "x"}, "annotation", "", `there is no root \"x\"`},
		{"rules that are not kept", "validate", map[string]any{"rules": 99}, "", "", `"gone":true`},
		{"no object", "validate", map[string]any{"rules": 1}, "", `"undecided":"Nothing"`, ""},
		{"a list for an object", "validate", map[string]any{"rules": 1}, "object:list", "", "object: the text cannot be used as an object: line 1, column 1: an array is not an object"},
		{"a list for an old object", "validate", map[string]any{"rules": 1}, "oldObject:list", "", "oldObject: "},
		{"null among instance types", "validate", map[string]any{"rules": 1}, "instancetypes:none", "", "instancetypes: "},
		{"a bad default", "validate", map[string]any{"rules": 1, "defaults": map[string]any{"x": 1}}, "", "", "defaults: "},
		{"a default of a bad path", "validate", map[string]any{"rules": 1, "defaults": map[string]any{"jsonpath::.a[0]": 1}}, "", "", "defaults: "},
		{"a template's name", "templateOf", nil, "vm", `{"namespace":"n","name":"t"}`, ""},
		{"no template", "templateOf", nil, "vm:other", "", ""},
		{"a missing value with a default", "check", map[string]any{"rules": 1}, "value:none", `[]`, ""},
		{"a wrong value", "check", map[string]any{"rules": 1}, "value", `"detail":"9 is more than max 8"`, ""},
		{"a value of a wrong type", "check", map[string]any{"rules": 1}, "value:word", `"reason":"FieldValueTypeInvalid"`, ""},
		{"a rule that does not exist", "check", map[string]any{"rules": 1, "index": 1}, "value", "", "there is no rule with the index 1: there are 1 rules"},
		{"no value", "check", map[string]any{"rules": 1}, "", "", "value: "},
		{"two values", "check", map[string]any{"rules": 1}, "value:two", "", "value: it is not one JSON value"},
		{"a profile", "lint", map[string]any{"profile": "other"}, "annotation", `"id":"unknown-profile"`, ""},
		{"checks", "checks", nil, "", `{"id":"unreadable"`, ""},
		{"parameters", "parameters", nil, "template", `[{"name":"P","uses":[]}]`, ""},
		{"parameters of a VM", "parameters", nil, "template:vm", `[]`, `"message":`},
		{"expanded", "expand", nil, "vm instancetype", `"cpu":{"cores":1,`, ""},
		{"expanded by a list", "expand", nil, "vm instancetype:list", "", "instancetype: "},
		{"expanded by a VM", "expand", nil, "vm instancetype:vm", "", `"message":`},
		{"requirements", "checkRequirements", nil, "vm instancetype", `[]`, ""},
		{"an operation that does not exist", "nothing", nil, "", "", `there is no operation \"nothing\"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			given := map[string]string{}
			var names []string
			for _, name := range strings.Fields(test.texts) {
				name, of, found := strings.Cut(name, ":")
				if !found {
					of = name
				}
				names = append(names, name)
				given[name] = texts[of]
			}
			var cluster []string
			if len(names) == 1 && names[0] == "instancetypes" {
				cluster, names = []string{given["instancetypes"]}, nil
			}
			result, failure := ask(t, e, test.operation, test.settings, given, cluster, names...)
			for _, got := range []struct{ name, text, want string }{{"result", result, test.result}, {"failure", failure, test.failure}} {
				if !strings.Contains(got.text, got.want) || got.want == "" && got.text != "" {
					t.Errorf("the %s is %s, which does not contain %s", got.name, got.text, got.want)
				}
			}
		})
	}
}

func TestCallWithBadBytes(t *testing.T) {
	for _, test := range []struct{ name, header, texts, failure string }{
		{"no header", "", "", `there is no operation \"\"`},
		{"no length", "lint\nannotation", "[]", `the text \"annotation\" has \"\" bytes`},
		{"too few texts", "lint\nannotation 3", "[]", `the text \"annotation\" has \"3\" bytes, but 2 follow`},
		{"a negative length", "lint\nannotation -1", "[]", `has \"-1\" bytes`},
	} {
		t.Run(test.name, func(t *testing.T) {
			result, failure := engine.New().Call(test.header, test.texts)
			if result != "" || !strings.Contains(failure, test.failure) {
				t.Errorf("got %q and %s, wanted %s", result, failure, test.failure)
			}
		})
	}
}

// The rules that were used last are kept.
func TestKept(t *testing.T) {
	e := engine.New()
	read := func(annotation string) int {
		result, failure := ask(t, e, "parseRules", nil, map[string]string{"annotation": annotation}, nil, "annotation")
		if failure != "" {
			t.Fatal(failure)
		}
		var read engine.Read
		unmarshal(t, result, &read)
		return read.Rules
	}
	isKept := func(number int) bool {
		result, failure := ask(t, e, "rulesOf", map[string]any{"rules": number}, nil, nil)
		var f engine.Failure
		if failure != "" {
			unmarshal(t, failure, &f)
		}
		if f.Gone == (result != "") {
			t.Fatalf("rules %d: %s %s", number, result, failure)
		}
		return !f.Gone
	}
	first, second := read(cores), read(cores)
	for range 62 {
		read(cores)
	}
	got := []bool{isKept(first)} // second has now not been used for longer
	read(cores)
	got = append(got, isKept(second), isKept(first))
	read(cores + strings.Repeat(" ", 250<<10))
	got = append(got, isKept(first))
	for range 4 {
		read(cores + strings.Repeat(" ", 255<<10))
	}
	last := read(cores + strings.Repeat(" ", 255<<10))
	got = append(got, isKept(first), isKept(last))
	if diff := cmp.Diff([]bool{true, false, true, true, false, true}, got); diff != "" {
		t.Errorf("what is kept (-want +got):\n%s", diff)
	}
}

// The rules of a template are read once for all VMs that have no others.
func TestRulesOfOneTemplate(t *testing.T) {
	e := engine.New()
	object := func(annotations string) string {
		return fmt.Sprintf(`{"kind": "VirtualMachine", "metadata": {"annotations": {%s}}, "spec": {"template": {"spec": {}}}}`, annotations)
	}
	template := object(fmt.Sprintf(`"vm.kubevirt.io/validations": %q`, cores))
	var got []string
	for _, one := range []struct {
		vm       string
		settings map[string]any
	}{
		{object(`"a": "b"`), nil},
		{object(`"vm.kubevirt.io/template": "t", "vm.kubevirt.io/template.namespace": "n"`), nil},
		{object(`"vm.kubevirt.io/skip-validations": ""`), nil},
		{object(`"vm.kubevirt.io/validations": "[]"`), nil},
		{object(""), map[string]any{"strict": true}},
		{object(""), nil},
	} {
		texts := map[string]string{"vm": one.vm, "template": template}
		result, failure := ask(t, e, "rulesFor", one.settings, texts, nil, "vm", "template")
		got = append(got, result+failure)
	}
	want := []string{
		`{"rules":1,"length":1}`, `{"rules":1,"length":1}`, `{"rules":2,"length":0}`,
		`{"rules":3,"length":0}`, `{"rules":4,"length":1}`, `{"rules":1,"length":1}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The latest VM is kept as an object, which no operation changes.
func TestLatest(t *testing.T) {
	for file, vectors := range conformance.Read(t, "../../../testdata/conformance") {
		for _, v := range vectors {
			one := vectorOf(t, file+"/"+v.Name, v)
			text, ok := one.Texts["object"]
			if !ok {
				continue
			}
			e := engine.New()
			texts := map[string]string{"object": text, "vm": text, "template": text, "values": "{}", "annotation": one.Texts["annotation"]}
			if _, failure := ask(t, e, "parseRules", one.Parse, texts, nil, "annotation"); failure != "" {
				continue
			}
			settings := with(one.Validate, "rules", 1)
			before, _ := ask(t, e, "validate", settings, texts, one.Instancetypes, "object")
			for _, operation := range []string{"validateOwn", "limits", "schema"} {
				ask(t, e, operation, settings, texts, one.Instancetypes, "object")
			}
			for operation, name := range map[string]string{"rulesFor": "vm", "sourceOf": "vm", "expand": "vm", "checkRequirements": "vm", "parameters": "template", "fill": "template"} {
				ask(t, e, operation, nil, texts, nil, name)
			}
			after, _ := ask(t, e, "validate", settings, texts, one.Instancetypes, "object")
			fresh := engine.New()
			ask(t, fresh, "parseRules", one.Parse, texts, nil, "annotation")
			wanted, _ := ask(t, fresh, "validate", settings, texts, one.Instancetypes, "object")
			if before != wanted || after != wanted {
				t.Errorf("%s: the reports are\n%s\nthen\n%s\nand of another engine\n%s", one.Name, before, after, wanted)
			}
		}
	}
}

func TestOwnVMsBesideUnusableRules(t *testing.T) {
	list := fmt.Sprintf(`{"kind": "List", "items": [
		{"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": "["}}, "spec": {"template": {"spec": {}}}},
		{"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": %q}}, "spec": {"template": {"spec": {}}}}]}`, cores)
	result, failure := ask(t, engine.New(), "validateOwn", nil, map[string]string{"object": list}, nil, "object")
	var report vmrules.Report
	if err := json.Unmarshal([]byte(result), &report); err != nil || len(report.Results()) != 1 {
		t.Errorf("%v in %s", err, result)
	}
	if !strings.Contains(failure, `"source":"VM items[0]"`) {
		t.Errorf("the failure is %s", failure)
	}
}
