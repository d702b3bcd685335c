package admission

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/vmrules/vmrules"
)

// An outcome is what became of a request, for metrics and logs.
type outcome string

const (
	outcomeExempt    outcome = "exempt"    // no rules apply
	outcomeAllowed   outcome = "allowed"   // judged, and nothing is wrong
	outcomeWarned    outcome = "warned"    // allowed with warnings
	outcomeRefused   outcome = "refused"   // by the rules, or because they cannot be used
	outcomeMalformed outcome = "malformed" // refused, because the request cannot be read
	outcomeFailed    outcome = "failed"    // not decided
)

// A decision is the answer to a request.
type decision struct {
	outcome  outcome
	status   *metav1.Status // why the request is refused; nil if it is allowed
	warnings []string
	err      error // why it is not decided; nil if it is
}

// exempt allows a request to which no rules apply.
func exempt(warnings ...string) *decision {
	return &decision{outcome: outcomeExempt, warnings: fitting(warnings)}
}

// malformed refuses a request that cannot be read.
func malformed(err error) *decision {
	return &decision{outcome: outcomeMalformed, status: statusOf(http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error())}
}

// failure is the decision if none can be made.
func failure(err error) *decision {
	text := "vmrules cannot judge the request: " + err.Error()
	return &decision{outcome: outcomeFailed, status: statusOf(http.StatusInternalServerError, metav1.StatusReasonInternalError, text), err: err}
}

// judged decides by a report.
func judged(q *request, report *vmrules.Report) *decision {
	d := &decision{outcome: outcomeAllowed, warnings: fitting(report.AdmissionWarnings())}
	if len(d.warnings) > 0 {
		d.outcome = outcomeWarned
	}
	if err := report.Err(); err != nil {
		d.outcome, d.status = outcomeRefused, invalid(q, err, report.Causes())
	}
	return d
}

// unusable decides about a VM whose rules cannot be used.
func unusable(q *request, err error, a Action) *decision {
	if a == Warn {
		return &decision{outcome: outcomeWarned, warnings: fitting([]string{err.Error()})}
	}
	var broken *vmrules.ParseError
	causes := []vmrules.Cause{{Reason: vmrules.ReasonInvalid, Field: "metadata", Message: err.Error()}}
	if errors.As(err, &broken) {
		causes = broken.Causes()
	}
	return &decision{outcome: outcomeRefused, status: invalid(q, err, causes)}
}

// response returns the response to a request. It marks the context of ServeHTTP if there is no
// decision.
func (d *decision) response(ctx context.Context) admission.Response {
	if undecided, ok := ctx.Value(undecidedKey{}).(*error); ok && d.err != nil {
		*undecided = errors.New(d.status.Message)
	}
	return admission.Response{AdmissionResponse: admissionv1.AdmissionResponse{
		Allowed: d.status == nil, Result: d.status, Warnings: d.warnings,
	}}
}

// log writes a decision to the log: refusals and failures at the level of every log.
func (d *decision) log(l logr.Logger, q *request) {
	values := []any{"operation", q.operation, "kind", shorten(q.kind.Kind, maxName), "outcome", d.outcome}
	switch {
	case d.err != nil:
		l.Error(d.err, "Could not review", values...)
	case d.status != nil:
		l.Info("Refused", append(values, "message", d.status.Message)...)
	default:
		l.V(1).Info("Allowed", append(values, "warnings", len(d.warnings))...)
	}
}

// statusOf returns a status that refuses a request.
func statusOf(code int32, reason metav1.StatusReason, message string) *metav1.Status {
	return &metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: shorten(message, maxMessage)}
}

// invalid returns the status for an object that is not valid.
func invalid(q *request, err error, causes []vmrules.Cause) *metav1.Status {
	s := statusOf(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, err.Error())
	s.Details = &metav1.StatusDetails{Name: q.name, Group: q.kind.Group, Kind: q.kind.Kind}
	for i, c := range causes {
		if i == maxCauses {
			c = vmrules.Cause{Reason: vmrules.ReasonInternal, Message: fmt.Sprintf("%d more are left out", len(causes)-i)}
		}
		s.Details.Causes = append(s.Details.Causes, causeOf(c))
		if i == maxCauses {
			break
		}
	}
	return s
}

// causeOf returns a cause of a status. A field that is too long is left out: half of it would
// be the name of another field.
func causeOf(c vmrules.Cause) metav1.StatusCause {
	cause := metav1.StatusCause{Type: metav1.CauseType(c.Reason), Message: shorten(c.Message, maxCause), Field: c.Field}
	if len(cause.Field) > maxCause {
		cause.Field = ""
	}
	return cause
}
