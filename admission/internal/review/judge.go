package review

import (
	"context"
	"iter"
	"slices"

	"github.com/vmrules/vmrules"
)

// judge decides whether a VM may be created or updated; nil if the pace is too quick.
func (r *Reviewer) judge(ctx context.Context, q *Request, p pace) *Decision {
	if q.isLeaving() {
		return exempt()
	}
	opts := []vmrules.ValidateOption{vmrules.WithOldObject(q.Old)} // nil: there is none
	if !r.WholeUpdates {
		opts = append(opts, vmrules.Ratcheting())
	}
	j := &judging{Reviewer: r, q: q, pace: p, opts: opts, warning: r.Warning}
	switch err := j.run(ctx); {
	case err != nil:
		return failure(err)
	case p.isTooQuickFor(j.report):
		return nil
	}
	return judged(j.report, r.BrokenWarns)
}

// isLeaving reports whether a request updates an object that is being deleted, as
// finalizers do. An object that is created cannot be.
func (q *Request) isLeaving() bool {
	return q.Operation == "UPDATE" && partOf(q.Object, "metadata")["deletionTimestamp"] != nil
}

// A judging validates the VM of a request, and reads what that takes from the cluster, once each.
type judging struct {
	*Reviewer
	q       *Request
	pace    pace
	opts    []vmrules.ValidateOption
	warning []vmrules.Doubt // for which a rule that is undecided only warns

	report   *vmrules.Report
	template vmrules.Template // that has the rules; without an Object if none has
	known    map[reference]finding
	failed   error // why the cluster could not be asked
	weight   int   // of the text of the objects and of the rules of the template
	outside  func(read func(context.Context)) bool
}

// run validates the VM. An error says that the cluster cannot be asked, or that there was no time. Nobody
// who waits for the cluster has a slot.
func (j *judging) run(ctx context.Context) error {
	j.weight, j.known = j.q.Size, map[reference]finding{}
	next, stop := iter.Pull(func(yield func(func(context.Context)) bool) {
		j.outside = yield
		j.validate()
	})
	defer stop()
	for {
		var read func(context.Context)
		var reads bool
		if err := j.pace.do(ctx, j.weight, func() { read, reads = next() }); err != nil {
			return err
		}
		if !reads {
			return j.failed
		}
		read(ctx)
	}
}

// validate makes the report. An object that was found and that KubeVirt cannot use is no reason to warn.
func (j *judging) validate() {
	find := []vmrules.ValidateOption{vmrules.WithTemplates(j.findTemplate), vmrules.WithInstancetypes(j.findInstancetype)}
	opts := slices.Concat(find, j.pace.validate, j.opts) // those of the caller come last
	j.report = vmrules.ValidateOwn(j.q.Object, append(opts, vmrules.WarnIfUndecided(j.warning...))...)
	isUnusable := func(d vmrules.Doubt) bool {
		return (d == vmrules.DoubtInstancetype || d == vmrules.DoubtPreference) && !j.lacks(d)
	}
	undecided := j.report.Results(vmrules.OutcomeUndecided)
	if slices.ContainsFunc(undecided, func(r vmrules.Result) bool { return isUnusable(r.Doubt) }) {
		warning := slices.DeleteFunc(slices.Clone(j.warning), isUnusable)
		j.report = vmrules.ValidateOwn(j.q.Object, append(opts, vmrules.WarnIfUndecided(warning...))...)
	}
}
