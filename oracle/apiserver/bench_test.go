package apiserver

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/policy"
)

// BenchmarkCreate measures a write of a VM of one template, with policies for that and many others, which
// select VMs by labels or by their copies of the rules.
func BenchmarkCreate(b *testing.B) {
	s := start(b)
	copyOf := func(template int) string { return fmt.Sprintf(`[{"name": "template-%d"}]`, template) }
	labels := labelled(validVM(b), "vm", "template-0")
	copies := labelled(validVM(b), "vm", "")
	copies["metadata"].(map[string]any)["annotations"] = map[string]any{vmrules.Annotation: copyOf(0)}
	for _, templates := range []int{0, 1, 7, 80, 161} {
		for _, by := range []string{"labels", "annotation"} {
			if templates == 0 && by == "annotation" {
				continue
			}
			b.Run(fmt.Sprintf("templates=%d/by=%s", templates, by), func(b *testing.B) {
				var all []map[string]any
				for i := range templates {
					scope := policy.Scope{Name: fmt.Sprint("template-", i), Annotation: copyOf(i)}
					if by == "labels" {
						scope.Template = scope.Name
					}
					documents, _, err := policy.Of(quickstart(b), scope)
					if err != nil {
						b.Fatal(err)
					}
					all = append(all, documents...)
				}
				if templates > 0 {
					s.enforce(b, all)
				}
				b.Run("vm=labels", func(b *testing.B) { s.measure(b, labels) })
				b.Run("vm=copy", func(b *testing.B) { s.measure(b, copies) })
			})
		}
	}
}

// measure reports the median of the times that writes of a VM take.
func (s *server) measure(b *testing.B, vm map[string]any) {
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := s.create(vm); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms-p50")
}
