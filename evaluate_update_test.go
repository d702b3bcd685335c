package vmrules

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/vmrules/vmrules/internal/value"
)

// answers are what a report says, in each form in which it does.
func answers(r *Report) []any {
	all := []any{r.Valid(), r.Passed(), r.Violations(), r.Warnings(), r.Missing(), r.Causes(), r.AdmissionWarnings(), r.String(), string(mustJSON(r))}
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
		if r.Outcome == Undecided || r.equal(&whole[i]) || len(alone) > i && r.equal(&alone[i]) {
			continue
		}
		if whole[i].Outcome != Warned || r.Outcome != Violated || whole[i].Note != unchanged {
			t.Fatalf("with %+v, for %#v:\n%s\nand without:\n%s", b, object, r, whole[i])
		}
	}
}

// budget returns a budget that may be too small.
func (g planGenerator) budget() Budget {
	upTo := func(most float64) int { return int(math.Exp(g.Float64() * math.Log(most))) }
	return Budget{Work: upTo(200_000), Kept: upTo(50_000), Backtracking: time.Minute}
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
		value.At(object, "spec").(map[string]any)["domain"] = g.domain()
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
