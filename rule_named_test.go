package vmrules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

func TestNamed(t *testing.T) {
	rules, err := vmrules.ParseRules(`[
		{"name": "a", "rule": "integer", "path": "jsonpath::.spec.a", "message": "m", "min": 1},
		{"name": "b", "rule": "enum", "path": "jsonpath::.spec.b", "message": "m", "values": ["x", "y"]}
	]`)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range rules.All() {
		got, ok := rules.Named(want.Name)
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("%s: %v (-want +got):\n%s", want.Name, ok, diff)
		}
	}
	changed, _ := rules.Named("b")
	changed.Values[0] = vmrules.MustNewArgument("changed")
	if again, _ := rules.Named("b"); again.Equal(changed) {
		t.Error("a change of what Named returns changes the rules")
	}
	for _, name := range []string{"", "c", "A"} {
		if got, ok := rules.Named(name); ok || !got.Equal(vmrules.Rule{}) {
			t.Errorf("%q: %v, %v", name, got, ok)
		}
	}
}
