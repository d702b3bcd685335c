package review

import (
	"cmp"
	"context"
	"errors"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/openreports"
)

// A Standing says how a VM of the cluster stands by its rules.
type Standing struct {
	Policy   string         // where the rules come from, as in package openreports
	Template map[string]any // with the rules; nil if they are not those of a template
	Report   *vmrules.Report
}

var errTooMuch = errors.New("it takes too much to be done at once")

// Judge validates a VM as it is in the cluster. If it takes long, it waits in the lane for reviews that do.
// An error says that the cluster cannot be asked, or that there was no time.
func (r *Reviewer) Judge(ctx context.Context, vm map[string]any) (Standing, error) {
	// No user waits, so reviews go first.
	q := &Request{Operation: "UPDATE", Kind: VMKind, Namespace: TextAt(vm, "metadata", "namespace"), Size: quickSize, Object: vm}
	s, err := r.standing(ctx, q, r.quick)
	if !errors.Is(err, errTooMuch) {
		return s, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, slowTime, errLate)
	defer cancel()
	if failed := r.lane.do(ctx, q.Namespace, 0, func() { s, err = r.standing(ctx, q, r.slow) }); failed != nil {
		return Standing{}, failed
	}
	return s, err
}

// standing validates at a pace. The error is errTooMuch if that is too quick.
func (r *Reviewer) standing(ctx context.Context, q *Request, p pace) (Standing, error) {
	j := &judging{Reviewer: r, q: q, pace: p}
	if err := j.run(ctx); err != nil {
		return Standing{}, err
	}
	if p.isTooQuickFor(j.report) {
		return Standing{}, errTooMuch
	}
	t := j.report.Targets()[0] // of a VM
	return Standing{cmp.Or(t.Template, openreports.OwnPolicy), j.template, j.report}, nil
}

// Naming returns the name of the template from which a VM has its rules, and the namespaces where that is
// looked for; none if it has rules of its own, or none. It returns false if it needs no report.
func (r *Reviewer) Naming(vm VM) (namespaces []string, name string, hasRules bool) {
	var named vmrules.TemplateRef
	report := vmrules.ValidateOwn(vm.object(), r.kept, vmrules.WithTemplates(func(ref vmrules.TemplateRef) (*vmrules.Template, error) {
		named = ref
		return nil, nil
	}))
	c := report.Targets()[0].Coverage
	return r.namespacesOf(named), named.Name, c != vmrules.CoverageExempt && c != vmrules.CoverageNoRules
}
