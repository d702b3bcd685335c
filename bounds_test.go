package vmrules

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/racetest"
)

// budgetOf returns a budget with this much work, and with time for backtracking.
func budgetOf(work int, backtracking time.Duration) *budget {
	return &budget{Meter: meter.New(work, meter.DefaultKept), Backtracking: backtracking}
}

func workLeft(b *budget) int {
	work, _ := b.Left()
	return work
}

// An attack is a call that would use far more than the budget in its option. It returns the
// result of the call.
type attack struct {
	name string
	call func(Option) any
}

// rulesText returns an annotation of n rules with these members. Their names are their
// numbers.
func rulesText(n int, members func(i int) string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`{"name":"%d","message":"m",%s}`, i, members(i))
	}
	return "[" + strings.Join(all, ",") + "]"
}

func sameMembers(members string) func(int) string { return func(int) string { return members } }

func listOf(n int, item any) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = item
	}
	return list
}

func numbersText(n int) string {
	return strings.TrimSuffix(strings.Repeat("123456,", n), ",")
}

// attacks returns attacks on reading and judging.
func attacks(t *testing.T) []attack {
	t.Helper()
	read := func(name, text string, opts ...ParseOption) attack {
		return attack{name, func(o Option) any {
			rules, err := ParseRules(text, append(opts, o)...)
			return []any{rules, err}
		}}
	}
	judge := func(name, text string, object map[string]any) attack {
		rules := mustParse(t, text)
		return attack{name, func(o Option) any { return Validate(rules, object, o) }}
	}
	vm := func(annotation string) map[string]any {
		return map[string]any{
			"kind": "VirtualMachine", "metadata": map[string]any{"annotations": map[string]any{Annotation: annotation}},
			"spec": map[string]any{"template": map[string]any{"spec": map[string]any{}, "a": "x"}},
		}
	}
	vms := func(n int) map[string]any { return map[string]any{"kind": "List", "items": listOf(n, vm(""))} }
	own := func(name string, object map[string]any) attack {
		return attack{name, func(o Option) any {
			return ValidateOwn(object, o)
		}}
	}
	long := strings.Repeat("n", 200_000)
	lists := map[string]any{"kind": "List"}
	lists["items"] = listOf(50, lists)
	deep := map[string]any{"x": 1}
	for range 200 {
		deep = map[string]any{strings.Repeat("n", 1000): deep, "x": 1}
	}
	return []attack{
		read("values", `[{"name":"n","rule":"enum","path":"jsonpath::.a","message":"m","values":[`+numbersText(30_000)+`]}]`),
		read("values that are wrong",
			`[{"name":"n","rule":"enum","path":"jsonpath::.a","message":"m","values":[`+strings.Repeat("{},", 60_000)+`1]}]`),
		read("rules that are empty", "["+strings.Repeat("{},", 9_000)+"{}]"),
		read("problems of a long name",
			`[{"name":"`+long+`","rule":"enum","path":"jsonpath::.a","message":"m","values":[`+strings.Repeat("{},", 10_000)+`1]}]`),
		read("keys that are not known", `[{`+strings.Repeat(`"key":1,`, 30_000)+`"name":"n"}]`, Strict()),
		read("a path of many steps", `[{"name":"n","rule":"string","path":"jsonpath::`+strings.Repeat(".a", 100_000)+`","message":"m"}]`),
		own("one annotation in many VMs",
			map[string]any{"kind": "List", "items": listOf(1000, vm("["+strings.Repeat("{},", 9_000)+"{}]"))}),
		own("rules in many VMs",
			map[string]any{"kind": "List",
				"items": listOf(1000, vm(rulesText(1000, sameMembers(`"rule":"string","path":"jsonpath::.a"`))))}),
		{"RulesFor", func(o Option) any {
			rules, err := RulesFor(lists, nil, o)
			return []any{rules, err}
		}},
		judge("values that are wrong", rulesText(50, sameMembers(`"rule":"integer","path":"jsonpath::.l[*]"`)),
			map[string]any{"l": listOf(9_000, "x")}),
		judge("values with a path",
			`[{"name":"n","rule":"enum","path":"jsonpath::.a","message":"m","values":["jsonpath::.a",`+numbersText(30_000)+`]}]`,
			vms(200)),
		judge("values that are too long",
			`[{"name":"n","rule":"enum","path":"jsonpath::.a","message":"m","maxLength":0,"values":[`+numbersText(30_000)+`]}]`,
			vms(200)),
		judge("a path that is long", `[{"name":"n","rule":"string","path":"jsonpath::.`+long+`","message":"m"}]`, vms(1000)),
		judge("a message that is long", `[{"name":"n","rule":"string","path":"jsonpath::.b","message":"`+long+`"}]`, vms(1000)),
		judge("a list that holds itself", rulesText(10, sameMembers(`"rule":"string","path":"jsonpath::.a"`)), lists),
		judge("names that are long", rulesText(20, sameMembers(`"rule":"string","path":"jsonpath::..x"`)), deep),
		judge("items at any depth", rulesText(3, sameMembers(`"rule":"string","path":"jsonpath::..*"`)),
			map[string]any{"l": listOf(200_000, 1)}),
		judge("numbers of many digits",
			rulesText(90, sameMembers(`"rule":"integer","path":"jsonpath::.l[*]","max":`+strings.Repeat("9", 999))),
			map[string]any{"l": listOf(3000, uint64(1)<<63)}),
	}
}

// TestBudget: a call allocates and keeps memory in proportion to its budget, whatever the
// input.
func TestBudget(t *testing.T) {
	racetest.SkipLong(t)
	given := Budget{Time: 20 * time.Millisecond, Memory: 1 << 20}
	const (
		perWork = 1       // bytes that are allocated, for each unit of work
		perKept = 2       // bytes that are kept, for each that is paid for
		spare   = 4 << 20 // for what depends only on the size of the input
	)
	for _, a := range attacks(t) {
		a.call(WithBudget(given)) // fills the pools
		var before, after, live runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		made := a.call(WithBudget(given))
		runtime.ReadMemStats(&after)
		runtime.GC()
		runtime.ReadMemStats(&live)
		if got, most := int64(after.TotalAlloc-before.TotalAlloc), perWork*given.Time.Nanoseconds()+spare; got > most {
			t.Errorf("%s allocates %d bytes, more than %d", a.name, got, most)
		}
		if got, most := int64(live.HeapAlloc-before.HeapAlloc), perKept*given.Memory+spare/4; got > most {
			t.Errorf("%s keeps %d bytes, more than %d", a.name, got, most)
		}
		runtime.KeepAlive(made)
	}
}

// TestBudgetOfOrdinaryInput: the default budget is enough for ordinary input.
func TestBudgetOfOrdinaryInput(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	windows := windowsVM(3)
	values := make([]string, 10_000)
	for i := range values {
		values[i] = fmt.Sprintf(`"value-%d"`, i)
	}
	for name, test := range map[string]struct {
		text   string
		object map[string]any
	}{
		"1,000 rules": {
			rulesText(1000,
				sameMembers(`"rule":"enum","path":"jsonpath::.spec.domain.devices.disks[*].disk.bus","valid":"jsonpath::.spec.domain.devices.disks[*].disk.bus","values":["virtio","sata","scsi"]`)),
			windows,
		},
		"1,000 rules with a regex": {
			rulesText(1000,
				sameMembers(`"rule":"regex","path":"jsonpath::.spec.domain.devices.disks[*].name","regex":"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"`)),
			windows,
		},
		"an enum of 10,000 values": {
			rulesText(1,
				sameMembers(`"rule":"enum","path":"jsonpath::.spec.domain.devices.disks[*].disk.bus","values":["virtio","sata",`+strings.Join(values,
					",")+`]`)),
			windows,
		},
		"10,000 VMs": {
			rulesText(8,
				sameMembers(`"rule":"enum","path":"jsonpath::.spec.domain.devices.disks[*].disk.bus","values":["virtio","sata","scsi"]`)),
			map[string]any{"kind": "List", "items": listOf(10_000, windows)},
		},
		"10,000 VMs, one after the other": {
			rulesText(8,
				sameMembers(`"rule":"enum","path":"jsonpath::.spec.domain.devices.disks[?(@.disk)].disk.bus","values":["virtio","sata","scsi"]`)),
			map[string]any{"kind": "List", "items": listOf(10_000, windows)},
		},
	} {
		if report := Validate(mustParse(t, test.text), test.object); !report.Valid() {
			t.Errorf("%s: %s", name, report.summary(report.all(), nil))
		}
	}
}

// branches returns a pattern of n branches, each of which begins differently.
func branches(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%c%d", 0x400+2*i, i%10)
	}
	return strings.Join(all, "|")
}

// TestRegexesOfHostileRules: reading costly patterns allocates at most one byte for each unit
// of work in the budget, however many there are.
func TestRegexesOfHostileRules(t *testing.T) {
	racetest.SkipLong(t)
	patterns := map[string]string{
		"copies of a class":   `^(?:\pL){900}$`,
		"lookaheads":          `(?=` + strings.Repeat(`\pL`, 14) + `)`,
		"folded ranges":       `(?i)[\x{80}-\x{10FFFF}]{500}`,
		"branches":            `(?=` + branches(900) + `)`,
		"repeats in a repeat": `((a{30}){30}){1}`,
	}
	for name, pattern := range patterns {
		t.Run(name, func(t *testing.T) {
			var rules []string
			for i, size := 0, 0; size < maxAnnotation-5_000 && i < 2_830; i++ {
				rules = append(rules,
					fmt.Sprintf(`{"name": "%d", "rule": "regex", "path": "jsonpath::.a", "message": "m", "regex": %s}`, i,
						mustJSON(pattern)))
				size += len(rules[i]) + 1
			}
			annotation := "[" + strings.Join(rules, ",") + "]"
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := ParseRules(annotation)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.HasSuffix(err.Error(), "is used up") {
				t.Errorf("%d rules are read, or are refused for another reason: %v", len(rules), err)
			}
			if allocated := int(after.TotalAlloc - before.TotalAlloc); allocated > meter.DefaultWork {
				t.Errorf("%d bytes are allocated", allocated)
			}
		})
	}
}

// TestRegexFromObjectBeyondBudget: if the object contains a costly pattern, rules beyond the
// budget are undecided.
func TestRegexFromObjectBeyondBudget(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	var rules []string
	for i := range 1_000 {
		rules = append(rules,
			fmt.Sprintf(`{"name": "%d", "rule": "regex", "path": "jsonpath::.a", "message": "m", "regex": "jsonpath::.r"}`, i))
	}
	object := map[string]any{"a": "日", "r": `^(?=` + strings.Repeat(`\pL?`, 14) + `)`}
	report := Validate(mustParse(t, "["+strings.Join(rules, ",")+"]"), object, withTime)
	results := report.Results()
	first, last := results[0], results[len(results)-1]
	if first.Outcome != OutcomeSatisfied || last.Outcome != OutcomeUndecided {
		t.Errorf("the first: %v, the last: %v", first, last)
	}
}

// TestMemoryOfBacktracking: each regex has its own stack, but the memory that 1,000 of them
// use together is bounded.
func TestMemoryOfBacktracking(t *testing.T) {
	racetest.SkipLong(t)
	var rules []string
	for i := range 1_000 {
		rules = append(rules,
			fmt.Sprintf(`{"name": "%d", "rule": "regex", "path": "jsonpath::.a", "message": "m", "regex": "^(?:(a)|b)*(?:\\1)%d"}`, i, i))
	}
	parsed := mustParse(t, "["+strings.Join(rules, ",")+"]")
	done, peak := make(chan struct{}), make(chan uint64)
	go func() {
		most := uint64(0)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			select {
			case <-done:
				peak <- most
				return
			default:
				runtime.Gosched()
			}
		}
	}()
	report := Validate(parsed, map[string]any{"a": strings.Repeat("ab", 50_000)})
	close(done)
	if most := <-peak; most > 200<<20 {
		t.Errorf("%d bytes are in use at one time", most)
	}
	if last := report.Results()[len(rules)-1]; last.Outcome != OutcomeUndecided {
		t.Errorf("the last rule: %v", last)
	}
}

// What is wrong with a value is kept if the budget is too small for a later argument.
func TestViolationBeforeBudgetEnds(t *testing.T) {
	rules := mustParse(t, `[{"name": "r", "rule": "string", "path": "jsonpath::.spec.hostname", "message": "m", "maxLength": 3, "regex": "^(a|b)*$"}]`)
	vm := decodeExactly(json.RawMessage(`{"kind": "VirtualMachine", "spec": {"template": {"spec": {"hostname": "` + strings.Repeat("ab", 5000) + `"}}}}`))
	for work := time.Duration(1); work < time.Second; work += work/50 + 1 {
		r := Validate(rules, vm, WithBudget(Budget{Time: work})).Results()[0]
		if r.Outcome == OutcomeViolated && strings.HasPrefix(r.Note, "not decided: regex ") {
			return
		}
	}
	t.Error("with no budget is a violation found while the regex is not decided")
}
