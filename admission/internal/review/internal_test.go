package review

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrules/vmrules"
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

// Whatever is too much for a quick review, the verdict is that of the lane.
func TestPacesAgree(t *testing.T) {
	before := quickBudget
	defer func() { quickBudget = before }()
	it := map[string]any{"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachineClusterInstancetype", "metadata": map[string]any{"name": "small"},
		"spec": map[string]any{"cpu": map[string]any{"guest": 1}, "memory": map[string]any{"guest": "1Gi"}}}
	slow := 0
	for i := range 5000 {
		g := rand.New(rand.NewPCG(1, uint64(i)))
		pick := func(all ...string) string { return all[g.IntN(len(all))] }
		var rules []string
		for n := range 1 + g.IntN(3) {
			rules = append(rules, fmt.Sprintf(`{"name": "r%d", "rule": "string", "message": "m", "path": "jsonpath::.spec%s"%s%s%s}`, n,
				pick(".hostname", ".domain.memory.guest", ".domain.devices.disks[*].disk.bus", ".domain..bus", ".domain.machine.type"),
				pick("", `, "valid": "jsonpath::.spec.domain.devices.disks[*].disk.bus"`),
				pick("", `, "values": ["virtio"]`, `, "maxLength": "jsonpath::.spec.nothing"`, `, "max": "jsonpath::.spec.domain.cpu.cores"`),
				pick("", `, "regex": "^(?=v)v"`, `, "regex": "^v"`, `, "regex": "^(?=v)v", "justWarning": true`)))
		}
		spec := pick("", `"instancetype": {"name": "small"}, `, `"instancetype": {"name": "none"}, `, `"instancetype": {"name": "small"}, "preference": {"name": "none"}, `)
		ofVM := func() map[string]any {
			var disks []string
			for range g.IntN(4) {
				disks = append(disks, fmt.Sprintf(`{"name": %q, "disk": {%s}}`, pick("a", "b"), pick("", `"bus": "virtio"`, `"bus": "usb"`)))
			}
			vm, err := vmrules.ParseObject(fmt.Appendf(nil, `{"metadata": {"annotations": {"vm.kubevirt.io/validations": %q}}, "spec": {%s"template": {"spec": {%s"domain": {%s"devices": {"disks": [%s]}}}}}}`,
				"["+strings.Join(rules, ",")+"]", spec, pick("", `"hostname": "a", `, `"hostname": "v", `), pick("", `"cpu": {"sockets": 2}, `), strings.Join(disks, ",")))
			if err != nil {
				t.Fatal(err)
			}
			vm["apiVersion"], vm["kind"] = VMKind.ToAPIVersionAndKind()
			return vm
		}
		now, old := ofVM(), ofVM()
		quickBudget = vmrules.Budget{Time: time.Duration(g.IntN(40_000) + 1), Memory: int64(g.IntN(40_000) + 1), Backtracking: time.Duration(g.IntN(2) - 1)}
		r := New(oneInstancetype{it}, Settings{Warning: []vmrules.Doubt{vmrules.DoubtInstancetype}[:g.IntN(2)]})
		review := func(size int) *Decision {
			q := &Request{Operation: "UPDATE", Kind: VMKind, Namespace: "n", Size: size}
			return r.Review(t.Context(), q, func() error { q.Object, q.Old = now, old; return nil })
		}
		a, b := review(1), review(quickSize+1)
		if a.Outcome != b.Outcome || a.Message != b.Message {
			t.Errorf("%v\n%v\n%s: %s\n%s: %s", old, now, a.Outcome, a.Message, b.Outcome, b.Message)
		}
		if a.IsSlow {
			slow++
		}
	}
	if slow == 0 || slow == 5000 {
		t.Errorf("%d are slow", slow)
	}
}

// A oneInstancetype is a cluster with one instance type and nothing else.
type oneInstancetype struct{ object map[string]any }

func (c oneInstancetype) Get(_ context.Context, kind schema.GroupVersionKind, _, name string, _ bool) (map[string]any, error) {
	if name == "small" && kind.Kind == c.object["kind"] {
		return c.object, nil
	}
	return nil, nil
}

func (oneInstancetype) VMs(context.Context, string) ([]metav1.PartialObjectMetadata, error) {
	return nil, nil
}
