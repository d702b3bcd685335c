package engine_test

import (
	"maps"
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
				lists := map[string][]string{"instancetypes": one.Instancetypes}
				result, failure := ask(t, e, operation, settings, one.Texts, lists, names...)
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
			compare("countRules", rules.Len(), one.Parse, "annotation")
			compare("rulesOf", rules, one.Parse, "annotation")
			settings := maps.Clone(one.Parse)
			maps.Copy(settings, one.Validate)
			vm := object(t, one.Texts["object"])
			objects := []string{"annotation", "object", "oldObject", "instancetype", "preference"}
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
	texts := map[string]string{
		"annotation": cores, "broken": `[{"name": "x"}]`, "vm": vm, "instancetype": small, "template": template, "other": `{}`,
		"empty": "", "value": `9`, "word": `"a"`, "two": `1, "b": 2`, "list": `[]`, "none": `null`,
	}
	for _, test := range []struct {
		name, operation string
		settings        map[string]any
		texts           string // names of the call's texts, with the name in texts after a colon
		result, failure string // what they contain; "" means that there is none
	}{
		{"rules", "countRules", nil, "annotation", `1`, ""},
		{"no rules", "countRules", nil, "annotation:empty", `0`, ""},
		{"no rules for a VM", "countRules", nil, "vm:other", `0`, ""},
		{"rules for a VM whose template is not given", "countRules", nil, "vm", "", `template`},
		{"a list for a VM", "countRules", nil, "vm:list", "", `vm: the text cannot be used as an object`},
		{"problems", "countRules", nil, "annotation:broken", "", `"problems":[{"rule":"x","index":0`},
		{"an option", "countRules", map[string]any{"version": "1"}, "annotation", "", `the format has no version \"1\"`},
		{"a root", "countRules", map[string]any{"root": "x"}, "annotation", "", `there is no root \"x\"`},
		{"no object", "validate", nil, "annotation", `"doubt":"Nothing"`, ""},
		{"no object and no rules", "validate", nil, "annotation:empty", `{"valid":false,"passed":false,`, ""},
		{"a list for an object", "validate", nil, "annotation object:list", "", "object: the text cannot be used as an object: line 1, column 1: an array is not an object"},
		{"a list for an old object", "validate", nil, "annotation oldObject:list", "", "oldObject: "},
		{"null among instance types", "validate", nil, "annotation instancetypes:none", "", "instancetypes: "},
		{"a bad default", "validate", map[string]any{"defaults": map[string]any{"x": 1}}, "annotation", "", "defaults: "},
		{"a default of a bad path", "validate", map[string]any{"defaults": map[string]any{"jsonpath::.a[0]": 1}}, "annotation", "", "defaults: "},
		{"a missing value with a default", "check", map[string]any{"index": 0}, "annotation value:none", `[]`, ""},
		{"a wrong value", "check", map[string]any{"index": 0}, "annotation value", `"detail":"9 is more than max 8"`, ""},
		{"a value of a wrong type", "check", map[string]any{"index": 0}, "annotation value:word", `"reason":"FieldValueTypeInvalid"`, ""},
		{"a rule that does not exist", "check", map[string]any{"index": 1}, "annotation value", "", "there is no rule with the index 1: there are 1 rules"},
		{"a rule by its name", "check", map[string]any{"name": "cores"}, "annotation value", `"detail":"9 is more than max 8"`, ""},
		{"a name that no rule has", "check", map[string]any{"name": "index 0"}, "annotation value", "", `there is no rule with the name \"index 0\"`},
		{"no rule named", "check", nil, "annotation value", "", "there is no rule with the index : there are 1 rules"},
		{"a template that is no object", "validateOwn", map[string]any{"lookUp": true}, "templates:list", "", "templates[0]: "},
		{"no value", "check", map[string]any{"index": 0}, "annotation ", "", "value: "},
		{"two values", "check", map[string]any{"index": 0}, "annotation value:two", "", "value: it is not one JSON value"},
		{"a version that does not exist", "lint", map[string]any{"version": "2019"}, "annotation", "", "the format has no version"},
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
			result, failure := ask(t, e, test.operation, test.settings, given, nil, names...)
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
			lists := map[string][]string{"instancetypes": one.Instancetypes}
			settings := maps.Clone(one.Parse)
			maps.Copy(settings, one.Validate)
			before, _ := ask(t, e, "validate", settings, texts, lists, "annotation", "object")
			for _, operation := range []string{"validateOwn", "limits", "schema"} {
				ask(t, e, operation, settings, texts, lists, "annotation", "object")
			}
			for operation, name := range map[string]string{"countRules": "vm", "expand": "vm", "checkRequirements": "vm", "parameters": "template", "fill": "template"} {
				ask(t, e, operation, nil, texts, nil, name)
			}
			after, _ := ask(t, e, "validate", settings, texts, lists, "annotation", "object")
			wanted, _ := ask(t, engine.New(), "validate", settings, texts, lists, "annotation", "object")
			if before != wanted || after != wanted {
				t.Errorf("%s: the reports are\n%s\nthen\n%s\nand of another engine\n%s", one.Name, before, after, wanted)
			}
		}
	}
}
