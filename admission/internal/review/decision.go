package review

import "github.com/vmrules/vmrules"

// An Outcome is what became of a request.
type Outcome string

const (
	Exempt    Outcome = "exempt"    // no rules apply
	Allowed   Outcome = "allowed"   // validated, and nothing is wrong
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

	IsSlow bool            // whether it took more than a quick review may
	Report *vmrules.Report // nil if it is not about a VM
}

// exempt allows a request to which no rules apply.
func exempt(warnings ...string) *Decision {
	return &Decision{Outcome: Exempt, Warnings: fitting(warnings)}
}

func malformed(err error) *Decision {
	return &Decision{Outcome: Malformed, Message: Shorten(err.Error(), maxMessage)}
}

// failure is the decision if none can be made.
func failure(err error) *Decision {
	return &Decision{Outcome: Failed, Message: Shorten("vmrules cannot validate the request: "+err.Error(), maxMessage), Err: err}
}

func refused(err error, causes []vmrules.Cause) *Decision {
	return &Decision{Outcome: Refused, Message: Shorten(err.Error(), maxMessage), Causes: listed(causes)}
}

// judged decides by a report. Rules of a template that cannot be used may only warn.
func judged(report *vmrules.Report, brokenWarns bool) *Decision {
	d := &Decision{Outcome: Exempt, Report: report, Warnings: fitting(report.AdmissionWarnings())}
	for _, t := range report.Targets() {
		if t.Doubt == vmrules.DoubtLookup { // by a function of the caller
			return failure(report.Err())
		}
		if t.Coverage != vmrules.CoverageExempt && t.Coverage != vmrules.CoverageNoRules {
			d.Outcome = Allowed
		}
		isBroken := t.Doubt == vmrules.DoubtRules && t.From == vmrules.SourceTemplate
		brokenWarns = brokenWarns && (t.Valid || isBroken)
	}
	err, causes := report.Err(), report.Causes()
	if broken := problemsIn(report); err != nil && broken.Problems != nil {
		err, causes = broken, broken.Causes()
	}
	switch {
	case err != nil && brokenWarns:
		d.Outcome, d.Warnings = Warned, fitting(append(d.Warnings, err.Error()))
	case err != nil:
		d.Outcome, d.Message, d.Causes = Refused, Shorten(err.Error(), maxMessage), listed(causes)
	case len(d.Warnings) > 0:
		d.Outcome = Warned
	}
	return d
}

// problemsIn returns what is wrong with the annotations of the targets, without Problems if nothing is.
func problemsIn(report *vmrules.Report) *vmrules.ParseError {
	all := &vmrules.ParseError{}
	for _, t := range report.Targets() {
		all.Problems = append(all.Problems, t.Problems...)
	}
	return all
}

// listed returns causes as a response lists them. A field that is too long is left out: half of it would
// be the name of another field.
func listed(causes []vmrules.Cause) []vmrules.Cause {
	for i, c := range causes {
		causes[i].Message = Shorten(c.Message, maxCause)
		if len(c.Field) > maxCause {
			causes[i].Field = ""
		}
	}
	return causes
}
