package command

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A differ runs vmrules diff.
type differ struct {
	old, new ruling // a VM is judged by the template that it names
	vms      []string
	output   choice[func(io.Writer, *differ) error]

	changed         []changed         // VMs
	templates       []changedTemplate // without VMs
	judged          int               // VMs or, without any, templates
	compared        int               // those that have rules: VMs in one version, templates in both
	withoutTemplate int
	unjudged        *withoutTemplate // the first VM without a template
	allowUnjudged   bool
	kept            int // changes of rules
	unusable        []*manifest.Error
	build           Build
	ignored         leftOut
}

// A changed is a VM about which the two versions disagree.
type changed struct {
	about
	Old   string          `json:"old"` // the verdict
	New   string          `json:"new"`
	Rules []outcomeChange `json:"rules"`
	Note  string          `json:"note,omitempty"` // which template judges it, if it does not name it in full
}

// A withoutTemplate is a VM that names no template of either version.
type withoutTemplate struct {
	about
	Why string `json:"why"`
}

// The verdicts of a version about a VM.
const (
	isValid   = "valid"
	isInvalid = "invalid"
	isFree    = "no rules"
)

// An outcomeChange is a rule with different outcomes. An outcome is "" if there is no such rule.
type outcomeChange struct {
	Rule   string          `json:"rule"`
	Target string          `json:"target,omitempty"`
	Old    vmrules.Outcome `json:"old,omitempty"`
	New    vmrules.Outcome `json:"new,omitempty"`

	oldText, newText string
}

func newDiff(b Build) *cobra.Command {
	d := &differ{old: newRuling(b), new: newRuling(b), build: b, ignored: leftOut{}}
	d.output = choice[func(io.Writer, *differ) error]{"text", map[string]func(io.Writer, *differ) error{
		"text": writeChanged, "json": writeChangedJSON,
	}}
	command := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Show how the rules of new templates differ",
		Long: `Diff compares two versions of templates. OLD and NEW are files or folders with templates.

It pairs templates, and the rules in them, by their names. It shows which rules were added,
removed or changed, and the old and new values of the keys that differ, with the parameters
filled in. A rule is "stricter" or "looser" if its min, max, minLength, maxLength, values and
justWarning alone show that, and "changed" otherwise.

With --vms, diff judges VMs by both versions instead, and shows the VMs and rules with
different outcomes. A VM is judged by the template that it names by its labels. If it names
none, and each version has just one template, it is judged by that. The rules that VMs carry themselves do not count, because
templates put copies of their rules there. VMs that are exempt from rules stay exempt.

The outcome of a rule is shown if it was, or is now, violated, warned, undecided or ignored,
with the old outcome behind - and the new one behind +.

The exit status is 0 if nothing changes, 1 if something does, and 2 if something cannot be
used. Something changes if a template or a rule was added, removed or changed or, with --vms, if
any VM is shown with another verdict or outcome. The status is also 2 if nothing is compared,
unless --allow-unjudged is given: no template with rules is in both versions, or no VM finds its
template.`,
		Example: `  vmrules diff templates/v1 templates/v2
  vmrules diff templates/v1 templates/v2 --vms vms/
  kubectl get vm -A -o yaml | vmrules diff old.yaml new.yaml --vms -`,
		Args: arguments(2, 2, "name two files or folders with templates: the old ones, and the new ones"),
		RunE: d.run,
	}
	d.new.parameters.flag(command)
	d.new.with.flag(command)
	command.Flags().StringArrayVar(&d.vms, "vms", nil, "file or folder with VMs to judge, or - for the standard input")
	unjudgedFlag(command, &d.allowUnjudged)
	d.output.flag(command, "output", "o", "how to write the changes")
	return command
}

func (d *differ) run(command *cobra.Command, args []string) error {
	if d.vms == nil && d.new.with.files != nil {
		return errors.New("--with needs --vms")
	}
	if err := inputTwice(args, d.vms, d.new.with.files); err != nil {
		return err
	}
	d.old.template, d.new.template = args[0], args[1]
	d.old.given = d.new.given
	for _, b := range []*ruling{&d.old, &d.new} {
		if err := b.read(command); err != nil {
			return err
		}
		var wrong []error
		for _, t := range b.templates.All {
			if _, err := t.Rules(); err != nil {
				wrong = append(wrong, aboutObject(t.Object).wrong(err))
			}
		}
		if wrong != nil {
			return errors.Join(wrong...)
		}
	}
	isSole := len(d.old.given) == 1 && len(d.new.given) == 1
	d.old.onlyNamed, d.new.onlyNamed = !isSole, !isSole
	// A parameter may be in one version only.
	for name := range d.old.declared {
		d.new.declared[name] = true
	}
	if err := d.new.allDeclared(); err != nil {
		return err
	}
	stderr, nothing := command.ErrOrStderr(), errNothingCompared
	if d.vms == nil {
		d.compareTemplates(stderr)
	} else {
		nothing = errNothingJudged
		d.compareVMs(command.InOrStdin(), stderr)
	}
	if err := d.output.value()(command.OutOrStdout(), d); err != nil {
		return err
	}
	d.ignored.warn(stderr)
	if d.unusable == nil && d.compared == 0 && !d.allowUnjudged {
		return nothing
	}
	return verdict(d.changed != nil || d.templates != nil, d.unusable != nil)
}

var (
	errNothingJudged   = errors.New("no VM was judged: give VMs that find their templates and are not exempt, or --allow-unjudged")
	errNothingCompared = errors.New("no rules were compared: give versions that have templates with rules under the same names, or --allow-unjudged")
)

// compareVMs judges VMs by both versions.
func (d *differ) compareVMs(stdin io.Reader, stderr io.Writer) {
	var vms []manifest.Object
	d.new.with.counts = manifest.Document.HoldsVM
	for object, err := range d.new.with.objects(d.vms, stdin) {
		switch {
		case err != nil:
			d.unusable = append(d.unusable, unusable(stderr, err))
		case object.HoldsVM() && !object.IsTemplate():
			vms = append(vms, object)
		}
	}
	d.new.with.warn(stderr)
	for _, vm := range vms {
		if !d.goesOn(d.compare(vm.Loaded()), aboutObject(vm), stderr) {
			return
		}
	}
}

// goesOn reports whether to compare more. It writes errors about the object that was compared.
func (d *differ) goesOn(err error, a about, stderr io.Writer) bool {
	isFull := d.kept > maxKeptWeight
	if isFull {
		err = errors.New("too many changes: compare fewer objects at a time")
	}
	if err != nil {
		d.unusable = append(d.unusable, unusable(stderr, a.wrong(err)))
	}
	return !isFull
}

// compare judges a VM by both versions. Its error is that the VM's template is not clear.
func (d *differ) compare(o manifest.Object) error {
	d.judged++
	vm, a := o.Content(), aboutObject(o)
	manifest.RemoveRules(vm)
	with := d.new.with.set.For(o.Kind, o.Namespace).Option()
	before, err := d.old.judge(vm, with)
	after, otherErr := d.new.judge(vm, with)
	if err := cmp.Or(err, otherErr); err != nil {
		return err
	}
	target := before.Targets()[0]
	for _, g := range append(before.gaps(), after.gaps()...) {
		if g.IsUnreadable() {
			return errors.New(g.Note)
		}
	}
	switch {
	case target.Coverage == vmrules.CoverageExempt:
		return nil
	case before.by == nil && after.by == nil:
		d.withoutTemplate++
		if target.Coverage == vmrules.CoverageNoRules {
			target.Note = "the VM names no template"
		}
		d.unjudged = cmp.Or(d.unjudged, &withoutTemplate{a, target.Note})
		return nil
	}
	d.compared++
	for r, j := range map[*ruling]*judgement{&d.old: &before, &d.new: &after} {
		if j.by == nil {
			j.note = r.template + ": " + j.Targets()[0].Note
			j.Report = vmrules.NewReport(nil)
		}
	}
	d.ignored.addKinds(d.build, before.Results(vmrules.Ignored))
	d.ignored.addKinds(d.build, after.Results(vmrules.Ignored))
	c := changed{a, verdictOf(before.Report), verdictOf(after.Report), outcomeChanges(before.Report, after.Report), cmp.Or(after.note, before.note)}
	if c.Old != c.New || len(c.Rules) > 0 {
		d.changed = append(d.changed, c)
		d.kept += 1 + len(c.Rules)
	}
	return nil
}

func verdictOf(r *vmrules.Report) string {
	switch {
	case len(r.Results()) == 0:
		return isFree
	case r.Valid():
		return isValid
	}
	return isInvalid
}

// outcomeChanges returns the rules that need attention and have different outcomes: first those of
// the old version, in its order, and then those that only the new one has.
func outcomeChanges(before, after *vmrules.Report) []outcomeChange {
	type key struct{ target, rule string }
	all := []outcomeChange{}
	index := map[key]int{}
	for _, r := range before.Results() {
		index[key{r.Target, r.Rule}] = len(all)
		all = append(all, outcomeChange{Rule: r.Rule, Target: r.Target, Old: r.Outcome, oldText: short(r.String())})
	}
	for _, r := range after.Results() {
		i, known := index[key{r.Target, r.Rule}]
		if !known {
			i = len(all)
			all = append(all, outcomeChange{Rule: r.Rule, Target: r.Target})
		}
		all[i].New, all[i].newText = r.Outcome, short(r.String())
	}
	return slices.DeleteFunc(all, func(o outcomeChange) bool {
		return o.Old == o.New || !slices.Contains(loud, o.Old) && !slices.Contains(loud, o.New)
	})
}
