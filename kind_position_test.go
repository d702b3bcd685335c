package vmrules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vmrules/vmrules"
)

// TestPositionIn: the text at the position begins with the wanted text.
func TestPositionIn(t *testing.T) {
	const annotation = `[{"name": "r", "rule": "k", "path": "jsonpath::.a", "message": "m",
		"own": {"a": [true, {"b\u0063": null}], "": {"x": 1}}, "null": null}]`
	tests := []struct {
		key  string
		path []any
		want string
	}{
		{"own", nil, `{"a": [true`},
		{"own", []any{"a"}, "[true"},
		{"own", []any{"a", 0}, "true"},
		{"own", []any{"a", 1, "bc"}, "null}"},
		{"own", []any{"", "x"}, "1}"},
		{"own", []any{"", "y", "z"}, `{"x": 1}`},
		{"own", []any{"a", 2}, "[true"},
		{"own", []any{"a", -1}, "[true"},
		{"own", []any{"a", "0"}, "[true"},
		{"own", []any{"a", 0, "b"}, "true"},
		{"own", []any{0}, `{"a": [true`},
		{"own", []any{"a", 1.0}, "[true"},
		{"own", []any{"", nil, "x"}, `{"x": 1}`},
		{"null", []any{"a"}, `{"name": "r"`},
		{"none", []any{"a"}, `{"name": "r"`},
		{"name", []any{"a"}, `"r"`},
	}
	_, err := vmrules.ParseRules(annotation, vmrules.WithKind("k", func(s vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) {
		for _, test := range tests {
			if got := annotation[s.PositionIn(test.key, test.path...):]; !strings.HasPrefix(got, test.want) {
				t.Errorf("%s %v: %.20s, want %s", test.key, test.path, got, test.want)
			}
		}
		return nil, []vmrules.Problem{s.Problem("own", vmrules.ReasonInvalid, "seen")}
	}))
	if err == nil || !strings.Contains(err.Error(), "seen") {
		t.Fatal(err)
	}
}

// TestPositionInIsBounded: looking for members is paid for.
func TestPositionInIsBounded(t *testing.T) {
	var members []string
	for i := range 10_000 {
		members = append(members, fmt.Sprintf(`"%d": 0`, i))
	}
	annotation := `[{"name": "r", "rule": "k", "path": "jsonpath::.a", "message": "m", "own": {` + strings.Join(members, ",") + `}}]`
	asked := 0
	_, err := vmrules.ParseRules(annotation, vmrules.WithKind("k", func(s vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) {
		for s.PositionIn("own", "9999") > s.PositionIn("own") && asked < 1_000_000 {
			asked++
		}
		return nil, []vmrules.Problem{s.Problem("own", vmrules.ReasonInvalid, "seen")}
	}))
	if asked == 0 || asked > 20_000 {
		t.Errorf("%d times it was found", asked)
	}
	if err == nil || !strings.Contains(err.Error(), "too costly to read") {
		t.Errorf("the budget lasts: %v", err)
	}
}
