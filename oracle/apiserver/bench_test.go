package apiserver

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/policy"
)

// BenchmarkCreate measures a write of a VM of one template, with policies for that and many others. A
// template has two policies, and four by annotation.
func BenchmarkCreate(b *testing.B) {
	s := start(b)
	labels := labelled(validVM(b), "vm", "template-0")
	annotations := labelled(validVM(b), "vm", "")
	annotations["metadata"].(map[string]any)["annotations"] = map[string]any{vmrules.TemplateLabel: "template-0", vmrules.TemplateNamespaceLabel: "default"}
	for _, templates := range []int{0, 1, 80, 161} {
		for _, byAnnotation := range []bool{false, true} {
			if templates == 0 && byAnnotation {
				continue
			}
			b.Run(fmt.Sprintf("templates=%d/by-annotation=%t", templates, byAnnotation), func(b *testing.B) {
				rules := map[string]vmrules.Rules{}
				for i := range templates {
					rules[fmt.Sprint("template-", i)] = quickstart(b)
				}
				if templates > 0 {
					s.install(b, rules, policy.Scope{ByAnnotation: byAnnotation})
				}
				b.Run("vm=labels", func(b *testing.B) { s.measure(b, labels) })
				b.Run("vm=annotations", func(b *testing.B) { s.measure(b, annotations) })
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
