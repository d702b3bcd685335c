package admission

import (
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/vmrules/vmrules/admission/internal/review"
)

// Reports are reports.Settings. What keeps reports is a package of its own, so that only programs that want
// them are built with it.
type Reports interface {
	// Check returns an error if these settings cannot be used.
	Check() error
	// Add has a manager keep reports. NewManager calls it.
	Add(m manager.Manager, kube *rest.Config, reviewer *review.Reviewer) error
}

// WithReports has the manager of NewManager keep a Report of openreports.io/v1alpha1 for each VM that has
// rules, as package openreports writes it. Pass reports.Settings. New ignores it.
func WithReports(r Reports) Option {
	return func(s *settings) {
		s.reports = r
		if r != nil {
			s.wrong = append(s.wrong, r.Check())
		}
	}
}
