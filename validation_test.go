package vmrules

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/pcre"
	"github.com/vmrules/vmrules/internal/racetest"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// vmWith returns a VM with this domain.
func vmWith(domain string) map[string]any {
	return decodeExactly(json.RawMessage(`{"kind": "VirtualMachine", "apiVersion": "kubevirt.io/v1",
		"spec": {"template": {"spec": {"domain": ` + domain + `}}}}`))
}

func rulesOn(t testing.TB, path, more string) Rules {
	t.Helper()
	return mustParse(t, `[{"name": "r", "message": "m", "path": "jsonpath::.spec.domain`+path+`", `+more+`}]`)
}

// defaultOf returns WithDefaults for one field.
func defaultOf(t testing.TB, path string, value any) ValidateOption {
	t.Helper()
	d, err := NewDefault(MustParsePath(path), value)
	if err != nil {
		t.Fatal(err)
	}
	return WithDefaults(d)
}

// only returns the only result of a report.
func only(t testing.TB, r *Report) Result {
	t.Helper()
	if len(r.Results()) != 1 {
		t.Fatalf("%d results, want 1: %s", len(r.Results()), r)
	}
	return r.Results()[0]
}

func detailOf(r Result) string {
	if len(r.Violations) == 0 {
		return ""
	}
	return r.Violations[0].Detail
}

func TestBoundsOfValidate(t *testing.T) {
	wide := map[string]any{"spec": map[string]any{"domain": map[string]any{"list": make([]int, jsonpath.MaxMatches+1)}}}
	cyclic := map[string]any{"kind": "VirtualMachineInstance"}
	cyclic["spec"] = cyclic
	cyclic["domain"] = cyclic
	many := make([]any, jsonpath.MaxMatches+1)
	for i := range many {
		many[i] = map[string]any{"x": 1}
	}
	endless := map[string]any{"l": []any{1}}
	endless["a"] = endless
	deep := map[string]any{"kind": "VirtualMachine",
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"domain": endless}}}}
	tests := []struct {
		name, path, more string
		object           map[string]any
		detail           string
	}{
		{"matches", ".list[*]", `"rule": "integer"`, wide, "more than 10,000 values"},
		{"matches of valid do not matter", ".list[0]", `"rule": "integer", "valid": "jsonpath::.spec.domain.list[*]"`, wide, ""},
		{"matches of valid at any depth do not matter", ".l[0].x", `"rule": "integer", "valid": "jsonpath::..x"`,
			map[string]any{"spec": map[string]any{"domain": map[string]any{"l": many}}}, ""},
		{"matches of an argument", ".list[0]", `"rule": "integer", "values": "jsonpath::.spec.domain.list[*]"`, wide,
			"values cannot be read from jsonpath::.spec.domain.list[*]: the path selects more than 10,000 values"},
		{"depth", "..nothing", `"rule": "integer"`, cyclic, "deeper than 1,000 levels"},
		{"depth counts from the root of the rules", strings.Repeat(".a", value.MaxDepth-4) + ".l[0:1]", `"rule": "integer"`, deep, ""},
		{"depth beyond that", strings.Repeat(".a", value.MaxDepth-3) + ".l[0:1]", `"rule": "integer"`, deep, "deeper than 1,000 levels"},
		{"depth of valid", "", `"rule": "integer", "valid": "jsonpath::..nothing"`, cyclic,
			"cannot be searched: the object is nested deeper"},
		{"number", ".n", `"rule": "integer"`, vmWith(`{"n": 1e1001}`), "more than 1,000 digits"},
		{"quantity", ".n", `"rule": "integer"`, vmWith(`{"n": "1e1001"}`), "more than 1,000 digits"},
		{"quantity under min", ".n", `"rule": "string", "min": 1`, vmWith(`{"n": "1e1001"}`),
			"min cannot be judged for spec.template.spec.domain.n: the value is a number of more than 1,000 digits"},
		{"number of an argument", ".n", `"rule": "integer", "max": "jsonpath::.spec.domain.m"`, vmWith(`{"n": 1, "m": 1e1001}`),
			"max cannot be read"},
		{"number among values", ".n", `"rule": "enum", "values": "jsonpath::.spec.domain.l"`, vmWith(`{"n": 0, "l": [1e1001, 0]}`),
			"values cannot be read: jsonpath::.spec.domain.l is a number of"},
		{"number that is compared as text", ".n", `"rule": "enum", "values": [0, 1]`, vmWith(`{"n": 1e1001}`), "more than 1,000 digits"},
		{"number where 0 is not set", ".cpu.cores", `"rule": "integer", "max": 8`, vmWith(`{"cpu": {"cores": 1e1001}}`),
			"more than 1,000 digits"},
		{"number in a filter", ".l[?(@.n==1)].n", `"rule": "integer"`, vmWith(`{"l": [{"n": 1e1001}]}`),
			"a value that a filter compares is a number of"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			result := only(t, Validate(rulesOn(t, test.path, test.more), test.object))
			want := map[bool]Outcome{true: Undecided, false: Satisfied}[test.detail != ""]
			if result.Outcome != want || !strings.Contains(detailOf(result), test.detail) {
				t.Errorf("%s", result)
			}
		})
	}
}

// TestNodesOfOneCall: rules that visit many values are decided until the bound of the call is
// reached, and never after that.
func TestNodesOfOneCall(t *testing.T) {
	var annotation []string
	for i := range 200 {
		annotation = append(annotation,
			fmt.Sprintf(`{"name": "r%d", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.list[*]"}`, i))
	}
	rules := mustParse(t, "["+strings.Join(annotation, ",")+"]")
	object := map[string]any{"spec": map[string]any{"domain": map[string]any{"list": make([]int, jsonpath.MaxMatches)}}}
	report := Validate(rules, object)
	last := Satisfied
	for _, r := range report.Results() {
		if r.Outcome != last && (last != Satisfied || r.Outcome != Undecided) {
			t.Fatalf("%s after %s", r.Outcome, last)
		}
		last = r.Outcome
	}
	if last != Undecided || report.Results()[0].Outcome != Satisfied || report.Valid() {
		t.Errorf("first %s, last %s", report.Results()[0].Outcome, last)
	}
}

// TestOddObjects: whatever value is at any level of the path, Validate ends with a verdict, and
// does not change the object.
func TestOddObjects(t *testing.T) {
	odd := []any{
		nil, true, 1, 1.5, "text", "${NAME}", []any{}, []any{nil}, map[string]any{}, map[string]any(nil), []string{"a"},
		map[any]any{1: 2, true: "x", nil: 3, 1.5: nil}, map[string]string{"cores": "x"}, json.Number("1e1001"), json.Number("x"),
		resourceQuantity{"1"}, broken{}, make(chan int), (*int)(nil), point{}, [2]any{1, nil}, map[point]any{{}: 1}, func() {}, 1i,
		[]byte("abc"), errors.New("e"), reflect.ValueOf(1), map[namedString]any{"cores": 1}, namedList{1},
	}
	rules := mustParse(t, `[
		{"name": "a", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "min": 1,
		"max": "jsonpath::.spec.domain.cpu.max"},
		{"name": "b", "rule": "enum", "message": "m", "path": "jsonpath::.spec.domain.cpu[*].cores", "values": "jsonpath::..cores"},
		{"name": "c", "rule": "regex", "message": "m", "path": "jsonpath::..[?(@.cores>1)]", "regex": "jsonpath::.spec..*",
		"valid": "jsonpath::.spec.*"},
		{"name": "d", "rule": "string", "message": "m", "path": "jsonpath::$", "minLength": "jsonpath::$.spec", "maxLength": 1}
	]`)
	keys := []string{"kind", "apiVersion", "metadata", "spec", "template", "spec", "domain", "cpu", "cores"}
	for depth := range keys {
		for _, value := range odd {
			object := map[string]any{"items": value, "objects": value}
			at := object
			for _, key := range keys[3:max(depth, 3)] {
				next := map[string]any{"max": value}
				at[key] = next
				at = next
			}
			at[keys[depth]] = value
			before := fmt.Sprintf("%#v", object)
			for _, kind := range []any{nil, "VirtualMachine", "Template", "List", "VirtualMachineTemplate", "VirtualMachinePool",
				"VirtualMachineInstanceReplicaSet"} {
				if kind != nil {
					object["kind"] = kind
					before = fmt.Sprintf("%#v", object)
				}
				first, second := Validate(rules, object), Validate(rules, object, Partial())
				if n := len(first.Results()); n == 0 && kind != "List" || n != len(second.Results()) {
					t.Errorf("%T at %s: %d results", value, keys[depth], n)
				}
				if again := Validate(rules, object); !cmp.Equal(first, again) {
					t.Errorf("%T at %s: the report is different the second time", value, keys[depth])
				}
				_, _ = ValidateOwn(object)
				_, _, _ = TemplateOf(object)
				_, _ = RulesFor(object, object)
				_ = first.String() + fmt.Sprint(first.Err()) + fmt.Sprint(first.Causes(), first.AdmissionWarnings())
				if _, err := json.Marshal(first); err != nil {
					t.Errorf("%T at %s: %v", value, keys[depth], err)
				}
			}
			if after := fmt.Sprintf("%#v", object); before != after {
				t.Errorf("%T at %s: changed from\n%s to\n%s", value, keys[depth], before, after)
			}
		}
	}
}

// TestNothingIsKept: after a call, the library does not refer to the object.
func TestNothingIsKept(t *testing.T) {
	rules := mustParse(t, `[{"name": "n", "rule": "string", "path": "jsonpath::.m", "message": "m"}]`)
	judged := func() weak.Pointer[[100]byte] {
		part := new([100]byte)
		Validate(rules, map[string]any{"m": map[string]any{"part": part}})
		return weak.Make(part)
	}()
	runtime.GC()
	if judged.Value() != nil {
		t.Error("a part of an object is still held")
	}
}

func TestConcurrentUse(t *testing.T) {
	rules := mustParse(t, everyKey)
	object := decodeOddly(json.RawMessage(`{"a": [1, "a"], "b": 1, "max": 3, "v": ["x"], "list": ["a"], "re": "^(?=a)a"}`))
	want := Validate(rules, object, withTime)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for range 50 {
				if diff := cmp.Diff(want, Validate(rules, object, withTime)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
	group.Wait()
}

// TestWithDefaultsChangesNothingElse: the defaults of one call do not affect the next.
func TestWithDefaultsChangesNothingElse(t *testing.T) {
	rules := rulesOn(t, ".cpu.cores", `"rule": "integer", "min": 2`)
	vm := vmWith(`{"cpu": {}}`)
	const cores = "jsonpath::.spec.domain.cpu.cores"
	for _, want := range []Outcome{Violated, Satisfied, Violated} {
		var opts []ValidateOption
		if want == Satisfied {
			opts = append(opts, defaultOf(t, cores, 3), defaultOf(t, cores, uint8(4)))
		}
		if got := only(t, Validate(rules, vm, opts...)); got.Outcome != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	got := only(t, Validate(rules, vm, defaultOf(t, cores, []any{1})))
	if want := "not set, counts as an array: an array is not an integer"; detailOf(got) != want || got.Violations[0].Origin != OriginDefault {
		t.Errorf("%s; want %s", got, want)
	}
}

// TestFullReport: if the report has no room for the results of a VM, the VM is not judged, and
// the report is not valid, even if the first rule only warns.
func TestFullReport(t *testing.T) {
	rules := mustParse(t, `[
		{"name": "w", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "max": 8, "justWarning": true},
		{"name": "m", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "max": 8}]`)
	vms := make([]any, 100)
	for i := range vms {
		vms[i] = vmWith(`{"cpu": {"cores": 1}}`)
	}
	room := len(vms)*vmtarget.Size + 50*rules.Len()*resultSize
	report := Validate(rules, map[string]any{"kind": "List", "items": vms}, WithBudget(Budget{Kept: room}))
	results := report.Results()
	last := results[len(results)-1]
	if report.Valid() || last.Outcome != Undecided || last.Index != -1 || last.Target != "items[99]" {
		t.Errorf("%d results, the last: %s", len(results), last)
	}
	if want := "this VM is not judged: the budget for "; !strings.HasPrefix(detailOf(last), want) {
		t.Errorf("%s; want %s…", detailOf(last), want)
	}
	unjudged := 0
	for _, r := range results {
		if r.Index < 0 {
			unjudged++
		}
	}
	if judged := len(vms) - unjudged; len(results) != judged*rules.Len()+unjudged || judged < 40 || judged > 50 {
		t.Errorf("%d results of %d VMs that are judged", len(results), judged)
	}
}

// TestRoomOfReport: a long key makes each violation long, so that not all of them fit.
func TestRoomOfReport(t *testing.T) {
	key := strings.Repeat("k", 100_000)
	object := map[string]any{"spec": map[string]any{key: make([]int, jsonpath.MaxMatches)}}
	result := only(t, Validate(mustParse(t, `[{"name": "r", "rule": "string", "path": "jsonpath::.spec.*[*]", "message": "m"}]`), object))
	if result.Outcome != Undecided || detailOf(result) != meter.ErrKept.Error() {
		t.Errorf("%s with %d violations", result.Outcome, len(result.Violations))
	}
}

// TestRoomOfViolations: a violation takes the room of its field, its pointer and its detail,
// plus a constant.
func TestRoomOfViolations(t *testing.T) {
	rules, object := rulesOn(t, ".l[*]", `"rule": "string"`), vmWith(`{"l": [1, 2]}`)
	room := 0
	for _, v := range only(t, Validate(rules, object)).Violations {
		room += len(v.Field) + len(v.Pointer) + len(v.Detail) + violationSize
	}
	for given, want := range map[int]Outcome{4 * room: Violated, room: Undecided} {
		got := only(t, Validate(rules, object, WithBudget(Budget{Kept: given})))
		if got.Outcome != want {
			t.Errorf("%d bytes, of which the violations take %d: %s", given, room, got)
		}
	}
}

// panics has a MarshalJSON that panics.
type panics struct{}

func (*panics) MarshalJSON() ([]byte, error) { panic("half built") }

func TestMarshalerThatPanics(t *testing.T) {
	rules := mustParse(t, `[{"name": "r", "rule": "integer", "path": "jsonpath::.v", "message": "m"}]`)
	result := only(t, Validate(rules, map[string]any{"v": &panics{}}))
	if want := "v cannot be read: it is a *vmrules.panics without a JSON form"; detailOf(result) != want {
		t.Errorf("%s; want %s", detailOf(result), want)
	}
}

// TestWorkOfCompiling: a regex that is read from the object costs the work of compiling it, before
// it matches anything.
func TestWorkOfCompiling(t *testing.T) {
	const pattern = "^(?=a)a" // it backtracks, so that matching costs no work
	b := budgetOf(meter.DefaultWork, 0)
	if _, err := pcre.Compile(pattern, b); err != nil {
		t.Fatal(err)
	}
	needed := meter.DefaultWork - workLeft(b)
	rules, object := rulesOn(t, ".n", `"rule": "regex", "regex": "jsonpath::.spec.domain.re"`), vmWith(`{"n": "a", "re": "`+pattern+`"}`)
	for work, want := range map[int]Outcome{needed + 100*jsonpath.NodeWork: Satisfied, needed: Undecided} {
		if got := only(t, Validate(rules, object, WithBudget(Budget{Work: work, Backtracking: time.Minute}))); got.Outcome != want {
			t.Errorf("%d of %d: %s", work, needed, got)
		}
	}
}

func TestRegexBudgetOfOneCall(t *testing.T) {
	rules := mustParse(t, `[
		{"name": "bomb", "rule": "regex", "path": "jsonpath::.l[*]", "message": "m", "regex": "(?=(a+)+$)b"},
		{"name": "linear", "rule": "regex", "path": "jsonpath::.l[*]", "message": "m", "regex": "^a+b$"}]`)
	object := map[string]any{"l": []string{strings.Repeat("a", 40) + "b"}}
	report := Validate(rules, object, WithBudget(Budget{Backtracking: -1}))
	bomb, linear := report.Results()[0], report.Results()[1]
	if bomb.Outcome != Undecided || bomb.Violations[0].Argument != "regex" || linear.Outcome != Satisfied {
		t.Errorf("%s", report)
	}
	if want := "regex cannot be judged for l[0]: "; !strings.HasPrefix(detailOf(bomb), want) {
		t.Errorf("%s; want %s…", detailOf(bomb), want)
	}
}

// A rule sees the members of maps with keys of any type, by name and by wildcard.
func TestRulesOnKeysOfAllTypes(t *testing.T) {
	byName := mustParse(t,
		`[{"name": "n", "rule": "integer", "path": "jsonpath::.m['10\\.0\\.0\\.1']", "message": "m",
			"valid": "jsonpath::.m['10\\.0\\.0\\.1']", "max": 0}]`)
	byWildcard := mustParse(t,
		`[{"name": "n", "rule": "integer", "path": "jsonpath::.m.*", "message": "m", "valid": "jsonpath::.m.*", "max": 0}]`)
	address := netip.MustParseAddr("10.0.0.1")
	for _, object := range []any{map[netip.Addr]int{address: 1}, map[any]any{address: 1}, map[any]any{namedString("10.0.0.1"): 1}} {
		for _, rules := range []Rules{byName, byWildcard} {
			if got := only(t,
				Validate(rules, map[string]any{"m": object})); got.Outcome != Violated || got.Violations[0].Field != `m.10\.0\.0\.1` {
				t.Errorf("%#v: %s", object, got)
			}
		}
	}
}

// A map in which a lookup has to compare each key reaches the bounds, too.
func TestCostOfOddKeys(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	odd := map[any]any{}
	for i := range 100_000 {
		odd[i] = "x"
	}
	rules := mustParse(t, `[{"name": "n", "rule": "string", "path": "jsonpath::.l[*].a", "message": "m"}]`)
	list := make([]any, 1000)
	for i := range list {
		list[i] = odd
	}
	if got := only(t, Validate(rules, map[string]any{"l": list})); got.Outcome != Undecided {
		t.Error(got)
	}
}
