package plan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/pcre"
	"github.com/vmrules/vmrules/internal/plan"
	"github.com/vmrules/vmrules/internal/value"
)

func parse(t *testing.T, path string) *jsonpath.Path {
	t.Helper()
	if path == "" {
		return nil
	}
	p, err := jsonpath.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// entry demands a number of at most 8 of what a path selects.
func entry(t *testing.T, path, needs string) plan.Entry {
	t.Helper()
	s, _ := value.ScalarOf(json.Number("8"))
	most, err := constraint.Named(constraint.Max).New([]value.Scalar{s}, nil)
	if err != nil {
		t.Fatal(err)
	}
	set := constraint.NewSet(constraint.Scalar, []constraint.Constraint{most})
	return plan.Entry{Path: parse(t, path), Needs: parse(t, needs), Demands: &set}
}

// withDefault is a tree in which .n counts as 9 where it is not written.
func withDefault(t *testing.T) *jsonpath.Implied {
	t.Helper()
	field, ok := parse(t, ".n").AsField()
	if !ok {
		t.Fatal(".n is not a field")
	}
	root := &jsonpath.Implied{}
	root.SetDefault(field, 9)
	return root
}

func TestWalk(t *testing.T) {
	type wrong struct {
		At    string
		Value any
	}
	object := map[string]any{"a": 1, "b": 12, "list": []any{1, 10, map[string]any{"c": 2}}, "odd": map[string]int{"c": 1}, "z": nil}
	for _, test := range []struct {
		name, path, needs string
		want              plan.Verdict
		wrong             []wrong
	}{
		{"holds", ".a", "", plan.Holds, nil},
		{"broken", ".b", "", plan.Broken, []wrong{{"here.b", 12}}},
		{"nothing there", ".none", "", plan.Unsure, nil},
		{"null is nothing", ".z", "", plan.Unsure, nil},
		{"needed", ".a", ".b", plan.Holds, nil},
		{"not needed", ".a", ".none", plan.NotNeeded, nil},
		{"not needed, and broken", ".b", ".none", plan.NotNeeded, nil},
		{"an item", ".list[0]", "", plan.Holds, nil},
		{"from the end", ".list[-2]", "", plan.Broken, []wrong{{"here.list[1]", 10}}},
		{"each item, in order", ".list[*]", "", plan.Broken, []wrong{{"here.list[1]", 10}, {"here.list[2]", map[string]any{"c": 2}}}},
		{"members, in no order", ".list.*", "", plan.Unsure, nil},
		{"a default", ".n", "", plan.Broken, []wrong{{"here.n", 9}}},
		{"another decoder's type", ".odd.c", "", plan.Unsure, nil},
		{"another step", "..c", "", plan.Unsure, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var walk plan.Walk
			p := plan.New([]plan.Entry{{}, entry(t, test.path, test.needs)}, withDefault(t))
			walk.Run(p, object, jsonpath.Members("here"), meter.OrDefault(0, 0))
			if got := walk.Verdict(1); got != test.want {
				t.Errorf("verdict %d, want %d", got, test.want)
			}
			if got := walk.Verdict(0); got != plan.Unsure {
				t.Errorf("verdict %d of the entry without demands, want %d", got, plan.Unsure)
			}
			var got []wrong
			for _, w := range walk.Wrong(1) {
				got = append(got, wrong{w.At.String(), w.Value})
			}
			if diff := cmp.Diff(test.wrong, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Where the meter does not suffice, or after Forget, a walk is unsure of everything.
func TestUnsure(t *testing.T) {
	p := plan.New([]plan.Entry{entry(t, ".a", ""), entry(t, ".a", ".none")}, nil)
	object := map[string]any{"a": 1}
	var walk plan.Walk
	for _, test := range []struct {
		name string
		run  func()
		want plan.Verdict
	}{
		{"enough", func() { walk.Run(p, object, nil, meter.New(10*plan.Work, 0)) }, plan.Holds},
		{"too little", func() { walk.Run(p, object, nil, meter.New(plan.Work, 0)) }, plan.Unsure},
		{"forgotten", func() { walk.Run(p, object, nil, meter.New(10*plan.Work, 0)); walk.Forget(p) }, plan.Unsure},
	} {
		test.run()
		if got := walk.Verdict(0); got != test.want {
			t.Errorf("%s: verdict %d, want %d", test.name, got, test.want)
		}
		if got := walk.Verdict(1) == plan.NotNeeded; got != (test.want == plan.Holds) {
			t.Errorf("%s: not needed: %t", test.name, got)
		}
	}
	walk.Run(nil, object, nil, meter.New(1, 1)) // which has no entries to ask for
}

// A pattern that backtracks is judged against a clock, and so by one search only.
func TestBacktracking(t *testing.T) {
	e := entry(t, ".a", "")
	b := &pcre.Budget{Meter: meter.OrDefault(0, 0)}
	pattern, err := constraint.Named(constraint.Regex).New([]value.Scalar{value.FromString("(?=a)" + strings.Repeat("a", 3))}, b)
	if err != nil {
		t.Fatal(err)
	}
	set := constraint.NewSet(constraint.Scalar, []constraint.Constraint{pattern})
	e.Demands = &set
	var walk plan.Walk
	walk.Run(plan.New([]plan.Entry{e}, nil), map[string]any{"a": "aaa"}, nil, meter.OrDefault(0, 0))
	if got := walk.Verdict(0); got != plan.Unsure {
		t.Errorf("verdict %d, want %d", got, plan.Unsure)
	}
}
