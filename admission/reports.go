package admission

import "fmt"

// Reports say how WithReports keeps reports.
type Reports struct {
	// Rate is how many VMs are judged in a second, after a change of a template for instance. 0 is
	// 20. Each takes two requests to the API server, and one more if the report has changed.
	Rate float64
	// LeaseNamespace is where the replicas of a webhook agree which of them writes reports. The
	// default is the namespace of the pod. Elsewhere, there is none.
	LeaseNamespace string
}

// defaultRate judges 10,000 VMs in about eight minutes.
const defaultRate = 20

// WithReports has the manager of NewManager keep a Report of openreports.io/v1alpha1 for each VM that has
// rules. New ignores it. See package openreports for what it says.
func WithReports(r Reports) Option {
	return func(s *settings) {
		if r.Rate == 0 {
			r.Rate = defaultRate
		}
		if !(r.Rate > 0 && r.Rate <= maxRate) {
			s.wrong = append(s.wrong, fmt.Errorf("the rate of reports is %v: it must be more than 0 and at most %v", r.Rate, maxRate))
		}
		s.reports = &r
	}
}

const maxRate = 1000
