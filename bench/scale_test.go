package bench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vmrules/vmrules"
)

// BenchmarkScale shows how the time of vmrules grows with the number of rules, of a VM's
// disks, and of the values of an enum.
func BenchmarkScale(b *testing.B) {
	for _, n := range []int{40, 400, 4000} {
		scale(b, "rule", n, shortestRules(n), shortestVM, vmrules.V201901())
	}
	for _, n := range []int{100, 1000, 10_000} {
		scale(b, "disk", n, ruleSet{rules: []rule{windowsDiskBus}}.annotation(), newVM(n))
	}
	for _, n := range []int{100, 1000, 10_000} {
		scale(b, "value", n, enumOf(n), newVM(3))
	}
}

// scale times both calls with n rules, disks or values; unit says which.
func scale(b *testing.B, unit string, n int, annotation string, vm map[string]any, opts ...vmrules.ParseOption) {
	rules, err := vmrules.ParseRules(annotation, opts...)
	if err != nil {
		b.Fatal(err)
	}
	if report := vmrules.Validate(rules, vm); !report.Valid() {
		b.Fatal(report.Err())
	}
	time := func(call string, f func()) {
		b.Run(fmt.Sprintf("%ss=%d/call=%s", unit, n, call), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/"+unit)
		})
	}
	time("validate", func() { vmrules.Validate(rules, vm) })
	if unit != "disk" {
		time("parse", func() { vmrules.ParseRules(annotation, opts...) })
	}
}

// shortestRules are rules in version 201901-1, as short as possible: 4,000 longer ones
// would exceed the 256 KiB of an annotation.
func shortestRules(n int) string {
	var rules []string
	for i := range n {
		rules = append(rules, fmt.Sprintf(`{"name":"%d","rule":"string","path":"/spec.id","message":"m"}`, i))
	}
	return "[" + strings.Join(rules, ",") + "]"
}

var shortestVM = map[string]any{
	"kind": "VirtualMachine",
	"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"id": "windows-accounting"}}},
}

// enumOf is a rule that allows n values. The VM's value is the last.
func enumOf(n int) string {
	r := windowsDiskBus
	r.Values = nil
	for i := range n - 1 {
		r.Values = append(r.Values, fmt.Sprint(i))
	}
	r.Values = append(r.Values, "virtio")
	return ruleSet{rules: []rule{r}}.annotation()
}
