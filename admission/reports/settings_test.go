package reports_test

import (
	"math"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/vmrules/vmrules/admission"
	"github.com/vmrules/vmrules/admission/reports"
)

// A Reviewer is made with Settings that can be used, and with no others.
func TestSettings(t *testing.T) {
	for rate, isUsable := range map[float64]bool{0: true, 20: true, 1000: true, -1: false, 1001: false, math.NaN(): false} {
		r, err := admission.New(fake.NewClientBuilder().Build(), admission.WithReports(reports.Settings{Rate: rate}))
		if (err == nil) != isUsable || (r != nil) != isUsable {
			t.Errorf("rate %v: reviewer %v, error %v", rate, r, err)
		}
	}
}
