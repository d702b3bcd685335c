package vmrules_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

func TestNewDefaultOfAnotherForm(t *testing.T) {
	for _, path := range []string{"$", ".a[*]", "[*]", ".a[0].b", ".a.*.b", "..a", ".a[?(@.b)].c", ".a['b','c']", ".a[0:1].b"} {
		_, err := vmrules.NewDefault(vmrules.MustParsePath("jsonpath::"+path), 1)
		if err == nil || !strings.Contains(err.Error(), "write a path of names and [*] that ends in a name") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := vmrules.NewDefault(vmrules.Path{}, 1); err == nil {
		t.Errorf("the zero path: %v", err)
	}
}

func TestWithDefaults(t *testing.T) {
	rules, err := vmrules.ParseRules(`[{"name": "r", "rule": "enum", "path": "jsonpath::.spec.domain.list[*].n", "message": "m", "values": ["x"]}]`)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := vmrules.ToObject(map[string]any{"spec": map[string]any{"domain": map[string]any{"list": []any{map[string]any{}}}}})
	if err != nil {
		t.Fatal(err)
	}
	of := func(value any) vmrules.Default {
		d, err := vmrules.NewDefault(vmrules.MustParsePath("jsonpath::.spec.domain.list[*].n"), value)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	tests := []struct {
		name     string
		defaults []vmrules.Default
		want     string
	}{
		{"none", nil, "the field is not set"},
		{"the zero Default", []vmrules.Default{{}}, "the field is not set"},
		{"a string", []vmrules.Default{of("x")}, ""},
		{"the later one", []vmrules.Default{of("x"), {}, of("y")}, `not set, counts as "y": "y" is not "x"`},
		{"none again", []vmrules.Default{of("x"), of(nil)}, "the field is not set"},
		{"an array", []vmrules.Default{of([]any{"x"})}, "not set, counts as an array: an array is not a string, number or boolean"},
	}
	for _, test := range tests {
		detail := ""
		for _, v := range vmrules.Validate(rules, vm, vmrules.WithDefaults(test.defaults...)).Violations() {
			detail += v.Detail
		}
		if diff := cmp.Diff(test.want, detail); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestDefaultBelow: a path may have steps inside an object that is a default.
func TestDefaultBelow(t *testing.T) {
	rules, err := vmrules.ParseRules(`[{"name": "r", "rule": "integer", "path": "jsonpath::.spec.domain.x.y", "message": "m", "max": 1}]`)
	if err != nil {
		t.Fatal(err)
	}
	d, err := vmrules.NewDefault(vmrules.MustParsePath("jsonpath::.spec.domain.x"), map[string]any{"y": 1})
	if err != nil {
		t.Fatal(err)
	}
	vm := map[string]any{"spec": map[string]any{"domain": map[string]any{}}}
	if report := vmrules.Validate(rules, vm, vmrules.WithDefaults(d)); !report.Valid() {
		t.Error(report)
	}
}

// TestNilOption: a nil option changes nothing.
func TestNilOption(t *testing.T) {
	const text = `[{"name": "r", "rule": "integer", "path": "jsonpath::.spec.x", "message": "m"}]`
	rules, err := vmrules.ParseRules(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	vm := map[string]any{"kind": "VirtualMachine", "metadata": map[string]any{"annotations": map[string]any{vmrules.Annotation: text}},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"x": 1}}}}
	own, err := vmrules.ValidateOwn(vm, nil, vmrules.WithParseOptions(nil))
	report := vmrules.Validate(rules, vm, nil)
	if err != nil || !report.Valid() || !own.Equal(report) || len(own.Results()) != 1 {
		t.Errorf("%s\n%s %v", report, own, err)
	}
	again, err := vmrules.RulesFor(vm, nil, nil)
	built, builtErr := vmrules.NewRules([]vmrules.Rule{first(rules)}, nil)
	if errors.Join(err, builtErr) != nil || !again.Equal(rules) || !built.Equal(rules) {
		t.Errorf("%s\n%s\n%v", again, built, errors.Join(err, builtErr))
	}
}

func first(rules vmrules.Rules) vmrules.Rule {
	r, _ := rules.Named("r")
	return r
}
