package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/seeds"
)

// TestTranslate can fail: it finds mistakes that are made in the expressions on purpose.
func TestTranslateFindsMistakes(t *testing.T) {
	t.Parallel()
	seed := seeds.Of(1)
	for _, c := range []struct {
		name      string
		generator generator
		mistakes  [][2]string
	}{
		{"without null", generator{noNulls: true}, [][2]string{
			{" >= ", " > "}, {" <= ", " < "}, {".orValue(true)", ".orValue(false)"}, {".orValue(false)", ".orValue(true)"},
			{"!has(object.spec.instancetype)", "true"}, {"!has(object.spec.preference)", "true"},
			{".all(disk,", ".exists(disk,"}, {".exists(disk,", ".all(disk,"}, {`\n?$`, `$`}, {`\x{9}-\x{d}`, `\x{9}-\x{a}`},
			{"optional.ofNonZeroValue(", "optional.of("}, {`q.isInteger() || `, ""}, {`|| [q.asApproximateFloat()].exists(f, f > -9.2e18 && f < 9.2e18 && q.sub(int(f)) == quantity("0"))`, ""},
			{`.matches("^[-+]?[.]?[0-9]")`, ` != ""`}, {"[?0]", "[?1]"}, {"size(", "size('x' + "}, {`in ["`, `in ["x`},
			{".hasValue()", ".optMap(v, false).orValue(false)"}, {"size(nameservers) > 0", "size(nameservers) >= 0"},
		}},
		{"with null", generator{}, [][2]string{{"disk != null", "true"}, {"cpu != null", "true"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			left := c.mistakes
			for n := uint64(0); n < 50*generatedRules && len(left) > 0; n++ {
				g := c.generator.of(seed, n)
				rules := parseOne(t, g.rule())
				expression := expressionOf(t, rules, false)
				left = slices.DeleteFunc(left, func(m [2]string) bool {
					mistake := strings.ReplaceAll(expression, m[0], m[1])
					return mistake != expression && checkPolicy(mistake) == nil && g.finds(rules, compilePolicy(t, mistake))
				})
			}
			for _, m := range left {
				t.Errorf("the mistake %q instead of %q was not found", m[1], m[0])
			}
		})
	}
}

// finds reports whether an expression disagrees with a rule about a generated VM.
func (g *generator) finds(rules vmrules.Rules, program cel.Program) bool {
	for range generatedVMs {
		object := g.vm()
		holds, _ := want(rules, object)
		if got, _ := evalPolicy(program, object); disagrees(object, holds, got) {
			return true
		}
	}
	return false
}
