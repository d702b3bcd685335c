package vmrules

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/racetest"
	"github.com/vmrules/vmrules/internal/value"
)

// endless has a MarshalJSON that writes more levels than an object may have.
type endless struct{}

func (endless) MarshalJSON() ([]byte, error) {
	return []byte(strings.Repeat("[", 2000) + strings.Repeat("]", 2000)), nil
}

// nested is a list in a list, and so on.
func nested(levels int) any {
	var v any = []any{}
	for range levels {
		v = []any{v}
	}
	return v
}

// unreadables are the ways in which a value may have no JSON form. Each keeps the value that
// would be there.
var unreadables = []func(v any) any{
	func(any) any { return math.NaN() },
	func(any) any { return json.Number("1e") },
	func(any) any { return make(chan int) },
	func(any) any { return broken{} },
	func(any) any { return &panics{} },
	func(any) any { return endless{} },
	func(v any) any {
		return struct {
			Cores any
			Ratio float64
		}{v, math.NaN()}
	},
	func(v any) any { return struct{ V, Deep any }{v, nested(1001)} },
}

// readables are some of the values that might stand where a value is not readable.
func readables(v any) []any {
	return []any{
		nil, v, "", "x", "virtio", 0, 1, 4, 100, json.Number("2.5"), true, []any{}, []any{"virtio", 4}, map[string]any{}, map[string]any{"name": "x"},
		map[string]any{"cores": 4, "sockets": 2, "bus": "virtio", "name": "a", "spec": map[string]any{"domain": map[string]any{}}},
		map[string]any{Annotation: "[]"}, map[string]any{SkipAnnotation: "true"}, "VirtualMachine", "List",
	}
}

// replacedAt returns a copy of an object in which node i, in the order of a walk, is what
// replace makes of it; false if there are fewer nodes.
func replacedAt(v any, i *int, replace func(any) any) (any, bool) {
	if *i--; *i < 0 {
		return replace(v), true
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range value.Names(v) {
			if next, ok := replacedAt(v[name], i, replace); ok {
				made := map[string]any{name: next}
				for other := range v {
					if other != name {
						made[other] = v[other]
					}
				}
				return made, true
			}
		}
	case []any:
		for k := range v {
			if next, ok := replacedAt(v[k], i, replace); ok {
				made := slices.Clone(v)
				made[k] = next
				return made, true
			}
		}
	}
	return nil, false
}

// TestUnreadableVectors checks some nodes of some vectors.
func TestUnreadableVectors(t *testing.T) {
	racetest.SkipLong(t)
	n := 0
	seedVectors(t, 20, func(annotation, object string) {
		for i := range 6 {
			checkUnreadable(t, annotation, object, uint16(1+n%7+5*i), uint8(n), n%4 == 0, n%3 == 0)
			n++
		}
	})
}

// FuzzUnreadable: if one value of an object is not readable, each rule has the outcome that it
// has for every value that might be there, or it is Undecided. The object is valid only if it
// is for every such value.
func FuzzUnreadable(f *testing.F) {
	n := 0
	seedVectors(f, 60, func(annotation, object string) {
		f.Add(annotation, object, uint16(1+n%7), uint8(n), n%4 == 0, n%3 == 0)
		n++
	})
	for _, node := range []uint16{0, 3} { // a template, or perhaps none
		f.Add(`[{"name": "r", "rule": "unknown", "message": "m", "path": "jsonpath::.spec"}]`,
			`{"kind": "Template", "apiVersion": "template.openshift.io/v1", "objects": [{"kind": "VirtualMachine", "spec": {"template": {"spec": {}}}}]}`,
			node, uint8(5), false, false)
	}
	f.Fuzz(checkUnreadable)
}

// checkUnreadable checks it of a node of an object, in one way.
func checkUnreadable(t *testing.T, annotation, text string, node uint16, way uint8, partial, isUpdate bool) {
	rules, err := ParseRules(annotation)
	if err != nil || !decodes(text) {
		return
	}
	var original any
	whole := decodeExactly(json.RawMessage(text))
	if own, ok := value.At(whole, "metadata", "annotations").(map[string]any); ok && own[Annotation] == nil {
		own[Annotation] = annotation
	}
	with := func(replace func(any) any) (map[string]any, bool) {
		i := 1 + int(node)
		made, ok := replacedAt(whole, &i, replace)
		object, _ := made.(map[string]any)
		return object, ok
	}
	object, ok := with(func(v any) any {
		original = v
		return unreadables[int(way)%len(unreadables)](v)
	})
	if !ok {
		return
	}
	opts := []ValidateOption{WithBudget(Budget{Backtracking: -1})}
	if partial {
		opts = append(opts, Partial())
	}
	judge := func(object map[string]any) *Report {
		if isUpdate { // in the old object, and what it forgives
			return Validate(rules, whole, append(opts, WithOldObject(object), Ratcheting())...)
		}
		return Validate(rules, object, opts...)
	}
	report := judge(object)
	for _, v := range readables(original) {
		other, _ := with(func(any) any { return v })
		checkUndoubted(t, report, judge(other), isUpdate)
		checkOwn(t, object, other)
	}
}

// checkUndoubted checks that what a report decides is as it is with another value.
func checkUndoubted(t *testing.T, report, other *Report, isUpdate bool) {
	t.Helper()
	type of struct {
		target string
		index  int
	}
	place := func(r Result) of {
		if r.Outcome == Ignored {
			return of{"", r.Index} // whatever is judged by it
		}
		return of{r.Target, r.Index}
	}
	outcomes := map[of]Outcome{}
	for _, r := range other.Results() {
		outcomes[place(r)] = r.Outcome
	}
	for _, r := range report.Results() {
		isStricter := isUpdate && r.Outcome == Violated
		if r.Outcome != Undecided && !isStricter && outcomes[place(r)] != r.Outcome {
			t.Fatalf("%s\nwith a value that might be there:\n%s", report, other)
		}
	}
	if report.Valid() && !other.Valid() {
		t.Fatalf("%s\nwith a value that might be there:\n%s", report, other)
	}
}

// checkOwn checks the same of the rules that an object has itself.
func checkOwn(t *testing.T, object, other map[string]any) {
	t.Helper()
	rules, err := RulesFor(object, nil)
	otherRules, otherErr := RulesFor(other, nil)
	if err == nil && (otherErr != nil || !rules.Equal(otherRules)) {
		t.Fatalf("the rules of %v:\n%v\nand with a value that might be there:\n%v %v", object, rules, otherRules, otherErr)
	}
	report, err := ValidateOwn(object, WithBudget(Budget{Backtracking: -1}))
	otherReport, otherErr := ValidateOwn(other, WithBudget(Budget{Backtracking: -1}))
	if err == nil && report.Valid() && (otherErr != nil || !otherReport.Valid()) {
		t.Fatalf("%s\nwith a value that might be there:\n%s %v", report, otherReport, otherErr)
	}
}

// TestUnreadable: what is not readable is Undecided, wherever a rule meets it.
func TestUnreadable(t *testing.T) {
	for i, unreadable := range unreadables {
		x := unreadable(map[string]any{"n": 1})
		for _, test := range []struct {
			name, path, more string
			domain           map[string]any
		}{
			{"the value", ".x", `"min": 1`, map[string]any{"x": x}},
			{"on the way", ".x.n", `"max": 8`, map[string]any{"x": x}},
			{"an item", ".l[0].n", `"max": 8`, map[string]any{"l": []any{x}}},
			{"any item", ".l[*].n", `"max": 8`, map[string]any{"l": []any{x, map[string]any{"n": 1}}}},
			{"any member", ".m.*.n", `"max": 8`, map[string]any{"m": map[string]any{"a": x, "b": map[string]any{"n": 1}}}},
			{"at any depth", "..n", `"max": 8`, map[string]any{"x": x, "n": 1}},
			{"a filter's items", ".l[?(@.n==1)].n", `"max": 8`, map[string]any{"l": []any{x, map[string]any{"n": 1}}}},
			{"a filter's operand", ".l[?(@.a==1)].n", `"max": 8`, map[string]any{"l": []any{map[string]any{"n": 1, "a": x}, map[string]any{"n": 1, "a": 1}}}},
			{"existence in a filter", ".l[?(@.a)].n", `"max": 8`, map[string]any{"l": []any{map[string]any{"n": 1, "a": x}, map[string]any{"n": 1, "a": 1}}}},
			{"valid", ".n", `"max": 8, "valid": "jsonpath::.spec.domain.x.n"`, map[string]any{"n": 10, "x": x}},
			{"the value of valid", ".n", `"max": 8, "valid": "jsonpath::.spec.domain.x"`, map[string]any{"n": 10, "x": x}},
			{"an argument", ".n", `"max": "jsonpath::.spec.domain.x.n"`, map[string]any{"n": 1, "x": x}},
			{"the value of an argument", ".n", `"max": "jsonpath::.spec.domain.x"`, map[string]any{"n": 1, "x": x}},
			{"an item of values", ".n", `"values": "jsonpath::.spec.domain.l"`, map[string]any{"n": 1, "l": []any{1, x}}},
		} {
			rules, object := rulesOn(t, test.path, `"rule": "integer", `+test.more), vmWith(`{}`)
			value.At(object, "spec", "template", "spec").(map[string]any)["domain"] = test.domain
			for name, opts := range map[string][]ValidateOption{
				"": nil, "partial": {Partial()}, "unchanged": {WithOldObject(object), Ratcheting()},
			} {
				result := only(t, Validate(rules, object, opts...))
				if diff := cmp.Diff([]any{Undecided, DoubtBound}, []any{result.Outcome, result.Undecided}); diff != "" {
					t.Errorf("%d: %s %s (-want +got):\n%s\n%s", i, test.name, name, diff, result)
				}
			}
		}
	}
}

// TestNamelessKey: a key that has no name in JSON may be that of any member.
func TestNamelessKey(t *testing.T) {
	rules := rulesOn(t, ".cpu.cores", `"rule": "integer", "max": 8, "valid": "jsonpath::.spec.domain.cpu.cores"`)
	object := vmWith(`{}`)
	domain := value.At(object, "spec", "template", "spec", "domain").(map[string]any)
	for _, test := range []struct {
		cpu  any
		want Outcome
	}{
		{map[any]any{broken{}: 10}, Undecided},
		{map[any]any{broken{}: 10, "cores": 1}, Satisfied},
	} {
		domain["cpu"] = test.cpu
		if got := only(t, Validate(rules, object)); got.Outcome != test.want {
			t.Errorf("%v: %s, want %s", test.cpu, got, test.want)
		}
	}
}
