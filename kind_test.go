package vmrules_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/racetest"
	"github.com/vmrules/vmrules/internal/value"
)

// A checkerFunc is a function that is a Checker.
type checkerFunc func(*vmrules.Input) vmrules.Verdict

func (f checkerFunc) Check(in *vmrules.Input) vmrules.Verdict { return f(in) }

// always returns a compiler that gives all rules the same Checker.
func always(f checkerFunc) vmrules.KindCompiler {
	return func(vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) { return f, nil }
}

// ask validates an object by one rule whose Checker is check. The rule has more keys.
func ask(t *testing.T, f checkerFunc, keys, object string, opts ...vmrules.ValidateOption) vmrules.Result {
	t.Helper()
	rules, err := vmrules.ParseRules(`[{"name": "n", "rule": "k", "message": "m", `+keys+`}]`, vmrules.WithKind("k", always(f)))
	if err != nil {
		t.Fatal(err)
	}
	return vmrules.Validate(rules, conformance.DecodeExactly(json.RawMessage(object)), opts...).Results()[0]
}

const twoDisks = `{"spec": {"template": {"spec": {"disks": [{"name": "a", "size": 1}, {"name": "b", "size": 30}], "odd.name": {"x/y": "z"}}}}}`

func TestVerdicts(t *testing.T) {
	disk := func(v vmrules.Violation) vmrules.Violation {
		v.Rule, v.Message, v.Reason, v.Detail = "n", "m", vmrules.ReasonInvalid, `the kind "k" does not allow it`
		return v
	}
	first := disk(vmrules.Violation{Field: "spec.template.spec.disks[0]", Pointer: "/spec/template/spec/disks/0"})
	undecided := func(why string) vmrules.Result {
		return vmrules.Result{Outcome: vmrules.OutcomeUndecided, Doubt: vmrules.DoubtKind,
			Violations: []vmrules.Violation{{Rule: "n", Message: "m", Reason: vmrules.ReasonInternal, Detail: why}}}
	}
	for _, test := range []struct {
		name string
		keys string
		give func(*vmrules.Input) vmrules.Verdict
		want vmrules.Result
	}{
		{"satisfied", "", satisfied, vmrules.Result{Outcome: vmrules.OutcomeSatisfied}},
		{"nothing said", "", func(*vmrules.Input) vmrules.Verdict { return vmrules.Verdict{} }, undecided(`the kind "k" gave no verdict`)},
		{"an unknown outcome", "", func(*vmrules.Input) vmrules.Verdict { return vmrules.Verdict{Outcome: "Perhaps"} },
			undecided(`the kind "k" gave no verdict`)},
		{"satisfied, and something wrong", "", func(in *vmrules.Input) vmrules.Verdict {
			return vmrules.Verdict{Outcome: vmrules.OutcomeSatisfied, Violations: []vmrules.Violation{in.Violation(0)}}
		}, undecided(`the kind "k" gave no verdict`)},
		{"undecided", "", func(*vmrules.Input) vmrules.Verdict {
			return vmrules.Verdict{Outcome: vmrules.OutcomeUndecided, Note: "too dear"}
		}, undecided("too dear")},
		{"undecided for a reason of its own", "", func(*vmrules.Input) vmrules.Verdict {
			return vmrules.Verdict{Outcome: vmrules.OutcomeUndecided, Doubt: vmrules.DoubtParameter, Note: "not filled in"}
		}, func() vmrules.Result {
			r := undecided("not filled in")
			r.Doubt = vmrules.DoubtParameter
			return r
		}()},
		{"skipped", "", func(*vmrules.Input) vmrules.Verdict {
			return vmrules.Verdict{Outcome: vmrules.OutcomeSkipped, Note: "not mine"}
		},
			vmrules.Result{Outcome: vmrules.OutcomeSkipped, Note: "not mine"}},
		{"ignored", "", func(*vmrules.Input) vmrules.Verdict {
			return vmrules.Verdict{Outcome: vmrules.OutcomeIgnored, Note: "empty"}
		},
			vmrules.Result{Outcome: vmrules.OutcomeIgnored, Note: "empty"}},
		{"a panic", "", func(*vmrules.Input) vmrules.Verdict { panic(errors.New("oh")) }, undecided(`the kind "k" failed: oh`)},
		{"violated without any detail", "", func(*vmrules.Input) vmrules.Verdict { return vmrules.Verdict{Outcome: vmrules.OutcomeViolated} },
			vmrules.Result{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{first}}},
		{"violated with a note alone", "", func(*vmrules.Input) vmrules.Verdict {
			return vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Note: "it is odd"}
		}, func() vmrules.Result {
			v := first
			v.Detail = "it is odd"
			return vmrules.Result{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{v}}
		}()},
		{"below a value, with its own message", `"justWarning": true, `, func(in *vmrules.Input) vmrules.Verdict {
			v := in.Violation(1, "size")
			v.Reason, v.Message, v.Detail, v.Argument, v.Limit = vmrules.ReasonForbidden, "own", "30 is much", "most", 20
			v.Rule, v.Warned = "other", false // Validate sets them again
			return vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Note: "and more", Violations: []vmrules.Violation{v}}
		}, vmrules.Result{Outcome: vmrules.OutcomeWarned, Note: "and more", Violations: []vmrules.Violation{{
			Rule: "n", Message: "own", Field: "spec.template.spec.disks[1].size", Pointer: "/spec/template/spec/disks/1/size",
			Value: json.Number("30"), Reason: vmrules.ReasonForbidden, Argument: "most", Limit: 20, Detail: "30 is much", Warned: true,
		}}}},
		{"below a missing value", "", func(in *vmrules.Input) vmrules.Verdict {
			return vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{in.Violation(0, "name", 3, "x")}}
		}, vmrules.Result{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{disk(vmrules.Violation{
			Field: "spec.template.spec.disks[0].name[3].x", Pointer: "/spec/template/spec/disks/0/name/3/x",
		})}}},
		{"a reason that is not about a value", "", func(in *vmrules.Input) vmrules.Verdict {
			v := in.Violation(0)
			v.Reason = vmrules.ReasonInternal
			return vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{v}}
		}, vmrules.Result{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{first}}},
		{"a value that does not exist", "", func(in *vmrules.Input) vmrules.Verdict {
			return vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{in.Violation(7)}}
		}, vmrules.Result{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{disk(vmrules.Violation{
			Field: "spec.template.spec.disks[*]", Pointer: "/spec/template/spec/disks",
		})}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ask(t, test.give, test.keys+`"path": "jsonpath::.spec.disks[*]"`, twoDisks)
			test.want.Rule, test.want.Kind, test.want.Message, test.want.Path = "n", "k", "m", vmrules.MustParsePath("jsonpath::.spec.disks[*]")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	got := ask(t, func(in *vmrules.Input) vmrules.Verdict {
		v := in.Violation(0)
		v.Message, v.Detail = "own", "why"
		return vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{v, in.Violation(1)}}
	}, `"path": "jsonpath::.spec.disks[*]"`, twoDisks).String()
	want := `Violated   n: m
           spec.template.spec.disks[0]: own (why)
           spec.template.spec.disks[1]: the kind "k" does not allow it`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("as people see it (-want +got):\n%s", diff)
	}
}

// TestAbsence: only a Checker that says so judges a path that selects nothing.
func TestAbsence(t *testing.T) {
	for _, test := range []struct {
		name    string
		checker vmrules.Checker
		opts    []vmrules.ValidateOption
		want    vmrules.Outcome
	}{
		{"of a Checker", checkerFunc(satisfied), nil, vmrules.OutcomeViolated},
		{"of a Checker, in a form", checkerFunc(satisfied), []vmrules.ValidateOption{vmrules.Partial()}, vmrules.OutcomeSkipped},
		{"of one that judges absence", judgesAbsence{satisfied}, nil, vmrules.OutcomeSatisfied},
	} {
		rules := rulesOf(t, `[{"name": "n", "rule": "k", "path": "jsonpath::.spec.none", "message": "m"}]`,
			vmrules.WithKind("k", func(vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) { return test.checker, nil }))
		if got := vmrules.Validate(rules, vmOf(t, `{}`), test.opts...).Results()[0]; got.Outcome != test.want {
			t.Errorf("%s: %s", test.name, got)
		}
	}
}

type judgesAbsence struct{ checkerFunc }

func (judgesAbsence) ChecksAbsence() {}

// The arguments of the format constrain the values of any kind, once its Checker is satisfied.
func TestArgumentsOfOtherKinds(t *testing.T) {
	violated := func(*vmrules.Input) vmrules.Verdict { return vmrules.Verdict{Outcome: vmrules.OutcomeViolated} }
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
		{"nothing there, no argument", `"path": "jsonpath::.spec.none"`, satisfied, []string{"the field is not set"}},
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

// satisfied is a Checker that finds nothing wrong.
func satisfied(*vmrules.Input) vmrules.Verdict {
	return vmrules.Verdict{Outcome: vmrules.OutcomeSatisfied}
}

// seen returns a Checker that is satisfied, and records its Input.
func seen(in *vmrules.Input) checkerFunc {
	return func(got *vmrules.Input) vmrules.Verdict {
		*in = *got
		return vmrules.Verdict{Outcome: vmrules.OutcomeSatisfied}
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
	var in vmrules.Input
	rules, err := vmrules.ParseRules(`[{"name": "n", "rule": "k", "message": "m", "path": "jsonpath::.spec"}]`,
		vmrules.WithKind("k", always(seen(&in))))
	if err != nil {
		t.Fatal(err)
	}
	if r := vmrules.Validate(rules, object).Results()[0]; r.Outcome != vmrules.OutcomeSatisfied {
		t.Fatal(r)
	}
	if diff := cmp.Diff([]vmrules.Match{{"spec", want}}, in.Values); diff != "" {
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
		Values            []vmrules.Match
		OldValue          any
		OldObjectUnknown  bool
	}
	nameOf := func(v any) string { return value.StringAt(v, "metadata", "name") }
	cores := func(field string, n int64) []vmrules.Match {
		return []vmrules.Match{{field + "spec.template.spec.domain.cpu.cores", n}}
	}
	for _, test := range []struct {
		name, path, object, old string
		want                    view
	}{
		{"a VM", ".spec.domain.cpu.cores", vm("a", 2), "", view{"a", "", cores("", 2), nil, false}},
		{"an update", ".spec.domain.cpu.cores", vm("a", 2), vm("b", 4), view{"a", "b", cores("", 2), int64(4), false}},
		{"a default", ".spec.domain.cpu.threads", vm("a", 2), vm("b", 4),
			view{"a", "b", []vmrules.Match{{"spec.template.spec.domain.cpu.threads", int64(1)}}, int64(1), false}},
		{"new", ".spec.domain.cpu.cores", vm("a", 2), `{}`, view{"a", "", cores("", 2), nil, false}},
		{"gone", ".spec.domain.cpu.cores", `{"kind": "VirtualMachine", "spec": {"template": {}}}`, vm("b", 4),
			view{"", "b", nil, int64(4), false}},
		{"an item", ".spec.domain.disks[0]", vm("a", 2), vm("b", 4),
			view{"a", "b", []vmrules.Match{{"spec.template.spec.domain.disks[0]", int64(1)}}, nil, false}},
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
			var opts []vmrules.ValidateOption
			if test.old != "" {
				opts = append(opts, vmrules.WithOldObject(conformance.DecodeExactly(json.RawMessage(test.old))))
			}
			var in vmrules.Input
			kind := func(vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) { return judgesAbsence{seen(&in)}, nil }
			rules := rulesOf(t, `[{"name": "n", "rule": "k", "message": "m", "path": "jsonpath::`+test.path+`"}]`, vmrules.WithKind("k", kind))
			vmrules.Validate(rules, conformance.DecodeExactly(json.RawMessage(test.object)), opts...)
			got := view{nameOf(in.Object), nameOf(in.OldObject), in.Values, in.OldValue, in.OldObjectUnknown}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWholeObjects(t *testing.T) {
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
			rules, err := vmrules.ParseRules(`[{"name": "n", "rule": "k", "message": "m", "path": "jsonpath::.metadata.name"}]`,
				vmrules.WholeObjects(), vmrules.WithKind("k", always(func(in *vmrules.Input) vmrules.Verdict {
					return vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{in.Violation(0)}}
				})))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range vmrules.Validate(rules, conformance.DecodeExactly(json.RawMessage(test.object))).Results() {
				said := r.Violations[0].Field
				if r.Outcome == vmrules.OutcomeUndecided {
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
	rules, err := vmrules.ParseRules(`[
		{"name": "name", "rule": "enum", "message": "m", "path": "jsonpath::.metadata.name", "values": ["a"]},
		{"name": "cores", "rule": "integer", "message": "m", "path": "jsonpath::.spec.template.spec.domain.cpu.cores"},
		{"name": "cores of a template", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores"}]`,
		vmrules.WholeObjects())
	if err != nil {
		t.Fatal(err)
	}
	var got []vmrules.Outcome
	for _, r := range vmrules.Validate(rules, conformance.DecodeExactly(json.RawMessage(vm))).Results() {
		got = append(got, r.Outcome)
	}
	if diff := cmp.Diff([]vmrules.Outcome{vmrules.OutcomeSatisfied, vmrules.OutcomeViolated, vmrules.OutcomeViolated}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if other, _ := vmrules.ParseRules(rules.String()); rules.Equal(other) {
		t.Error("rules about another root are equal")
	}
}

// Under Partial, a missing value may still be filled in.
func TestPartialOfOtherKinds(t *testing.T) {
	missing := func(in *vmrules.Input) vmrules.Violation {
		v := in.Violation(0, "x")
		v.Reason = vmrules.ReasonRequired
		return v
	}
	for _, test := range []struct {
		name string
		give checkerFunc
		want vmrules.Outcome
	}{
		{"missing", func(in *vmrules.Input) vmrules.Verdict {
			return vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{missing(in)}}
		}, vmrules.OutcomeSkipped},
		{"missing and wrong", func(in *vmrules.Input) vmrules.Verdict {
			return vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{missing(in), in.Violation(0)}}
		}, vmrules.OutcomeViolated},
		{"an empty string", func(in *vmrules.Input) vmrules.Verdict {
			v := in.Violation(0)
			v.Value = ""
			return vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{v}}
		}, vmrules.OutcomeSkipped},
	} {
		if got := ask(t, test.give, `"path": "jsonpath::.spec"`, twoDisks,
			vmrules.Partial()); got.Outcome != test.want || len(got.Violations) > 1 {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

func TestUnfilled(t *testing.T) {
	template := `{"kind": "Template", "objects": [{"kind": "VirtualMachine", "metadata": {"name": "${NAME}"},
		"spec": {"template": {"spec": {"a": {"b": [1, "${SIZE}"]}, "c": 1, "${{KEY}}": {"x": 1}}}}}]}`
	var asked []string
	check := func(in *vmrules.Input) vmrules.Verdict {
		asked = append(asked, in.UnfilledParameter(in.Object), in.UnfilledParameter(in.Values[0].Value))
		return vmrules.Verdict{Outcome: vmrules.OutcomeSatisfied}
	}
	for _, test := range []struct{ path, want string }{
		{".spec.c", ""},
		{".spec.a", "objects[0].spec.template.spec.a: the template's parameter ${SIZE} is not filled in"},
		{".spec", "objects[0].spec.template.spec: the template's parameter ${{KEY}} is not filled in"},
	} {
		got := ask(t, check, `"path": "jsonpath::`+test.path+`"`, template)
		said := ""
		if got.Outcome == vmrules.OutcomeUndecided {
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
		got := ask(t, seen(new(vmrules.Input)), `"path": "jsonpath::$`+test.path+`"`, fmt.Sprintf(vm, test.reference))
		said := ""
		if got.Outcome == vmrules.OutcomeUndecided {
			said = got.Violations[0].Detail
		}
		if said != test.want {
			t.Errorf("%s, %s: got %q, want %q", test.reference, test.path, said, test.want)
		}
	}
}

// The Budget also pays for everything that Checkers are given.
func TestCheckersAreBounded(t *testing.T) {
	racetest.SkipLong(t)
	wide := make([]any, 9000)
	for i := range wide {
		wide[i] = "x"
	}
	cyclic := map[string]any{}
	cyclic["spec"] = cyclic
	var rules []vmrules.Rule
	for i := range 2000 {
		rules = append(rules, vmrules.Rule{Kind: "k", Name: fmt.Sprint(i), Path: vmrules.MustParsePath("jsonpath::.l"), Message: "m"})
	}
	calls := 0
	all, err := vmrules.NewRules(rules,
		vmrules.WithKind("k",
			always(func(*vmrules.Input) vmrules.Verdict {
				calls++
				return vmrules.Verdict{Outcome: vmrules.OutcomeSatisfied}
			})))
	if err != nil {
		t.Fatal(err)
	}
	last := func(object map[string]any) vmrules.Result { return vmrules.Validate(all, object).Results()[1999] }
	if got := last(map[string]any{"l": wide}); got.Outcome != vmrules.OutcomeUndecided || calls < 900 || calls > 1000 {
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
		{"a long text", map[string]any{"l": strings.Repeat("x", meter.DefaultWork)}, "the budget for time is used up"},
	} {
		calls = 0
		if got := last(test.object); got.Outcome != vmrules.OutcomeUndecided || got.Violations[0].Detail != test.why || calls > 0 {
			t.Errorf("%s: %d calls: %v", test.name, calls, got)
		}
	}
	full := func(in *vmrules.Input) vmrules.Verdict {
		v := in.Violation(0)
		v.Detail = strings.Repeat("x", meter.DefaultKept/10)
		return vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{v, v, v, v, v, v, v, v, v, v, v}}
	}
	if got := ask(t, full, `"path": "jsonpath::.spec"`, twoDisks); got.Outcome != vmrules.OutcomeUndecided || len(got.Violations) != 1 {
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
	rules, err := vmrules.NewRules([]vmrules.Rule{{Kind: "k", Name: "n", Path: vmrules.MustParsePath("jsonpath::..x"), Message: "m"}},
		vmrules.WithKind("k", always(satisfied)),
		vmrules.WholeObjects())
	if err != nil {
		t.Fatal(err)
	}
	got := vmrules.Validate(rules, object).Results()[0]
	if got.Outcome != vmrules.OutcomeUndecided || got.Violations[0].Detail != "the budget for memory is used up" {
		t.Errorf("got %v", got)
	}
}

// A Checker can be tried with an Input made by hand.
func TestInputByHand(t *testing.T) {
	in := &vmrules.Input{Values: []vmrules.Match{{"a.b", int64(7)}}}
	got := []any{in.Violation(0), in.Violation(1), in.UnfilledParameter("${X}")}
	want := []any{vmrules.Violation{Field: "a.b", Value: json.Number("7")}, vmrules.Violation{}, ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// most is a typical compiler, which reads two keys.
func most(s vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) {
	raw, ok := s.Value("most")
	if !ok {
		return nil, []vmrules.Problem{s.Problem("most", vmrules.ReasonRequired, "the rule has no %q: add a number", "most")}
	}
	s.Value("unit")
	var limit float64
	if json.Unmarshal(raw, &limit) != nil {
		p := s.Problem("most", vmrules.ReasonTypeInvalid, "%q must be a number, not %s", "most", raw)
		p.Offset++
		return nil, []vmrules.Problem{p}
	}
	return checkerFunc(func(in *vmrules.Input) vmrules.Verdict {
		if float64(len(in.Values)) <= limit {
			return vmrules.Verdict{Outcome: vmrules.OutcomeSatisfied}
		}
		return vmrules.Verdict{Outcome: vmrules.OutcomeViolated}
	}), nil
}

func TestReadingOtherKinds(t *testing.T) {
	rule := func(more string) string {
		return "[\n" + `{"name": "n", "rule": "most", "path": "jsonpath::.spec.disks[*]", "message": "m"` + more + `}]`
	}
	panics := func(vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) { panic("oh") }
	none := func(vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) { return nil, nil }
	elsewhere := func(s vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) {
		p := s.Problem("", vmrules.ReasonNotSupported, "no")
		p.Offset = 1 << 30
		return nil, []vmrules.Problem{p}
	}
	for _, test := range []struct {
		name, text string
		opts       []vmrules.ParseOption
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
		{"strict knows what the kind asks for", rule(`, "most": 1, "unit": "x"`), []vmrules.ParseOption{vmrules.Strict()}, nil},
		{"strict, misspelt", rule(`, "most": 1, "unlt": "x"`), []vmrules.ParseOption{vmrules.Strict()}, []string{
			`FieldValueNotSupported: line 2, column 94: rule "n": unknown key "unlt": did you mean "unit"?`}},
		{"strict, a kind misspelt", strings.Replace(rule(`, "most": 1`), `"rule": "most"`, `"rule": "moost"`,
			1), []vmrules.ParseOption{vmrules.Strict()}, []string{
			`FieldValueNotSupported: line 2, column 23: rule "n": rule: unknown kind "moost": did you mean "most"?`,
			`FieldValueNotSupported: line 2, column 84: rule "n": unknown key "most": remove it, or correct its spelling`}},
		{"it panics", rule(``), []vmrules.ParseOption{vmrules.WithKind("most", panics)},
			[]string{`FieldValueInvalid: line 2, column 1: rule "n": the kind "most" cannot read this rule: oh`}},
		{"it returns nothing", rule(``), []vmrules.ParseOption{vmrules.WithKind("most", none)},
			[]string{`FieldValueInvalid: line 2, column 1: rule "n": the kind "most" gave no Checker for this rule`}},
		{"a place elsewhere, a reason of Strict", rule(``), []vmrules.ParseOption{vmrules.WithKind("most", elsewhere)},
			[]string{`FieldValueInvalid: line 2, column 1: rule "n": no`}},
		{"kinds that cannot be used", "",
			[]vmrules.ParseOption{vmrules.WithKind("", most), vmrules.WithKind("enum", most), vmrules.WithKind("k", nil)}, []string{
				`FieldValueNotSupported: line 1, column 1: WithKind needs the name of the kind`,
				`FieldValueNotSupported: line 1, column 1: WithKind cannot redefine the kind enum, which belongs to the format`,
				`FieldValueNotSupported: line 1, column 1: WithKind has no compiler for the kind "k"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			rules, err := vmrules.ParseRules(test.text, append([]vmrules.ParseOption{vmrules.WithKind("most", most)}, test.opts...)...)
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
			again, err := vmrules.ParseRules(rules.String(),
				append([]vmrules.ParseOption{vmrules.WithKind("most", most)}, test.opts...)...)
			if err != nil || !again.Equal(rules) {
				t.Errorf("written and read again: %v\n%v\n%v", err, rules, again)
			}
		})
	}
}

// Problems of rules built in Go have no position, except inside the values that their kinds
// read.
func TestPlacesOfNewRules(t *testing.T) {
	rule := vmrules.Rule{Kind: "most", Name: "n", Path: vmrules.MustParsePath("jsonpath::.spec"), Message: "m",
		Max: vmrules.MustNewArgument("x")}
	rule.Unknown = map[string]json.RawMessage{"most": json.RawMessage(`  [ 1 ]`)}
	_, err := vmrules.NewRules([]vmrules.Rule{rule}, vmrules.WithKind("most", most))
	var got []string
	for _, p := range problemList(err) {
		got = append(got, fmt.Sprint(p.Key, " ", p.Offset, " ", p.Line, " ", p.Column))
	}
	if diff := cmp.Diff([]string{"max 0 0 0", "most 1 0 0"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func problemList(err error) []vmrules.Problem {
	var parsed *vmrules.ParseError
	if !errors.As(err, &parsed) {
		return nil
	}
	return parsed.Problems
}

func TestValidateOwnReadWith(t *testing.T) {
	vm := map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{vmrules.Annotation: `[{"name": "n", "rule": "most", "path": "jsonpath::.spec.disks[*]", "message": "m", "most": 1}]`}},
		"spec":     conformance.DecodeExactly(json.RawMessage(twoDisks))["spec"],
	}
	for _, test := range []struct {
		opts []vmrules.ValidateOption
		want vmrules.Outcome
	}{
		{nil, vmrules.OutcomeIgnored},
		{[]vmrules.ValidateOption{vmrules.WithParseOptions(vmrules.WithKind("most", most), vmrules.WholeObjects())},
			vmrules.OutcomeViolated},
	} {
		report := vmrules.ValidateOwn(vm, test.opts...)
		if report.Results()[0].Outcome != test.want {
			t.Errorf("got %v, want %s", report, test.want)
		}
	}
}

// TestCarelessCheckers: whatever a Checker says, the report can be written, and is not valid by
// mistake.
func TestCarelessCheckers(t *testing.T) {
	cyclic := map[string]any{}
	cyclic["cyclic"] = cyclic
	for _, v := range []any{math.NaN(), cyclic, func() {}, make(chan int), struct{ F func() }{}, json.Number("x"), json.Number("")} {
		got := ask(t, func(in *vmrules.Input) vmrules.Verdict {
			violation := in.Violation(0, v)
			violation.Value, violation.Limit, violation.Detail = v, v, "d"
			return vmrules.Verdict{Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{violation}}
		}, `"path": "jsonpath::.spec"`, twoDisks)
		if got.Outcome != vmrules.OutcomeViolated {
			t.Errorf("%T: %s", v, got)
		}
		if _, err := json.Marshal(vmrules.NewReport([]vmrules.Result{got})); err != nil {
			t.Errorf("%T: %v", v, err)
		}
	}
	for _, outcome := range []vmrules.Outcome{vmrules.OutcomeSatisfied, vmrules.OutcomeSkipped, vmrules.OutcomeIgnored, vmrules.OutcomeUndecided, vmrules.OutcomeWarned, ""} {
		got := ask(t, func(in *vmrules.Input) vmrules.Verdict {
			return vmrules.Verdict{Outcome: outcome, Violations: []vmrules.Violation{in.Violation(0)}}
		}, `"path": "jsonpath::.spec"`, twoDisks)
		if got.Outcome != vmrules.OutcomeUndecided {
			t.Errorf("%s with a violation: %s", outcome, got)
		}
	}
}

// A whole object is judged as it is written, and so is the one before the update.
func TestOldObjectAsWritten(t *testing.T) {
	var seen [][]any
	see := vmrules.WithKind("see", always(func(in *vmrules.Input) vmrules.Verdict {
		seen = append(seen, []any{in.Object, in.OldObject})
		return vmrules.Verdict{Outcome: vmrules.OutcomeSatisfied}
	}))
	rules, err := vmrules.ParseRules(`[{"name": "n", "rule": "see", "path": "jsonpath::.spec", "message": "m"}]`, see, vmrules.WholeObjects())
	if err != nil {
		t.Fatal(err)
	}
	vmrules.Validate(rules, object(bothNamed), vmrules.WithOldObject(object(bothNamed)), vmrules.WithInstancetype(object(smallType), object(linuxPref)))
	if diff := cmp.Diff([][]any{{object(bothNamed), object(bothNamed)}}, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

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

// Find returns the values that other paths select, with defaults, and spends the Budget of the
// call. If the values cannot be known, the rule is Undecided, whatever the Checker says.
func TestInputFind(t *testing.T) {
	const vm = `{"kind": "VirtualMachine", "spec": {%s"template": {"spec": {"domain": {"cpu": {}, "disks": [{"name": "a"},
		{"name": "b"}]}}}}}`
	for _, test := range []struct {
		name, path, spec string
		want             []vmrules.Match
		doubt            vmrules.Doubt
		opts             []vmrules.ValidateOption
	}{
		{"values", ".spec.domain.disks[*].name", "", []vmrules.Match{
			{"spec.template.spec.domain.disks[0].name", "a"}, {"spec.template.spec.domain.disks[1].name", "b"},
		}, "", nil},
		{"nothing", ".spec.none", "", nil, "", nil},
		{"a default", ".spec.domain.cpu.cores", "", []vmrules.Match{{"spec.template.spec.domain.cpu.cores", int64(1)}}, "", nil},
		{"what an instance type may set", ".spec.domain.cpu.cores", `"instancetype": {"name": "u1"}, `, nil, vmrules.DoubtInstancetype,
			nil},
		{"an object in which an instance type may set a field", ".spec.domain.cpu", `"instancetype": {"name": "u1"}, `, nil,
			vmrules.DoubtInstancetype, nil},
		{"too little Budget", ".spec.domain.disks[*].name", "", nil, vmrules.DoubtBound,
			[]vmrules.ValidateOption{vmrules.WithBudget(vmrules.Budget{Time: 9 * time.Microsecond})}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []vmrules.Match
			result := ask(t, func(in *vmrules.Input) vmrules.Verdict {
				var err error
				if got, err = in.Find(vmrules.MustParsePath("jsonpath::" + test.path)); (err != nil) != (test.doubt != "") {
					t.Errorf("error %v", err)
				}
				return vmrules.Verdict{Outcome: vmrules.OutcomeSatisfied}
			}, `"path": "jsonpath::.spec.domain.disks"`, fmt.Sprintf(vm, test.spec), test.opts...)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if result.Doubt != test.doubt {
				t.Errorf("%s, want the doubt %q", result, test.doubt)
			}
		})
	}
	in := &vmrules.Input{Root: map[string]any{"a": 1}} // as a test makes it
	if got, err := in.Find(vmrules.MustParsePath("jsonpath::.a")); err != nil || len(got) != 1 {
		t.Errorf("without a call: %v, %v", got, err)
	}
}

// TestDoubts covers cases that vectors cannot express: options, kinds, and objects that are
// too large for a file.
func TestDoubts(t *testing.T) {
	const path = `"path": "jsonpath::.spec.domain.n"`
	kind := vmrules.WithKind("spender", always(func(in *vmrules.Input) vmrules.Verdict {
		_ = in.Spend(time.Hour, 0)
		return vmrules.Verdict{}
	}))
	work := func(most time.Duration) vmrules.ValidateOption { return vmrules.WithBudget(vmrules.Budget{Time: most}) }
	for _, test := range []struct {
		name, rule  string
		n, argument any
		option      vmrules.ValidateOption
		want        vmrules.Doubt
		about       string
	}{
		{"a path selects too many", `"rule": "integer", "path": "jsonpath::.spec.domain.n[*]"`, make([]int, 10_001), nil, work(0),
			vmrules.DoubtBound, "10,000 values"},
		{"an argument's path selects too many", `"rule": "integer", "max": "jsonpath::.spec.domain.argument[*]", ` + path, 1,
			make([]int, 10_001), work(0), vmrules.DoubtBound, "max cannot be read"},
		{"an argument is too dear", `"rule": "integer", "max": "jsonpath::.spec.domain.argument", ` + path, 1,
			strings.Repeat("9", 1_000_000), work(50_000), vmrules.DoubtBound, "the budget"},
		{"nothing can be paid for", `"rule": "integer", ` + path, 1, nil, work(1), vmrules.DoubtBound, "the budget"},
		{"not UTF-8", `"rule": "regex", "regex": "a", ` + path, "\xff", nil, work(0), vmrules.DoubtBound, "UTF-8"},
		{"a Checker spends too much", `"rule": "spender", ` + path, 1, nil, work(0), vmrules.DoubtBound, "the budget"},
	} {
		rules := rulesOf(t, fmt.Sprintf(`[{"name": "r", "message": "m", %s}]`, test.rule), kind)
		object := map[string]any{"spec": map[string]any{"domain": map[string]any{"n": test.n, "argument": test.argument}}}
		undecided := vmrules.Validate(rules, object, test.option).Results(vmrules.OutcomeUndecided)
		if len(undecided) != 1 {
			t.Errorf("%s: the rule is decided", test.name)
			continue
		}
		detail := undecided[0].Violations[0].Detail
		if diff := cmp.Diff(test.want, undecided[0].Doubt); diff != "" || !strings.Contains(detail, test.about) {
			t.Errorf("%s: %s (-want +got):\n%s", test.name, detail, diff)
		}
	}
}
