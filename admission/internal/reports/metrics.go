package reports

import (
	"cmp"
	"context"
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
		"VMs with rules, by template and the worst outcome of a rule: fail, error, warn, pass or skip.", []string{"template", "outcome"}, nil)
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

func (collector) Collect(to chan<- prometheus.Metric) {
	if c := current.Load(); c != nil && c.leads() {
		c.collect(to)
	}
}

// maxTemplates is how many templates have a name in the metrics.
const maxTemplates = 200

func (c *Controller) collect(to chan<- prometheus.Metric) {
	age := c.backlog.Oldest(time.Now())
	if !c.hasRead.Load() {
		age = max(age, time.Since(c.started))
	}
	to <- prometheus.MustNewConstMetric(oldestDesc, prometheus.GaugeValue, age.Seconds())
	if !c.hasRead.Load() {
		return
	}
	list := listOf(reportKind)
	if err := c.reports.List(context.Background(), list, client.UnsafeDisableDeepCopy); err != nil {
		to <- prometheus.NewInvalidMetric(vmsDesc, err)
		return
	}
	counts := map[string]map[string]int{}
	sums := map[string]int{}
	for i := range list.Items {
		template := list.Items[i].Annotations[openreports.PolicyAnnotation]
		if template == openreports.OwnPolicy {
			template = ""
		}
		if counts[template] == nil {
			counts[template] = map[string]int{}
		}
		counts[template][list.Items[i].Labels[openreports.ResultLabel]]++
		sums[template]++
	}
	if len(counts) > maxTemplates {
		counts = withOther(counts, sums)
	}
	for template, outcomes := range counts {
		for outcome, n := range outcomes {
			to <- prometheus.MustNewConstMetric(vmsDesc, prometheus.GaugeValue, float64(n), template, outcome)
		}
	}
}

// withOther counts the VMs of the templates with the fewest VMs together.
func withOther(counts map[string]map[string]int, sums map[string]int) map[string]map[string]int {
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
	other := map[string]int{}
	for _, name := range names[maxTemplates:] {
		for outcome, n := range counts[name] {
			other[outcome] += n
		}
		delete(counts, name)
	}
	counts["(other)"] = other
	return counts
}
