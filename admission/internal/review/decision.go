package review

import (
	"errors"
	"fmt"

	"github.com/vmrules/vmrules"
)

// An Outcome is what became of a request.
type Outcome string

const (
	Exempt    Outcome = "exempt"    // no rules apply
	Allowed   Outcome = "allowed"   // judged, and nothing is wrong
	Warned    Outcome = "warned"    // allowed with warnings
	Refused   Outcome = "refused"   // by the rules, or because they cannot be used
	Malformed Outcome = "malformed" // refused, because the request cannot be read
	Failed    Outcome = "failed"    // not decided
)

// A Decision is the answer to a request. Its texts are bounded.
type Decision struct {
	Outcome  Outcome
	Message  string          // why the request is not allowed
	Causes   []vmrules.Cause // why the object is not valid; none if a template may not be deleted
	Warnings []string
	Err      error // why there is no decision; nil if there is one

	IsSlow     bool            // whether it took more than a quick review may
	Report     *vmrules.Report // nil if no VM was judged
	OfTemplate bool            // whether the rules of the Report are those of a template
}

// exempt allows a request to which no rules apply.
func exempt(warnings ...string) *Decision {
	return &Decision{Outcome: Exempt, Warnings: fitting(warnings)}
}

// malformed refuses a request that cannot be read.
func malformed(err error) *Decision {
	return &Decision{Outcome: Malformed, Message: Shorten(err.Error(), maxMessage)}
}

// failure is the decision if none can be made.
func failure(err error) *Decision {
	return &Decision{Outcome: Failed, Message: Shorten("vmrules cannot judge the request: "+err.Error(), maxMessage), Err: err}
}

// refused refuses a request because of its object.
func refused(err error, causes []vmrules.Cause) *Decision {
	return &Decision{Outcome: Refused, Message: Shorten(err.Error(), maxMessage), Causes: listed(causes)}
}

// judged decides by a report.
func judged(report *vmrules.Report, ofTemplate bool) *Decision {
	d := &Decision{Outcome: Allowed}
	warnings := fitting(report.AdmissionWarnings())
	if err := report.Err(); err != nil {
		d = refused(err, report.Causes())
	} else if len(warnings) > 0 {
		d.Outcome = Warned
	}
	d.Warnings, d.Report, d.OfTemplate = warnings, report, ofTemplate
	return d
}

// unusable decides about a VM whose rules cannot be used.
func unusable(err error, warns bool) *Decision {
	if warns {
		return &Decision{Outcome: Warned, Warnings: fitting([]string{err.Error()})}
	}
	var broken *vmrules.ParseError
	causes := []vmrules.Cause{{Reason: vmrules.ReasonInvalid, Field: "metadata", Message: err.Error()}}
	if errors.As(err, &broken) {
		causes = broken.Causes()
	}
	return refused(err, causes)
}

// listed returns the causes that a response lists, and a last one that counts the others. A
// field that is too long is left out: half of it would be the name of another field.
func listed(causes []vmrules.Cause) []vmrules.Cause {
	var kept []vmrules.Cause
	for i, c := range causes {
		if i == maxCauses {
			return append(kept, vmrules.Cause{Reason: vmrules.ReasonInternal, Message: fmt.Sprintf("%d more are left out", len(causes)-i)})
		}
		c.Message = Shorten(c.Message, maxCause)
		if len(c.Field) > maxCause {
			c.Field = ""
		}
		kept = append(kept, c)
	}
	return kept
}
