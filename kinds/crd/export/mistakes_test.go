package export

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vmrules/vmrules"
)

// TestTranslate can fail: it finds mistakes that are made in the expressions on purpose.
func TestTranslateFindsMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		generator generator
		opts      []Option
		mistakes  [][2]string
	}{
		{"without null", generator{noNulls: true}, nil, [][2]string{
			{" >= ", " > "}, {" <= ", " < "}, {".orValue(true)", ".orValue(false)"}, {".orValue(false)", ".orValue(true)"},
			{"!has(object.spec.instancetype)", "true"}, {"!has(object.spec.preference)", "true"},
			{".all(disk,", ".exists(disk,"}, {".exists(disk,", ".all(disk,"}, {`\n?$`, `$`}, {`\v`, ``},
			{"optional.ofNonZeroValue(", "optional.of("}, {`q.isInteger() || `, ""}, {`|| [q.asApproximateFloat()].exists(f, f > -9.2e18 && f < 9.2e18 && q.sub(int(f)) == quantity("0"))`, ""},
			{`.matches("^[-+]?[.]?[0-9]")`, ` != ""`}, {"[?0]", "[?1]"}, {"size(", "size('x' + "}, {`in ["`, `in ["x`},
			{".hasValue()", ".optMap(v, false).orValue(false)"}, {"size(tags) > 0", "size(tags) >= 0"},
		}},
		{"with null", generator{}, nil, [][2]string{{"disk != null", "true"}, {"cpu != null", "true"}}},
		{"for any types", generator{anyTypes: true}, []Option{AnyTypes()}, [][2]string{
			{" == null || ", " != null && "}, {" != null", " != 7"}, {"type(disks) != list", "false"}, {"== map && ", "!= string && "},
		}},
	} {
		for _, m := range c.mistakes {
			t.Run(c.name+": "+m[0], func(t *testing.T) {
				t.Parallel()
				if !isFound(t, c.generator, m[0], m[1], c.opts...) {
					t.Error("the mistake was not found")
				}
			})
		}
	}
}

// isFound reports whether a mistake in the expressions of policies makes a
// difference for a generated rule and VM.
func isFound(t *testing.T, g generator, old, mistaken string, opts ...Option) bool {
	for n := range uint64(5 * generatedRules) {
		g := g
		g.Rand = rand.New(rand.NewPCG(seed(t), n))
		rules := parseOne(t, g.rule())
		expression := uncompiled(rules, opts...)
		if !strings.Contains(expression, old) {
			continue
		}
		program := compilePolicy(t, strings.ReplaceAll(expression, old, mistaken))
		for range generatedVMs {
			object := g.vm()
			holds, _ := want(rules, object)
			if got, _ := evalPolicy(program, object); g.disagrees(object, holds, got) {
				return true
			}
		}
	}
	return false
}

// uncompiled returns the expression of a policy, as Translate translates a rule before it compiles
// the expression; "" if the rule is not translated.
func uncompiled(rules vmrules.Rules, opts ...Option) string {
	for _, r := range rules.All() {
		if expression, err := forPolicy(r, opts).translate(); err == nil {
			return expression
		}
	}
	return ""
}
