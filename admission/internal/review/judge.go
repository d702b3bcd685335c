package review

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/vmrules/vmrules"
)

// judge decides whether a VM may be created or updated; nil if the pace is too quick.
func (r *Reviewer) judge(ctx context.Context, q *Request, p pace) *Decision {
	if q.isLeaving() {
		return exempt()
	}
	vm := q.vmIn(q.Object)
	s := r.sourceOf(q.Object, q.Namespace)
	c := r.changeOf(q, s)
	rules, _, err := r.rules(ctx, q, s, p)
	switch {
	case p.cannotRead(err):
		return nil
	case err != nil:
		return r.withoutRules(err, c)
	case rules.Len() == 0:
		return exempt()
	}
	found := newLookup(&r.finder, q)
	if err := cmp.Or(found.read(ctx, vm), found.read(ctx, q.vmIn(q.Old))); err != nil {
		return failure(err)
	}
	var d *Decision
	if failed := p.do(ctx, func() {
		report := vmrules.Validate(rules, q.Object, optionsFor(q, found, c, p)...)
		if p.cannotJudge(report) {
			return
		}
		report = r.settled(report, func(d vmrules.Doubt) bool { return found.lacks(vm, d) })
		d = judged(report, s.From == vmrules.SourceTemplate)
	}); failed != nil {
		return failure(failed)
	}
	return d
}

// isLeaving reports whether a request updates an object that is being deleted, as
// finalizers do. An object that is created cannot be.
func (q *Request) isLeaving() bool {
	metadata, _ := q.Object["metadata"].(map[string]any)
	return q.Operation == "UPDATE" && metadata["deletionTimestamp"] != nil
}

// A change says what an update leaves as it was. The zero change is a creation.
type change struct {
	keepsSource bool // where the rules come from
	keepsAll    bool // and the spec
}

func (r *Reviewer) changeOf(q *Request, s vmrules.Source) change {
	if q.Old == nil || r.WholeUpdates || r.sourceOf(q.Old, q.Namespace) != s {
		return change{}
	}
	return change{true, reflect.DeepEqual(q.Object["spec"], q.Old["spec"])}
}

// withoutRules decides about a VM whose rules cannot be used. An update that does not change
// what the rules are about is not refused for that.
func (r *Reviewer) withoutRules(err error, c change) *Decision {
	var (
		missing  missingError
		template templateError
		broken   *vmrules.ParseError
	)
	warns := c.keepsAll
	switch {
	case errors.As(err, &missing):
		warns = warns || r.MissingWarns
	case errors.As(err, &template):
		warns = warns || r.BrokenWarns
	case !errors.As(err, &broken):
		return failure(err)
	}
	return unusable(err, warns)
}

// optionsFor returns the options to judge a request by.
func optionsFor(q *Request, found *lookup, c change, p pace) []vmrules.ValidateOption {
	opts := append(slices.Clip(p.validate), vmrules.WithInstancetypes(found.find))
	if q.Old != nil {
		opts = append(opts, vmrules.WithOldObject(q.Old))
	}
	if c.keepsSource {
		opts = append(opts, vmrules.Ratcheting())
	}
	return opts
}

// settled returns a report in which a rule that is Undecided only warns, if UndecidedWarns says
// so. lacks reports whether the reason may be an object that was not found.
func (r *Reviewer) settled(report *vmrules.Report, lacks func(vmrules.Doubt) bool) *vmrules.Report {
	if len(report.Results(vmrules.Undecided)) == 0 {
		return report
	}
	results := report.Results()
	for i := range results {
		d := results[i].Undecided
		if results[i].Outcome != vmrules.Undecided || !r.UndecidedWarns[d] {
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
