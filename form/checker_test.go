package form_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/internal/racetest"
	"github.com/vmrules/vmrules/internal/seeds"
)

// checked are paths, each with a spec.template.spec in which it selects just the value "@".
var checked = []struct{ path, spec string }{
	{".spec.hostname", `{"hostname": "@"}`},
	{".spec['nodeSelector']['a\\.b']", `{"nodeSelector": {"a.b": "@"}}`},
	{".spec.domain.cpu.sockets", `{"domain": {"cpu": {"sockets": "@", "cores": 2}}}`},
	{"$.spec.domain.cpu['cores']", `{"domain": {"cpu": {"cores": "@"}}}`},
	{".spec.domain.machine.type", `{"domain": {"machine": {"type": "@"}}}`},
	{".spec.domain.memory.guest", `{"domain": {"memory": {"guest": "@"}}}`},
	{".spec.domain.devices.disks[*].cache", `{"domain": {"devices": {"disks": [{"cache": "@"}]}}}`},
	{".spec.domain.devices.disks[1].io", `{"domain": {"devices": {"disks": [{"io": "x"}, {"io": "@"}]}}}`},
	{".spec.domain.devices.disks[-1].name", `{"domain": {"devices": {"disks": [{"name": "x"}, {"name": "@"}]}}}`},
	{`.spec.domain.devices.disks[?(@.name=="a")].serial`, `{"domain": {"devices": {"disks": [{}, {"name": "a", "serial": "@"}]}}}`},
	{".spec.domain.devices.interfaces[0:2].ports[*].port", `{"domain": {"devices": {"interfaces": [{}, {"ports": [{"port": "@"}]}]}}}`},
	{".spec.domain.devices.interfaces[*].ports[0,1].name", `{"domain": {"devices": {"interfaces": [{"ports": [{}, {"name": "@"}]}]}}}`},
	{".spec.args[*]", `{"args": [null, "@"]}`},
	{".spec.args[0]", `{"args": ["@", 1]}`},
	{".spec.domain['a','b']", `{"domain": {"b": "@"}}`},
	{".spec.*.cores", `{"other": {"cores": "@"}}`},
	{"..sockets", `{"other": {"sockets": "@"}}`},
	{"..other.threads", `{"other": {"threads": "@"}}`},
	{".spec.domain.io.*", `{"domain": {"io": {"threads": "@"}}}`},
}

type missing struct{}

// with returns a copy of a value with v in the place of "@". If v is missing, so is the member.
func with(in, v any) any {
	switch in := in.(type) {
	case string:
		if in == "@" {
			return v
		}
	case []any:
		copied := make([]any, len(in))
		for i := range in {
			if copied[i] = with(in[i], v); copied[i] == (missing{}) {
				copied[i] = nil
			}
		}
		return copied
	case map[string]any:
		copied := map[string]any{}
		for name := range in {
			copied[name] = with(in[name], v)
		}
		maps.DeleteFunc(copied, func(_ string, v any) bool { return v == missing{} })
		return copied
	}
	return in
}

var checkedValues = []any{
	missing{}, nil, "", 0, json.Number("0"), 0.0, json.Number("-0.0"), "0", 1, 2, uint8(5), 9, -3, 2.5, json.Number("1e3"), json.Number("4.0"),
	"a", "abc", "none", "2Gi", "500m", "é", "\xff", true, false, math.NaN(), json.RawMessage("0"), map[string]int{"a": 1}, []any{}, []string{"a"},
	json.Number("1e2000"), "${X}",
}

var checkedArguments = []string{
	`"rule": "integer"`, `"rule": "integer", "min": 2`, `"rule": "integer", "min": 0, "max": 0`, `"rule": "integer", "max": "1Gi", "minLength": 2`,
	`"rule": "string"`, `"rule": "string", "minLength": 1, "maxLength": 2`, `"rule": "string", "regex": "^[a-z]*$"`,
	`"rule": "string", "values": ["none", "a"]`, `"rule": "string", "min": 1, "regex": "(?<=a)b"`,
	`"rule": "enum", "values": ["", 1, true]`, `"rule": "enum", "values": [0, 2]`, `"rule": "enum", "values": []`,
	`"rule": "regex", "regex": "(a)\\1|^a?bc|b"`, `"rule": "regex", "regex": "[1-9]", "values": [1, "1Ki"]`,
}

// withoutPlaces removes from details, which say what cannot be decided, where the value is. A
// ValueChecker does not know that.
func withoutPlaces(all []vmrules.Violation) []vmrules.Violation {
	for i := range all {
		if v := &all[i]; v.Reason == vmrules.ReasonInternal {
			v.Detail = strings.TrimPrefix(place.ReplaceAllString(v.Detail, "value$2"), "value: ")
		}
	}
	return all
}

var place = regexp.MustCompile(`(jsonpath::|spec\.template\.)[^ ]*[^: ](: | cannot)`)

// A ValueChecker, of a rule or of a resolved one, finds in each value what Validate finds in an object
// where the path selects just that value.
func TestValueCheckerAgreesWithValidate(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	options := [][]vmrules.ValidateOption{
		nil, nil, {vmrules.Partial()}, {vmrules.WithBudget(vmrules.Budget{Backtracking: -1})},
		{defaultOf(t, "jsonpath::.spec.hostname", "abc"), defaultOf(t, "jsonpath::.spec.domain.cpu.cores", 5)},
		{defaultOf(t, "jsonpath::.spec.domain.cpu.sockets", nil), defaultOf(t, "jsonpath::.spec.domain.memory", map[string]any{"guest": "2Gi"})},
		{defaultOf(t, "jsonpath::.spec.domain.devices.disks[*].cache", 0), defaultOf(t, "jsonpath::.spec.domain.memory.guest", []any{1})},
		{vmrules.Partial(), defaultOf(t, "jsonpath::.spec.domain.devices.disks[*].name", "")},
	}
	const cases = 700
	found := map[string]int{}
	for n := range uint64(cases) {
		r := rand.New(rand.NewPCG(seeds.Of(43), n))
		field := checked[r.IntN(len(checked))]
		members := fmt.Sprintf(`%s, "path": %q`, checkedArguments[r.IntN(len(checkedArguments))], "jsonpath::"+field.path)
		if valid := []string{"", "", field.path, "{" + field.path + "}", ".spec", ".metadata.labels.there"}[r.IntN(6)]; valid != "" {
			members += fmt.Sprintf(`, "valid": %q`, "jsonpath::"+valid)
		}
		if r.IntN(5) == 0 {
			members += `, "justWarning": true`
		}
		rules := mustParse(t, fmt.Sprintf(oneRule, members))
		rule, _ := rules.ByName("r")
		opts := options[r.IntN(len(options))]
		checker, err := form.NewValueChecker(rule, opts...)
		if err != nil {
			t.Fatalf("%s: %v", rules, err)
		}
		object := func(v any) map[string]any {
			template := map[string]any{"metadata": map[string]any{"labels": map[string]any{"there": "x"}}, "spec": with(decodeAny(field.spec), v)}
			return map[string]any{"kind": "VirtualMachine", "spec": map[string]any{"template": template}}
		}
		checkers := []*form.ValueChecker{checker}
		for resolved := range form.Resolve(rules, object(missing{}), opts...) {
			if checker, err = resolved.Checker(); err != nil {
				t.Fatalf("%s: %v", rules, err)
			}
			checkers = append(checkers, checker)
		}
		for _, v := range checkedValues {
			result := vmrules.Validate(rules, object(v), opts...).Results()[0]
			for i := range result.Violations {
				result.Violations[i].Field, result.Violations[i].Pointer = "", ""
			}
			if v == (missing{}) {
				v = nil
			}
			for i, checker := range checkers {
				got := checker.Check(v)
				if diff := cmp.Diff(withoutPlaces(result.Violations), withoutPlaces(got)); diff != "" {
					t.Errorf("case %d: %s: %#v, checker %d (-Validate +Check):\n%s", n, rules, v, i, diff)
				}
				found["compared"]++
			}
			found[string(result.Outcome)]++
			for _, w := range result.Violations {
				found[string(w.Reason)+w.Origin]++
			}
		}
	}
	for of, least := range map[string]int{
		"compared": 40_000, "Satisfied": 1000, "Skipped": 200, "Warned": 1000, "Undecided": 200,
		"FieldValueRequired": 200, "FieldValueInvaliddefault": 50, "FieldValueTypeInvaliddefault": 50,
	} {
		if found[of] < least {
			t.Errorf("%s: only %d, want %d of them", of, found[of], least)
		}
	}
}
