package form_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/internal/racetest"
)

// The Checker of a resolved rule finds the same violations in each value as Validate does.
func TestResolveAgreesWithValidate(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	compared := 0
	for file, vectors := range readVectors(t) {
		for _, v := range vectors {
			rules, err := vmrules.ParseRules(v.Text(), v.parseOptions()...)
			if err != nil || v.Call != "" && v.Call != "validate" {
				continue
			}
			t.Run(file+"/"+v.Name, func(t *testing.T) {
				v.Options.Ratcheting = false // Resolve does not compare
				object, opts := conformance.DecodeExactly(v.Object), v.validateOptions(t, conformance.DecodeExactly)
				results := vmrules.Validate(rules, object, opts...).Results()
				n := 0
				for resolved := range form.Resolve(rules, object, opts...) {
					if want := results[n]; resolved.Index != want.Index || resolved.Target != want.Target {
						t.Fatalf("rule %d in %q, want %d in %q", resolved.Index, resolved.Target, want.Index, want.Target)
					}
					compared += checkResolved(t, resolved, results[n])
					n++
				}
				if n != len(results) {
					t.Errorf("%d rules are resolved, and %d have results", n, len(results))
				}
			})
		}
	}
	if compared < 1000 {
		t.Errorf("only %d values were compared", compared)
	}
}

// fromOrigin is the part of a detail that says which object a value comes from. A
// ValueChecker does not know it.
var fromOrigin = regexp.MustCompile(`, from (instance type|preference) [^,]*,`)

func checkResolved(t *testing.T, r form.Resolved, want vmrules.Result) int {
	t.Helper()
	if want.Doubt == vmrules.DoubtConflict && r.Outcome != vmrules.OutcomeUndecided {
		t.Errorf("%s: %q, want Undecided: %v", want.Rule, r.Outcome, want.Violations)
	}
	if r.Outcome != "" && (want.Outcome != r.Outcome || want.Note != r.Note && want.Outcome != vmrules.OutcomeUndecided) {
		t.Errorf("%s: %s (%s), want %s (%s)", want.Rule, r.Outcome, r.Note, want.Outcome, want.Note)
	}
	if missing := want.Outcome == vmrules.OutcomeViolated && want.Violations[0].Reason == vmrules.ReasonRequired; missing && !r.Required {
		t.Errorf("%s: not required, want %v", want.Rule, want.Violations[0])
	}
	checker, err := r.Checker()
	if err != nil || want.Outcome == vmrules.OutcomeUndecided || want.Outcome == vmrules.OutcomeSkipped || want.Note != "" { // something is not validated
		return 0
	}
	compared := 0
	for _, v := range r.Values {
		if v.Value == nil || v.Value == "" { // an array or object; or a string that Partial skips
			continue
		}
		compared++
		got := checker.Check(v.Value)
		var at []vmrules.Violation
		for _, violation := range want.Violations {
			if violation.Field == v.Field {
				violation.Detail = fromOrigin.ReplaceAllString(violation.Detail, "")
				violation.Text = fromOrigin.ReplaceAllString(violation.Text, "")
				violation.Field, violation.Pointer, violation.Origin = "", "", ""
				at = append(at, violation)
			}
		}
		if diff := cmp.Diff(at, got, cmpopts.IgnoreFields(vmrules.Violation{}, "Detail", "Text")); diff != "" {
			t.Errorf("%s at %s (-vmrules.Validate +Checker):\n%s", want.Rule, v.Field, diff)
		}
		for i := range min(len(at), len(got)) {
			if !strings.Contains(at[i].Detail, got[i].Detail) || !strings.Contains(at[i].Text, got[i].Text) {
				t.Errorf("%s at %s: %q, want it to be in %q", want.Rule, v.Field, got[i], at[i])
			}
		}
	}
	return compared
}

const oneRule = `[{"name": "r", "message": "m", %s}]`

func resolveAll(t *testing.T, annotation, object string, opts ...vmrules.ValidateOption) []form.Resolved {
	t.Helper()
	rules, err := vmrules.ParseRules(annotation)
	if err != nil {
		t.Fatal(err)
	}
	var all []form.Resolved
	for r := range form.Resolve(rules, conformance.DecodeExactly(json.RawMessage(object)), opts...) {
		all = append(all, r)
	}
	return all
}

func TestResolvedRule(t *testing.T) {
	object := `{"kind": "VirtualMachine", "spec": {"template": {"metadata": {"labels": {"most": "4Gi", "buses": ["a", 1]}},
		"spec": {"domain": {"memory": {"guest": "1Gi"}}}}}}`
	for _, test := range []struct {
		name, rule, want string
		unread           []form.Unread
	}{
		{"literals", `"rule": "integer", "path": "jsonpath::.a", "min": 1`, `"rule": "integer", "path": "jsonpath::.a", "min": 1`, nil},
		{"a path", `"rule": "integer", "path": "jsonpath::.a", "min": 1, "max": "jsonpath::.metadata.labels.most"`,
			`"rule": "integer", "path": "jsonpath::.a", "min": 1, "max": "4Gi"`, nil},
		{"the path of a list", `"rule": "enum", "path": "jsonpath::.a", "values": "jsonpath::.metadata.labels.buses"`,
			`"rule": "enum", "path": "jsonpath::.a", "values": ["a", 1]`, nil},
		{"a path in a list",
			`"rule": "enum", "path": "jsonpath::.a", "values": ["x", "jsonpath::.metadata.labels.buses", "jsonpath::.none"]`,
			`"rule": "enum", "path": "jsonpath::.a", "values": ["x", "a", 1]`, nil},
		{
			"nothing there", `"rule": "integer", "path": "jsonpath::.a", "min": 1, "max": "jsonpath::.none"`,
			`"rule": "integer", "path": "jsonpath::.a", "min": 1`,
			[]form.Unread{{"max", "max cannot be read: jsonpath::.none is not there"}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := resolveAll(t, fmt.Sprintf(oneRule, test.rule), object)[0]
			want, err := vmrules.ParseRules(fmt.Sprintf(oneRule, test.want))
			if err != nil {
				t.Fatal(err)
			}
			wanted, _ := want.ByName("r")
			if rule := got.Rule(); !rule.Equal(wanted) {
				t.Errorf("got %+v, want %+v", rule, wanted)
			}
			if diff := cmp.Diff(test.unread, got.Unread); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, err := got.Checker(); (err != nil) != (test.unread != nil) {
				t.Errorf("checker: %v", err)
			}
		})
	}
}

func TestValueChecker(t *testing.T) {
	rules, err := vmrules.ParseRules(`[
		{"name": "cores", "rule": "integer", "path": "jsonpath::.a", "message": "m", "min": 1, "max": 8},
		{"name": "read", "rule": "integer", "path": "jsonpath::.a", "message": "m", "max": "jsonpath::.b"},
		{"name": "empty", "rule": "enum", "path": "jsonpath::.a", "message": "m"},
		{"name": "odd", "rule": "odd", "path": "jsonpath::.a", "message": "m"}]`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"cores": "", "read": `the rule "read": max is read from the object that is validated`,
		"empty": `the rule "empty": the kind enum without any argument enforces nothing`,
		"odd":   `the rule "odd": only its kind, "odd", knows which values it allows`,
	}
	for _, r := range rules.All() {
		if _, err := form.NewValueChecker(r); (err == nil) != (want[r.Name] == "") || err != nil && err.Error() != want[r.Name] {
			t.Errorf("%s: %v, want %s", r.Name, err, want[r.Name])
		}
	}
	cores, _ := rules.ByName("cores")
	if _, err := form.NewValueChecker(vmrules.Rule{Kind: vmrules.KindInteger}); !errors.As(err, new(*vmrules.ParseError)) {
		t.Errorf("a rule without a path: %v", err)
	}
	checker, _ := form.NewValueChecker(cores, vmrules.WithBudget(vmrules.Budget{Time: 1}))
	if got := checker.Check(4); len(got) != 1 || got[0].Reason != vmrules.ReasonInternal {
		t.Errorf("without a budget: %v", got)
	}
	checker, _ = form.NewValueChecker(cores)
	for _, test := range []struct {
		value any
		want  string
	}{
		{4, ""},
		{"4", ""},
		{nil, "FieldValueRequired: the field is not set"},
		{12, "FieldValueInvalid: 12 is more than max 8"},
		{"x", `FieldValueTypeInvalid: "x" is not an integer`},
		{[]any{1}, "FieldValueTypeInvalid: an array is not an integer"},
		{strings.Repeat("9", 2000), "InternalError: the value is a number of more than 1,000 digits, or with an exponent beyond 1,000"},
	} {
		got := ""
		for _, v := range checker.Check(test.value) {
			got = fmt.Sprintf("%s: %s", v.Reason, v.Detail)
		}
		if got != test.want {
			t.Errorf("%.20v: %s, want %s", test.value, got, test.want)
		}
	}
}

func TestResolveCut(t *testing.T) {
	annotation := fmt.Sprintf(oneRule, `"rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "min": 1`)
	list := `{"kind": "List", "apiVersion": "v1",
		"items": [` + strings.TrimSuffix(strings.Repeat(`{"kind": "VirtualMachine",
		"spec": {"template": {"spec": {}}}},`,
		100),
		",") + `]}`
	all := resolveAll(t, annotation, list, vmrules.WithBudget(vmrules.Budget{Memory: 100_000}))
	last := all[len(all)-1]
	if len(all) > 99 || len(all) < 2 || last.Index != -1 || last.Outcome != vmrules.OutcomeUndecided || !strings.HasPrefix(last.Note,
		"there is too much to resolve: the rules of ") {
		t.Errorf("%d are resolved, the last of them %+v", len(all), last)
	}
}

// Root is the path of the rules' $, from the object's own root. The steps after it are those of
// the rule.
func TestResolvedRoot(t *testing.T) {
	annotation := fmt.Sprintf(oneRule, `"rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores"`)
	for _, test := range []struct{ object, want string }{
		{`{"kind": "VirtualMachine", "spec": {"template": {"spec": {}}}}`, "jsonpath::.spec.template"},
		{`{"kind": "VirtualMachine"}`, "jsonpath::.spec.template"},
		{`{"kind": "VirtualMachineInstance", "spec": {}}`, "jsonpath::$"},
		{`{"kind": "List", "items": [{"kind": "VirtualMachineInstance"}]}`, "jsonpath::.items[0]"},
		{`{"kind": "List", "items": []}`, ""},
	} {
		if got := resolveAll(t, annotation, test.object)[0].Root.String(); got != test.want {
			t.Errorf("%s: %q, want %q", test.object, got, test.want)
		}
	}
}

// Resolve, and so a form, sees the expanded VM too.
func TestResolveWithInstancetype(t *testing.T) {
	object := func(text string) map[string]any { return conformance.DecodeExactly(json.RawMessage(text)) }
	vm := object(`{"kind": "VirtualMachine", "spec": {"instancetype": {"name": "small"}, "template": {"spec": {}}}}`)
	small := object(`{"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "small"},
		"spec": {"cpu": {"guest": 2}, "memory": {"guest": "1Gi"}}}`)
	rules, err := vmrules.ParseRules(fmt.Sprintf(oneRule, `"rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "min": "2Gi"`))
	if err != nil {
		t.Fatal(err)
	}
	for resolved := range form.Resolve(rules, vm, vmrules.WithInstancetype(small, nil)) {
		want := []form.FieldValue{{
			Field: "spec.template.spec.domain.memory.guest", Pointer: "/spec/template/spec/domain/memory/guest",
			Value: "1Gi", Origin: "instancetype small",
		}}
		if diff := cmp.Diff(want, resolved.Values); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
		if resolved.IsOpen || resolved.AtPath.MayBeSet || resolved.Required {
			t.Errorf("is open: %t, may be set: %t, required: %t", resolved.IsOpen, resolved.AtPath.MayBeSet, resolved.Required)
		}
	}
}

// A preference that is not given splits the vCPUs of an instance type. If the VM names none, it sets no cores.
func TestResolveWithPreferenceAlone(t *testing.T) {
	annotation := fmt.Sprintf(oneRule, `"rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores"`)
	const vm = `{"kind": "VirtualMachine", "spec": {"preference": {"name": "linux"}, "template": {"spec": {"domain": {}}}}}`
	nothing := func(map[string]any) (_, _ map[string]any, _ error) { return nil, nil, nil }
	for _, opts := range [][]vmrules.ValidateOption{nil, {vmrules.WithInstancetypes(nothing)}} {
		got := resolveAll(t, annotation, vm, opts...)[0]
		if got.IsOpen || got.AtPath.MayBeSet || !got.Required {
			t.Errorf("is open: %t, may be set: %t, required: %t", got.IsOpen, got.AtPath.MayBeSet, got.Required)
		}
	}
}

// The default of a field is a string, a bool or a json.Number if it is a scalar, and else what was given.
func TestResolvedDefault(t *testing.T) {
	annotation := fmt.Sprintf(oneRule, `"rule": "string", "path": "jsonpath::.spec.a"`)
	path, err := vmrules.ParsePath("jsonpath::.spec.a")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ given, want any }{
		{2, json.Number("2")}, {2.5, json.Number("2.5")}, {"b", "b"}, {true, true}, {nil, nil},
		{map[string]any{"c": 1}, map[string]any{"c": 1}}, {[]any{"d"}, []any{"d"}},
	} {
		d, err := vmrules.NewDefault(path, test.given)
		if err != nil {
			t.Fatal(err)
		}
		got := resolveAll(t, annotation, `{"kind": "VirtualMachineInstance", "spec": {}}`, vmrules.WithDefaults(d))[0]
		if diff := cmp.Diff(test.want, got.AtPath.Default); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.given, diff)
		}
	}
}
