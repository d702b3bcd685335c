package admission

import (
	"sync"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/vmrules/vmrules"
)

var (
	reviews = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "vmrules_admission_reviews_total",
		Help: "Requests by outcome: exempt, allowed, warned, refused, malformed or failed.",
	}, []string{"outcome"})
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

func init() { metrics.Registry.MustRegister(reviews, violations, reviewSeconds) }

// countViolations counts the rules that a VM does not satisfy. Any user writes rules into a VM,
// so those have no name here, and the number of names is limited.
func countViolations(report *vmrules.Report, ofTemplate bool) {
	for _, result := range report.Results(vmrules.Violated, vmrules.Warned, vmrules.Undecided) {
		source, rule := "vm", ""
		if ofTemplate {
			source, rule = "template", ruleNames.label(result.Rule)
		}
		violations.WithLabelValues(source, rule, string(result.Outcome)).Inc()
	}
}

// ruleNames are the names of rules in the metrics of the process.
var ruleNames = names{known: map[string]bool{}}

// names are the values of a label. It is safe for concurrent use.
type names struct {
	sync.Mutex
	known map[string]bool
}

const (
	maxNames   = 200
	otherNames = "(other)"
)

// label returns a name as the value of a label. Beyond maxNames, all new names share one.
func (n *names) label(name string) string {
	n.Lock()
	defer n.Unlock()
	switch {
	case n.known[name]:
		return name
	case len(n.known) >= maxNames, len(name) > maxName, !utf8.ValidString(name):
		return otherNames
	}
	n.known[name] = true
	return name
}
