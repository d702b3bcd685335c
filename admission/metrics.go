package admission

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/admission/internal/review"
)

var (
	reviews = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "vmrules_admission_reviews_total",
		Help: "Requests by outcome: exempt, allowed, warned, refused, malformed or failed.",
	}, []string{"outcome"})
	slowReviews = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "vmrules_admission_slow_reviews_total",
		Help: "Requests that took more work than VMs usually do, and had to wait for others that did.",
	})
	violations = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "vmrules_admission_violations_total",
		Help: "Rules that a VM does not satisfy, by outcome: Violated, Warned or Undecided. Only rules of templates have a name.",
	}, []string{"source", "rule", "outcome"})
	reviewSeconds = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "vmrules_admission_review_seconds",
		Help:    "How long reviews take, including reading from the cluster.",
		Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
	})
)

func init() { metrics.Registry.MustRegister(reviews, slowReviews, violations, reviewSeconds) }

// countViolations counts the rules that a VM does not satisfy. Any user writes rules into a VM,
// so those have no name here, and the number of names is limited.
func countViolations(report *vmrules.Report) {
	isOfTemplate := func(t vmrules.Target) bool { return t.From == vmrules.SourceTemplate }
	for _, result := range report.Results(vmrules.OutcomeViolated, vmrules.OutcomeWarned, vmrules.OutcomeUndecided) {
		source, rule := "vm", ""
		if slices.ContainsFunc(report.Targets(), isOfTemplate) {
			source, rule = "template", review.RuleLabel(result.Rule)
		}
		violations.WithLabelValues(source, rule, string(result.Outcome)).Inc()
	}
}
