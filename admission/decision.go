package admission

import (
	"net/http"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmrules/vmrules/admission/internal/review"
)

// statusOf returns why a request is not allowed; nil if it is.
func statusOf(q *review.Request, d *review.Decision) *metav1.Status {
	s := &metav1.Status{Status: metav1.StatusFailure, Message: d.Message}
	switch {
	case d.Outcome == review.Exempt, d.Outcome == review.Allowed, d.Outcome == review.Warned:
		return nil
	case d.Outcome == review.Malformed:
		s.Code, s.Reason = http.StatusBadRequest, metav1.StatusReasonBadRequest
	case d.Outcome == review.Failed:
		s.Code, s.Reason = http.StatusInternalServerError, metav1.StatusReasonInternalError
	case len(d.Causes) == 0:
		s.Code, s.Reason = http.StatusForbidden, metav1.StatusReasonForbidden
	default:
		s.Code, s.Reason = http.StatusUnprocessableEntity, metav1.StatusReasonInvalid
		s.Details = &metav1.StatusDetails{Name: q.Name, Group: q.Kind.Group, Kind: q.Kind.Kind}
		for _, c := range d.Causes {
			s.Details.Causes = append(s.Details.Causes, metav1.StatusCause{Type: metav1.CauseType(c.Reason), Message: c.Message, Field: c.Field})
		}
	}
	return s
}

// logTo writes a decision to a log: only what is allowed without a warning is for debugging.
func logTo(l logr.Logger, q *review.Request, d *review.Decision) {
	values := []any{"operation", q.Operation, "kind", review.Shorten(q.Kind.Kind, review.MaxName), "outcome", d.Outcome}
	switch {
	case d.Err != nil:
		l.Error(d.Err, "Could not review", values...)
	case d.Message != "":
		l.Info("Refused", append(values, "message", d.Message)...)
	case len(d.Warnings) > 0:
		l.Info("Warned", append(values, "warnings", d.Warnings)...)
	default:
		l.V(1).Info("Allowed", values...)
	}
}
