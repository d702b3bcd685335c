package reports

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/vmrules/vmrules/admission/internal/review"
	"github.com/vmrules/vmrules/openreports"
)

var (
	writes = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "vmrules_reports_writes_total", Help: "Reports that were written, by operation: create, update or delete.",
	}, []string{"operation"})
	vmsDesc = prometheus.NewDesc("vmrules_reports_vms",
		"VMs with rules, by template and outcome: the first of fail, error, warn, pass and skip that a rule has.", []string{"template", "outcome"}, nil)
	oldestDesc = prometheus.NewDesc("vmrules_reports_oldest_change_seconds",
		"How long ago the oldest change was after which a VM has not been validated.", nil, nil)
	current atomic.Pointer[keeper] // of the process
)

func init() { metrics.Registry.MustRegister(writes, collector{}) }

// A collector measures the current keeper while it leads.
type collector struct{}

func (collector) Describe(to chan<- *prometheus.Desc) {
	to <- vmsDesc
	to <- oldestDesc
}

func (collector) Collect(to chan<- prometheus.Metric) {
	c := current.Load()
	if c == nil || !c.leads() {
		return
	}
	age, list := c.backlog.Oldest(time.Now()), listOf(reportKind)
	if !c.hasRead.Load() {
		age = time.Since(c.started)
	} else {
		_ = c.reports.List(context.Background(), list, client.UnsafeDisableDeepCopy) // in memory
	}
	to <- prometheus.MustNewConstMetric(oldestDesc, prometheus.GaugeValue, age.Seconds())
	counts := map[[2]string]int{}
	for i := range list.Items {
		if ownerOf(&list.Items[i]) == nil { // "vmrules audit" wrote it, about a template or a manifest
			continue
		}
		template := list.Items[i].Annotations[openreports.PolicyAnnotation]
		if template == openreports.OwnPolicy {
			template = ""
		}
		counts[[2]string{review.TemplateLabel(template), list.Items[i].Labels[openreports.ResultLabel]}]++
	}
	for labels, n := range counts {
		to <- prometheus.MustNewConstMetric(vmsDesc, prometheus.GaugeValue, float64(n), labels[:]...)
	}
}
