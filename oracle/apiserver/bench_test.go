package apiserver

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/vmrules/vmrules/kinds/crd/export"
)

// BenchmarkCreate measures a write of a VM of one template, with policies for that and many others.
func BenchmarkCreate(b *testing.B) {
	s := start(b)
	for _, templates := range []int{0, 1, 161} {
		b.Run(fmt.Sprint("policies=", templates), func(b *testing.B) {
			policies := map[string]export.Translation{}
			for i := range templates {
				policies[fmt.Sprint("template-", i)] = export.Translate(quickstart(b))
			}
			if templates > 0 {
				s.install(b, policies, export.Scope{})
			}
			vm := validVM(b)
			var times []time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := s.create(labelled(vm, "vm", "template-0")); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms-p50")
		})
	}
}
