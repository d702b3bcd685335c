package admission

import (
	"cmp"
	"context"
	"errors"
	"reflect"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/vmrules/vmrules"
)

// judge decides whether a VM may be created or updated.
func (r *Reviewer) judge(ctx context.Context, q *request) *decision {
	if q.isLeaving() {
		return exempt()
	}
	vm := q.vmIn(q.object)
	s := r.sourceOf(vm, q.namespace)
	c := r.changeOf(q, s)
	rules, err := r.rules(ctx, q.object, s)
	if err != nil {
		return r.withoutRules(q, err, c)
	}
	if rules.Len() == 0 {
		return exempt()
	}
	found := newLookup(&r.finder, q)
	if err := cmp.Or(found.read(ctx, vm), found.read(ctx, q.vmIn(q.old))); err != nil {
		return failure(err)
	}
	var report *vmrules.Report
	if failed := r.slots.do(ctx, func() {
		report = vmrules.Validate(rules, q.object, r.optionsFor(q, found, c)...)
	}); failed != nil {
		return failure(failed)
	}
	report = r.settled(report, func(d vmrules.Doubt) bool { return found.lacks(vm, d) })
	countViolations(report, s.isTemplates())
	return judged(q, report)
}

// isLeaving reports whether a request updates an object that is being deleted, as
// finalizers do. An object that is created cannot be.
func (q *request) isLeaving() bool {
	metadata, _ := q.object["metadata"].(map[string]any)
	return q.operation == admissionv1.Update && metadata["deletionTimestamp"] != nil
}

// A change says what an update leaves as it was. The zero change is a creation.
type change struct {
	keepsSource bool // where the rules come from
	keepsAll    bool // and the spec
}

func (r *Reviewer) changeOf(q *request, s source) change {
	if q.old == nil || r.wholeUpdates || r.sourceOf(q.vmIn(q.old), q.namespace) != s {
		return change{}
	}
	return change{true, reflect.DeepEqual(q.object["spec"], q.old["spec"])}
}

// withoutRules decides about a VM whose rules cannot be used. An update that does not change
// what the rules are about is not refused for that.
func (r *Reviewer) withoutRules(q *request, err error, c change) *decision {
	var (
		action   Action
		missing  missingError
		template templateError
		broken   *vmrules.ParseError
	)
	switch {
	case errors.As(err, &missing):
		action = r.missingTemplate
	case errors.As(err, &template):
		action = r.brokenTemplate
	case errors.As(err, &broken):
		action = Refuse
	default:
		return failure(err)
	}
	if c.keepsAll {
		action = Warn
	}
	return unusable(q, err, action)
}

// optionsFor returns the options to judge a request by.
func (r *Reviewer) optionsFor(q *request, found *lookup, c change) []vmrules.ValidateOption {
	opts := append([]vmrules.ValidateOption{}, r.validate...)
	opts = append(opts, vmrules.WithInstancetypes(found.find))
	if q.old != nil {
		opts = append(opts, vmrules.WithOldObject(q.old))
	}
	if c.keepsSource {
		opts = append(opts, vmrules.Ratcheting())
	}
	return opts
}

// settled returns a report in which a rule that is Undecided for a reason with the action Warn
// only warns. lacks reports whether the reason may be an object that was not found.
func (r *Reviewer) settled(report *vmrules.Report, lacks func(vmrules.Doubt) bool) *vmrules.Report {
	if len(report.Results(vmrules.Undecided)) == 0 {
		return report
	}
	results := report.Results()
	for i := range results {
		d := results[i].Undecided
		if results[i].Outcome != vmrules.Undecided || r.undecided[d] != Warn {
			continue
		}
		isOfName := d == vmrules.DoubtInstancetype || d == vmrules.DoubtPreference
		if isOfName && !lacks(d) {
			continue
		}
		for k := range results[i].Violations {
			results[i].Violations[k].Warning = true
		}
	}
	return vmrules.NewReport(results)
}
