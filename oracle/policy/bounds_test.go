package policy_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/seeds"
	"github.com/vmrules/vmrules/policy"
)

// maxExpression is the number of characters that package policy writes at most.
const maxExpression = 100_000

// valueOf returns a rule with a value of n characters, in an expression that grows with it.
func valueOf(t *testing.T, n int) vmrules.Rules {
	return parseAll(t, map[string]any{
		"name": "r", "message": "m", "rule": "enum", "path": "jsonpath::.spec.hostname", "values": []any{strings.Repeat("é", n)},
	})
}

// An expression with as many characters as Kubernetes' compiler reads is written, and one with one more
// is not. One that is too long to forgive updates judges each in full.
func TestLongestExpression(t *testing.T) {
	for _, c := range []struct {
		name       string
		ratcheting bool
		longer     string // what is written if it is one character longer
	}{
		{"judging in full", false, ""},
		{"forgiving updates", true, "in full"},
	} {
		t.Run(c.name, func(t *testing.T) {
			size := func(n int) int { return utf8.RuneCountInString(expressionOf(t, valueOf(t, n), c.ratcheting)) }
			empty, growth := size(0), size(1)-size(0)
			n := (maxExpression - empty) / growth
			longest := expressionOf(t, valueOf(t, n), c.ratcheting)
			if c.ratcheting != strings.Contains(longest, wasInScope) {
				t.Errorf("%.100s", longest)
			}
			if err := checkPolicy(longest); err != nil {
				t.Error(err)
			}
			rest := maxExpression - utf8.RuneCountInString(longest)
			if rest >= growth {
				t.Errorf("an expression %d characters shorter than the longest", rest)
			}
			if err := checkPolicy(longest + strings.Repeat(" ", rest)); err != nil {
				t.Error(err)
			}
			if err := checkPolicy(longest + strings.Repeat(" ", rest+1)); err == nil {
				t.Error("Kubernetes reads a longer one")
			}
			switch longer := expressionOf(t, valueOf(t, n+1), c.ratcheting); {
			case c.longer == "" && longer != "":
				t.Errorf("%d characters are written", utf8.RuneCountInString(longer))
			case c.longer != "" && (longer == "" || strings.Contains(longer, wasInScope)):
				t.Errorf("not in full: %.100s", longer)
			}
		})
	}
}

// The conditions of a scope are together as long as Kubernetes' compiler reads, and no longer: the
// variable for updates has all of them.
func TestLongestScope(t *testing.T) {
	rules := valueOf(t, 1)
	of := func(n int) (string, error) {
		documents, _, err := policy.Of(rules, policy.Scope{Name: "n", Template: "windows", Annotation: strings.Repeat("é", n)})
		if err != nil {
			return "", err
		}
		return documents[0]["spec"].(map[string]any)["variables"].([]any)[0].(map[string]any)["expression"].(string), nil
	}
	short, err := of(1)
	if err != nil {
		t.Fatal(err)
	}
	n := maxExpression - utf8.RuneCountInString(short) + 1
	longest, err := of(n)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkPolicy(longest); err != nil {
		t.Error(err)
	}
	if err := checkPolicy(longest + " "); err == nil {
		t.Error("Kubernetes reads a longer one")
	}
	if _, err := of(n + 1); err == nil || !strings.Contains(err.Error(), "100001 characters, more than the 100000") {
		t.Errorf("one character more: %v", err)
	}
}

// The most steps of a path, and the most lists, do not nest an expression too deep. One more step is
// refused.
func TestDeepestPaths(t *testing.T) {
	const maxSteps = 24
	path := func(start, step string, n int) string {
		return "jsonpath::" + start + strings.Repeat(step, n-strings.Count(start, ".")-strings.Count(start, "["))
	}
	const terms = ".spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
	for _, start := range []string{
		".spec", ".spec.domain.devices.disks[*]", ".spec.domain.devices.disks[0]", ".spec.domain.devices.interfaces[*].ports[*]",
		".spec.domain.devices.interfaces[0].ports[*]", ".spec.domain.devices.interfaces[*].ports[0]",
		terms + "[*].matchExpressions[*].values[*]", terms + "[0].matchExpressions[*].values[0]",
	} {
		for _, step := range []string{".a", "['x-y']", ".namespace"} {
			t.Run(start+step, func(t *testing.T) {
				rule := map[string]any{
					"name": "r", "message": "m", "rule": "integer", "path": path(start, step, maxSteps), "valid": path(start, ".b", maxSteps),
					"min": path(".spec", step, maxSteps), "max": path(".spec", ".c", maxSteps), "minLength": 1, "regex": "a",
				}
				for _, ratcheting := range []bool{false, true} {
					all := validationsOf(t, parseAll(t, rule), ratcheting)
					if len(all) != 1 || ratcheting != strings.Contains(all[0].Expression, wasInScope) {
						t.Fatalf("ratcheting %t: %d expressions", ratcheting, len(all))
					}
					if err := checkPolicy(all[0].Expression); err != nil {
						t.Errorf("%v\n%s", err, all[0].Expression)
					}
					if err := checkMessage(all[0].MessageExpression); all[0].MessageExpression != "" && err != nil {
						t.Errorf("%v\n%s", err, all[0].MessageExpression)
					}
				}
				rule["path"] = path(start, step, maxSteps+1)
				if all := validationsOf(t, parseAll(t, rule), false); all != nil {
					t.Errorf("%d steps are translated", maxSteps+1)
				}
			})
		}
	}
}

// The bound for messages is the API server's.
func TestLongestMessage(t *testing.T) {
	for n, want := range map[int]bool{celconfig.MaxEvaluatedMessageExpressionSizeBytes: true, celconfig.MaxEvaluatedMessageExpressionSizeBytes + 1: false} {
		rules := parseAll(t, map[string]any{"name": "r", "message": strings.Repeat("m", n), "rule": "string", "path": "jsonpath::.spec.hostname"})
		if got := validationsOf(t, rules, true)[0].MessageExpression != ""; got != want {
			t.Errorf("%d bytes have an expression: %t", n, got)
		}
	}
}

// Of accepts the names that Kubernetes accepts, and selects VMs by the labels that they can have.
func TestNames(t *testing.T) {
	t.Parallel()
	seed := seeds.Of(1)
	g := rand.New(rand.NewPCG(seed, 0))
	counts := map[string]int{}
	rules := valueOf(t, 1)
	for range 3000 {
		var s strings.Builder
		for range g.IntN(5) * g.IntN(20) {
			s.WriteString([]string{"a", "b", "9", "-", ".", "Z", "_", "ab"}[g.IntN([]int{3, 5, 8}[g.IntN(3)])])
		}
		name := s.String() + strings.Repeat("z", g.IntN(2)*g.IntN(240))
		_, _, err := policy.Of(rules, policy.Scope{Name: name})
		isName := validation.IsDNS1123Subdomain(name+"-warnings") == nil
		if isName != (err == nil) {
			t.Errorf("the name %q: %v", name, err)
		}
		documents, _, err := policy.Of(rules, policy.Scope{Name: "n", Template: name})
		if err != nil {
			t.Fatal(err)
		}
		_, selects := documents[0]["spec"].(map[string]any)["matchConstraints"].(map[string]any)["objectSelector"]
		isLabel := validation.IsValidLabelValue(name) == nil && name != ""
		if isLabel != selects {
			t.Errorf("the label %q: %t", name, selects)
		}
		counts[fmt.Sprintf("name %t", isName)]++
		counts[fmt.Sprintf("label %t", isLabel)]++
	}
	for _, about := range []string{"name true", "name false", "label true", "label false"} {
		if counts[about] < 100 {
			t.Errorf("%s only %d times", about, counts[about])
		}
	}
}
