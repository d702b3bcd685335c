package form_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/internal/racetest"
)

// rulesText returns an annotation of n numbered rules with these members. In the members,
// %d is the number of the rule.
func rulesText(n int, members string) string {
	return "[" + numbered(n, `{"name":"%d","message":"m",`+members+"}") + "]"
}

// numbered returns n items with commas between them. In an item, %d is its number.
func numbered(n int, item string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = strings.ReplaceAll(item, "%d", fmt.Sprint(i))
	}
	return strings.Join(all, ",")
}

func vmsOf(n int, domain string) map[string]any {
	items := make([]any, n)
	for i := range items {
		items[i] = vmWith(domain)
	}
	return map[string]any{"kind": "List", "items": items}
}

// TestBudget checks that a call allocates and keeps memory in proportion to its budget,
// whatever the input.
func TestBudget(t *testing.T) {
	racetest.SkipLong(t)
	given := vmrules.Budget{Time: 20 * time.Millisecond, Memory: 1 << 20}
	long := strings.Repeat("n", 200_000)
	numbers := strings.TrimSuffix(strings.Repeat("123456,", 30_000), ",")
	vms := vmsOf(1000, `{"a": "x"}`)
	for _, attack := range []struct {
		name, rules string
		object      map[string]any
	}{
		{"values", `[{"name":"n","message":"m","rule":"enum","path":"jsonpath::.a","values":[` + numbers + `]}]`, vms},
		{"values with a path",
			`[{"name":"n","message":"m","rule":"enum","path":"jsonpath::.a","values":["jsonpath::.spec.domain.a",` + numbers + `]}]`, vms},
		{"values that are too long",
			`[{"name":"n","message":"m","rule":"enum","path":"jsonpath::.a","maxLength":0,"values":[` + numbers + `]}]`, vms},
		{"values at present", rulesText(50, `"rule":"integer","path":"jsonpath::.l[*]","min":%d`),
			map[string]any{"l": make([]int, 9_000)}},
		{"a long path", `[{"name":"n","message":"m","rule":"string","path":"jsonpath::.` + long + `"}]`, vms},
		{"a path of many steps", `[{"name":"n","message":"m","rule":"string","path":"jsonpath::` + strings.Repeat(".a", 100_000) + `"}]`,
			vms},
		{"a long message", `[{"name":"n","message":"` + long + `","rule":"string","path":"jsonpath::.b"}]`, vms},
		{"many paths", rulesText(2000, `"rule":"string","path":"jsonpath::.spec.domain.a%d","valid":"jsonpath::.spec"`), vms},
		{"items by index", rulesText(99, `"rule":"string","path":"jsonpath::.items[%d].spec.l[%d]"`), vmsOf(100, `{"a": "x"}`)},
		{"regexes", rulesText(1500, `"rule":"regex","path":"jsonpath::.spec.domain.a%d","regex":"^[\\pL\\pN]{3}%d$"`), vms},
	} {
		rules := mustParse(t, attack.rules)
		for name, call := range map[string]func() any{
			"limits": func() any { return form.Limits(rules, attack.object, vmrules.WithBudget(given)) },
			"schema": func() any { return form.Schema(rules, attack.object, vmrules.WithBudget(given)) },
		} {
			checkBudget(t, attack.name+", "+name, given, call)
		}
	}
}

// checkBudget checks what a call with a budget allocates and keeps.
func checkBudget(t *testing.T, name string, given vmrules.Budget, call func() any) {
	t.Helper()
	const (
		perWork = 1       // bytes allocated for each unit of work
		perKept = 2       // bytes kept for each byte of the budget
		spare   = 6 << 20 // bytes that depend only on the input's size
	)
	call() // the first call fills pools
	var before, after, live runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	made := call()
	runtime.ReadMemStats(&after)
	runtime.GC()
	runtime.ReadMemStats(&live)
	if got, most := int64(after.TotalAlloc-before.TotalAlloc), perWork*given.Time.Nanoseconds()+spare; got > most {
		t.Errorf("%s: %d bytes are allocated, more than %d", name, got, most)
	}
	if got, most := int64(live.HeapAlloc-before.HeapAlloc), perKept*given.Memory+spare/4; got > most {
		t.Errorf("%s: %d bytes are kept, more than %d", name, got, most)
	}
	runtime.KeepAlive(made)
}

// TestParametersBudget is TestBudget for the parameters of a template.
func TestParametersBudget(t *testing.T) {
	racetest.SkipLong(t)
	given := vmrules.Budget{Time: 20 * time.Millisecond, Memory: 8 << 20}
	const (
		rule = `{"name":"%d","message":"m","rule":"string","path":"jsonpath::.spec.domain.l[*]","minLength":%d}`
		long = `{"name":%de900,"displayName":1e990,"description":1e990,"value":1e990,"generate":1e990,"from":1e990}`
	)
	regex := strings.Replace(rule, "}", `,"regex":"^%d$"}`, 1)
	enum := `{"name":"e","message":"m","rule":"enum","path":"jsonpath::.spec.domain.l[0]","values":[` + numbered(1000, `"%d"`) + `]}`
	for _, attack := range []struct{ name, parameters, items, rules string }{
		{"parts of texts", `{"name":"A"}`, numbered(1000, `"x${A}y"`), numbered(1000, rule)},
		{"parts of texts, one rule", `{"name":"A"}`, numbered(1500, `"x${A}y"`), numbered(1, rule)},
		{"several in each text", `{"name":"A"},{"name":"B"}`, numbered(500, `"${A}${B}"`), numbered(1000, rule)},
		{"each once", numbered(1000, `{"name":"A%d"}`), numbered(1000, `"${A%d}"`), numbered(1000, rule)},
		{"regexes", `{"name":"A"}`, numbered(1000, `"x${A}y"`), numbered(100, regex)},
		{"unused", numbered(15_000, `{"name":"A%d"}`), ``, ``},
		{"numbers that are long when they are written", numbered(5000, long), ``, ``},
		{"numbers that are long in the template", ``, numbered(20_000, `%de900`), ``},
		{"values beside a long text", `{"name":"A"}`, `"${A}","` + strings.Repeat("x", 60_000) + `${A}"`, numbered(1, rule) + "," + enum},
	} {
		text := openShift(attack.parameters, `{"l": [`+attack.items+`]}`, attack.rules)
		template := decodeExactly(json.RawMessage(text))
		checkBudget(t, attack.name, given, func() any {
			parameters, _ := form.Parameters(template, vmrules.WithBudget(given))
			return parameters
		})
		checkBudget(t, attack.name+", Fill", given, func() any {
			filled, _ := form.Fill(template, nil, vmrules.WithBudget(given))
			return filled
		})
	}
}

// TestParametersOfManyFields checks that the default Budget is enough for rules about many fields.
func TestParametersOfManyFields(t *testing.T) {
	const rule = `{"name":"%d","message":"m","rule":"string","path":"jsonpath::.spec.domain.l[*]","minLength":%d}`
	for _, test := range []struct{ name, parameters, items string }{
		{"parts of texts", `{"name":"A"}`, numbered(500, `"x${A}y"`)},
		{"parts of different texts", `{"name":"A"}`, numbered(500, `"x%d${A}"`)},
		{"parts of texts with several", `{"name":"A"},{"name":"B"}`, numbered(250, `"${A}${B}"`)},
		{"parameters", numbered(500, `{"name":"A%d"}`), numbered(500, `"${A%d}"`)},
		{"parameters as JSON", numbered(500, `{"name":"A%d"}`), numbered(500, `"${{A%d}}"`)},
		{"parameters in part", numbered(500, `{"name":"A%d"}`), numbered(500, `"x${A%d}"`)},
	} {
		template := decodeExactly(json.RawMessage(openShift(test.parameters, `{"l": [`+test.items+`]}`, numbered(20, rule))))
		if _, err := form.Parameters(template); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestBudgetOfOrdinaryInput checks that the default Budget is enough for ordinary input.
func TestBudgetOfOrdinaryInput(t *testing.T) {
	racetest.SkipLong(t)
	var values []string
	for i := range 10_000 {
		values = append(values, fmt.Sprintf(`"value-%d"`, i))
	}
	const disks = `{"devices": {"disks": [{"name": "a", "disk": {"bus": "virtio"}}, {"name": "b", "disk": {"bus": "sata"}}]}}`
	for _, test := range []struct {
		name, rules string
		object      map[string]any
	}{
		{"1,000 rules",
			rulesText(1000, `"rule":"enum","path":"jsonpath::.spec.domain.devices.disks[*].disk.bus","values":["virtio","sata","scsi%d"]`),
			vmWith(disks)},
		{"1,000 paths",
			rulesText(1000,
				`"rule":"enum","path":"jsonpath::.spec.domain.devices.disks[*].disk.bus%d","values":["virtio","sata","scsi%d"]`),
			vmWith(disks)},
		{"1,000 rules with a regex",
			rulesText(1000,
				`"rule":"regex","path":"jsonpath::.spec.domain.devices.disks[*].name","regex":"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9%d])?$"`),
			vmWith(disks)},
		{"an enum of 10,000 values",
			`[{"name":"n","message":"m","rule":"enum","path":"jsonpath::.spec.domain.devices.disks[*].disk.bus","values":[` + strings.Join(values,
				",") + `]}]`,
			vmWith(disks)},
		{"100 VMs",
			rulesText(8, `"rule":"enum","path":"jsonpath::.spec.domain.devices.disks[*].disk.bus%d","values":["virtio","sata","scsi"]`),
			vmsOf(100, disks)},
	} {
		rules := mustParse(t, test.rules)
		limits := form.Limits(rules, test.object)
		if last := limits[len(limits)-1]; last.Path.IsZero() {
			t.Errorf("%s: %s", test.name, mustJSON(last))
		}
		text, err := json.Marshal(form.Schema(rules, test.object)[form.SchemaUnexpressed])
		if err != nil || strings.Contains(string(text), "too large") {
			t.Errorf("%s: %s %v", test.name, text, err)
		}
	}
	template := decodeExactly(json.RawMessage(openShift(
		numbered(30, `{"name":"A%d","value":"aaaa"}`),
		`{"l": [`+numbered(30, `{"a":"x-${A%d}","b":"${A%d}","c":["${{A%d}}","${A0}-${A%d}"]}`)+`]}`,
		numbered(60, `{"name":"%d","message":"what the field should look like","rule":"string","path":"jsonpath::.spec.domain.l[*].*","regex":"a{%d,}"}`),
	)))
	if _, err := form.Parameters(template); err != nil {
		t.Errorf("a template with 30 parameters and 60 rules: %v", err)
	}
}
