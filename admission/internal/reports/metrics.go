package reports

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/vmrules/vmrules/openreports"
)

var writes = prometheus.NewCounterVec(prometheus.CounterOpts{
	Name: "vmrules_reports_writes_total",
	Help: "Reports that were written, by operation: create, update or delete.",
}, []string{"operation"})

var (
	vmsDesc = prometheus.NewDesc("vmrules_reports_vms",
		"VMs with rules, by template and outcome: the first of fail, error, warn, pass and skip that a rule has.", []string{"template", "outcome"}, nil)
	oldestDesc = prometheus.NewDesc("vmrules_reports_oldest_change_seconds",
		"How long ago the oldest change was after which a VM has not been judged.", nil, nil)
)

// current is the Controller of the process.
var current atomic.Pointer[Controller]

func init() { metrics.Registry.MustRegister(writes, collector{}) }

// A collector measures the current Controller while it leads.
type collector struct{}

func (collector) Describe(to chan<- *prometheus.Desc) {
	to <- vmsDesc
	to <- oldestDesc
}

// maxTemplates is how many templates have a name in the metrics. Users write templates.
const maxTemplates = 200

func (collector) Collect(to chan<- prometheus.Metric) {
	c := current.Load()
	if c == nil || !c.leads() {
		return
	}
	age := c.backlog.Oldest(time.Now())
	list := listOf(reportKind)
	if !c.hasRead.Load() {
		age = time.Since(c.started)
	} else if err := c.reports.List(context.Background(), list, client.UnsafeDisableDeepCopy); err != nil {
		to <- prometheus.NewInvalidMetric(vmsDesc, err)
	}
	to <- prometheus.MustNewConstMetric(oldestDesc, prometheus.GaugeValue, age.Seconds())
	type labels struct{ template, outcome string }
	counts, names := map[labels]int{}, map[string]string{"": "", openreports.OwnPolicy: ""}
	for i := range list.Items {
		template := list.Items[i].Annotations[openreports.PolicyAnnotation]
		if _, ok := names[template]; !ok {
			names[template] = template
		}
	}
	for _, template := range slices.Sorted(maps.Keys(names))[min(len(names), maxTemplates):] {
		if names[template] != "" {
			names[template] = "(other)"
		}
	}
	for i := range list.Items {
		o := &list.Items[i]
		counts[labels{names[o.Annotations[openreports.PolicyAnnotation]], o.Labels[openreports.ResultLabel]}]++
	}
	for l, n := range counts {
		to <- prometheus.MustNewConstMetric(vmsDesc, prometheus.GaugeValue, float64(n), l.template, l.outcome)
	}
}
