package plan_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
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

// entry demands that the values of a path are numbers of at most 8.
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

// withDefault is a tree in which the default of .n is 9.
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
	object := map[string]any{"a": 1, "b": 12, "list": []any{1, 10, map[string]any{"c": 2}}, "odd": map[string]int{"c": 1}, "z": nil,
		"yaml": map[any]any{"a": 1, "list": []any{map[any]any{"b": 2}, map[any]any{"b": 10}}, "nil": map[any]any(nil)},
		"keys": map[any]any{"a": 1, 1: 12},
	}
	for _, test := range []struct {
		name, path, needs string
		want              plan.Mark
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
		{"each item, in order", ".list[*]", "", plan.Broken, []wrong{{"here.list[1]", 10}, {"here.list[2]", map[string]any{}}}},
		{"members, in no order", ".list.*", "", plan.Unsure, nil},
		{"a default", ".n", "", plan.Broken, []wrong{{"here.n", 9}}},
		{"another decoder's type", ".odd.c", "", plan.Unsure, nil},
		{"of yaml.v2", ".yaml.a", ".yaml.list", plan.Holds, nil},
		{"of yaml.v2, and broken", ".yaml.list[*].b", "", plan.Broken, []wrong{{"here.yaml.list[1].b", 10}}},
		{"of yaml.v2, in place of a number", ".yaml", "", plan.Broken, []wrong{{"here.yaml", map[string]any{}}}},
		{"of yaml.v2, and not needed", ".yaml.a", ".yaml.none", plan.NotNeeded, nil},
		{"of yaml.v2, and nil", ".yaml.a", ".yaml.nil", plan.NotNeeded, nil},
		{"of yaml.v2, with a key that is a string", ".keys.a", "", plan.Holds, nil},
		{"of yaml.v2, with a key that may be meant", ".keys.1", "", plan.Unsure, nil},
		{"of yaml.v2, with a key that may not be needed", ".a", ".keys.none", plan.Unsure, nil},
		{"another step", "..c", "", plan.Unsure, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := plan.New([]plan.Entry{{}, entry(t, test.path, test.needs)}, withDefault(t))
			verdicts := make([]plan.Mark, 2)
			all, isSure := p.Run(object, newBudget(), verdicts)
			if diff := cmp.Diff([]plan.Mark{plan.Unsure, test.want}, verdicts); diff != "" {
				t.Errorf("verdicts (-want +got):\n%s", diff)
			}
			if isSure {
				t.Error("the plan is sure of the entry without demands")
			}
			var got []wrong
			for _, w := range all {
				got = append(got, wrong{w.AppendTo(jsonpath.Members("here"), parse(t, test.path)).String(), w.Value})
			}
			if diff := cmp.Diff(test.wrong, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestIsSure(t *testing.T) {
	object := map[string]any{"a": 1, "b": 12}
	for _, test := range []struct {
		name    string
		entries []plan.Entry
		work    int
		want    []plan.Mark
		isSure  bool
	}{
		{"nothing is wrong", []plan.Entry{entry(t, ".a", ""), entry(t, ".a", ".none")}, 1000, []plan.Mark{plan.Holds, plan.NotNeeded},
			true},
		{"something is wrong", []plan.Entry{entry(t, ".a", ""), entry(t, ".b", "")}, 10_000, []plan.Mark{plan.Holds, plan.Broken}, true},
		{"too little to spend", []plan.Entry{entry(t, ".a", ""), entry(t, ".a", ".none")}, 1, []plan.Mark{plan.Unsure, plan.Unsure},
			false},
		{"no entries", nil, 0, []plan.Mark{}, true},
		{"no entry that a plan supports", []plan.Entry{{}}, 1000, []plan.Mark{plan.Unsure}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := &meter.Budget{Meter: meter.New(test.work, 10_000)}
			verdicts := make([]plan.Mark, len(test.entries))
			_, isSure := plan.New(test.entries, nil).Run(object, b, verdicts)
			if diff := cmp.Diff(test.want, verdicts); diff != "" || isSure != test.isSure {
				t.Errorf("sure: %t, want %t; verdicts (-want +got):\n%s", isSure, test.isSure, diff)
			}
		})
	}
}

// A search selects a limited number of values, so beyond that the walk must be unsure.
func TestTooManyMatches(t *testing.T) {
	list := func(n int, item any) []any { return slices.Repeat([]any{item}, n) }
	for _, test := range []struct {
		name, path string
		object     any
		want       plan.Mark
	}{
		{"as many as possible", "[*]", list(jsonpath.MaxMatches, 1), plan.Holds},
		{"one too many", "[*]", list(jsonpath.MaxMatches+1, 1), plan.Unsure},
		{"too many together", "[*][*]", list(101, list(100, 1)), plan.Unsure},
		{"many members", ".*", list(jsonpath.MaxMatches+1, 1), plan.Unsure},
		{"a step into more items than a plan follows", "[0][0][0][0][0][0][0][0][0]", list(1, 1), plan.Unsure},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := make([]plan.Mark, 1)
			plan.New([]plan.Entry{entry(t, test.path, "")}, nil).Run(test.object, newBudget(), got)
			if got[0] != test.want {
				t.Errorf("verdict %d, want %d", got[0], test.want)
			}
		})
	}
}

func TestWrongOf(t *testing.T) {
	all := []plan.Wrong{{Entry: 1, Value: "a"}, {Entry: 2, Value: "b"}, {Entry: 2, Value: "c"}, {Entry: 4, Value: "d"}}
	unexported := cmp.AllowUnexported(plan.Wrong{})
	for entry, want := range [][]plan.Wrong{{}, {{Entry: 1, Value: "a"}}, {{Entry: 2, Value: "b"}, {Entry: 2, Value: "c"}}, {}, {{Entry: 4, Value: "d"}}, {}} {
		if diff := cmp.Diff(want, plan.WrongOf(entry, all), unexported); diff != "" {
			t.Errorf("%d (-want +got):\n%s", entry, diff)
		}
	}
}

// A pattern that backtracks has limited time: when it is used up, a search says so.
func TestBacktracking(t *testing.T) {
	e := entry(t, ".a", "")
	b := newBudget()
	pattern, err := constraint.Named(constraint.Regex).New([]value.Scalar{value.FromString("(?=a)" + strings.Repeat("a", 3))}, b)
	if err != nil {
		t.Fatal(err)
	}
	set := constraint.NewSet(constraint.Scalar, []constraint.Constraint{pattern})
	e.Demands = &set
	for _, test := range []struct {
		time time.Duration
		want plan.Mark
	}{{time.Hour, plan.Holds}, {0, plan.Unsure}} {
		got := make([]plan.Mark, 1)
		b.Backtracking = test.time
		plan.New([]plan.Entry{e}, nil).Run(map[string]any{"a": "aaa"}, b, got)
		if got[0] != test.want {
			t.Errorf("%v: verdict %d, want %d", test.time, got[0], test.want)
		}
	}
}

func newBudget() *meter.Budget { return &meter.Budget{Meter: meter.OrDefault(0, 0)} }
