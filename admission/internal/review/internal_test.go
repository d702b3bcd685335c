package review

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
type oneTemplate struct {
	template map[string]any
	asked    func()
}

func (c oneTemplate) Get(_ context.Context, kind schema.GroupVersionKind, _, _ string, isCached bool) (map[string]any, error) {
	if isCached {
		return nil, nil
	}
	c.asked()
	return c.template, nil
}

func (oneTemplate) VMs(context.Context, string) ([]metav1.PartialObjectMetadata, error) {
	return nil, nil
}

// A VM that waits for the cluster has no slot, and weighs more once the rules of its template are read.
func TestWeight(t *testing.T) {
	const rules = `[{"name": "a", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m"}]`
	synctest.Test(t, func(t *testing.T) {
		slots := &queue{free: 1}
		take := func() {
			slots.change(func() { slots.free-- })
			if slots.free != 0 {
				t.Errorf("%d slots are free", slots.free)
			}
		}
		template := map[string]any{"kind": "Template", "metadata": map[string]any{"annotations": map[string]any{"validations": rules}}}
		q := &Request{Operation: "UPDATE", Kind: VMKind, Namespace: "n", Size: 1000, Object: map[string]any{
			"kind": "VirtualMachine",
			"metadata": map[string]any{"labels": map[string]any{
				"vm.kubevirt.io/template": "t", "vm.kubevirt.io/template.namespace": "n",
			}},
		}}
		j := &judging{Reviewer: New(oneTemplate{template, take}, Settings{}), q: q, pace: pace{slots: slots}}
		go func() {
			if err := j.run(t.Context()); err != nil || len(j.report.Results()) != 1 {
				t.Error(err, j.report)
			}
		}()
		synctest.Wait()
		if len(slots.waiting) != 1 || slots.waiting[0].size != 1000+len(rules) {
			t.Errorf("%d wait", len(slots.waiting))
		}
		slots.change(func() { slots.free++ })
		synctest.Wait()
		if slots.free != 1 {
			t.Errorf("in the end, %d slots are free", slots.free)
		}
	})
}
