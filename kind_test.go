package vmrules

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/racetest"
	"github.com/vmrules/vmrules/internal/value"
)

// A checkerFunc is a function that is a Checker.
type checkerFunc func(*Input) Verdict

func (f checkerFunc) Check(in *Input) Verdict { return f(in) }

// always returns a compiler that gives all rules the same Checker.
func always(f checkerFunc) KindCompiler {
	return func(RuleSource) (Checker, []Problem) { return f, nil }
}

// ask validates an object by one rule whose Checker is check. The rule has more keys.
func ask(t *testing.T, f checkerFunc, keys, object string, opts ...ValidateOption) Result {
	t.Helper()
	rules, err := ParseRules(`[{"name": "n", "rule": "k", "message": "m", `+keys+`}]`, WithKind("k", always(f)))
	if err != nil {
		t.Fatal(err)
	}
	return Validate(rules, decodeExactly(json.RawMessage(object)), opts...).Results()[0]
}

const twoDisks = `{"spec": {"template": {"spec": {"disks": [{"name": "a", "size": 1}, {"name": "b", "size": 30}], "odd.name": {"x/y": "z"}}}}}`

func TestVerdicts(t *testing.T) {
	disk := func(v Violation) Violation {
		v.Rule, v.Message, v.Reason, v.Detail = "n", "m", ReasonInvalid, `the kind "k" does not allow it`
		return v
	}
	first := disk(Violation{Field: "spec.template.spec.disks[0]", Pointer: "/spec/template/spec/disks/0"})
	undecided := func(why string) Result {
		return Result{Outcome: Undecided, Undecided: DoubtKind,
			Violations: []Violation{{Rule: "n", Message: "m", Reason: ReasonInternal, Detail: why}}}
	}
	for _, test := range []struct {
		name string
		keys string
		give func(*Input) Verdict
		want Result
	}{
		{"satisfied", "", func(*Input) Verdict { return Verdict{Outcome: Satisfied} }, Result{Outcome: Satisfied}},
		{"nothing said", "", func(*Input) Verdict { return Verdict{} }, undecided(`the kind "k" gave no verdict`)},
		{"an unknown outcome", "", func(*Input) Verdict { return Verdict{Outcome: "Perhaps"} }, undecided(`the kind "k" gave no verdict`)},
		{"satisfied, and something wrong", "", func(in *Input) Verdict {
			return Verdict{Outcome: Satisfied, Violations: []Violation{in.Violation(0)}}
		}, undecided(`the kind "k" gave no verdict`)},
		{"undecided", "", func(*Input) Verdict { return Verdict{Outcome: Undecided, Note: "too dear"} }, undecided("too dear")},
		{"skipped", "", func(*Input) Verdict { return Verdict{Outcome: Skipped, Note: "not mine"} },
			Result{Outcome: Skipped, Note: "not mine"}},
		{"ignored", "", func(*Input) Verdict { return Verdict{Outcome: Ignored, Note: "empty"} }, Result{Outcome: Ignored, Note: "empty"}},
		{"a panic", "", func(*Input) Verdict { panic(errors.New("oh")) }, undecided(`the kind "k" failed: oh`)},
		{"violated without any detail", "", func(*Input) Verdict { return Verdict{Outcome: Violated} },
			Result{Outcome: Violated, Violations: []Violation{first}}},
		{"violated with a note alone", "", func(*Input) Verdict { return Verdict{Outcome: Violated, Note: "it is odd"} }, func() Result {
			v := first
			v.Detail = "it is odd"
			return Result{Outcome: Violated, Violations: []Violation{v}}
		}()},
		{"below a value, with its own message", `"justWarning": true, `, func(in *Input) Verdict {
			v := in.Violation(1, "size")
			v.Reason, v.Message, v.Detail, v.Argument, v.Limit = ReasonForbidden, "own", "30 is much", "most", 20
			v.Rule, v.Warning = "other", false // Validate sets them again
			return Verdict{Outcome: Violated, Note: "and more", Violations: []Violation{v}}
		}, Result{Outcome: Warned, Note: "and more", Violations: []Violation{{
			Rule: "n", Message: "own", Field: "spec.template.spec.disks[1].size", Pointer: "/spec/template/spec/disks/1/size",
			Value: json.Number("30"), Reason: ReasonForbidden, Argument: "most", Limit: 20, Detail: "30 is much", Warning: true,
		}}}},
		{"below a missing value", "", func(in *Input) Verdict {
			return Verdict{Outcome: Violated, Violations: []Violation{in.Violation(0, "name", 3, "x")}}
		}, Result{Outcome: Violated, Violations: []Violation{disk(Violation{
			Field: "spec.template.spec.disks[0].name[3].x", Pointer: "/spec/template/spec/disks/0/name/3/x",
		})}}},
		{"a reason that is not about a value", "", func(in *Input) Verdict {
			v := in.Violation(0)
			v.Reason = ReasonInternal
			return Verdict{Outcome: Violated, Violations: []Violation{v}}
		}, Result{Outcome: Violated, Violations: []Violation{first}}},
		{"a value that does not exist", "", func(in *Input) Verdict {
			return Verdict{Outcome: Violated, Violations: []Violation{in.Violation(7)}}
		}, Result{Outcome: Violated, Violations: []Violation{disk(Violation{
			Field: "spec.template.spec.disks[*]", Pointer: "/spec/template/spec/disks",
		})}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ask(t, test.give, test.keys+`"path": "jsonpath::.spec.disks[*]"`, twoDisks)
			test.want.Rule, test.want.Kind, test.want.Message, test.want.Path = "n", "k", "m", MustParsePath("jsonpath::.spec.disks[*]")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	got := ask(t, func(in *Input) Verdict {
		v := in.Violation(0)
		v.Message, v.Detail = "own", "why"
		return Verdict{Outcome: Violated, Violations: []Violation{v, in.Violation(1)}}
	}, `"path": "jsonpath::.spec.disks[*]"`, twoDisks).String()
	want := `Violated   n: m
           spec.template.spec.disks[0]: own (why)
           spec.template.spec.disks[1]: the kind "k" does not allow it`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("as people see it (-want +got):\n%s", diff)
	}
}

// The arguments of the format constrain the values of any kind, once its Checker is satisfied.
func TestArgumentsOfOtherKinds(t *testing.T) {
	satisfied := func(*Input) Verdict { return Verdict{Outcome: Satisfied} }
	violated := func(*Input) Verdict { return Verdict{Outcome: Violated} }
	for _, test := range []struct {
		name, keys string
		check      checkerFunc
		want       []string
	}{
		{"both hold", `"path": "jsonpath::.spec.disks[*].size", "max": 30`, satisfied, nil},
		{"the argument does not", `"path": "jsonpath::.spec.disks[*].size", "max": 20`, satisfied, []string{"30 is more than max 20"}},
		{"neither does", `"path": "jsonpath::.spec.disks[*].size", "max": 20`, violated, []string{`the kind "k" does not allow it`}},
		{"not a scalar", `"path": "jsonpath::.spec.disks[0]", "max": 20`, satisfied,
			[]string{"an object is not a string, number or boolean"}},
		{"missing", `"path": "jsonpath::.spec.none", "max": 20`, satisfied, []string{"the field is not set"}},
		{"nothing there, no argument", `"path": "jsonpath::.spec.none"`, satisfied, nil},
		{"what valid names is not there", `"path": "jsonpath::.spec.disks", "valid": "jsonpath::.spec.none"`, violated, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, v := range ask(t, test.check, test.keys, twoDisks).Violations {
				got = append(got, v.Detail)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// seen returns a Checker that is satisfied, and records its Input.
func seen(in *Input) checkerFunc {
	return func(got *Input) Verdict {
		*in = *got
		return Verdict{Outcome: Satisfied}
	}
}

func TestInputTypes(t *testing.T) {
	type named map[string]int
	object := map[string]any{"spec": map[any]any{"domain": map[string]any{
		"int": 2, "whole": 2.0, "json": json.Number("2.00"), "float": json.Number("0.10"), "big": uint64(math.MaxUint64),
		"exact": json.Number("0.12345678901234567890"), "large": json.Number("1e30"), "null": nil, "nilMap": map[string]any(nil),
		"strings": []string{"a"}, "named": named{"x": 1}, "bool": true, "text": "t",
	}, 7: "seven"}}
	want := map[string]any{"domain": map[string]any{
		"int": int64(2), "whole": int64(2), "json": int64(2), "float": 0.1, "big": json.Number("18446744073709551615"),
		"exact": json.Number("0.1234567890123456789"), "large": 1e30, "null": nil, "nilMap": nil,
		"strings": []any{"a"}, "named": map[string]any{"x": int64(1)}, "bool": true, "text": "t",
	}, "7": "seven"}
	var in Input
	rules, err := ParseRules(`[{"name": "n", "rule": "k", "message": "m", "path": "jsonpath::.spec"}]`, WithKind("k", always(seen(&in))))
	if err != nil {
		t.Fatal(err)
	}
	if r := Validate(rules, object).Results()[0]; r.Outcome != Satisfied {
		t.Fatal(r)
	}
	if diff := cmp.Diff([]Match{{"spec", want}}, in.Values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]any{map[string]any{"spec": want}, map[string]any{"spec": want}, nil},
		[]any{in.Root, in.Object, in.OldObject}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestInputs(t *testing.T) {
	vm := func(name string, cores int) string {
		return fmt.Sprintf(`{"kind": "VirtualMachine", "metadata": {"name": %q}, "spec": {"template": {"spec": {"domain": {"cpu": {"cores": %d}, "disks": [1]}}}}}`,
			name, cores)
	}
	type view struct {
		Object, OldObject string // by name
		Values            []Match
		OldValue          any
		OldObjectUnknown  bool
	}
	nameOf := func(v any) string { return value.StringAt(v, "metadata", "name") }
	cores := func(field string, n int64) []Match {
		return []Match{{field + "spec.template.spec.domain.cpu.cores", n}}
	}
	for _, test := range []struct {
		name, path, object, old string
		want                    view
	}{
		{"a VM", ".spec.domain.cpu.cores", vm("a", 2), "", view{"a", "", cores("", 2), nil, false}},
		{"an update", ".spec.domain.cpu.cores", vm("a", 2), vm("b", 4), view{"a", "b", cores("", 2), int64(4), false}},
		{"a default", ".spec.domain.cpu.threads", vm("a", 2), vm("b", 4),
			view{"a", "b", []Match{{"spec.template.spec.domain.cpu.threads", int64(1)}}, int64(1), false}},
		{"new", ".spec.domain.cpu.cores", vm("a", 2), `{}`, view{"a", "", cores("", 2), nil, false}},
		{"gone", ".spec.domain.cpu.cores", `{"kind": "VirtualMachine", "spec": {"template": {}}}`, vm("b", 4),
			view{"", "b", nil, int64(4), false}},
		{"an item", ".spec.domain.disks[0]", vm("a", 2), vm("b", 4),
			view{"a", "b", []Match{{"spec.template.spec.domain.disks[0]", int64(1)}}, nil, false}},
		{"a wildcard", ".spec.domain.*.cores", vm("a", 2), vm("b", 4), view{"a", "b", cores("", 2), nil, false}},
		{"in a list", ".spec.domain.cpu.cores", `{"kind": "List", "items": [` + vm("a",
			2) + `]}`, `{"kind": "List", "items": [` + vm("b", 4) + `]}`,
			view{"a", "", cores("items[0].", 2), nil, true}},
		{"in a KubeVirt template", ".spec.domain.cpu.cores", `{"kind": "VirtualMachineTemplate", "spec": {"virtualMachine": ` + vm("a",
			2) + `}}`,
			`{"kind": "VirtualMachineTemplate", "spec": {"virtualMachine": ` + vm("b",
				4) + `}}`, view{"a", "b", cores("spec.virtualMachine.", 2), int64(4), false}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var opts []ValidateOption
			if test.old != "" {
				opts = append(opts, WithOldObject(decodeExactly(json.RawMessage(test.old))))
			}
			var in Input
			ask(t, seen(&in), `"path": "jsonpath::`+test.path+`"`, test.object, opts...)
			got := view{nameOf(in.Object), nameOf(in.OldObject), in.Values, in.OldValue, in.OldObjectUnknown}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRootObject(t *testing.T) {
	vm := `{"kind": "VirtualMachine", "metadata": {"name": "a"}, "spec": {"template": {"spec": {"domain": {"cpu": {}}}}}}`
	for _, test := range []struct {
		name, object string
		want         []string // targets and fields
	}{
		{"a VM", vm, []string{"", "metadata.name"}},
		{"another kind", `{"kind": "Pod", "metadata": {"name": "p"}}`, []string{"", "metadata.name"}},
		{"no kind", `{"metadata": {"name": "p"}}`, []string{"", "metadata.name"}},
		{"a list", `{"kind": "PodList", "items": [{"metadata": {"name": "p"}}, 7, {"kind": "Pod"}]}`,
			[]string{"items[0]", "items[0].metadata.name", "items[2]", "items[2].metadata.name"}},
		{"a kind that only sounds like a list", `{"kind": "AllowList", "metadata": {"name": "p"}}`, []string{"", "metadata.name"}},
		{"a template",
			`{"kind": "Template", "metadata": {"name": "t"}, "objects": [` + vm + `, {"kind": "Service", "metadata": {"name": "s"}}]}`,
			[]string{"objects[0]", "objects[0].metadata.name", "objects[1]", "objects[1].metadata.name"}},
		{"a list of templates", `{"kind": "List", "items": [{"kind": "Template", "objects": [` + vm + `]}]}`,
			[]string{"items[0].objects[0]", "items[0].objects[0].metadata.name"}},
		{"a KubeVirt template", `{"kind": "VirtualMachineTemplate", "metadata": {"name": "t"}, "spec": {"virtualMachine": ` + vm + `}}`,
			[]string{"", "spec.virtualMachine.metadata.name"}},
		{"an empty list", `{"kind": "List", "items": []}`, []string{"", "nothing to validate: there are no objects in items"}},
		{"nothing", `null`, []string{"", "nothing to validate: there is no object"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			rules, err := ParseRules(`[{"name": "n", "rule": "k", "message": "m", "path": "jsonpath::.metadata.name"}]`,
				WithRoot(RootObject), WithKind("k", always(func(in *Input) Verdict {
					return Verdict{Outcome: Violated, Violations: []Violation{in.Violation(0)}}
				})))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range Validate(rules, decodeExactly(json.RawMessage(test.object))).Results() {
				said := r.Violations[0].Field
				if r.Outcome == Undecided {
					said = r.Violations[0].Detail
				}
				got = append(got, r.Target, said)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	// This is so for the kinds of the format, too, and fields of a VM have no defaults.
	rules, err := ParseRules(`[
		{"name": "name", "rule": "enum", "message": "m", "path": "jsonpath::.metadata.name", "values": ["a"]},
		{"name": "cores", "rule": "integer", "message": "m", "path": "jsonpath::.spec.template.spec.domain.cpu.cores"},
		{"name": "cores of a template", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores"}]`,
		WithRoot(RootObject))
	if err != nil {
		t.Fatal(err)
	}
	var got []Outcome
	for _, r := range Validate(rules, decodeExactly(json.RawMessage(vm))).Results() {
		got = append(got, r.Outcome)
	}
	if diff := cmp.Diff([]Outcome{Satisfied, Violated, Violated}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if other, _ := ParseRules(rules.String()); rules.Equal(other) || rules.Root() == other.Root() {
		t.Error("rules about another root are equal")
	}
}

// Under Partial, a missing value may still be filled in.
func TestPartialOfOtherKinds(t *testing.T) {
	missing := func(in *Input) Violation {
		v := in.Violation(0, "x")
		v.Reason = ReasonRequired
		return v
	}
	for _, test := range []struct {
		name string
		give checkerFunc
		want Outcome
	}{
		{"missing", func(in *Input) Verdict { return Verdict{Outcome: Violated, Violations: []Violation{missing(in)}} }, Skipped},
		{"missing and wrong", func(in *Input) Verdict {
			return Verdict{Outcome: Violated, Violations: []Violation{missing(in), in.Violation(0)}}
		}, Violated},
		{"an empty string", func(in *Input) Verdict {
			v := in.Violation(0)
			v.Value = ""
			return Verdict{Outcome: Violated, Violations: []Violation{v}}
		}, Skipped},
	} {
		if got := ask(t, test.give, `"path": "jsonpath::.spec"`, twoDisks,
			Partial()); got.Outcome != test.want || len(got.Violations) > 1 {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

func TestUnfilled(t *testing.T) {
	template := `{"kind": "Template", "objects": [{"kind": "VirtualMachine", "metadata": {"name": "${NAME}"},
		"spec": {"template": {"spec": {"a": {"b": [1, "${SIZE}"]}, "c": 1, "${{KEY}}": {"x": 1}}}}}]}`
	var asked []string
	check := func(in *Input) Verdict {
		asked = append(asked, in.UnfilledParameter(in.Object), in.UnfilledParameter(in.Values[0].Value))
		return Verdict{Outcome: Satisfied}
	}
	for _, test := range []struct{ path, want string }{
		{".spec.c", ""},
		{".spec.a", "objects[0].spec.template.spec.a: the template's parameter ${SIZE} is not filled in"},
		{".spec", "objects[0].spec.template.spec: the template's parameter ${{KEY}} is not filled in"},
	} {
		got := ask(t, check, `"path": "jsonpath::`+test.path+`"`, template)
		said := ""
		if got.Outcome == Undecided {
			said = got.Violations[0].Detail
		}
		if said != test.want {
			t.Errorf("%s: got %q, want %q", test.path, said, test.want)
		}
	}
	if diff := cmp.Diff([]string{"${NAME}", ""}, asked); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A field that an instance type or a preference sets is not in the VM. A kind that searched the
// VM for it would give a wrong verdict.
func TestFieldsLeftOutOfOtherKinds(t *testing.T) {
	vm := `{"kind": "VirtualMachine", "spec": {"%s": {"name": "u1"}, "template": {"spec": {
		"domain": {"cpu": {"model": "host-model"}, "firmware": {"uuid": "x"}, "devices": {"interfaces": [{"name": "a", "model": "virtio", "bridge": {}}],
			"disks": [{"name": "a", "cdrom": {"bus": "sata"}}, {"name": "b", "cdrom": {}}]}}}}}}`
	for _, test := range []struct{ reference, path, want string }{
		{"instancetype", "", "fields of spec.template may be set by the instance type"},
		{"instancetype", ".spec.domain", "fields of spec.template.spec.domain may be set by the instance type"},
		{"instancetype", ".spec.domain.cpu", "fields of spec.template.spec.domain.cpu may be set by the instance type"},
		{"instancetype", ".spec.domain.cpu.cores", "spec.template.spec.domain.cpu.cores may be set by the instance type"},
		{"instancetype", ".spec.domain.cpu.model", ""},
		{"instancetype", ".spec.domain.firmware", ""},
		{"instancetype", ".spec.domain.devices.disks[*]", ""},
		{"preference", ".spec.domain", "fields of spec.template.spec.domain may be set by the preference"},
		{"preference", ".spec.domain.cpu", "fields of spec.template.spec.domain.cpu may be set by the preference"},
		{"preference", ".spec.domain.cpu.model", ""},
		{"preference", ".spec.domain.firmware", "fields of spec.template.spec.domain.firmware may be set by the preference"},
		{"preference", ".spec.domain.devices.disks", "fields of spec.template.spec.domain.devices.disks may be set by the preference"},
		{"preference", ".spec.domain.devices.disks[0]", ""},
		{"preference", ".spec.domain.devices.disks[*]",
			"fields of spec.template.spec.domain.devices.disks[1] may be set by the preference"},
		{"preference", ".spec.domain.devices.disks[1].name", ""},
		{"preference", ".spec.domain.devices.interfaces", ""},
		{"preference", ".metadata", "spec.template.metadata may be set by the preference"},
	} {
		got := ask(t, seen(new(Input)), `"path": "jsonpath::$`+test.path+`"`, fmt.Sprintf(vm, test.reference))
		said := ""
		if got.Outcome == Undecided {
			said = got.Violations[0].Detail
		}
		if said != test.want {
			t.Errorf("%s, %s: got %q, want %q", test.reference, test.path, said, test.want)
		}
	}
}

func TestPathNames(t *testing.T) {
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
		got, ok := MustParsePath("jsonpath::" + test.path).Names()
		if diff := cmp.Diff(test.want, got); diff != "" || ok != test.ok {
			t.Errorf("%s: %v (-want +got):\n%s", test.path, ok, diff)
		}
	}
}

// Values that Checkers share last for one call of Validate.
func TestShared(t *testing.T) {
	type key struct{}
	count := func(in *Input) Verdict {
		n := in.Shared(key{}, func() any { return new(int) }).(*int)
		*n++
		return Verdict{Outcome: Skipped, Note: fmt.Sprint(*n)}
	}
	rules, err := ParseRules(`[{"name": "a", "rule": "k", "message": "m", "path": "jsonpath::.spec"},
		{"name": "b", "rule": "k", "message": "m", "path": "jsonpath::.spec"}]`, WithKind("k", always(count)))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		report := Validate(rules, map[string]any{"spec": map[string]any{}})
		if got := report.Results()[0].Note + report.Results()[1].Note; got != "12" {
			t.Errorf("got %s, want 12", got)
		}
	}
}

// The Budget also pays for everything that Checkers are given.
func TestCheckersAreBounded(t *testing.T) {
	wide := make([]any, 9000)
	for i := range wide {
		wide[i] = "x"
	}
	cyclic := map[string]any{}
	cyclic["spec"] = cyclic
	var rules []Rule
	for i := range 2000 {
		rules = append(rules, Rule{Kind: "k", Name: fmt.Sprint(i), Path: MustParsePath("jsonpath::.l"), Message: "m"})
	}
	calls := 0
	all, err := NewRules(rules, WithKind("k", always(func(*Input) Verdict { calls++; return Verdict{Outcome: Satisfied} })))
	if err != nil {
		t.Fatal(err)
	}
	last := func(object map[string]any) Result { return Validate(all, object).Results()[1999] }
	if got := last(map[string]any{"l": wide}); got.Outcome != Undecided || calls < 900 || calls > 1000 {
		t.Errorf("%d calls: %v", calls, got)
	}
	for _, test := range []struct {
		name   string
		object map[string]any
		why    string
	}{
		{"a cycle", cyclic, "the object is nested deeper than 1,000 levels"},
		{"NaN", map[string]any{"l": math.NaN()}, "the object holds a value that JSON does not have, such as NaN or a function"},
		{"a function", map[string]any{"l": func() {}}, "the object holds a value that JSON does not have, such as NaN or a function"},
		{"a long text", map[string]any{"l": strings.Repeat("x", meter.DefaultWork)}, "the budget for work is used up"},
	} {
		calls = 0
		if got := last(test.object); got.Outcome != Undecided || got.Violations[0].Detail != test.why || calls > 0 {
			t.Errorf("%s: %d calls: %v", test.name, calls, got)
		}
	}
	full := func(in *Input) Verdict {
		v := in.Violation(0)
		v.Detail = strings.Repeat("x", meter.DefaultKept/10)
		return Verdict{Outcome: Violated, Violations: []Violation{v, v, v, v, v, v, v, v, v, v, v}}
	}
	if got := ask(t, full, `"path": "jsonpath::.spec"`, twoDisks); got.Outcome != Undecided || len(got.Violations) != 1 {
		t.Errorf("got %s with %d violations", got.Outcome, len(got.Violations))
	}
}

// Cloning a location is charged to the budget first, because a thousand deep locations would
// take more memory than the object.
func TestLocationsOfInputAreBounded(t *testing.T) {
	name := strings.Repeat("n", 1000)
	items := make([]any, 1000)
	for i := range items {
		items[i] = map[string]any{"x": i}
	}
	object := map[string]any{"x": items}
	for range 450 {
		object = map[string]any{name: object}
	}
	rules, err := NewRules([]Rule{{Kind: "k", Name: "n", Path: MustParsePath("jsonpath::..x"), Message: "m"}},
		WithKind("k", always(func(*Input) Verdict { return Verdict{Outcome: Satisfied} })), WithRoot(RootObject))
	if err != nil {
		t.Fatal(err)
	}
	got := Validate(rules, object).Results()[0]
	if got.Outcome != Undecided || got.Violations[0].Detail != "the budget for memory is used up" {
		t.Errorf("got %v", got)
	}
}

// A Checker can be tried with an Input made by hand.
func TestInputByHand(t *testing.T) {
	in := &Input{Values: []Match{{"a.b", int64(7)}}}
	got := []any{in.Violation(0), in.Violation(1), in.UnfilledParameter("${X}"), in.Shared("k", func() any { return 1 })}
	want := []any{Violation{Field: "a.b", Value: json.Number("7")}, Violation{}, "", 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// most is a typical compiler, which reads two keys.
func most(s RuleSource) (Checker, []Problem) {
	raw, ok := s.Value("most")
	if !ok {
		return nil, []Problem{s.Problem("most", ReasonRequired, "the rule has no %q: add a number", "most")}
	}
	s.Value("unit")
	var limit float64
	if json.Unmarshal(raw, &limit) != nil {
		p := s.Problem("most", ReasonTypeInvalid, "%q must be a number, not %s", "most", raw)
		p.Offset++
		return nil, []Problem{p}
	}
	return checkerFunc(func(in *Input) Verdict {
		if float64(len(in.Values)) <= limit {
			return Verdict{Outcome: Satisfied}
		}
		return Verdict{Outcome: Violated}
	}), nil
}

func TestReadingOtherKinds(t *testing.T) {
	rule := func(more string) string {
		return "[\n" + `{"name": "n", "rule": "most", "path": "jsonpath::.spec.disks[*]", "message": "m"` + more + `}]`
	}
	panics := func(RuleSource) (Checker, []Problem) { panic("oh") }
	none := func(RuleSource) (Checker, []Problem) { return nil, nil }
	elsewhere := func(s RuleSource) (Checker, []Problem) {
		p := s.Problem("", ReasonNotSupported, "no")
		p.Offset = 1 << 30
		return nil, []Problem{p}
	}
	for _, test := range []struct {
		name, text string
		opts       []ParseOption
		want       []string
	}{
		{"right", rule(`, "most": 1`), nil, nil},
		{"a key is missing", rule(``), nil,
			[]string{`FieldValueRequired: line 2, column 1: rule "n": the rule has no "most": add a number`}},
		{"null is missing", rule(`, "most": null`), nil,
			[]string{`FieldValueRequired: line 2, column 1: rule "n": the rule has no "most": add a number`}},
		{"a key is wrong", rule(`, "most": "1"`), nil,
			[]string{`FieldValueTypeInvalid: line 2, column 92: rule "n": "most" must be a number, not "1"`}},
		{"all problems", rule(`, "most": "1", "max": [], "justWarning": 1`), nil, []string{
			`FieldValueTypeInvalid: line 2, column 92: rule "n": "most" must be a number, not "1"`,
			`FieldValueTypeInvalid: line 2, column 103: rule "n": "max" must be a number, a quantity such as "2Gi", or a JSONPath, not an array`,
			`FieldValueTypeInvalid: line 2, column 122: rule "n": "justWarning" must be true or false, without quotes`}},
		{"strict knows what the kind asks for", rule(`, "most": 1, "unit": "x"`), []ParseOption{Strict()}, nil},
		{"strict, misspelt", rule(`, "most": 1, "unlt": "x"`), []ParseOption{Strict()}, []string{
			`FieldValueNotSupported: line 2, column 94: rule "n": the key "unlt" is not known: did you mean "unit"?`}},
		{"strict, a kind misspelt", strings.Replace(rule(`, "most": 1`), `"rule": "most"`, `"rule": "moost"`,
			1), []ParseOption{Strict()}, []string{
			`FieldValueNotSupported: line 2, column 23: rule "n": rule: the kind "moost" is not known: did you mean "most"?`,
			`FieldValueNotSupported: line 2, column 84: rule "n": the key "most" is not known: remove it, or correct its spelling`}},
		{"it panics", rule(``), []ParseOption{WithKind("most", panics)},
			[]string{`FieldValueInvalid: line 2, column 1: rule "n": the kind "most" cannot read this rule: oh`}},
		{"it returns nothing", rule(``), []ParseOption{WithKind("most", none)},
			[]string{`FieldValueInvalid: line 2, column 1: rule "n": the kind "most" gave no Checker for this rule`}},
		{"a place elsewhere, a reason of Strict", rule(``), []ParseOption{WithKind("most", elsewhere)},
			[]string{`FieldValueInvalid: line 2, column 1: rule "n": no`}},
		{"kinds that cannot be used", "", []ParseOption{WithKind("", most), WithKind("enum", most), WithKind("k", nil),
			WithRoot("r")}, []string{
			`FieldValueNotSupported: line 1, column 1: there is no root "r": use RootTemplate or RootObject`,
			`FieldValueNotSupported: line 1, column 1: WithKind needs the name of the kind`,
			`FieldValueNotSupported: line 1, column 1: WithKind cannot redefine the kind enum, which belongs to the format`,
			`FieldValueNotSupported: line 1, column 1: WithKind has no compiler for the kind "k"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			rules, err := ParseRules(test.text, append([]ParseOption{WithKind("most", most)}, test.opts...)...)
			var got []string
			for _, p := range problemList(err) {
				got = append(got, string(p.Reason)+": "+p.Error())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
			if err != nil {
				return
			}
			again, err := ParseRules(rules.String(), append([]ParseOption{WithKind("most", most)}, test.opts...)...)
			if err != nil || !again.Equal(rules) {
				t.Errorf("written and read again: %v\n%v\n%v", err, rules, again)
			}
		})
	}
}

// Problems of rules built in Go have no position, except inside the values that their kinds
// read.
func TestPlacesOfNewRules(t *testing.T) {
	rule := Rule{Kind: "most", Name: "n", Path: MustParsePath("jsonpath::.spec"), Message: "m", Max: MustNewArgument("x")}
	rule.Unknown = map[string]json.RawMessage{"most": json.RawMessage(`  [ 1 ]`)}
	_, err := NewRules([]Rule{rule}, WithKind("most", most))
	var got []string
	for _, p := range problemList(err) {
		got = append(got, fmt.Sprint(p.Key, " ", p.Offset, " ", p.Line, " ", p.Column))
	}
	if diff := cmp.Diff([]string{"max 0 0 0", "most 1 0 0"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func problemList(err error) []Problem {
	var parsed *ParseError
	if !errors.As(err, &parsed) {
		return nil
	}
	return parsed.Problems
}

func TestValidateOwnReadWith(t *testing.T) {
	vm := map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{Annotation: `[{"name": "n", "rule": "most", "path": "jsonpath::.spec.disks[*]", "message": "m", "most": 1}]`}},
		"spec":     decodeExactly(json.RawMessage(twoDisks))["spec"],
	}
	for _, test := range []struct {
		opts []ValidateOption
		want Outcome
	}{
		{nil, Ignored},
		{[]ValidateOption{WithParseOptions(WithKind("most", most), WithRoot(RootObject))}, Violated},
	} {
		report, err := ValidateOwn(vm, test.opts...)
		if err != nil || report.Results()[0].Outcome != test.want {
			t.Errorf("got %v %v, want %s", report, err, test.want)
		}
	}
}

// WithKind can express the kinds of the format: as Checkers under other names, they give the
// same results.
func TestFormatAsOtherKinds(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	compared := 0
	for file, vectors := range readVectors(t) {
		for _, v := range vectors {
			if v.Call != "" && v.Call != "validate" {
				continue
			}
			rules, err := ParseRules(v.Text(t), v.parseOptions()...)
			if err != nil {
				continue
			}
			for _, decode := range []func(json.RawMessage) map[string]any{decodeExactly, decodeOddly} {
				t.Run(file+"/"+v.Name, func(t *testing.T) {
					compared += checkOtherKinds(t, rules, decode(v.Object), v.validateOptions(t)...)
				})
			}
		}
	}
	if compared < 1000 {
		t.Errorf("only %d results were compared", compared)
	}
}

// checkOtherKinds compares the report of the kinds of the format with that of Checkers under
// other names, and returns how many results it compared. It leaves out enum and regex rules
// without arguments, because such a rule is ignored only if its kind is one of the format. It
// also leaves out isMixed results, because for other kinds such a rule is violated or undecided
// as a whole.
func checkOtherKinds(t *testing.T, rules Rules, object map[string]any, opts ...ValidateOption) int {
	t.Helper()
	others := make([]rule, 0, rules.Len())
	for _, r := range rules.rules {
		if r.Kind.IsOfFormat() && !r.enforcesNothing() {
			r.checker = typeChecker(r.Kind.valueType())
			r.Kind = "other " + r.Kind
			r.literal = constraint.NewSet(constraint.Scalar, r.literal.All())
		}
		others = append(others, r)
	}
	want, got := Validate(rules, object, opts...), Validate(newRules(others, rules.root), object, opts...)
	compared := 0
	wanted, results := want.Results(), got.Results()
	for i := range results {
		results[i].Kind = wanted[i].Kind
		if isMixed(wanted[i]) {
			results[i] = wanted[i]
			continue
		}
		if results[i].Undecided == DoubtKind && wanted[i].Undecided == DoubtBound {
			results[i].Undecided = DoubtBound // this Checker does not say why it is in doubt
		}
		compared++
	}
	if diff := cmp.Diff(wanted, results, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-format +other):\n%s", diff)
	}
	return compared
}

// A typeChecker demands a type, like the kinds of the format.
type typeChecker constraint.Type

func (c typeChecker) Check(in *Input) Verdict {
	if len(in.Values) == 0 {
		missing := in.Violation(-1)
		missing.Reason, missing.Detail = ReasonRequired, notSet
		return Verdict{Outcome: Violated, Violations: []Violation{missing}}
	}
	verdict := Verdict{Outcome: Satisfied}
	for i, m := range in.Values {
		s, isScalar := value.ScalarOf(m.Value)
		ok, err := constraint.Type(c).Admits(&s, isScalar)
		switch {
		case err != nil && verdict.Note == "":
			verdict.Note = fmt.Sprintf("%s: %v", m.Field, err)
		case err == nil && !ok:
			v := in.Violation(i)
			v.Reason, v.Detail = ReasonTypeInvalid, constraint.Type(c).Mismatch(m.Value)
			verdict.Violations = append(verdict.Violations, v)
		}
	}
	switch {
	case verdict.Violations != nil:
		verdict.Outcome = Violated
	case verdict.Note != "":
		verdict.Outcome = Undecided
	}
	return verdict
}

// isMixed reports whether some values have the wrong type and others break an argument, or
// whether some could not be judged.
func isMixed(r Result) bool {
	types := 0
	for _, v := range r.Violations {
		if v.Reason == ReasonTypeInvalid {
			types++
		}
	}
	return types > 0 && types < len(r.Violations) || strings.HasPrefix(r.Note, "not judged")
}

// TestCarelessCheckers: whatever a Checker says, the report can be written, and is not valid by
// mistake.
func TestCarelessCheckers(t *testing.T) {
	cyclic := map[string]any{}
	cyclic["cyclic"] = cyclic
	for _, v := range []any{math.NaN(), cyclic, func() {}, make(chan int), struct{ F func() }{}} {
		got := ask(t, func(in *Input) Verdict {
			violation := in.Violation(0, v)
			violation.Value, violation.Limit, violation.Detail = v, v, "d"
			return Verdict{Outcome: Violated, Violations: []Violation{violation}}
		}, `"path": "jsonpath::.spec"`, twoDisks)
		if got.Outcome != Violated {
			t.Errorf("%T: %s", v, got)
		}
		if _, err := json.Marshal(NewReport([]Result{got})); err != nil {
			t.Errorf("%T: %v", v, err)
		}
	}
	for _, outcome := range []Outcome{Satisfied, Skipped, Ignored, Undecided, Warned, ""} {
		got := ask(t, func(in *Input) Verdict {
			return Verdict{Outcome: outcome, Violations: []Violation{in.Violation(0)}}
		}, `"path": "jsonpath::.spec"`, twoDisks)
		if got.Outcome != Undecided {
			t.Errorf("%s with a violation: %s", outcome, got)
		}
	}
}
