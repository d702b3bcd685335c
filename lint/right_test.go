package lint_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/seeds"
	"github.com/vmrules/vmrules/internal/vmfields"
	"github.com/vmrules/vmrules/lint"
)

// TestIsRight compares Annotation with Validate on generated rules. If Annotation says that no
// value satisfies the rules, by an error, none does. If the rules list values, and none of these
// satisfies all rules, Annotation says so.
func TestIsRight(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(seeds.Of(2019), 2))
	pool := []any{0, 1, 2, 10, "0", "1", "2", "1k", "", "a", "bb", "1.5", "true", true, 1.5, "10"}
	said := map[bool]int{}
	for range 2000 {
		rules := []vmrules.Rule{randomRule(random, pool), randomRule(random, pool)}
		rules[0].Name, rules[1].Name = "a", "b"
		made, err := vmrules.NewRules(rules)
		if err != nil {
			t.Fatal(err)
		}
		satisfied := func(v any) bool {
			return vmrules.Validate(made, map[string]any{"kind": "VirtualMachineInstance", "spec": map[string]any{"hostname": v}}).Valid()
		}
		possible := slices.ContainsFunc(pool, satisfied)
		says := slices.ContainsFunc(lint.Annotation(made.String()), func(f lint.Finding) bool { return f.Refuses })
		lists := !rules[0].Values.IsZero() || !rules[1].Values.IsZero()
		if says && possible || !says && lists && !possible {
			t.Fatalf("some value satisfies them: %v; Annotation says that none does: %v\n%s\n%v", possible, says, made,
				lint.Annotation(made.String()))
		}
		said[says]++
	}
	if said[true] < 400 || said[false] < 400 {
		t.Errorf("too few rules of one sort: %v", said)
	}
}

// TestErrorsRefuseAll checks that every VM fails rules about which Annotation finds an error, also
// a VM that lacks the field or what valid names.
func TestErrorsRefuseAll(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(2019), 2))
	valids := []vmrules.Path{{}, {}, vmrules.MustParsePath("jsonpath::.spec.hostname"), vmrules.MustParsePath("jsonpath::.spec.subdomain"),
		vmrules.MustParsePath("jsonpath::.spec.domain")}
	fields := []map[string]any{{}, {"hostname": "a"}, {"hostname": "1"}, {"hostname": 10}, {"subdomain": "a"}, {"subdomain": "a", "hostname": "2"}}
	said := 0
	for range 2000 {
		rules := make([]vmrules.Rule, 3)
		for i, name := range []string{"a", "b", "c"} {
			rules[i] = randomRule(random, []any{0, 1, "a", "10"})
			rules[i].Name, rules[i].Valid, rules[i].JustWarning = name, valids[random.IntN(len(valids))], random.IntN(4) == 0
		}
		made, err := vmrules.NewRules(rules)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(lint.Annotation(made.String()), func(f lint.Finding) bool { return f.Refuses }) {
			continue
		}
		said++
		for _, spec := range fields {
			spec["domain"] = map[string]any{"devices": map[string]any{}}
			if vmrules.Validate(made, map[string]any{"kind": "VirtualMachineInstance", "spec": spec}).Valid() {
				t.Fatalf("%v satisfies\n%s\n%v", spec, made, lint.Annotation(made.String()))
			}
		}
	}
	if said < 200 {
		t.Errorf("only %d errors", said)
	}
}

// TestKnowsDefaults compares what Annotation says about the defaults of fields with
// Validate, on a VM that has the parents of these fields but not the fields.
func TestKnowsDefaults(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(2019), 2))
	vm, err := vmrules.ParseObject([]byte(`{"kind": "VirtualMachineInstance", "spec": {"domain": {
		"cpu": {}, "machine": {}, "devices": {"disks": [{}], "interfaces": [{"ports": [{}]}]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	said := map[bool]int{}
	for _, d := range vmfields.AlwaysThere {
		for range 100 {
			r := randomRule(random, []any{0, 1, "", "a"})
			r.Name, r.Path = "r", vmrules.MustParsePath("jsonpath::"+"."+d.Field.Text())
			made, err := vmrules.NewRules([]vmrules.Rule{r})
			if err != nil {
				t.Fatal(err)
			}
			says := finds(made, "default-violates-rule", "wrong-kind", "unsatisfiable-range", "empty-values", "unsatisfiable-values")
			if report := vmrules.Validate(made, vm); report.Valid() == says {
				t.Fatalf("Annotation says that the default breaks the rule: %v\n%s\n%s", says, made, report)
			}
			said[says]++
		}
	}
	if said[true] < 200 || said[false] < 200 {
		t.Errorf("too few rules of one sort: %v", said)
	}
}

// finds reports whether Annotation finds one of these.
func finds(rules vmrules.Rules, ids ...string) bool {
	return slices.ContainsFunc(lint.Annotation(rules.String()), func(f lint.Finding) bool { return slices.Contains(ids, f.ID) })
}

func randomRule(random *rand.Rand, pool []any) vmrules.Rule {
	kinds := []vmrules.Kind{vmrules.KindInteger, vmrules.KindString, vmrules.KindRegex, vmrules.KindEnum}
	patterns := []any{"^[0-9]+$", "[a-z]", "^$", "1"}
	r := vmrules.Rule{Kind: kinds[random.IntN(4)], Path: vmrules.MustParsePath("jsonpath::.spec.hostname"), Message: "m"}
	some := func(argument *vmrules.Argument, values ...any) {
		if random.IntN(4) == 0 {
			*argument = vmrules.MustNewArgument(values[random.IntN(len(values))])
		}
	}
	some(&r.Min, 0, 1, 2, "1k")
	some(&r.Max, 0, 1, 2, "1k")
	some(&r.MinLength, 0, 1, 2)
	some(&r.MaxLength, 0, 1, 2)
	some(&r.Regex, patterns...)
	if random.IntN(2) == 0 {
		values := []any{}
		for range random.IntN(5) {
			values = append(values, pool[random.IntN(len(pool))])
		}
		r.Values = vmrules.MustNewArgument(values)
	}
	return r
}
