package vmrules

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vmrules/vmrules/internal/value"
)

// answers are what a report says, in each form in which it does.
func answers(r *Report) []any {
	all := []any{r.Valid(), r.Passed(), r.Violations(), r.Warnings(), r.Causes(), r.AdmissionWarnings(), r.String(), string(mustJSON(r))}
	for _, v := range append(r.Violations(), r.Warnings()...) {
		all = append(all, r.At(v.Pointer))
	}
	return all
}

// checkBounded fails the test if a rule has another result with a small budget than without one, and
// than the judgement alone has with it. It may be undecided, or fail although the old object failed.
func checkBounded(t *testing.T, rules Rules, object map[string]any, b Budget, opts ...ValidateOption) {
	t.Helper()
	whole := Validate(rules, object, opts...).Results()
	opts = append(opts, WithBudget(b))
	alone := Validate(unplanned(rules), object, opts...).Results()
	for i, r := range Validate(rules, object, opts...).Results() {
		isCut := strings.Contains(r.Note, "is used up") // it is the judgement's own
		if r.Outcome != OutcomeUndecided && !isCut && !isForgivenLess(r, whole[i]) && !(i < len(alone) && r.equal(alone[i])) {
			t.Fatalf("with %+v, for %#v:\n%s\nand without:\n%s", b, object, r, whole[i])
		}
	}
}

// isForgivenLess reports whether two results are the same, apart from what only the second forgives.
func isForgivenLess(r, whole Result) bool {
	whole.Violations = slices.Clone(whole.Violations)
	for i := range min(len(whole.Violations), len(r.Violations)) {
		if v := &whole.Violations[i]; v.Warned && !r.Violations[i].Warned {
			v.Warned = false
			if whole.Note == unchanged {
				whole.Outcome, whole.Note = r.Outcome, r.Note
			}
		}
	}
	return r.equal(whole) && (r.Outcome != OutcomeWarned || !r.fails())
}

// budget returns a budget that may be too small.
func (g planGenerator) budget() Budget {
	upTo := func(most float64) int64 { return int64(math.Exp(g.Float64() * math.Log(most))) }
	return Budget{Time: time.Duration(upTo(200_000)), Memory: upTo(50_000), Backtracking: time.Minute}
}

// update names the items of an object, and returns the options for an update of which the old object
// is the same, a similar or another one.
func (g planGenerator) update(object map[string]any) []ValidateOption {
	if g.IntN(2) == 0 {
		return nil
	}
	g.name(object)
	old, _ := g.similar(object, g.IntN(3)).(map[string]any)
	if g.IntN(10) == 0 {
		if spec, ok := value.At(object, "spec").(map[string]any); ok {
			spec["domain"] = g.domain()
		}
	}
	switch g.IntN(8) {
	case 0, 1:
		g.membersAsYAML(old)
	case 2:
		for _, name := range value.Names(old) {
			old[name] = asGo(old[name])
		}
	}
	return []ValidateOption{Ratcheting(), WithOldObject(old)}
}

// name gives names to the items of lists.
func (g planGenerator) name(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range value.Names(v) {
			g.name(v[name])
		}
	case []any:
		for i, item := range v {
			if item, ok := item.(map[string]any); ok && item != nil && g.IntN(4) > 0 {
				item["name"] = fmt.Sprint("n", i)
			}
			if item, ok := item.(map[string]any); ok && item != nil && g.IntN(12) == 0 {
				item["name"] = g.value(0)
			}
			g.name(item)
		}
	}
}

// similar returns a copy of a value with some changes: with 0, none.
func (g planGenerator) similar(v any, changes int) any {
	if changes > 0 && g.IntN(20/changes) == 0 {
		return g.value(1)
	}
	switch typed := v.(type) {
	case map[string]any:
		if typed == nil {
			return v
		}
		made := map[string]any{}
		for _, name := range value.Names(v) {
			made[name] = g.similar(typed[name], changes)
		}
		return made
	case []any:
		if typed == nil {
			return v
		}
		made := make([]any, len(typed))
		for i := range typed {
			made[i] = g.similar(typed[i], changes)
		}
		if changes > 0 {
			switch g.IntN(8) {
			case 0:
				g.Shuffle(len(made), func(i, j int) { made[i], made[j] = made[j], made[i] })
			case 1:
				made = append(made, map[string]any{"name": "n9", "serial": g.value(0)})
			case 2:
				made = made[:g.IntN(len(made)+1)]
			}
		}
		return made
	}
	return v
}

// What the plan settles itself is as without it, and it settles what is obvious: marks say all of it.
func TestPlanOfUpdates(t *testing.T) {
	rules := mustParse(t, `[
		{"name": "bus", "rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].bus", "message": "m", "values": ["virtio"], "minLength": 4},
		{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "max": 4},
		{"name": "memory", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "m", "min": 1},
		{"name": "size", "rule": "integer", "path": "jsonpath::.spec.domain.devices.disks[*].size", "message": "m", "max": 1, "justWarning": true},
		{"name": "order", "rule": "integer", "path": "jsonpath::.spec.domain.inputs[*].order", "message": "m", "max": 1, "valid": "jsonpath::.spec.domain.inputs"}
	]`)
	vm := func(disks, more string) map[string]any {
		return vmWith(`{"devices": {"disks": [` + disks + `]}` + more + `}`)
	}
	const a, b, c = `{"name": "a", "bus": "ide"}`, `{"name": "b", "bus": "virtio"}`, `{"name": "c", "bus": "usb"}`
	const all = `, "cpu": {"cores": 4}, "memory": {"guest": 1}`
	for _, test := range []struct {
		name     string
		old, now map[string]any
		want     string // the first letters of the outcomes
		isLong   bool   // the plan leaves something to the judgement
	}{
		{"nothing changes", vm(a+","+b, ""), vm(a+","+b, ""), "WWWWS", false},
		{"all is well", vm(b, all), vm(b, all), "SSSWS", false},
		{"all was well", vm(b, all), vm(a, `, "cpu": {"cores": 8}`), "VVVWS", false},
		{"other values", vm(a, `, "cpu": {"cores": 9}`+`, "memory": {"guest": 0}`), vm(`{"name": "a", "bus": "usb"}`, `, "cpu": {"cores": 8}`), "VVVWS", false},
		{"the same number", vm(b, `, "cpu": {"cores": 8}, "memory": {"guest": 1}`), vm(b, `, "cpu": {"cores": 8.0}, "memory": {"guest": 1}`), "SWSWS", false},
		{"text, not a number", vm(b, `, "cpu": {"cores": 8}, "memory": {"guest": 1}`), vm(b, `, "cpu": {"cores": "8"}, "memory": {"guest": 1}`), "SVSWS", false},
		{"one disk more", vm(a, all), vm(a+","+c, all), "VSSWS", false},
		{"one disk less", vm(a+","+c, all), vm(a, all), "WSSWS", false},
		{"less is wrong than before", vm(a+","+c, all), vm(`{"name": "a", "bus": "virtio"},`+c, all), "WSSWS", false},
		{"another order", vm(a+","+c, all), vm(c+","+a, all), "WSSWS", true},
		{"another name", vm(a, all), vm(`{"name": "b", "bus": "ide"}`, all), "VSSWS", true},
		{"the same name twice", vm(a+","+a, all), vm(a+","+a, all), "WSSWS", false},
		{"the second of a name", vm(a+","+b, all), vm(a+","+a, all), "VSSWS", true},
		{"no names", vm(`{"bus": "ide"}`, all), vm(`{"bus": "ide"}`, all), "WSSWS", false},
		{"names that are no text", vm(`{"bus": "ide", "name": 1}`, all), vm(`{"bus": "ide", "name": 1}`, all), "WSSWS", true},
		{"an object", vm(`{"bus": {}}`, all), vm(`{"bus": {}}`, all), "WSSWS", true},
		{"short and unknown", vm(`{"bus": "abcd"}`, all), vm(`{"bus": "abc"}`, all), "VSSWS", false},
		{"items without names", vm(b, all+`, "inputs": [{"order": 1, "name": "x"}, {"order": 2, "name": "y"}]`),
			vm(b, all+`, "inputs": [{"order": 2, "name": "y"}, {"order": 2, "name": "x"}]`), "SSSWV", false},
	} {
		opts := []ValidateOption{Ratcheting(), WithOldObject(test.old)}
		checkPlan(t, rules, test.now, opts...)
		report, got := Validate(rules, test.now, opts...), ""
		for _, r := range report.Results() {
			got += string(r.Outcome[0])
		}
		if isLong := len(report.known().full) > 0; got != test.want || isLong != test.isLong {
			t.Errorf("%s: %s, want %s; in full: %t\n%s", test.name, got, test.want, isLong, report)
		}
	}
}

// Under Partial, a mark says what is missing, and an empty string is judged.
func TestPlanOfForms(t *testing.T) {
	rules := rulesOn(t, ".cpu.model", `"rule": "string", "minLength": 3`)
	for cpu, want := range map[string]string{
		`{}`: "Skipped", `{"model": "x"}`: "Violated", `{"model": "xyz"}`: "Satisfied", `{"model": null}`: "Skipped", `{"model": ""}`: "Skipped, told",
	} {
		object := vmWith(`{"cpu": ` + cpu + `}`)
		checkPlan(t, rules, object, Partial())
		report := Validate(rules, object, Partial())
		got := string(only(t, report).Outcome)
		if len(report.known().full) > 0 {
			got += ", told"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", cpu, got, want)
		}
	}
}

// The note of a form is that of the first rule that waits, whether a mark says it or not.
func TestPlanOfNotes(t *testing.T) {
	const rule = `{"name": "%d", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.%s", "max": "%s"}`
	full := fmt.Sprintf(rule, 1, "cores", "jsonpath::.spec.domain.cpu.most")
	missing := fmt.Sprintf(rule, 2, "threadsPerCore", "8")
	for _, annotation := range []string{full + "," + missing, missing + "," + full} {
		checkPlan(t, mustParse(t, "["+annotation+"]"), vmWith(`{"cpu": {"cores": 2}}`), Partial())
	}
}

// Items on the way to other values do not count.
func TestPlanOfNestedItems(t *testing.T) {
	rules := mustParse(t, `[
		{"name": "ports", "rule": "integer", "path": "jsonpath::.spec.domain.ports[*][*]", "message": "m", "min": 1},
		{"name": "inputs", "rule": "integer", "path": "jsonpath::.spec.domain.inputs[*]", "message": "m", "max": 1},
		{"name": "bus", "rule": "string", "path": "jsonpath::.spec.domain.disks[0].bus", "message": "m"},
		{"name": "bracket", "rule": "string", "path": "jsonpath::.spec['domain'].cpu", "message": "m"},
		{"name": "dot", "rule": "string", "path": "jsonpath::.a", "message": "m"}
	]`)
	old := vmWith(`{"ports": [[1, 2], [0, 0, 1]], "inputs": [0, 2], "disks": [{"name": "a"}]}`)
	for _, now := range []string{
		`{"ports": [[1, 2], [0, 0]], "inputs": [0, 2], "disks": [{"name": "b"}]}`, `{"ports": [[], [0], [0]], "inputs": [2, 2], "disks": [{"name": "a"}]}`,
	} {
		checkPlan(t, rules, vmWith(now), Ratcheting(), WithOldObject(old))
		checkPlan(t, rules, vmWith(now))
		report := Validate(rules, vmWith(now), Ratcheting(), WithOldObject(old))
		if full := report.known().full; len(full) != 1 || full[0].Rule != "bus" {
			t.Errorf("%s: %v in full", now, full)
		}
	}
}

// An update of the rules themselves forgives nothing that the plan finds wrong.
func TestPlanOfOwnRules(t *testing.T) {
	vm := func(message string) map[string]any {
		object := vmWith(`{"cpu": {"cores": 8}}`)
		object["metadata"] = map[string]any{"annotations": map[string]any{Annotation: `[{"name": "r", "rule": "integer", "max": 4, "message": "` + message +
			`", "path": "jsonpath::.spec.domain.cpu.cores"}]`}}
		return object
	}
	for message, want := range map[string]Outcome{"m": OutcomeWarned, "another": OutcomeViolated} {
		report := ValidateOwn(vm(message), Ratcheting(), WithOldObject(vm("m")))
		if got := only(t, report).Outcome; got != want || len(report.known().full) > 0 {
			t.Errorf("%s: %s, want %s; %d in full", message, got, want, len(report.known().full))
		}
	}
}
