package rulekey_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/rulekey"
)

func TestKeys(t *testing.T) {
	for _, test := range []struct {
		name               string
		named, ofAny       string // the names of the keys
		isPath, isArgument bool
	}{
		{name: "path", named: "path", ofAny: "path", isPath: true},
		{name: "message", named: "message", ofAny: "message"},
		{name: "Message"},
		{name: "maxLength", named: "maxLength", ofAny: "maxLength", isArgument: true},
		{name: "values", named: "values", ofAny: "values", isArgument: true},
		{name: "included", ofAny: "values", isArgument: true},
		{name: ""},
	} {
		k := rulekey.OfAnyVersion(test.name)
		want := []any{test.named, test.ofAny, test.isPath, test.isArgument}
		got := []any{rulekey.Named(test.name).Name, k.Name, k.IsPath, k.IsArgument}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: named, of any version, path, argument (-want +got):\n%s", test.name, diff)
		}
	}
}
