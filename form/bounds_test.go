package form_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/racetest"
)

// TestLimitsAreBounded checks that hostile annotations and objects take bounded time and
// memory.
func TestLimitsAreBounded(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	many := func(n int, rule func(i int) string) vmrules.Rules {
		var all []string
		for i, size := 0, 0; i < n && size < 256<<10-1000; i++ {
			all = append(all, fmt.Sprintf(`{"name":"%d","message":"m",%s}`, i, rule(i)))
			size += len(all[i]) + 1
		}
		return mustParse(t, "["+strings.Join(all, ",")+"]")
	}
	long := strings.Repeat(`"aaaa",`, 30_000)
	values := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprint(i))
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	cyclic := map[string]any{"kind": "VirtualMachineInstance"}
	cyclic["a"], cyclic["spec"] = cyclic, cyclic
	var vms []any
	for range 3_000 {
		vms = append(vms, map[string]any{"kind": "VirtualMachine", "spec": map[string]any{"template": map[string]any{"a": "x"}}})
	}
	list := map[string]any{"kind": "List", "items": vms}
	wide := map[string]any{"spec": map[string]any{"domain": map[string]any{}}, "a": make([]int, jsonpath.MaxMatches)}
	tests := []struct {
		name   string
		rules  vmrules.Rules
		object map[string]any
	}{
		{"many rules on one path",
			many(4_000, func(i int) string { return fmt.Sprintf(`"path":"jsonpath::.a","rule":"integer","min":%d`, i) }), wide},
		{"many paths", many(3_000, func(i int) string { return fmt.Sprintf(`"path":"jsonpath::.a%d","rule":"integer"`, i) }), wide},
		{"many filters", many(500, func(i int) string { return fmt.Sprintf(`"path":"jsonpath::.a[?(@.b==%d)]","rule":"integer"`, i) }),
			wide},
		{"one long list", many(2, func(i int) string {
			return `"path":"jsonpath::.a","rule":"enum","values":[` + []string{long, ""}[i] + `"b"]`
		}), wide},
		{"lists that agree", many(20, func(int) string { return `"path":"jsonpath::.a","rule":"enum","values":` + values(1_800) }), wide},
		{"a list for each VM", many(2, func(int) string { return `"path":"jsonpath::.a","rule":"enum","values":` + values(20_000) }),
			list},
		{"lists that are read",
			many(1_500, func(i int) string { return `"path":"jsonpath::.b","rule":"enum","values":"jsonpath::.a[*]"` }), wide},
		{"many VMs", many(40, func(i int) string { return fmt.Sprintf(`"path":"jsonpath::.a%d","rule":"integer"`, i) }), list},
		{"many values", many(300, func(i int) string {
			return fmt.Sprintf(`"path":"jsonpath::.a[*%s]","rule":"integer"`, strings.Repeat(" ", i))
		}), wide},
		{"a cycle", many(3, func(i int) string {
			return []string{`"path":"jsonpath::..a"`, `"path":"jsonpath::.a.a.a"`,
				`"path":"jsonpath::.a.*"`}[i] + `,"rule":"integer","max":"jsonpath::..x"`
		}), cyclic},
		{"long patterns", many(60, func(i int) string {
			return fmt.Sprintf(`"path":"jsonpath::.a%d","rule":"regex","regex":"%s"`, i, strings.Repeat(`\\p{L}`, 14))
		}), wide},
		{"long numbers", many(3_000, func(i int) string {
			return fmt.Sprintf(`"path":"jsonpath::.b%d","rule":"integer","min":1e%d`, i, i%1000)
		}), wide},
		{"a deep path", many(1, func(int) string { return `"path":"jsonpath::` + strings.Repeat(".a", 100_000) + `","rule":"integer"` }),
			wide},
		{"high indexes", many(500, func(i int) string {
			return fmt.Sprintf(`"path":"jsonpath::.a%d[99]","rule":"integer","valid":"jsonpath::.b[99]"`, i)
		}), wide},
	}
	const most = 150 << 20 // bytes of JSON
	less := vmrules.WithBudget(vmrules.Budget{Time: meter.DefaultWork / 4})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			limits := form.Limits(test.rules, test.object, less)
			if text, err := json.Marshal(limits); err != nil || len(text) > most || len(limits) == 0 {
				t.Errorf("%d limits, %d bytes, %v", len(limits), len(text), err)
			}
			if text, err := json.Marshal(form.Schema(test.rules, test.object, less)); err != nil || len(text) > most {
				t.Errorf("a schema of %d bytes, %v", len(text), err)
			}
		})
	}
}

// TestLimitsOfOddObjects checks that there are limits and a schema for any value at any level
// of a path.
func TestLimitsOfOddObjects(t *testing.T) {
	rules := mustParse(t, `[
		{"name": "a", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores",
		"max": "jsonpath::.spec.domain.cpu.max"},
		{"name": "b", "rule": "enum", "message": "m", "path": "jsonpath::.spec.domain.cpu[*].cores", "values": "jsonpath::..cores"},
		{"name": "c", "rule": "regex", "message": "m", "path": "jsonpath::..[?(@.cores>1)]", "regex": "jsonpath::.spec..*",
		"valid": "jsonpath::.spec.*"},
		{"name": "d", "rule": "string", "message": "m", "path": "jsonpath::$", "minLength": "jsonpath::$.spec", "maxLength": 1}
	]`)
	for _, odd := range []any{nil, true, 1, "text", []any{nil}, map[string]any(nil), []string{"a"}, map[any]any{1: 2, "cores": nil},
		json.Number("x"), resourceQuantity{"1"}, broken{}, make(chan int), func() {}, [2]any{1, nil}, namedList{1}} {
		for depth := range 5 {
			object := map[string]any{"items": odd, "objects": odd, "kind": []any{nil, "List", "Template", odd, "VirtualMachine"}[depth]}
			at := object
			for _, key := range []string{"spec", "template", "spec", "domain", "cpu"}[:depth] {
				next := map[string]any{"max": odd}
				at[key], at = next, next
			}
			at["cores"], at["spec"], at["template"], at["domain"] = odd, odd, odd, odd
			for _, opts := range [][]vmrules.ValidateOption{nil, {vmrules.Partial()}} {
				checkLimits(t, rules, object, opts != nil, opts...)
				form.Schema(rules, object, opts...)
			}
		}
	}
}
