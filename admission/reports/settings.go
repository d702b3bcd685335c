package reports

import "fmt"

// Settings say how reports are kept. Pass them to admission.WithReports. The zero Settings are usable.
type Settings struct {
	// Rate is how many VMs are validated in a second, after a change of a template for instance; 0 is 20.
	// Each takes two requests to the API server, and one more if its report has changed.
	Rate float64
	// LeaseNamespace is where replicas agree which of them writes reports; "" is that of the pod.
	LeaseNamespace string
}

const usualRate = 20

// Check returns an error, which has no type of its own, if Rate is more than 1000 or less than 0.
func (s Settings) Check() error {
	if s.Rate >= 0 && s.Rate <= 1000 {
		return nil
	}
	return fmt.Errorf("the rate of reports is %v: it must be more than 0 and at most 1000", s.Rate)
}
