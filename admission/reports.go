package admission

import "fmt"

// Reports say how WithReports keeps reports.
type Reports struct {
	// Rate is how many VMs are judged in a second, after a change of a template for instance; 0 is 20.
	// Each takes two requests to the API server, and one more if its report has changed.
	Rate float64
	// LeaseNamespace is where replicas agree which of them writes reports; "" is that of the pod.
	LeaseNamespace string
}

// WithReports has the manager of NewManager keep a Report of openreports.io/v1alpha1 for each VM that has
// rules, as package openreports writes it. New ignores it.
func WithReports(r Reports) Option {
	return func(s *settings) {
		if r.Rate == 0 {
			r.Rate = 20
		}
		if !(r.Rate > 0 && r.Rate <= 1000) {
			s.wrong = append(s.wrong, fmt.Errorf("the rate of reports is %v: it must be more than 0 and at most 1000", r.Rate))
		}
		s.reports = &r
	}
}
