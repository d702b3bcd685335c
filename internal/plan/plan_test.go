package plan_test

import (
	"encoding/json"
	"fmt"
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

// placeOf returns where a value is wrong; "nothing" if none is there.
func placeOf(t *testing.T, w *plan.Wrong, path string) string {
	t.Helper()
	if w.Value == nil {
		return "nothing"
	}
	return w.AppendTo(jsonpath.Members("here"), parse(t, path)).String()
}

// bounded is an entry whose max is read from the object.
func bounded(t *testing.T, path, needs, most string) plan.Entry {
	t.Helper()
	e := entry(t, path, needs)
	set := constraint.NewSet(constraint.Scalar, nil)
	e.Demands, e.Arguments = &set, []plan.Argument{{Of: constraint.Named(constraint.Max), Path: parse(t, most)}}
	return e
}

// withDefault is a tree in which the default of .n is 9.
func withDefault(t *testing.T) *jsonpath.Implied {
	t.Helper()
	field := parse(t, ".n")
	if !field.IsField() {
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
		{"nothing there", ".none", "", plan.Broken, []wrong{{"here.none", nil}}},
		{"nothing in a list", ".list[*].none", "", plan.Broken, []wrong{{"here.list[0].none", nil}}},
		{"nothing there, but needed", ".none", ".a", plan.Broken, []wrong{{"here.none", nil}}},
		{"nothing there, and not needed", ".none", ".none", plan.NotNeeded, nil},
		{"null is nothing", ".z", "", plan.Broken, []wrong{{"here.z", nil}}},
		{"nothing beside another decoder's type", ".*.none", "", plan.Unsure, nil},
		{"needed", ".a", ".b", plan.Holds, nil},
		{"not needed", ".a", ".none", plan.NotNeeded, nil},
		{"not needed, and broken", ".b", ".none", plan.NotNeeded, nil},
		{"an item", ".list[0]", "", plan.Holds, nil},
		{"from the end", ".list[-2]", "", plan.Broken, []wrong{{"here.list[1]", 10}}},
		{"each item, in order", ".list[*]", "", plan.Broken, []wrong{{"here.list[1]", 10}, {"here.list[2]", map[string]any{}}}},
		{"members, in no order", ".list.*", "", plan.Unsure, nil},
		{"a default", ".n", "", plan.Broken, []wrong{{"here.n", 9}}},
		{"another decoder's type", ".odd.c", "", plan.Unsure, nil},
		{"needed below another decoder's type", ".a", ".odd.x..c", plan.Unsure, nil},
		{"needed in a list of another decoder's type", ".a", `.odd.x[?(@.c=="x")]`, plan.Unsure, nil},
		{"another step", ".list[0,1]", "", plan.Unsure, nil},
		{"of yaml.v2", ".yaml.a", ".yaml.list", plan.Holds, nil},
		{"of yaml.v2, and broken", ".yaml.list[*].b", "", plan.Broken, []wrong{{"here.yaml.list[1].b", 10}}},
		{"of yaml.v2, in place of a number", ".yaml", "", plan.Broken, []wrong{{"here.yaml", map[string]any{}}}},
		{"of yaml.v2, and not needed", ".yaml.a", ".yaml.none", plan.NotNeeded, nil},
		{"of yaml.v2, and nil", ".yaml.a", ".yaml.nil", plan.NotNeeded, nil},
		{"of yaml.v2, with a key that is a string", ".keys.a", "", plan.Holds, nil},
		{"of yaml.v2, with a key that may be meant", ".keys.1", "", plan.Unsure, nil},
		{"of yaml.v2, below ..", ".yaml..b", "", plan.Unsure, nil},
		{"of yaml.v2, with a key that may not be needed", ".a", ".keys.none", plan.Unsure, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := plan.New([]plan.Entry{{}, entry(t, test.path, test.needs)}, withDefault(t))
			verdicts := make([]plan.Mark, 2)
			all, isSure := p.Run(object, newBudget(), verdicts, false)
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

// An argument is read wherever it is in the object, before or after the values that it limits.
func TestArguments(t *testing.T) {
	object := map[string]any{
		"a": int64(1), "b": int64(12), "s": "8", "list": []any{int64(3), int64(20), map[string]any{"n": int64(2)}}, "numbers": []any{int64(3), int64(2), int64(4)},
		"f": 8.5, "j": json.Number("8"), "bool": true, "text": "x", "z": nil, "empty": map[string]any{},
	}
	for _, test := range []struct {
		name, path, most string
		want             plan.Mark
		wrong            []string
	}{
		{"holds", ".a", ".b", plan.Holds, nil},
		{"broken", ".b", ".a", plan.Broken, []string{"here.b 12 max 1"}},
		{"a quantity", ".b", ".s", plan.Broken, []string{"here.b 12 max 8"}},
		{"a fraction", ".a", ".f", plan.Unsure, nil},
		{"a value that is no number", ".text", ".b", plan.Unsure, nil},
		{"a json.Number", ".s", ".j", plan.Holds, nil},
		{"an item", ".a", ".list[0]", plan.Holds, nil},
		{"below an item", ".list[0]", ".list[2].n", plan.Broken, []string{"here.list[0] 3 max 2"}},
		{"each item", ".list[*]", ".list[1]", plan.Unsure, nil},
		{"each number", ".numbers[*]", ".numbers[1]", plan.Broken, []string{"here.numbers[0] 3 max 2", "here.numbers[2] 4 max 2"}},
		{"a default", ".a", ".n", plan.Holds, nil},
		{"limited by itself", ".b", ".b", plan.Holds, nil},
		{"a boolean", ".a", ".bool", plan.Unsure, nil},
		{"a text", ".a", ".text", plan.Unsure, nil},
		{"an object", ".a", ".empty", plan.Unsure, nil},
		{"null", ".a", ".z", plan.Unsure, nil},
		{"nothing there", ".a", ".none", plan.Unsure, nil},
		{"nothing there, and no value", ".none", ".none", plan.Broken, []string{"nothing <nil>  <nil>"}},
		{"perhaps several", ".a", ".list[*]", plan.Unsure, nil},
		{"from the end", ".a", ".list[-3]", plan.Unsure, nil},
		{"values of a descent", "..a", ".b", plan.Unsure, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			// In the second plan, other entries' steps come first.
			for i, entries := range [][]plan.Entry{
				{bounded(t, test.path, "", test.most)},
				{bounded(t, test.path, "", test.most), bounded(t, ".list[0]", "", ".list[1]"), bounded(t, ".list[1]", "", ".list[2].n")},
				{bounded(t, ".b", "", ".s"), bounded(t, ".s", "", ".f"), bounded(t, ".f", "", ".j"), bounded(t, ".a", "", ".b"),
					bounded(t, ".j", "", ".list[0]"), bounded(t, test.path, "", test.most)},
			} {
				marks, own := make([]plan.Mark, len(entries)), i/2*(len(entries)-1)
				all, _ := plan.New(entries, withDefault(t)).Run(object, newBudget(), marks, false)
				var wrong []string
				for _, w := range plan.WrongOf(own, all) {
					wrong = append(wrong, fmt.Sprint(placeOf(t, &w, test.path), " ", w.Value, " ", constraint.Failure{Demand: w.Demand}.Key(), " ", w.Demand))
				}
				if diff := cmp.Diff(test.wrong, wrong); diff != "" || marks[own] != test.want {
					t.Errorf("mark %d, want %d; (-want +got):\n%s", marks[own], test.want, diff)
				}
			}
		})
	}
}

// A value that breaks both a literal and an argument is left to a search, which knows their order.
func TestLiteralsBesideArguments(t *testing.T) {
	s, _ := value.ScalarOf(json.Number("5"))
	least, err := constraint.Named(constraint.Min).New([]value.Scalar{s}, nil)
	if err != nil {
		t.Fatal(err)
	}
	set := constraint.NewSet(constraint.Integer, []constraint.Constraint{least})
	for _, test := range []struct {
		value, most int64
		want        plan.Mark
		argument    string
	}{{6, 7, plan.Holds, ""}, {8, 7, plan.Broken, "max"}, {4, 7, plan.Broken, "min"}, {4, 3, plan.Unsure, ""}} {
		e := bounded(t, ".value", "", ".most")
		e.Demands = &set
		marks := make([]plan.Mark, 1)
		wrong, _ := plan.New([]plan.Entry{e}, nil).Run(map[string]any{"value": test.value, "most": test.most}, newBudget(), marks, false)
		argument := ""
		for _, w := range wrong {
			argument += w.Demand.Key()
		}
		if marks[0] != test.want || argument != test.argument {
			t.Errorf("%d with max %d: mark %d, wrong by %q", test.value, test.most, marks[0], argument)
		}
	}
}

// Where only the first wrong value is wanted, the rest of a list decides nothing but what is needed.
func TestFirst(t *testing.T) {
	object := map[string]any{
		"list":  []any{map[string]any{"v": 12}, map[string]any{"v": 13, "n": 1}},
		"below": map[string]any{"g": 20, "c": 20, "e": 20, "a": map[string]any{"v": 20}, "b": map[string]any{"v": 20}, "d": map[string]any{"v": 20}},
	}
	for _, test := range []struct {
		path, needs string
		want        plan.Mark
		wrong       []string
	}{
		{".list[*].v", "", plan.Broken, []string{"here.list[0].v"}},
		{".list[*].v", ".list[*].n", plan.Broken, []string{"here.list[0].v"}},
		{".list[*].v", ".list[*].none", plan.NotNeeded, nil},
		{".below..v", "", plan.Broken, []string{"here.below.a.v"}},
	} {
		for range 20 { // the order of members differs
			marks := make([]plan.Mark, 1)
			all, _ := plan.New([]plan.Entry{entry(t, test.path, test.needs)}, nil).Run(object, newBudget(), marks, true)
			var wrong []string
			for _, w := range all {
				wrong = append(wrong, placeOf(t, &w, test.path))
			}
			if diff := cmp.Diff(test.wrong, wrong); diff != "" || marks[0] != test.want {
				t.Fatalf("%s: mark %d, want %d; (-want +got):\n%s", test.path, marks[0], test.want, diff)
			}
		}
	}
}

// A list from the object decides about texts, if it is one text and nothing else is read.
func TestListed(t *testing.T) {
	object := map[string]any{"a": "x", "b": "y", "n": 1, "none": "", "list": []any{"x"}, "each": []any{"x", "y"}}
	values := constraint.Named(constraint.Values)
	for _, test := range []struct {
		path, values, most string
		want               plan.Mark
		detail             string
	}{
		{".a", ".a", "", plan.Holds, ""},
		{".a", ".b", "", plan.Broken, `"x" is not "y"`},
		{".each[*]", ".a", "", plan.Broken, `"y" is not "x"`},
		{".n", ".a", "", plan.Unsure, ""},
		{".a", ".n", "", plan.Unsure, ""},
		{".a", ".none", "", plan.Unsure, ""},
		{".a", ".list", "", plan.Unsure, ""},
		{".a", ".list[*]", "", plan.Unsure, ""},
		{".a", ".missing", "", plan.Unsure, ""},
		{".a", ".a", ".n", plan.Unsure, ""},
	} {
		set := constraint.NewSet(constraint.Scalar, nil)
		e := plan.Entry{Path: parse(t, test.path), Demands: &set, Arguments: []plan.Argument{{Of: values, Path: parse(t, test.values)}}}
		if test.most != "" {
			e.Arguments = append([]plan.Argument{{Of: constraint.Named(constraint.Max), Path: parse(t, test.most)}}, e.Arguments...)
		}
		marks, detail := make([]plan.Mark, 1), ""
		wrong, _ := plan.New([]plan.Entry{e}, nil).Run(object, newBudget(), marks, false)
		for _, w := range wrong {
			s, _ := value.ScalarOf(w.Value)
			detail += set.Breach(w.Demand, w.Value, &s).Detail
		}
		if marks[0] != test.want || detail != test.detail {
			t.Errorf("%+v: mark %d, %q", test, marks[0], detail)
		}
	}
}

func TestFilters(t *testing.T) {
	item := func(name, n any) map[string]any { return map[string]any{"name": name, "v": n} }
	list := []any{item("x", 1), item("y", 12), item("x", 20), item(nil, 30)}
	for _, test := range []struct {
		name, path string
		list       []any
		want       plan.Mark
		wrong      []string
	}{
		{"some", `[?(@.name=="x")].v`, list, plan.Broken, []string{"here[2].v"}},
		{"some that hold", `[?(@.name=="x")].v`, list[:2], plan.Holds, nil},
		{"beside each item", `[?(@.name=="y")].v`, []any{item("y", 2), item("x", 12)}, plan.Holds, nil},
		{"none", `[?(@.name=="z")].v`, list, plan.Broken, []string{"nothing"}},
		{"a missing member", `[?(@.other=="x")].v`, list, plan.Broken, []string{"nothing"}},
		{"a member with a default", `[?(@.name=="x")].v`, []any{item("x", 1), map[string]any{"v": 12}}, plan.Unsure, nil},
		{"unlike", `[?(@.name!="x")].v`, list, plan.Unsure, nil},
		{"a number", `[?(@.v==12)].v`, list, plan.Unsure, nil},
		{"a long text", `[?(@.name=="` + strings.Repeat("x", 200) + `")].v`, []any{item(strings.Repeat("x", 200), 12)}, plan.Broken,
			[]string{"here[0].v"}},
		{"a filter of a filter's items", `[?(@.name=="x")].in[?(@.name=="y")].v`,
			[]any{map[string]any{"name": "x", "in": []any{item("x", 12), item("y", 12)}}}, plan.Broken, []string{"here[0].in[1].v"}},
		{"existence", `[?(@.name)].v`, list, plan.Unsure, nil},
		{"two members", `[?(@.name==@.v)].v`, list, plan.Unsure, nil},
		{"a member below a member", `[?(@.name.x=="x")].v`, list, plan.Unsure, nil},
		{"an item of another type", `[?(@.name=="x")].v`, []any{item("x", 1), map[string]string{"name": "x"}}, plan.Unsure, nil},
		{"a member of another type", `[?(@.name=="x")].v`, []any{item("x", 1), item([]byte("x"), 1)}, plan.Unsure, nil},
		{"a number as member", `[?(@.name=="x")].v`, []any{item("x", 1), item(1, 1)}, plan.Unsure, nil},
		{"a text as item", `[?(@.name=="x")].v`, []any{item("x", 1), "x"}, plan.Unsure, nil},
		{"null as item", `[?(@.name=="x")].v`, []any{item("x", 1), map[string]any(nil)}, plan.Unsure, nil},
		{"too many", `[?(@.name=="x")].v`, slices.Repeat([]any{item("x", 1)}, jsonpath.MaxMatches+1), plan.Unsure, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			marks := make([]plan.Mark, 2)
			var fields *jsonpath.Implied
			if strings.Contains(test.name, "default") {
				fields = &jsonpath.Implied{}
				fields.SetDefault(parse(t, "[*].name"), "x")
			}
			entries := []plan.Entry{entry(t, test.path, ""), entry(t, "[*].v", test.path)}
			all, _ := plan.New(entries, fields).Run(test.list, newBudget(), marks, false)
			var wrong []string
			for _, w := range plan.WrongOf(0, all) {
				wrong = append(wrong, placeOf(t, &w, test.path))
			}
			if diff := cmp.Diff(test.wrong, wrong); diff != "" || marks[0] != test.want {
				t.Errorf("mark %d, want %d; (-want +got):\n%s", marks[0], test.want, diff)
			}
		})
	}
}

// Values below a ".." are in document order, and each is found once, however deep it is.
func TestDescents(t *testing.T) {
	deep := func(levels int, v any) any {
		for range levels {
			v = map[string]any{"x": v}
		}
		return v
	}
	cycle := map[string]any{}
	cycle["x"] = cycle
	object := map[string]any{
		"b": map[string]any{"n": 20, "a": []any{map[string]any{"n": 12}, map[string]any{"n": 1}, []any{map[string]any{"n": 13}}}},
		"n": map[string]any{"n": 14}, "a": nil, "c": map[string]any{"n": nil},
	}
	for _, test := range []struct {
		name, path string
		object     any
		want       plan.Mark
		wrong      []string
	}{
		{"everywhere", "..n", object,
			plan.Broken, []string{"here.b.a[0].n", "here.b.a[2][0].n", "here.b.n", "here.n", "here.n.n"}},
		{"below a member", ".b.a..n", object, plan.Broken, []string{"here.b.a[0].n", "here.b.a[2][0].n"}},
		{"nothing is wrong", "..n", map[string]any{"a": []any{map[string]any{"n": 1}}, "n": 2}, plan.Holds, nil},
		{"nothing is there", "..none", object, plan.Broken, []string{"nothing"}},
		{"no default", "..n", map[string]any{}, plan.Broken, []string{"nothing"}},
		{"as deep as a walk descends", "..n", deep(499, map[string]any{"n": 1}), plan.Holds, nil},
		{"deeper", "..n", deep(500, map[string]any{"n": 1}), plan.Unsure, nil},
		{"a cycle", "..n", map[string]any{"n": 1, "cycle": cycle}, plan.Unsure, nil},
		{"another type", "..n", map[string]any{"n": 1, "z": []string{}}, plan.Unsure, nil},
		{"a list as Go code builds it", "..n", map[string]any{"n": 1, "z": []map[string]any{{"x": 1}}}, plan.Unsure, nil},
		{"texts", "..n", map[string]any{"n": 1, "z": map[string]string{"n": "x"}}, plan.Unsure, nil},
		{"no number", "..n", map[string]any{"n": 1, "z": json.Number("x")}, plan.Unsure, nil},
		{"too many", "..n", slices.Repeat([]any{map[string]any{"n": 1}}, jsonpath.MaxMatches+1), plan.Unsure, nil},
		{"two descents", "..b..n", object, plan.Unsure, nil},
		{"more steps", "..b.n", object, plan.Unsure, nil},
		{"items", "..[0]", object, plan.Unsure, nil},
		{"below each item", "[*]..n", []any{object}, plan.Unsure, nil},
		{"below many members", strings.Repeat(".x", 500) + "..n", deep(500, map[string]any{"n": 1}), plan.Unsure, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			marks := make([]plan.Mark, 2)
			all, _ := plan.New([]plan.Entry{entry(t, test.path, ""), entry(t, "..a", "")}, withDefault(t)).Run(test.object, newBudget(), marks, false)
			var wrong []string
			for _, w := range plan.WrongOf(0, all) {
				wrong = append(wrong, placeOf(t, &w, test.path))
			}
			if diff := cmp.Diff(test.wrong, wrong); diff != "" || marks[0] != test.want {
				t.Errorf("mark %d, want %d; (-want +got):\n%s", marks[0], test.want, diff)
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
			_, isSure := plan.New(test.entries, nil).Run(object, b, verdicts, false)
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
			plan.New([]plan.Entry{entry(t, test.path, "")}, nil).Run(test.object, newBudget(), got, false)
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
		plan.New([]plan.Entry{e}, nil).Run(map[string]any{"a": "aaa"}, b, got, false)
		if got[0] != test.want {
			t.Errorf("%v: verdict %d, want %d", test.time, got[0], test.want)
		}
	}
}

func newBudget() *meter.Budget { return &meter.Budget{Meter: meter.OrDefault(0, 0)} }
