package kyverno

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// An object that is judged does not change, although Kyverno is given another.
func TestEmptyTextKeepsObject(t *testing.T) {
	object := func() map[string]any {
		return map[string]any{"l": []any{map[string]any{"a": int64(0)}, map[string]any{"a": false}}, "m": []any{0.0}}
	}
	got := object()
	report := vmrules.Validate(rulesOf(t, `{"l": [{"a": ""}], "m": [""]}`), got)
	if report.Valid() {
		t.Error("want a violation")
	}
	if diff := cmp.Diff(object(), got); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}
