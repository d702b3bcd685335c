package lint_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/lint"
)

func TestAnnotationKey(t *testing.T) {
	const rules = `[{"name": "r", "rule": "integer"}]`
	tests := []struct {
		key, text  string
		ofTemplate bool
		want       string // the suggestion
	}{
		{"vm.kubevirt.io/validations", rules, false, ""},
		{"vm.kubevirt.io/skip-validations", "", false, ""},
		{"validations", rules, true, ""},
		{"vm.kubevirt.io/validation", rules, false, "vm.kubevirt.io/validations"},
		{"vm.kubevirt.io/validation", "", false, "vm.kubevirt.io/validations"},
		{"VM.kubevirt.io/Validations", rules, true, "vm.kubevirt.io/validations"},
		{"vm.kubevirt.io/skip-validation", "", false, "vm.kubevirt.io/skip-validations"},
		{"validation", "", true, "validations"},
		{"validation", "", false, ""},
		{"validations", rules, false, "vm.kubevirt.io/validations"},
		{"validations", "by hand", false, ""},
		{"kubevirt.io/validations", rules, false, "vm.kubevirt.io/validations"},
		{"template.kubevirt.io/validation", " " + rules, true, "vm.kubevirt.io/validations"},
		{"example.com/validations", "[]", false, ""},
		{"vm.kubevirt.io/os", rules, false, "vm.kubevirt.io/validations"},
		{"vm.kubevirt.io/os", "windows", false, ""},
		{"vm.kubevirt.io/rules", rules, false, "vm.kubevirt.io/validations"},
		{"vm.kubevirt.io/rules", "[]", false, ""},
		{"template.kubevirt.io/constraints", rules, false, "vm.kubevirt.io/validations"},
		{"vm.kubevirt.io", rules, false, "vm.kubevirt.io/validations"},
		{"validation-rules", rules, false, "vm.kubevirt.io/validations"},
		{"rules", rules, false, "vm.kubevirt.io/validations"},
		{"example.com/rules", rules, false, ""},
		{"example.com/validation-rules", rules, false, "vm.kubevirt.io/validations"},
		{"ignore-check.vmrules.io/no-arguments", rules, false, ""},
		{"", rules, false, ""},
		{"/", rules, false, ""},
		{"note", rules, false, ""},
	}
	for _, test := range tests {
		f, found := lint.AnnotationKey(test.key, test.text, test.ofTemplate)
		if found != (test.want != "") || f.Suggestion != test.want {
			t.Errorf("%s on a template %v: %v, %v; want %q", test.key, test.ofTemplate, f, found, test.want)
		}
	}
	got, _ := lint.AnnotationKey("vm.kubevirt.io/validation", "", false)
	want := lint.Finding{
		Severity: lint.SeverityError, ID: "misspelt-annotation", Index: -1, Suggestion: "vm.kubevirt.io/validations",
		Message: `the annotation "vm.kubevirt.io/validation" is not read: did you mean vm.kubevirt.io/validations?`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMisplacedAnnotation(t *testing.T) {
	want := lint.Finding{
		Severity: lint.SeverityError, ID: "misplaced-annotation", Index: -1,
		Message: "nobody reads vm.kubevirt.io/validations here: move it to the annotations in the VM's own metadata",
	}
	if diff := cmp.Diff(want, lint.MisplacedAnnotation("in the VM's own metadata")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestUndeclaredParameter(t *testing.T) {
	tests := []struct {
		name, want string
		declared   []string
		isNear     bool
	}{
		{"SOCKETS", "the template has no parameter SOCKETS: did you mean SOKCETS?", []string{"NAME", "SOKCETS"}, true},
		{"HOME", "the template has no parameter HOME: declare it, or correct its name", []string{"NAME"}, false},
		{"X", "the template has no parameter X: declare it, or correct its name", nil, false},
	}
	for _, test := range tests {
		got := lint.UndeclaredParameter(test.name, test.declared)
		want := lint.Finding{Severity: lint.SeverityWarning, ID: "undeclared-parameter", Index: -1, Message: test.want}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if isNear := lint.IsNearParameter(test.name, test.declared); isNear != test.isNear {
			t.Errorf("%s is near one of %v: %v", test.name, test.declared, isNear)
		}
	}
}
