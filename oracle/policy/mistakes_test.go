package policy_test

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestTranslate can fail: it finds mistakes that are made in the expressions on purpose.
func TestTranslateFindsMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		generator generator
		mistakes  [][2]string
	}{
		{"without null", generator{noNulls: true}, [][2]string{
			{" >= ", " > "}, {" <= ", " < "}, {".orValue(true)", ".orValue(false)"}, {".orValue(false)", ".orValue(true)"},
			{"!has(object.spec.instancetype)", "true"}, {"!has(object.spec.preference)", "true"},
			{".all(disk,", ".exists(disk,"}, {".exists(disk,", ".all(disk,"}, {`\n?$`, `$`}, {`\v`, ``},
			{"optional.ofNonZeroValue(", "optional.of("}, {`q.isInteger() || `, ""}, {`|| [q.asApproximateFloat()].exists(f, f > -9.2e18 && f < 9.2e18 && q.sub(int(f)) == quantity("0"))`, ""},
			{`.matches("^[-+]?[.]?[0-9]")`, ` != ""`}, {"[?0]", "[?1]"}, {"size(", "size('x' + "}, {`in ["`, `in ["x`},
			{".hasValue()", ".optMap(v, false).orValue(false)"}, {"size(tags) > 0", "size(tags) >= 0"},
		}},
		{"with null", generator{}, [][2]string{{"disk != null", "true"}, {"cpu != null", "true"}}},
	} {
		for _, m := range c.mistakes {
			t.Run(c.name+": "+m[0], func(t *testing.T) {
				t.Parallel()
				if !isFound(t, c.generator, m[0], m[1]) {
					t.Error("the mistake was not found")
				}
			})
		}
	}
}

// isFound reports whether a mistake in the expressions of policies makes a
// difference for a generated rule and VM.
func isFound(t *testing.T, g generator, old, mistaken string) bool {
	for n := range uint64(5 * generatedRules) {
		g := g
		g.Rand = rand.New(rand.NewPCG(seed(t), n))
		rules := parseOne(t, g.rule())
		expression, _ := policyOf(t, rules)
		if !strings.Contains(expression, old) {
			continue
		}
		program := compilePolicy(t, strings.ReplaceAll(expression, old, mistaken))
		for range generatedVMs {
			object := g.vm()
			holds, _ := want(rules, object)
			if got, _ := evalPolicy(program, object); disagrees(object, holds, got) {
				return true
			}
		}
	}
	return false
}
