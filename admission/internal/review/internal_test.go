package review

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

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

// A VM weighs more once the rules of its template are read, also if it is judged again, at another pace.
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
		if s, err := r.standing(t.Context(), q, p); err != nil || len(s.Report.Results()) != 1 {
			t.Fatalf("%+v, %v", s, err)
		}
	}
	weight := 1000 + len(rules)
	if diff := cmp.Diff([]int{1000, weight, 1000, weight}, weights); diff != "" {
		t.Error(diff)
	}
}
