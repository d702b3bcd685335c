package vmrules

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/plan"
	"github.com/vmrules/vmrules/internal/racetest"
	"github.com/vmrules/vmrules/internal/seeds"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// unplanned returns the rules without their plan, so that each is judged separately.
func unplanned(rules Rules) Rules {
	rules.plan = plan.New(make([]plan.Entry, rules.Len()), nil)
	return rules
}

// checkPlan fails the test if the plan changes the report.
func checkPlan(t *testing.T, rules Rules, object map[string]any, opts ...ValidateOption) {
	t.Helper()
	without, with := Validate(unplanned(rules), object, opts...), Validate(rules, object, opts...)
	if diff := cmp.Diff(without, with) + cmp.Diff(answers(without), answers(with)); diff != "" {
		t.Fatalf("the plan changes the report of %s for %#v (-without +with):\n%s", rules, object, diff)
	}
}

// TestPlanChangesNothing: with and without a plan, the reports of all vectors are the same.
func TestPlanChangesNothing(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	compared := 0
	for _, vectors := range readVectors(t) {
		for _, v := range vectors {
			rules, err := ParseRules(v.Text(), v.parseOptions()...)
			if err != nil || len(v.Object) == 0 {
				continue
			}
			for _, decode := range []func(json.RawMessage) map[string]any{decodeExactly, decodeOddly, decodePlainly} {
				checkPlan(t, rules, decode(v.Object), v.validateOptions(t, decode)...)
				compared++
			}
		}
	}
	if compared < 1000 {
		t.Fatalf("only %d reports were compared", compared)
	}
}

// Under Partial, an empty string counts as not filled in yet, with and without a plan.
func TestPlanOfEmptyStrings(t *testing.T) {
	const disks = `{"kind": "VirtualMachine", "spec": {"template": {"spec": {"hostname": %s,
		"domain": {"devices": {"disks": [{"serial": %[1]s}, {}]}}}}}}`
	for _, rule := range []string{
		`"rule": "string", "path": "jsonpath::.spec.hostname", "minLength": 1`,
		`"rule": "enum", "path": "jsonpath::.spec.hostname", "values": ["a", "b"]`,
		`"rule": "integer", "path": "jsonpath::.spec.hostname", "max": 4`,
		`"rule": "string", "path": "jsonpath::.spec.domain.devices.disks[*].serial", "minLength": 1`,
		`"rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].serial", "values": ["a"]`,
		`"rule": "string", "path": "jsonpath::.spec.hostname", "maxLength": 0`,
	} {
		rules := mustParse(t, fmt.Sprintf(`[{"name": "r", "message": "m", %s}]`, rule))
		for _, value := range []string{`""`, `"a"`, `"1"`, `null`, `true`} {
			checkPlan(t, rules, decodeExactly(json.RawMessage(fmt.Sprintf(disks, value))), Partial())
		}
	}
}

// decodePlainly decodes numbers to float64, as most programs do.
func decodePlainly(text json.RawMessage) map[string]any {
	var object map[string]any
	_ = json.Unmarshal(text, &object)
	return object
}

// windowsRules are the rules of KubeVirt's Windows templates, abridged.
const windowsRules = `[
	{"name": "memory", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "m", "min": 2147483648},
	{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "min": 1, "max": 128},
	{"name": "virtio-bus", "rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus",
		"valid": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "message": "m", "values": ["virtio"], "justWarning": true},
	{"name": "disk-bus", "rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus",
		"valid": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "message": "m", "values": ["virtio", "sata", "scsi"]},
	{"name": "cd-bus", "rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].cdrom.bus",
		"valid": "jsonpath::.spec.domain.devices.disks[*].cdrom.bus", "message": "m", "values": ["sata"]},
	{"name": "licensed-cores", "rule": "enum", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "values": [1, 4, 128],
	"maxLength": 3},
	{"name": "hostname", "rule": "regex", "path": "jsonpath::.spec.hostname", "message": "m", "regex": "^[a-z0-9-]+$", "maxLength": 63},
	{"name": "disks", "rule": "string", "path": "jsonpath::.spec.domain.devices.disks[*].name", "message": "m", "maxLength": 63}
]`

// windowsVM returns a VM that has this many disks and satisfies windowsRules.
func windowsVM(disks int) map[string]any {
	list := make([]any, 0, disks)
	for i := range disks {
		list = append(list, map[string]any{"name": fmt.Sprint("disk", i), "disk": map[string]any{"bus": "virtio"}})
	}
	list[disks-1] = map[string]any{"name": "drivers", "cdrom": map[string]any{"bus": "sata"}}
	return map[string]any{"kind": "VirtualMachine", "apiVersion": "kubevirt.io/v1", "spec": map[string]any{"template": map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"kubevirt.io/domain": "windows", "kubevirt.io/size": "large"}},
		"spec": map[string]any{
			"hostname": "windows-1",
			"domain": map[string]any{
				"memory":  map[string]any{"guest": "8Gi"},
				"cpu":     map[string]any{"cores": int64(128)},
				"devices": map[string]any{"disks": list},
			},
		},
	}}}
}

// A call whose rules are satisfied allocates only the report, however many values there are.
func TestAllocations(t *testing.T) {
	if racetest.Enabled {
		t.Skip("under the race detector, a sync.Pool forgets at random what it keeps")
	}
	rules := mustParse(t, windowsRules)
	for _, disks := range []int{3, 64, 1000} {
		object := windowsVM(disks)
		if report := Validate(rules, object); strings.Count(report.String(), "Satisfied") != rules.Len() {
			t.Fatalf("this is not what the test should measure:\n%s", report)
		}
		if allocations := testing.AllocsPerRun(100, func() { Validate(rules, object) }); allocations > 1 {
			t.Errorf("%d disks: %v allocations, not 1", disks, allocations)
		}
	}
}

// A rule whose "valid" selects nothing is skipped without a further allocation.
func TestAllocationsOfSkippedRules(t *testing.T) {
	if racetest.Enabled {
		t.Skip("under the race detector, a sync.Pool forgets at random what it keeps")
	}
	rules := mustParse(t, `[{"name": "n", "rule": "enum", "path": "jsonpath::.spec.domain.devices.tpm.model",
		"valid": "jsonpath::.spec.domain.devices.tpm", "message": "m", "values": ["crb"]}]`)
	object := windowsVM(3)
	if outcome := Validate(rules, object).Results()[0].Outcome; outcome != OutcomeSkipped {
		t.Fatal(outcome)
	}
	if allocations := testing.AllocsPerRun(100, func() { Validate(rules, object) }); allocations > 1 {
		t.Errorf("%v allocations, not 1", allocations)
	}
}

// The violations that a report makes take no copy of what was found wrong if all of it is wanted.
func TestAllocationsOfViolations(t *testing.T) {
	if racetest.Enabled {
		t.Skip("the race detector allocates, too")
	}
	rules := mustParse(t, `[{"name": "n", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "max": 0}]`)
	report := Validate(rules, windowsVM(3))
	if n := len(report.Violations()); n != 1 {
		t.Fatalf("this is not what the test should measure:\n%s", report)
	}
	if allocations := testing.AllocsPerRun(100, func() { report.Violations() }); allocations > 4 {
		t.Errorf("%v allocations, not 4", allocations)
	}
}

// With a plan, the outcome at the bounds is right.
func TestPlanAtTheBounds(t *testing.T) {
	tests := []struct {
		name, arguments string
		items           int
		option          ValidateOption
		want            Outcome
	}{
		{"as many matches as allowed", `"maxLength": 1`, jsonpath.MaxMatches, WithBudget(Budget{}), OutcomeSatisfied},
		{"one match more", `"maxLength": 1`, jsonpath.MaxMatches + 1, WithBudget(Budget{}), OutcomeUndecided},
		{"enough work", `"maxLength": 1`, 10, workOf(100_000), OutcomeSatisfied},
		{"too little work", `"maxLength": 1`, 10, workOf(1000), OutcomeUndecided},
		{"enough work for a plan alone", `"maxLength": 1`, 100, workOf(2 * 400 * plan.Work), OutcomeSatisfied},
		{"enough work for regexes", `"regex": "x$"`, 10, workOf(100_000), OutcomeSatisfied},
		{"too little work for regexes", `"regex": "x$"`, 10, workOf(1000), OutcomeUndecided},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rules := mustParse(t, `[{"name": "n", "rule": "string", "path": "jsonpath::.l[*].a", "message": "m", `+test.arguments+`}]`)
			list := make([]any, test.items)
			for i := range list {
				list[i] = map[string]any{"a": "x"}
			}
			report := Validate(rules, map[string]any{"l": list}, test.option)
			if got := report.Results()[0].Outcome; got != test.want {
				t.Errorf("%s, not %s", got, test.want)
			}
		})
	}
}

// workOf returns an option with a budget of this much work.
func workOf(work int) Option { return WithBudget(Budget{Time: time.Duration(work)}) }

// leastWork returns how much work it takes to judge an object.
func leastWork(t testing.TB, rules Rules, object map[string]any) int {
	t.Helper()
	valid := func(work int) bool { return Validate(rules, object, workOf(work+1)).Valid() }
	least := 1 + sort.Search(1<<28, valid)
	if !valid(least) {
		t.Fatalf("the object is not valid, whatever the budget: %s", Validate(rules, object))
	}
	return least
}

// With any budget, a rule has the outcome that it has without one, or is undecided.
func TestBoundsOnlyUndecide(t *testing.T) {
	rules := mustParse(t, `[
		{"name": "members", "rule": "string", "path": "jsonpath::.o.*", "message": "m", "maxLength": 500},
		{"name": "items", "rule": "regex", "path": "jsonpath::.m[*]", "message": "m", "regex": "^[a-z]+$"},
		{"name": "the same items", "rule": "regex", "path": "jsonpath::.m[*]", "message": "m", "regex": "[a-z]$"},
		{"name": "other items", "rule": "string", "path": "jsonpath::.l[*]", "message": "m", "maxLength": 500},
		{"name": "numbers", "rule": "string", "path": "jsonpath::.l[*]", "message": "m", "min": 1},
		{"name": "first item", "rule": "string", "path": "jsonpath::.l[0]", "message": "m", "values": ["1"], "valid": "jsonpath::.m[3]"}
	]`)
	long := strings.Repeat("1", 800)
	for _, object := range []map[string]any{
		{"o": map[string]any{"a": "x"}, "m": []any{"ab", "cd", "ef", "gh"}, "l": []any{"1", "1", "2"}},
		{"o": map[string]any{"a": "x", "b": long}, "m": []any{"ab", "cd", "ef", "GH"}, "l": []any{"1", long, "1e1001"}},
	} {
		unbounded := Validate(rules, object)
		bounded := func(option ValidateOption) (undecided int) {
			wanted := unbounded.Results()
			for i, r := range Validate(rules, object, option).Results() {
				switch want := wanted[i].Outcome; {
				case r.Outcome == OutcomeUndecided && r.Index < 0:
					return rules.Len()
				case r.Outcome == OutcomeUndecided:
					undecided++
				case r.Outcome != want:
					t.Errorf("%s, without a bound %s", r, want)
				}
			}
			return undecided
		}
		for work := 1; work < 100_000; work += 300 {
			if undecided := bounded(workOf(work)); work == 1 && undecided < rules.Len() {
				t.Errorf("%d of the rules are undecided without any work", undecided)
			}
		}
	}
}

// Visiting a value costs work, with and without a plan: at least one unit, and more for a long
// value.
func TestCounting(t *testing.T) {
	item := func(name string) string { return `{"name": "` + name + `", "message": "m", "path": "jsonpath::.l` }
	list := func(of any) []any { return slices.Repeat([]any{of}, 10) }
	tests := []struct {
		name, annotation string
		l                any
		looksAt          int
	}{
		{"items", item("r") + `[*]", "rule": "string"}`, list("x"), 10},
		{"items by index",
			item("r") + `[*][0]", "rule": "string"},` + item("s") + `[*][1]", "rule": "string"},` + item("t") + `[*][-1]", "rule": "string"}`,
			list(list("x")), 40},
		{"members", item("r") + `.*", "rule": "string"}`, map[string]any{"a": "x", "b": "x", "c": "x", "d": "x"}, 4},
		{"items by .*", item("r") + `.*", "rule": "string"}`, list("x"), 10},
		{"long numbers", item("r") + `[*]", "rule": "integer"}`, list(json.Number(strings.Repeat("9", 1000))), 1000},
		{"large numbers", item("r") + `[*]", "rule": "integer"}`, list(json.Number("1e1000")), 1000},
		{"small numbers", item("r") + `[*]", "rule": "enum", "max": 1}`, list(json.Number("1e-1000")), 1000},
		{"long values", item("r") + `[*]", "rule": "string"}`, list(strings.Repeat("x", 1000)), 100},
		{"long values, for each rule", item("r") + `[*]", "rule": "string"},` + item("s") + `[*]", "rule": "string"}`,
			list(strings.Repeat("x", 1000)), 200},
		{"long values of an argument", item("r") + `[0]", "rule": "string", "values": "jsonpath::.l[*]"}`, list(strings.Repeat("x", 1000)),
			100},
	}
	for _, test := range tests {
		rules, object := mustParse(t, "["+test.annotation+"]"), map[string]any{"l": test.l}
		got, least, most := leastWork(t, rules, object), test.looksAt*plan.Work, 2*(20+3*test.looksAt)*jsonpath.NodeWork
		if got < least || got > most {
			t.Errorf("%s: it takes %d, not from %d to %d", test.name, got, least, most)
		}
	}
}

// All targets of a call share one budget.
func TestBoundsOfAllTargets(t *testing.T) {
	rules := rulesOn(t, ".cpu.model", `"rule": "regex", "regex": "^[a-z]+$"`)
	one := vmWith(`{"cpu": {"model": "penryn"}}`)
	two := map[string]any{"kind": "List", "items": []any{one, one}}
	enough := leastWork(t, rules, one)
	if report := Validate(rules, two, workOf(enough)); report.Valid() {
		t.Errorf("%d for two VMs, of which one takes as much: %s", enough, report)
	}
	if report := Validate(rules, two, workOf(3*enough+2*vmtarget.Work)); !report.Valid() {
		t.Errorf("%d for two VMs, of which one takes %d: %s", 3*enough+2*vmtarget.Work, enough, report)
	}
}

// A plan leaves values of unexpected types to the judgement, and still finds wrong values beside
// them.
func TestTypesBesideEachOther(t *testing.T) {
	wrong := []any{map[string]string{"x": "bad"}, []string{"bad"}, namedMap{"x": "bad"}, namedList{"bad"}}
	for _, path := range []string{".l[*].x", ".l[*][*]", ".l[*][0]", ".l[*][-1]", ".l[*].*"} {
		rules := mustParse(t, `[{"name": "n", "rule": "string", "path": "jsonpath::`+path+`", "message": "m", "values": ["good"]}]`)
		for _, odd := range wrong {
			l := []any{map[string]any{"x": "good"}, []any{"good"}, odd}
			want := OutcomeSatisfied
			if selected, _ := MustParsePath("jsonpath::" + path).Find(map[string]any{"l": []any{odd}}); len(selected) > 0 {
				want = OutcomeViolated
			}
			if got := only(t, Validate(rules, map[string]any{"l": l})); got.Outcome != want {
				t.Errorf("%s with %#v: %s", path, odd, got)
			}
			checkPlan(t, rules, map[string]any{"l": []any{map[string]any{"x": "bad"}, []any{"bad"}, odd, map[string]any{"x": "worse"}}})
		}
	}
	rules := mustParse(t, `[{"name": "n", "rule": "string", "path": "jsonpath::.a", "message": "m", "valid": "jsonpath::.b[0]"}]`)
	for _, b := range []any{[]any{"x"}, []string{"x"}, namedList{"x"}} {
		if got := only(t, Validate(rules, map[string]any{"a": "x", "b": b})); got.Outcome != OutcomeSatisfied {
			t.Errorf("valid in %#v: %s", b, got)
		}
	}
}

// A value that is null in JSON leaves a field unset, whatever its Go type. The plan then sees
// the same default as the judgement, even beside values that satisfy the rule.
func TestPlanSeesDefaultsOfNulls(t *testing.T) {
	nulls := []any{
		nil, map[string]any(nil), []any(nil), map[string]string(nil), []string(nil), map[any]any(nil), namedMap(nil), namedList(nil),
		(*int)(nil), (*string)(nil), (*map[string]any)(nil), (*resourceQuantity)(nil), json.RawMessage("null"), pointerTo[any](nil),
	}
	const rules = `[
		{"name": "serial", "rule": "string", "path": "jsonpath::.spec.domain.devices.disks[*].serial", "message": "m", "minLength": 1},
		{"name": "first serial", "rule": "string", "path": "jsonpath::.spec.domain.devices.disks[0].serial", "message": "m",
		"minLength": 1},
		{"name": "last serial", "rule": "string", "path": "jsonpath::.spec.domain.devices.disks[-1].serial", "message": "m",
		"minLength": 1},
		{"name": "ports", "rule": "integer", "path": "jsonpath::.spec.domain.devices.interfaces[*].ports[*].port", "message": "m",
		"min": 1},
		{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "min": 2},
		{"name": "valid", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.sockets", "message": "m", "min": 2,
		"valid": "jsonpath::.spec.domain.cpu.threads"}
	]`
	for _, null := range nulls {
		object := map[string]any{"spec": map[string]any{"domain": map[string]any{
			"cpu": map[string]any{"cores": null, "sockets": null, "threads": null},
			"devices": map[string]any{
				"disks": []any{map[string]any{"serial": "a"}, null, map[string]any{"serial": null}, map[string]any{"serial": "b"}},
				"interfaces": []any{
					map[string]any{"ports": []any{map[string]any{"port": 80}, null, map[string]any{"port": null}}},
					map[string]any{"ports": null},
				},
			},
		}}}
		rules := mustParse(t, rules)
		var got []string
		for _, v := range Validate(rules, object).Violations() {
			got = append(got, v.Field)
		}
		want := []string{
			"spec.domain.devices.disks[2].serial", "spec.domain.devices.interfaces[0].ports[2].port",
			"spec.domain.cpu.cores", "spec.domain.cpu.sockets",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%T (-want +got):\n%s", null, diff)
		}
		checkPlan(t, rules, object)
	}
}

// A default that waits for an argument is still one when that is read: here, the argument of the
// first rule makes the plan visit cpu before memory.
func TestPlanKeepsValues(t *testing.T) {
	rules := mustParse(t, `[
		{"name": "sockets", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.maxSockets", "message": "m",
			"min": "jsonpath::.spec.domain.cpu.sockets"},
		{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m",
			"min": "jsonpath::.spec.domain.memory.guest"},
		{"name": "ports", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.ports[*]", "message": "m",
			"max": "jsonpath::.spec.domain.memory.guest"}
	]`)
	object := vmWith(`{"cpu": {"maxSockets": 4, "ports": [1, 9, 2, 5]}, "memory": {"guest": "4"}}`)
	var got []string
	for _, v := range Validate(rules, object).Violations() {
		got = append(got, v.Field+": "+v.Detail)
	}
	want := []string{
		"spec.template.spec.domain.cpu.cores: not set, counts as 1: 1 is less than min 4, read from jsonpath::.spec.domain.memory.guest",
		"spec.template.spec.domain.cpu.ports[1]: 9 is more than max 4, read from jsonpath::.spec.domain.memory.guest",
		"spec.template.spec.domain.cpu.ports[3]: 5 is more than max 4, read from jsonpath::.spec.domain.memory.guest",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	checkPlan(t, rules, object)
}

func TestGeneratedPlans(t *testing.T) {
	for n := range uint64(600) {
		checkGeneratedPlan(t, n, seeds.Of(7))
	}
}

// FuzzPlan: the report is the same with and without a plan, for generated objects and for paths
// that are likely to select something in them.
func FuzzPlan(f *testing.F) {
	f.Add(uint64(300), uint64(7))
	f.Fuzz(checkGeneratedPlan)
}

func checkGeneratedPlan(t *testing.T, seed, more uint64) {
	g := planGenerator{rand.New(rand.NewPCG(seed, more))}
	rules, err := ParseRules(g.annotation())
	if err != nil {
		t.Fatal(err)
	}
	object := g.object()
	opts := []ValidateOption{withTime}
	if g.IntN(4) == 0 {
		opts = append(opts, Partial())
	}
	if g.IntN(8) == 0 {
		opts = append(opts, defaultOf(t, "jsonpath::.spec.domain.cpu.cores", 9))
	}
	if spec, ok := object["spec"]; ok && g.IntN(2) == 0 {
		object = map[string]any{"kind": "VirtualMachine", "apiVersion": "kubevirt.io/v1", "spec": spec}
	}
	opts = append(opts, g.update(object)...)
	switch g.IntN(6) {
	case 0, 1:
		g.membersAsYAML(object)
	case 2:
		for _, name := range value.Names(object) {
			object[name] = asGo(object[name])
		}
	}
	checkPlan(t, rules, object, opts...)
	checkFirst(t, rules, object, opts...)
	checkBounded(t, rules, object, g.budget(), opts...)
	if len(opts) == 1 && g.IntN(8) == 0 {
		checkSmallBudgets(t, rules, object)
	}
}

// checkFirst fails the test if FirstViolation leaves out more than what comes behind the first violation.
func checkFirst(t *testing.T, rules Rules, object map[string]any, opts ...ValidateOption) {
	t.Helper()
	first := append(slices.Clip(opts), FirstViolation())
	checkPlan(t, rules, object, first...)
	all, got := Validate(rules, object, opts...), Validate(rules, object, first...).Results()
	for i, want := range all.Results() {
		if len(want.Violations) > 1 && len(got[i].Violations) == 1 {
			want.Violations, want.Note, want.Waits = want.Violations[:1], got[i].Note, got[i].Waits
		} else if len(want.Violations) == 1 {
			want.Note, want.Waits = got[i].Note, got[i].Waits
		}
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Fatalf("FirstViolation changes a result of %s for %#v:\n%s", rules, object, diff)
		}
	}
}

// checkSmallBudgets fails the test if a rule has another outcome with a small budget, unless it is
// undecided.
func checkSmallBudgets(t *testing.T, rules Rules, object map[string]any) {
	t.Helper()
	wanted := Validate(rules, object, withTime).Results()
	for work := int64(1); work < 200_000; work += work/8 + 1 {
		for _, b := range []Budget{{Time: time.Duration(work), Backtracking: time.Hour}, {Memory: 1 + work/16, Backtracking: time.Hour}} {
			for i, r := range Validate(rules, object, WithBudget(b)).Results() {
				if r.Outcome != OutcomeUndecided && r.Outcome != wanted[i].Outcome {
					t.Fatalf("with the budget %+v, %s for %#v says\n%s\nand without it\n%s", b, rules, object, r, wanted[i])
				}
			}
		}
	}
}

type planGenerator struct{ *rand.Rand }

func (g planGenerator) pick(from ...string) string { return from[g.IntN(len(from))] }

// object returns a VM, mostly alone and sometimes in a template, or an object that is like one.
func (g planGenerator) object() map[string]any {
	object := map[string]any{"spec": map[string]any{"domain": g.domain()}}
	if g.IntN(4) == 0 {
		return object
	}
	spec := map[string]any{"template": object}
	if g.IntN(8) == 0 {
		spec["instancetype"] = map[string]any{"name": "small"}
	}
	object = map[string]any{"kind": "VirtualMachine", "spec": spec}
	if g.IntN(2) == 0 {
		object["apiVersion"] = "kubevirt.io/v1"
	}
	if g.IntN(8) == 0 {
		return map[string]any{"kind": "Template", "apiVersion": "template.openshift.io/v1", "objects": []any{object}}
	}
	return object
}

func (g planGenerator) annotation() string {
	rules := make([]string, 1+g.IntN(8))
	for i := range rules {
		r := map[string]any{"name": fmt.Sprint("r", i), "message": "m", "path": g.path(),
			"rule": g.pick("integer", "string", "enum", "regex")}
		if g.IntN(3) == 0 {
			r["valid"] = g.path()
		}
		if g.IntN(9) == 0 {
			r["valid"] = r["path"]
		}
		r["justWarning"] = g.IntN(5) == 0
		for _, a := range []struct {
			key     string
			literal any
		}{
			{"min", g.pick("1", "0", "2", "5")}, {"max", g.pick("4", "1Ki")}, {"minLength", 1}, {"maxLength", 3},
			{"values", []any{"sata", "virtio", 1, 4, true}}, {"regex", g.pick("^[a-z]*$", "^(?!s)", "[0-9]")},
		} {
			switch g.IntN(12) {
			case 0, 1:
				r[a.key] = a.literal
			case 2:
				r[a.key] = g.path()
			}
		}
		if g.IntN(4) == 0 {
			r["rule"], r[g.pick("min", "max")] = "integer", g.argument()
		}
		if g.IntN(6) == 0 {
			r["rule"], r["path"], r["values"] = "enum", g.text(), []any{g.text(), "sata"}[:1+g.IntN(2)]
		}
		if g.IntN(12) == 0 {
			r["rule"], r["path"], r["values"] = "enum", g.text(), g.text()
		}
		rules[i] = string(mustJSON(r))
	}
	return "[" + strings.Join(rules, ",") + "]"
}

// argument returns the path of a field that often holds a number.
func (g planGenerator) argument() string {
	return "jsonpath::.spec.domain" + g.pick(".cpu.sockets", ".cpu.cores", ".cpu.maxSockets", ".memory.guest", ".memory.maxGuest",
		".devices.disks[0].bootOrder", ".devices.disks[1].bootOrder", ".devices.disks[0].name")
}

// text returns the path of fields that often hold a text.
func (g planGenerator) text() string {
	return "jsonpath::.spec.domain" + g.pick(".machine.type", ".devices.disks[0].bus", ".devices.disks[1].bus", ".devices.disks[0].serial",
		".devices.disks[*].bus", ".devices.disks[*].name")
}

func (g planGenerator) path() string {
	switch g.IntN(8) {
	case 0, 1: // a field that always exists
		return Path{parsed: vmfields.AlwaysThere[g.IntN(len(vmfields.AlwaysThere))].Field}.String()
	case 2:
		return g.argument()
	case 3:
		return "jsonpath::.spec.domain.devices." + g.pick("disks", "interfaces") + g.filter() + g.pick("", ".bus", ".bootOrder", ".serial", ".ports[*].port")
	case 4:
		return "jsonpath::" + g.pick("", ".spec.domain", ".spec.domain.devices.disks", ".spec.domain.devices.disks[0]") +
			g.pick("..bus", "..serial", "..cores", "..name", "..disks", "..name.name", "..disks[*]", "..disks..bus")
	}
	path := "jsonpath::.spec.domain"
	for range g.IntN(5) {
		path += g.pick(".cpu", ".cores", ".devices", ".disks[*]", ".serial", ".bus", "[*]", ".*", "[0]", "[-1]", ".machine.type", "[0:2]")
	}
	return path
}

func (g planGenerator) filter() string {
	comparison := g.pick("==", "==", "==", "!=", "<", ">=") + g.pick(`"a"`, `"a"`, `"virtio"`, `""`, "1", "4", "true")
	if g.IntN(8) == 0 {
		comparison = ""
	}
	return "[?(@." + g.pick("name", "name", "bus", "bootOrder", "serial", "model", "disk.bus") + comparison + ")]"
}

// domain returns any value, or one with many of the fields that always exist, some of which are
// a Go value that is null in JSON.
func (g planGenerator) domain() any {
	if g.IntN(2) == 0 {
		return g.value(5)
	}
	list := func(names ...string) []any {
		items := make([]any, g.IntN(4))
		for i := range items {
			items[i] = g.fields(names...)
		}
		return items
	}
	interfaces := list("name", "model", "tag", "ports")
	for _, next := range interfaces {
		if g.IntN(2) == 0 {
			next.(map[string]any)["ports"] = list("port", "protocol")
		}
	}
	return map[string]any{
		"cpu": g.fields("sockets", "cores", "threads", "maxSockets"), "machine": g.fields("type"), "memory": g.fields("guest", "maxGuest"),
		"devices": map[string]any{"disks": list("name", "serial", "cache", "io", "bus", "bootOrder"), "interfaces": interfaces},
	}
}

// fields returns an object with some members of these names.
func (g planGenerator) fields(names ...string) any {
	object := map[string]any{}
	for _, name := range names {
		switch kind := g.IntN(6); {
		case kind > 3:
		case kind > 2 || name == "name" && kind > 0:
			object[name] = g.likely()
		default:
			object[name] = g.value(0)
		}
	}
	return object
}

// likely returns a value of the types that most fields have.
func (g planGenerator) likely() any {
	values := []any{"a", "b", "virtio", "sata", int64(1), int64(2), int64(4), "4", "1Ki", "2Gi", "${P}", "${{P}}"}
	return values[g.IntN(len(values))]
}

func (g planGenerator) value(depth int) any {
	switch kind := g.IntN(10); {
	case kind < 5 && depth > 0:
		object := map[string]any{}
		for range g.IntN(4) {
			object[g.pick("cpu", "cores", "devices", "disks", "serial", "bus", "machine", "type", "interfaces", "ports", "port",
				"model", "name", "bootOrder", "memory", "guest")] = g.value(depth - 1)
		}
		return object
	case kind < 7 && depth > 0:
		list := make([]any, g.IntN(4))
		for i := range list {
			list[i] = g.value(depth - 1)
		}
		return list
	}
	values := []any{
		nil, true, 0, 1, 4, int64(4), int64(0), uint64(1), 4.0, 0.0, 2.5, float32(1), json.Number("4"), json.Number("0e1"),
		json.Number("x"),
		"", "sata", "virtio", "ide", "4", "1Ki", "500m", "\xff", []string{"sata"}, map[string]string{"bus": "sata"},
		map[any]any{"cores": 4},
		map[string]any(nil), []any(nil), (*int)(nil), struct{ A int }{1}, make(chan int),
		namedMap(nil), []string(nil), (*map[string]any)(nil), pointerTo(0), pointerTo[any](nil), json.RawMessage("null"), json.Number(""),
	}
	return values[g.IntN(len(values))]
}

// yaml returns a value as yaml.v2 decodes it. Some keys are not strings, and may have the same name as
// another key.
// asGo returns a value as Go code builds it, in the narrowest types.
func asGo(v any) any {
	switch v := v.(type) {
	case map[string]any:
		texts := map[string]string{}
		made := map[string]any{}
		for name, next := range v {
			made[name] = asGo(next)
			if text, ok := next.(string); ok {
				texts[name] = text
			}
		}
		if len(texts) == len(v) {
			return texts
		}
		return made
	case []any:
		var objects []map[string]any
		for i, item := range v {
			if object, ok := item.(map[string]any); ok {
				objects = append(objects, object)
			}
			v[i] = asGo(item)
		}
		if len(objects) == len(v) {
			return objects
		}
	}
	return v
}

func (g planGenerator) membersAsYAML(object map[string]any) {
	for _, name := range value.Names(object) {
		object[name] = g.yaml(object[name])
	}
}

func (g planGenerator) yaml(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return map[any]any(nil)
		}
		object := map[any]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			next := g.yaml(v[name])
			switch g.IntN(24) {
			case 0:
				object[namedKey(name)] = next
			case 1:
				object[namedKey(name)], object[name] = next, g.value(0)
			case 2:
				object[name], object[broken{}] = next, 1
			case 3:
				object[namedKey(name)], object[textKey(name)] = next, g.value(0)
			default:
				object[name] = next
			}
		}
		return object
	case []any:
		items := make([]any, len(v))
		for i := range v {
			items[i] = g.yaml(v[i])
		}
		return items
	case int64:
		return int(v)
	}
	return v
}

// Keys of these types have the same names as strings.
type (
	namedKey string
	textKey  string
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
		if r.Outcome == OutcomeIgnored {
			return of{"", r.Index} // whatever is judged by it
		}
		return of{r.Target, r.Index}
	}
	outcomes := map[of]Outcome{}
	for _, r := range other.Results() {
		outcomes[place(r)] = r.Outcome
	}
	for _, r := range report.Results() {
		isStricter := isUpdate && r.Outcome == OutcomeViolated
		if r.Outcome != OutcomeUndecided && !isStricter && outcomes[place(r)] != r.Outcome {
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
	report := ValidateOwn(object, WithBudget(Budget{Backtracking: -1}))
	otherReport := ValidateOwn(other, WithBudget(Budget{Backtracking: -1}))
	if report.Valid() && !otherReport.Valid() {
		t.Fatalf("%s\nwith a value that might be there:\n%s", report, otherReport)
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
				if diff := cmp.Diff([]any{OutcomeUndecided, DoubtBound}, []any{result.Outcome, result.Doubt}); diff != "" {
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
		{map[any]any{broken{}: 10}, OutcomeUndecided},
		{map[any]any{broken{}: 10, "cores": 1}, OutcomeSatisfied},
	} {
		domain["cpu"] = test.cpu
		if got := only(t, Validate(rules, object)); got.Outcome != test.want {
			t.Errorf("%v: %s, want %s", test.cpu, got, test.want)
		}
	}
}
