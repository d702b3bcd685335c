package fieldpath_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/conformance"
)

// shown returns the steps with their types.
func shown(steps []fieldpath.Step) []string {
	all := []string{}
	for _, step := range steps {
		all = append(all, strings.TrimPrefix(fmt.Sprintf("%T %s", step, step), "fieldpath."))
	}
	return all
}

func TestSteps(t *testing.T) {
	tests := map[string][]string{
		"$":                        {},
		".spec.domain":             {"Name .spec", "Name .domain"},
		`['a']['b\.c']['we ird']`:  {"Name .a", `Name .b\.c`, "Name ['we ird']"},
		`['range']['']['\*']`:      {"Name .range", "Name ['']", `Name ['\*']`},
		"[0][-1][ 2 ]":             {"Index [0]", "Index [-1]", "Index [2]"},
		"[0:2][:][1::2][:-1:1]":    {"Slice [0:2]", "Slice [:]", "Slice [1::2]", "Slice [:-1:1]"},
		`[0, 2]['a',"b'"][-1,1:2]`: {"Union [0,2]", `Union ['a','b\'']`, "Union [-1,1:2]"},
		"[*].*":                    {"Items [*]", "Wildcard .*"},
		"..a..*..[0]..['b c'].d":   {"Descent ..a", "Descent ..*", "Descent ..[0]", "Descent ..['b c']", "Name .d"},
		`[?( @.a == 'x"\t' )].b`:   {`Filter [?(@.a=="x\"\t")]`, "Name .b"},
		`..[?(@..a[*]['b c'])]`:    {`Descent ..[?(@..a[*]['b c'])]`},
		`[?(1.50>=@)][?(@!=true)]`: {"Filter [?(1.5>=@)]", "Filter [?(@!=true)]"},
	}
	for path, want := range tests {
		if diff := cmp.Diff(want, shown(fieldpath.Steps(vmrules.MustParsePath("jsonpath::"+path)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	if steps := fieldpath.Steps(vmrules.Path{}); len(steps) > 0 {
		t.Errorf("the zero path has the steps %v", steps)
	}
}

// This example writes a path as a JSON Pointer, if it selects only one place.
func ExampleSteps() {
	pointer := func(path string) (string, error) {
		var s strings.Builder
		for _, step := range fieldpath.Steps(vmrules.MustParsePath(path)) {
			switch step := step.(type) {
			case fieldpath.Name:
				s.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(string(step)))
			case fieldpath.Index:
				fmt.Fprintf(&s, "/%d", int(step))
			default:
				return "", fmt.Errorf("%s may select several places", step)
			}
		}
		return s.String(), nil
	}
	fmt.Println(pointer(`jsonpath::.spec.volumes[0]['vm\.kubevirt\.io/os']`))
	fmt.Println(pointer("jsonpath::.spec.volumes[*].name"))
	// Output:
	// /spec/volumes/0/vm.kubevirt.io~1os <nil>
	//  [*] may select several places
}

// A form groups the fields of a VM by the part that they belong to.
func ExampleBeginsWith() {
	disks := vmrules.MustParsePath("jsonpath::.spec.domain.devices.disks")
	for _, text := range []string{"jsonpath::.spec.domain.devices.disks[*].cache", "jsonpath::.spec.domain.cpu.cores"} {
		path := vmrules.MustParsePath(text)
		names, isPlain := fieldpath.Names(path)
		fmt.Println(fieldpath.BeginsWith(path, disks), names, isPlain)
	}
	// Output:
	// true [] false
	// false [spec domain cpu cores] true
}

// TestStepsArePaths: the texts of a path's steps, put together, are the same path.
func TestStepsArePaths(t *testing.T) {
	paths := 0
	for _, vectors := range conformance.Read(t, "../testdata/conformance") {
		for _, v := range vectors {
			var rules []struct{ Path, Valid string }
			if json.Unmarshal([]byte(v.Text()), &rules) != nil {
				continue
			}
			for _, r := range rules {
				paths += isItsSteps(t, r.Path) + isItsSteps(t, r.Valid)
			}
		}
	}
	if paths < 100 {
		t.Errorf("only %d paths were checked", paths)
	}
}

// isItsSteps checks the steps of a path. It returns how many paths it checked: 0 if the text
// is not a path.
func isItsSteps(t *testing.T, text string) int {
	path, err := vmrules.ParsePath(text)
	if err != nil {
		return 0
	}
	written := "jsonpath::$"
	for _, step := range fieldpath.Steps(path) {
		written += step.String()
	}
	if again, err := vmrules.ParsePath(written); err != nil || !again.Equal(path) {
		t.Errorf("%s has steps that are %s: %v", text, written, err)
	}
	return 1
}

// only returns the only step of a path.
func only[S fieldpath.Step](t *testing.T, path string) S {
	t.Helper()
	steps := fieldpath.Steps(vmrules.MustParsePath("jsonpath::" + path))
	step, ok := steps[0].(S)
	if !ok || len(steps) != 1 {
		t.Fatalf("%s: %v", path, shown(steps))
	}
	return step
}

func TestSliceStep(t *testing.T) {
	tests := map[string]string{
		"[:]":     "0 false, 0 false, 1",
		"[0:]":    "0 true, 0 false, 1",
		"[1:-2]":  "1 true, -2 true, 1",
		"[::3]":   "0 false, 0 false, 3",
		"[-3:0:]": "-3 true, 0 true, 1",
	}
	for path, want := range tests {
		step := only[fieldpath.Slice](t, path)
		start, hasStart := step.Start()
		end, hasEnd := step.End()
		got := fmt.Sprintf("%d %v, %d %v, %d", start, hasStart, end, hasEnd, step.By())
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestStepsInside(t *testing.T) {
	union := only[fieldpath.Union](t, "[0,'a',1:2]")
	if diff := cmp.Diff([]string{"Index [0]", "Name .a", "Slice [1:2]"}, shown(union.Keys())); diff != "" {
		t.Errorf("union (-want +got):\n%s", diff)
	}
	descent := only[fieldpath.Descent](t, "..['a','b']")
	if diff := cmp.Diff([]string{"Union ['a','b']"}, shown([]fieldpath.Step{descent.Step()})); diff != "" {
		t.Errorf("descent (-want +got):\n%s", diff)
	}
}

func TestFilterStep(t *testing.T) {
	type operand struct {
		Steps   []string
		IsPath  bool
		Literal any
		Text    string
	}
	read := func(o fieldpath.Operand) operand {
		steps, isPath := o.Steps()
		literal, isLiteral := o.Literal()
		if isLiteral != (literal != nil) {
			t.Errorf("%v: %v, %v", o, literal, isLiteral)
		}
		return operand{shown(steps), isPath, literal, o.String()}
	}
	none := operand{Steps: []string{}}
	name := operand{[]string{"Name .name"}, true, nil, "@.name"}
	tests := []struct {
		path, operator string
		left, right    operand
	}{
		{"[?(@.name)]", "", name, none},
		{`[?(@.name=="x y")]`, "==", name, operand{[]string{}, false, "x y", `"x y"`}},
		{`[?(@.name!='')]`, "!=", name, operand{[]string{}, false, "", `""`}},
		{"[?(2.0<=@.name)]", "<=", operand{[]string{}, false, json.Number("2"), "2"}, name},
		{"[?(@<false)]", "<", operand{[]string{}, true, nil, "@"}, operand{[]string{}, false, false, "false"}},
		{"[?(@.name>@[0])]", ">", name, operand{[]string{"Index [0]"}, true, nil, "@[0]"}},
	}
	for _, test := range tests {
		filter := only[fieldpath.Filter](t, test.path)
		if diff := cmp.Diff(test.operator, filter.Operator()); diff != "" {
			t.Errorf("%s, operator (-want +got):\n%s", test.path, diff)
		}
		if diff := cmp.Diff([]operand{test.left, test.right}, []operand{read(filter.Left()), read(filter.Right())}); diff != "" {
			t.Errorf("%s, operands (-want +got):\n%s", test.path, diff)
		}
	}
}

func TestBeginsWith(t *testing.T) {
	for _, test := range []struct {
		path, with string
		want       bool
	}{
		{".a.b", ".a", true},
		{".a.b", "['a']", true},
		{".a.b", "$", true},
		{".a", ".a", true},
		{".a", ".a.b", false},
		{".ab", ".a", false},
		{".a[*].b", ".a[*]", true},
		{".a[0].b", ".a[*]", false},
		{`.a[?(@.x=="1")].b`, `.a[?(@.x == "1")]`, true},
	} {
		p, q := vmrules.MustParsePath("jsonpath::"+test.path), vmrules.MustParsePath("jsonpath::"+test.with)
		if got := fieldpath.BeginsWith(p, q); got != test.want {
			t.Errorf("%s begins with %s: %t, want %t", p, q, got, test.want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, test := range []struct {
		path string
		want []string
		ok   bool
	}{
		{"$", []string{}, true},
		{".spec['a\\.b']", []string{"spec", "a.b"}, true},
		{".disks[0]", nil, false},
		{".disks[*].name", nil, false},
		{"..name", nil, false},
	} {
		got, ok := fieldpath.Names(vmrules.MustParsePath("jsonpath::" + test.path))
		if diff := cmp.Diff(test.want, got); diff != "" || ok != test.ok {
			t.Errorf("%s: %v (-want +got):\n%s", test.path, ok, diff)
		}
	}
}
