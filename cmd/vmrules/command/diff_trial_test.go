package command

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// randomRule returns a rule about a number.
func randomRule(random *rand.Rand) string {
	arguments := []string{
		fmt.Sprintf(`"min": %d`, random.IntN(6)), fmt.Sprintf(`"max": %d`, random.IntN(10)),
		fmt.Sprintf(`"values": [%d, %d, %d]`, random.IntN(10), random.IntN(10), random.IntN(10)),
		fmt.Sprintf(`"maxLength": %d`, 1+random.IntN(2)), fmt.Sprintf(`"regex": "^(%d|1*)$"`, random.IntN(10)),
		fmt.Sprintf(`"justWarning": %t`, random.IntN(2) == 0),
	}
	random.Shuffle(len(arguments), func(i, j int) { arguments[i], arguments[j] = arguments[j], arguments[i] })
	arguments = arguments[:1+random.IntN(3)]
	return `[{"name": "r", "rule": "integer", "path": "jsonpath::.spec.n", "message": "m", ` + strings.Join(arguments, ", ") + `}]`
}

// TestTrialFindsAll compares the examples for random rules with a search through numbers up to
// one that is above all limits.
func TestTrialFindsAll(t *testing.T) {
	vm := func(n any) map[string]any {
		return map[string]any{"kind": "VirtualMachine", "spec": map[string]any{"template": map[string]any{"spec": map[string]any{"n": n}}}}
	}
	outcome := func(rules vmrules.Rules, n any) vmrules.Outcome {
		return vmrules.Validate(rules, vm(n)).Results()[0].Outcome
	}
	universe := []any{"x"}
	for n := -1; n < 120; n++ {
		universe = append(universe, n)
	}
	random := rand.New(rand.NewPCG(1, 2))
	d := &differ{new: newRuling(Build{})}
	words := map[string]int{}
	for range 300 {
		texts := [2]string{randomRule(random), randomRule(random)}
		var rules [2]vmrules.Rules
		for i, text := range texts {
			var err error
			if rules[i], err = vmrules.ParseRules(text); err != nil {
				t.Fatal(err)
			}
		}
		refused, allowed := false, false
		for _, n := range universe {
			more := severity(vmrules.Result{Outcome: outcome(rules[1], n)}) - severity(vmrules.Result{Outcome: outcome(rules[0], n)})
			refused, allowed = refused || more > 0, allowed || more < 0
		}
		want := "changed"
		switch {
		case rules[0].Equal(rules[1]):
			want = ""
		case refused && !allowed:
			want = "stricter"
		case allowed && !refused:
			want = "looser"
		}
		trial := d.newTrial(&template{filled: vm(json.Number("1")), rules: rules[1]})
		got := ""
		for _, c := range d.changes(trial, rules[0], rules[1]) {
			got = c.Change
			for _, e := range []*example{c.Refused, c.Allowed} {
				if e == nil {
					continue
				}
				if diff := cmp.Diff([]vmrules.Outcome{e.Old, e.New}, []vmrules.Outcome{outcome(rules[0], e.Value), outcome(rules[1], e.Value)}); diff != "" {
					t.Errorf("%s\n%s\n%s: (-example +judged):\n%s", texts[0], texts[1], e, diff)
				}
			}
		}
		if got != want && !strings.Contains(texts[0]+texts[1], "regex") { // for which it may find less
			t.Errorf("%s\n%s\n%s, want %s", texts[0], texts[1], got, want)
		}
		words[got]++
	}
	for _, word := range []string{"stricter", "looser", "changed"} {
		if words[word] < 10 {
			t.Errorf("only %d rules are %s", words[word], word)
		}
	}
}
