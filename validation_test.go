package vmrules

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/pcre"
	"github.com/vmrules/vmrules/internal/plan"
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
			"min cannot be decided for spec.template.spec.domain.n: the value is a number of more than 1,000 digits"},
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
			want := map[bool]Outcome{true: OutcomeUndecided, false: OutcomeSatisfied}[test.detail != ""]
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
	last := OutcomeSatisfied
	for _, r := range report.Results() {
		if r.Outcome != last && (last != OutcomeSatisfied || r.Outcome != OutcomeUndecided) {
			t.Fatalf("%s after %s", r.Outcome, last)
		}
		last = r.Outcome
	}
	if last != OutcomeUndecided || report.Results()[0].Outcome != OutcomeSatisfied || report.Valid() {
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
				_ = ValidateOwn(object)
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
	for _, want := range []Outcome{OutcomeViolated, OutcomeSatisfied, OutcomeViolated} {
		var opts []ValidateOption
		if want == OutcomeSatisfied {
			opts = append(opts, defaultOf(t, cores, 3), defaultOf(t, cores, uint8(4)))
		}
		if got := only(t, Validate(rules, vm, opts...)); got.Outcome != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestFullReport: if the report has no room for the results of a VM, the VM is not validated, and
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
	report := Validate(rules, map[string]any{"kind": "List", "items": vms}, WithBudget(Budget{Memory: int64(room)}))
	results := report.Results()
	last := results[len(results)-1]
	if report.Valid() || last.Outcome != OutcomeUndecided || last.Index != -1 || last.Target != "items[99]" {
		t.Errorf("%d results, the last: %s", len(results), last)
	}
	if want := "this VM is not validated: the budget for "; !strings.HasPrefix(detailOf(last), want) {
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
	if result.Outcome != OutcomeUndecided || detailOf(result) != meter.ErrKept.Error() {
		t.Errorf("%s with %d violations", result.Outcome, len(result.Violations))
	}
}

// TestRoomOfViolations: a violation takes the room of its field, its pointer and its detail,
// plus a constant.
func TestRoomOfViolations(t *testing.T) {
	rules, object := rulesOn(t, ".l[*]", `"rule": "string"`), vmWith(`{"l": [1, 2]}`)
	room := int64(0)
	for _, v := range only(t, Validate(rules, object)).Violations {
		room += int64(len(v.Field) + len(v.Pointer) + len(v.Detail) + violationSize)
	}
	for given, want := range map[int64]Outcome{4 * room: OutcomeViolated, room: OutcomeUndecided} {
		got := only(t, Validate(rules, object, WithBudget(Budget{Memory: given})))
		if got.Outcome != want {
			t.Errorf("%d bytes, of which the violations take %d: %s", given, room, got)
		}
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
	for work, want := range map[int]Outcome{needed + 100*jsonpath.NodeWork: OutcomeSatisfied, needed: OutcomeUndecided} {
		if got := only(t, Validate(rules, object, WithBudget(Budget{Time: time.Duration(work), Backtracking: time.Minute}))); got.Outcome != want {
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
	if bomb.Outcome != OutcomeUndecided || bomb.Violations[0].Argument != "regex" || linear.Outcome != OutcomeSatisfied {
		t.Errorf("%s", report)
	}
	if want := "regex cannot be decided for l[0]: "; !strings.HasPrefix(detailOf(bomb), want) {
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
				Validate(rules, map[string]any{"m": object})); got.Outcome != OutcomeViolated || got.Violations[0].Field != `m.10\.0\.0\.1` {
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
	if got := only(t, Validate(rules, map[string]any{"l": list})); got.Outcome != OutcomeUndecided {
		t.Error(got)
	}
}

func TestParseObject(t *testing.T) {
	got, err := ParseObject([]byte(` {"n": [12345678901234567890.10, 1e400, -0], "s": "\ud83d\ude00", "o": {"b": true, "n": null}, "e": [{}, []]}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"n": []any{json.Number("12345678901234567890.10"), json.Number("1e400"), json.Number("-0")},
		"s": "😀",
		"o": map[string]any{"b": true, "n": nil},
		"e": []any{map[string]any{}, []any{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseObjectRefuses(t *testing.T) {
	const one = "the text cannot be used as an object: line 1, column "
	tests := []struct{ name, text, want string }{
		{"no text", "", one + "1: the text ends too early: a JSON object is missing"},
		{"an array", " [{}]", one + "2: an array is not an object { … }"},
		{"null", "null", one + "1: null is not an object { … }"},
		{"a number", "7", one + "1: 7 is not an object { … }"},
		{"more after it", "{} {}", one + `4: "{" follows the end of the object: remove it`},
		{"a comma too many", "{\n  \"é\": 1,\n}",
			"the text cannot be used as an object: line 2, column 9: trailing comma before }: remove it"},
		{"YAML", "kind: VirtualMachine", one + `1: "kind" is not allowed here, where a JSON object is expected`},
		{"a byte that is not UTF-8", "{\"a\": \"\xff\"}", one + "8: byte 0xff is not valid UTF-8: save the text as UTF-8"},
		{"a key twice", `{"a": {"b": 1, "b": 1}}`, one + `16: the key "b" is given twice in one object: keep one of them`},
		{"several problems", `{"\ud800": 1, "a": "\udc00", "\ud800": 2}`, `the text cannot be used as an object: 4 problems
- line 1, column 3: \ud800 is half of a surrogate pair: write the character itself, or both halves
- line 1, column 21: \udc00 is half of a surrogate pair: write the character itself, or both halves
- line 1, column 30: the key "�" is given twice in one object: keep one of them
- line 1, column 31: \ud800 is half of a surrogate pair: write the character itself, or both halves`},
		{"too many levels", strings.Repeat(`{"a":`, 1001), one + "5001: arrays and objects are nested deeper than 1000 levels"},
	}
	for _, test := range tests {
		object, err := ParseObject([]byte(test.text))
		if object != nil || err == nil {
			t.Errorf("%s: %v, %v", test.name, object, err)
			continue
		}
		if diff := cmp.Diff(test.want, err.Error()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestParseObjectOfGreatestDepth: an object of the greatest allowed depth can be read.
func TestParseObjectOfGreatestDepth(t *testing.T) {
	text := strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000)
	object, err := ParseObject([]byte(text))
	if again, _ := json.Marshal(object); err != nil || string(again) != text {
		t.Errorf("%v, %.100s", err, again)
	}
}

func TestToObject(t *testing.T) {
	type spec struct {
		Cores uint64           `json:"cores"`
		Guest resourceQuantity `json:"guest"`
		None  *int             `json:"none,omitempty"`
	}
	got, err := ToObject(struct {
		Spec spec `json:"spec"`
	}{spec{math.MaxUint64, resourceQuantity{"2Gi"}, nil}})
	if err != nil {
		t.Fatal(err)
	}
	rules := mustParse(t,
		`[{"name": "c", "rule": "integer", "path": "jsonpath::.spec.cores", "message": "m", "values": [18446744073709551615]},
		{"name": "g", "rule": "integer", "path": "jsonpath::.spec.guest", "message": "m", "min": 2147483648, "max": 2147483648}]`)
	if report := Validate(rules, got); !report.Valid() {
		t.Error(report)
	}
	for want, bad := range map[string]any{"is an array in JSON": []int{1}, "is nothing in JSON": nil, "no JSON form": func() {},
		"is 7 in JSON": 7} {
		if object, err := ToObject(bad); err == nil || object != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, %v; want %s", bad, object, err, want)
		}
	}
}

func TestToObjectOfText(t *testing.T) {
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	for _, test := range []struct {
		in   any
		want string // JSON, or what the error says
	}{
		{raw(` {"a": 12345678901234567890.10, "b": 1e400}`), `{"a":12345678901234567890.10,"b":1e400}`},
		{pointerTo(raw(`{"a": 1}`)), `{"a":1}`}, {raw(`{"a": 1, "b": 2, "a": 3}`), `{"a":3,"b":2}`},
		{raw("not json"), "the text is not JSON: line 1, column 2: invalid character 'o'"},
		{raw("{\n  \"é\": x}"), "the text is not JSON: line 2, column 8: invalid character 'x'"},
		{pointerTo(raw("{]")), "the text is not JSON: line 1, column 2"},
		{raw(`{"a": 1`), "the text is not JSON: line 1, column 7: unexpected end"},
		{raw(`{"a": 1} {"b": 2}`), "the text is not JSON: line 1, column 10"},
		{raw(``), "the text is not JSON: line 1, column 1: unexpected end"},
		{raw(`null`), "is nothing in JSON"}, {json.RawMessage(nil), "is nothing in JSON"}, {(*json.RawMessage)(nil), "is nothing in JSON"},
		{raw(`[1]`), "is an array in JSON"}, {[]byte(`{}`), "pass a json.RawMessage"},
		{&panics{}, "*vmrules.panics has no JSON form: writing it panics: half built"},
		{map[string]any{"a": []any{&panics{}}}, "has no JSON form: writing it panics: half built"},
		{broken{}, "vmrules.broken has no JSON form"},
	} {
		object, err := ToObject(test.in)
		if err != nil {
			if object != nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v: %v, want %s", test.in, err, test.want)
			}
			continue
		}
		text, err := json.Marshal(object)
		if diff := cmp.Diff(test.want, string(text)); diff != "" || err != nil {
			t.Errorf("%s (-want +got):\n%s%v", test.in, diff, err)
		}
	}
}

func annotated(validations any) map[string]any {
	return map[string]any{
		"kind": "VirtualMachine", "metadata": map[string]any{"annotations": map[string]any{Annotation: validations}},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{}}},
	}
}

// TestProblemsOfAllVMs: ValidateOwn judges each VM whose rules it can read, and reports all
// problems of the others.
func TestProblemsOfAllVMs(t *testing.T) {
	list := map[string]any{"kind": "List", "items": []any{
		annotated("{"), annotated(7), annotated(`[{"name": "r", "rule": "string", "path": "jsonpath::.a", "message": "m"}]`),
		annotated(`[1]`),
		map[string]any{"kind": "Template", "metadata": map[string]any{"annotations": map[string]any{OldAnnotation: "[2]"}},
			"objects": []any{map[string]any{"kind": "VirtualMachine"}}},
	}}
	var got []string
	report := ValidateOwn(list)
	for _, target := range report.Targets() {
		got = append(got, fmt.Sprint(target.Name, " ", target.Coverage, " ", target.Valid, " ", len(target.Problems)))
	}
	want := []string{"items[0] Undecided false 1", "items[1] Undecided false 1", "items[2] Judged false 0", "items[3] Undecided false 1",
		"items[4].objects[0] Undecided false 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const detail = `the validation rules cannot be used: VM: the annotation vm.kubevirt.io/validations must be a string that holds JSON, not 7`
	if got := report.Violations()[1].Detail; got != detail {
		t.Errorf("%s; want %s", got, detail)
	}
}

// TestRulesForSeveral: RulesFor refuses VMs that have different rules.
func TestRulesForSeveral(t *testing.T) {
	const one = `[{"name": "r", "rule": "string", "path": "jsonpath::.a", "message": "m"}]`
	exempt := annotated(one)
	exempt["metadata"].(map[string]any)["annotations"].(map[string]any)[SkipAnnotation] = "true"
	list := func(vms ...any) map[string]any { return map[string]any{"kind": "List", "items": vms} }
	tests := []struct {
		name string
		vms  map[string]any
		want int // rules; -1 for an error
	}{
		{"the same", list(annotated(one), annotated(one)), 1},
		{"some without", list(annotated(nil), annotated(one)), 1},
		{"different", list(annotated(one), annotated("[]")), -1},
		{"some exempt", list(exempt, annotated(one)), -1},
		{"all exempt", list(exempt, exempt), 0},
		{"different types", list(annotated(one), annotated(map[string]any{})), -1},
	}
	for _, test := range tests {
		rules, err := RulesFor(test.vms, nil)
		if (err != nil) != (test.want < 0) || err == nil && rules.Len() != test.want {
			t.Errorf("%s: %d rules, %v", test.name, rules.Len(), err)
		}
		if err != nil && !strings.Contains(err.Error(), "VM: the VirtualMachines inside have different rules: validate each by its own") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestFullReportOfOwn: if the budget is too small for a VM, the VM has a result that says so,
// and the others are still judged.
func TestFullReportOfOwn(t *testing.T) {
	many := make([]string, 2500)
	for i := range many {
		many[i] = fmt.Sprintf(`{"name":"%d","rule":"integer","path":"jsonpath::.spec","message":"m","valid":"jsonpath::.a"}`, i)
	}
	hungry := annotated("[" + strings.Join(many, ",") + "]")
	modest := annotated("[" + many[0] + "]")
	list := map[string]any{"kind": "List", "items": []any{modest, hungry, modest, modest}}
	text := "[" + strings.Join(many, ",") + "]"
	reading := parseOptionsOf(nil)
	if _, problems := parseRules(text, reading); problems != nil {
		t.Fatal(problems)
	}
	_, left := reading.budget.Left()
	report := ValidateOwn(list, WithBudget(Budget{Memory: int64(2*(meter.DefaultKept-left) + len(many)*resultSize)}))
	got := map[string]int{}
	for _, r := range report.Results() {
		got[fmt.Sprint(r.Target, " ", r.Outcome, " ", detailOf(r))]++
	}
	want := map[string]int{
		"items[0] Skipped ": 1, "items[2] Skipped ": 1, "items[3] Skipped ": 1,
		"items[1] Undecided this VM is not validated: the budget for memory is used up": 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// TestBudgetOfOwn: all VMs share one budget, and each rule has the outcome that it has without
// a budget, or is undecided.
func TestBudgetOfOwn(t *testing.T) {
	vm := annotated(`[{"name":"n","rule":"string","path":"jsonpath::.spec.hostname","message":"m"}]`)
	vm["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)["hostname"] = strings.Repeat("x", 100_000)
	vms := slices.Repeat([]any{vm}, 12)
	report := ValidateOwn(map[string]any{"kind": "List", "items": vms}, WithBudget(Budget{Time: 12 * 1000 * plan.Work}))
	judged := len(vms) - len(report.Results(OutcomeUndecided))
	if judged < 3 || judged > 11 || report.Valid() {
		t.Errorf("%d of %d are judged: %s", judged, len(vms), report)
	}
}

// FuzzValidate: Validate does not panic or hang, and does not change the object. The report
// can be written. It is the same on each run, for both decoders, without the plan, and with
// the rules as other kinds.
func FuzzValidate(f *testing.F) {
	seedVectors(f, 60, func(annotation, object string) { f.Add(annotation, object, false) })
	f.Fuzz(func(t *testing.T, annotation, text string, partial bool) {
		rules, err := ParseRules(annotation)
		if err != nil || !decodes(text) {
			return
		}
		// Without backtracking no verdict depends on a clock.
		opts := []ValidateOption{WithBudget(Budget{Backtracking: -1})}
		if partial {
			opts = append(opts, Partial())
		}
		object := decodeExactly(json.RawMessage(text))
		report := Validate(rules, object, opts...)
		if !reflect.DeepEqual(object, decodeExactly(json.RawMessage(text))) {
			t.Fatal("the object is changed")
		}
		if diff := cmp.Diff(report, Validate(rules, object, opts...)); diff != "" {
			t.Fatalf("another report the second time:\n%s", diff)
		}
		if diff := cmp.Diff(report, Validate(rules, decodeOddly(json.RawMessage(text)), opts...)); diff != "" {
			t.Fatalf("another report from another decoder:\n%s", diff)
		}
		checkReport(t, rules, report)
		checkPlan(t, rules, object, opts...)
		checkPlan(t, rules, decodePlainly(json.RawMessage(text)), opts...)
		checkOtherKinds(t, rules, object, opts...)
	})
}

func checkReport(t *testing.T, rules Rules, report *Report) {
	if rules.Len() > 0 && len(report.Results())%rules.Len() != 0 {
		t.Fatalf("%d results of %d rules", len(report.Results()), rules.Len())
	}
	valid := true
	for _, r := range report.Results() {
		fails := r.Outcome == OutcomeViolated || r.Outcome == OutcomeUndecided
		if hasViolations := fails || r.Outcome == OutcomeWarned; hasViolations != (len(r.Violations) > 0) {
			t.Fatalf("%s with %d violations", r.Outcome, len(r.Violations))
		}
		for _, v := range r.Violations {
			valid = valid && v.Warned
			if v.Detail == "" || v.Reason == "" || (v.Field == "") != (v.Reason == ReasonInternal) {
				t.Fatalf("%+v", v)
			}
		}
	}
	if report.Valid() != valid || (report.Err() == nil) != valid || len(report.Causes()) != min(len(report.Violations()), maxCauses) {
		t.Fatalf("valid: %v\n%s", report.Valid(), report)
	}
	if text, err := json.Marshal(report); err != nil || strings.ContainsRune(report.String(), 0x1b) {
		t.Fatalf("%s, %v", text, err)
	}
}

// FuzzUpdate: with an instance type, a preference and an old object, Validate does not panic or
// hang, and changes none of them. The report is the same for both decoders. Only what fails in
// the old object is forgiven. An update that changes nothing is valid, unless a bound is reached.
func FuzzUpdate(f *testing.F) {
	for _, file := range []string{"expanded", "updates"} {
		for i, v := range readVectors(f)[file] {
			if i%15 == 0 && v.Call == "" {
				f.Add(v.Text(), string(v.Object), string(v.Old), string(v.Instancetype), string(v.Preference))
			}
		}
	}
	lookahead := `[{"name": "r", "rule": "string", "path": "jsonpath::.a", "message": "m", "maxLength": "jsonpath::.b", "regex": "^(?=a)a"}]`
	f.Add(lookahead, `{"a": "a"}`, `{"a": "a"}`, "", "")
	f.Fuzz(func(t *testing.T, annotation, object, old, instancetype, preference string) {
		texts := []string{object, old, instancetype, preference}
		for i, text := range texts {
			if text == "" {
				texts[i] = "null"
			}
			if !decodes(texts[i]) {
				return
			}
		}
		rules, err := ParseRules(annotation)
		if err != nil {
			return
		}
		report := validateUpdate(t, rules, texts, decodeExactly)
		if diff := cmp.Diff(report, validateUpdate(t, rules, texts, decodeOddly)); diff != "" {
			t.Fatalf("another report from another decoder:\n%s", diff)
		}
		checkReport(t, rules, report)
		before := map[string]bool{}
		for _, r := range validateUpdate(t, rules, []string{texts[1], "null", texts[2], texts[3]}, decodeExactly).Results() {
			before[r.Target+" "+r.Rule] = r.fails()
		}
		for _, r := range report.Results() {
			if r.Note == "not changed by this update" && !before[r.Target+" "+r.Rule] {
				t.Fatalf("the old object does not fail:\n%s", r)
			}
		}
		if texts[0] == "null" {
			return
		}
		texts[1] = texts[0]
		for _, r := range validateUpdate(t, rules, texts, decodeExactly).Results() {
			if r.fails() && r.Doubt != DoubtBound && !strings.HasPrefix(r.Note, "not decided: ") {
				t.Fatalf("an update that changes nothing:\n%s", r)
			}
		}
	})
}

// validateUpdate judges an object, and checks that nothing is changed. The texts are those of
// the object, the old object, the instance type and the preference.
func validateUpdate(t *testing.T, rules Rules, texts []string, decode func(json.RawMessage) map[string]any) *Report {
	var given []map[string]any
	for _, text := range texts {
		given = append(given, decode(json.RawMessage(text)))
	}
	report := Validate(rules, given[0], WithOldObject(given[1]), WithInstancetype(given[2], given[3]), Ratcheting(), WithBudget(Budget{Backtracking: -1}))
	for i, text := range texts {
		if !reflect.DeepEqual(given[i], decode(json.RawMessage(text))) {
			t.Fatalf("changed: %s", text)
		}
	}
	return report
}
