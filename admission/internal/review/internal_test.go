package review

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrules/vmrules"
)

// Where rules come from is what vmrules.RulesFor finds.
func TestSource(t *testing.T) {
	const rules = `[{"name": "a", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m"}]`
	template := map[string]any{"kind": "Template", "metadata": map[string]any{"annotations": map[string]any{"validations": strings.ReplaceAll(rules, `"a"`, `"template"`)}}}
	for _, annotations := range []any{
		nil, 7, map[string]any{}, map[string]any{"vm.kubevirt.io/validations": rules}, map[string]any{"vm.kubevirt.io/validations": "[]"},
		map[string]any{"vm.kubevirt.io/validations": " \n"}, map[string]any{"vm.kubevirt.io/validations": nil}, map[string]any{"vm.kubevirt.io/validations": 7},
		map[string]any{"vm.kubevirt.io/validations": map[string]any{}},
		map[string]any{"vm.kubevirt.io/skip-validations": ""}, map[string]any{"vm.kubevirt.io/skip-validations": nil}, map[string]any{"vm.kubevirt.io/skip-validations": false},
		map[string]any{"vm.kubevirt.io/skip-validations": "x", "vm.kubevirt.io/validations": rules},
	} {
		t.Run(fmt.Sprint(annotations), func(t *testing.T) {
			vm := map[string]any{
				"kind": "VirtualMachine",
				"metadata": map[string]any{
					"annotations": annotations,
					"labels":      map[string]any{"vm.kubevirt.io/template": "t", "vm.kubevirt.io/template.namespace": "n"},
				},
			}
			want, wantErr := vmrules.RulesFor(vm, template)
			used := template
			if s := (&Reviewer{}).sourceOf(vm, ""); s.From != vmrules.SourceTemplate {
				used = nil
			}
			got, err := vmrules.RulesFor(vm, used)
			if !got.Equal(want) || (err == nil) != (wantErr == nil) {
				t.Errorf("%v, %v; want %v, %v", got, err, want, wantErr)
			}
		})
	}
}

// Only rules of a version that can be told from others are kept, and only if they are small.
func TestRuleCache(t *testing.T) {
	template := func(resourceVersion, rules string) map[string]any {
		return map[string]any{"kind": "Template", "metadata": map[string]any{
			"name": "t", "resourceVersion": resourceVersion, "annotations": map[string]any{"validations": rules},
		}}
	}
	rules := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`{"name": "r%d", "rule": "regex", "path": "jsonpath::.spec.hostname", "message": "m", "regex": "[a-z]{%d}"}`, i, min(n, 900)))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	for _, test := range []struct {
		name     string
		template map[string]any
		opts     []vmrules.ParseOption
		want     int // rules; -1: an error
		kept     int
	}{
		{"small", template("1", rules(2)), nil, 2, 1},
		{"of no version", template("", rules(2)), nil, 2, 0},
		{"broken", template("1", "["), nil, -1, 0},
		{"large", template("1", rules(300)), nil, 300, 0},
		{"too large", template("1", rules(300)), []vmrules.ParseOption{vmrules.WithBudget(vmrules.Budget{Kept: 1 << 10})}, -1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newRuleCache(test.opts)
			for range 2 {
				got, err := c.rulesOf(test.template, test.opts)
				if err == nil && got.Len() != test.want || err != nil && test.want >= 0 {
					t.Errorf("%d rules, %v", got.Len(), err)
				}
			}
			if c.known.Len() != test.kept {
				t.Errorf("%d are kept", c.known.Len())
			}
		})
	}
	c := newRuleCache(nil)
	for i, n := range []int{2, 3} {
		if got, err := c.rulesOf(template(fmt.Sprint(i+1), rules(n)), nil); err != nil || got.Len() != n {
			t.Errorf("version %d: %d rules, %v", i+1, got.Len(), err)
		}
	}
}

func TestShorten(t *testing.T) {
	for n := 3; n < 12; n++ {
		got := Shorten("ääääää", n)
		if len(got) > n || !utf8.ValidString(got) {
			t.Errorf("%d: %q", n, got)
		}
	}
	if got := Shorten("a", 1); got != "a" {
		t.Errorf("%q", got)
	}
}

func TestFitting(t *testing.T) {
	got := fitting([]string{strings.Repeat("x", 1000) + "\ny", "a\nb\r\tc\u0085\xff"})
	if len(got) != 2 || len(got[0]) != maxWarning || got[1] != "a b  c \uFFFD" {
		t.Errorf("%q", got)
	}
	got = fitting(strings.Split(strings.Repeat(strings.Repeat("x", 300)+" ", 100), " "))
	size := 0
	for _, w := range got {
		size += len(w)
	}
	if last := got[len(got)-1]; size > maxWarnings || last != fmt.Sprintf("%d more warnings are left out", 101-len(got)+1) {
		t.Errorf("%d bytes, %q", size, last)
	}
}

// A oneTemplate is a cluster with one template and nothing else.
type oneTemplate map[string]any

func (c oneTemplate) Get(_ context.Context, kind schema.GroupVersionKind, _, _ string) (map[string]any, error) {
	if kind.Kind == "Template" {
		return c, nil
	}
	return nil, ErrNoKind
}

func (oneTemplate) VMs(context.Context, string) ([]VM, error) { return nil, nil }

// A VM that is judged again, at another pace, weighs as much as before.
func TestStandingWeight(t *testing.T) {
	const rules = `[{"name": "a", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m"}]`
	r := New(oneTemplate{"kind": "Template", "metadata": map[string]any{
		"name": "t", "namespace": "n", "annotations": map[string]any{"validations": rules},
	}}, Settings{})
	var weights []int
	p := pace{do: func(_ context.Context, weight int, f func()) error {
		weights = append(weights, weight)
		f()
		return nil
	}}
	q := &Request{Operation: "UPDATE", Kind: VMKind, Namespace: "n", Size: 1000, Object: map[string]any{
		"kind": "VirtualMachine",
		"metadata": map[string]any{"labels": map[string]any{
			"vm.kubevirt.io/template": "t", "vm.kubevirt.io/template.namespace": "n",
		}},
	}}
	for range 2 {
		if s, err := r.standing(t.Context(), q, p); err != nil || s.Err != nil || len(s.Report.Results()) != 1 {
			t.Fatalf("%+v, %v", s, err)
		}
	}
	weight := 1000 + len(rules)
	if diff := cmp.Diff([]int{weight, weight, weight, weight}, weights); diff != "" {
		t.Error(diff)
	}
}
