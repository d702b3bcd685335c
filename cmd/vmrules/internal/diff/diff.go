// Package diff is the subcommand diff.
package diff

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/git"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
)

// Options say what vmrules diff does.
type Options struct {
	Versions      []string // files, folders or revisions with the old templates and the new ones
	VMs           []string
	With, Params  []string
	AllowUnjudged bool
	All           bool   // also write what is said of another template
	Output        string // a key of outputs, or "" for text
}

type differ struct {
	options  Options
	old, new judging.Ruling // a VM is validated by the template that it names

	changed         []changed         // VMs
	templates       []changedTemplate // without VMs
	judged          int               // VMs or, without any, templates
	compared        int               // those that have rules: VMs in one version, templates in both
	withoutTemplate int
	unjudged        *withoutTemplate // the first VM without a template
	kept            int              // changes of rules
	unusable        []*manifest.Error
}

// A changed is a VM about which the two versions disagree.
type changed struct {
	output.About
	Old   judged.Class    `json:"old"` // valid, invalid or no rules
	New   judged.Class    `json:"new"`
	Rules []outcomeChange `json:"rules"`
	Note  string          `json:"note,omitempty"` // which template validates it, if it does not name it in full
}

// A withoutTemplate is a VM that names no template of either version.
type withoutTemplate struct {
	output.About
	Why string `json:"why"`
}

// An outcomeChange is a rule with different outcomes. An outcome is "" if there is no such rule.
type outcomeChange struct {
	Rule   string          `json:"rule"`
	Target string          `json:"target,omitempty"`
	Old    vmrules.Outcome `json:"old,omitempty"`
	New    vmrules.Outcome `json:"new,omitempty"`

	oldText, newText string
}

// Command returns the subcommand.
func Command(b build.Build) *cobra.Command {
	var o Options
	command := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Show how the rules of new templates differ",
		Long: `Diff compares two versions of templates. OLD and NEW are files or folders with templates, or
git:REVISION:PATH for those of a git revision; the checkout stays as it is. The path begins at
the top of the repository, or in this folder with ./.

Diff pairs templates, and the rules in them, by name. It shows which rules were added, removed or
changed, and the old and new values of the keys that differ, with the parameters filled in. A new
min, max, minLength, maxLength, values or justWarning is "stricter" or "looser" if the two values
alone show that. In JSON and in the summary, a rule is "stricter" or "looser" if all its changes
are, apart from the message; otherwise it is "changed". A change that several templates share is
written once. With --all, as in JSON, each template shows it.

With --vms, diff validates VMs by both versions instead, and shows the VMs and rules whose outcomes
differ. A VM is validated by the template that its labels name. If it names none, and each version
has just one template, it is validated by that. Rules in the VM itself do not count, because templates
put copies of their rules there. VMs that are exempt from rules stay exempt. An outcome is shown
if it was, or is now, violated, warned, undecided or ignored: the old one after -, the new one
after +.

The exit status is 0 if nothing changes, 1 if something does, and 2 if a file or its rules cannot be
used. A change is a template or a rule that was added, removed or changed; with --vms, it is a VM
with another verdict or outcome. The status is also 2 if nothing is compared, because no template
with rules is in both versions, or no VM finds its template; --allow-unjudged permits that.`,
		Example: `  vmrules diff templates/v1 templates/v2
  vmrules diff git:v0.34.0:templates/ templates/
  vmrules diff templates/v1 templates/v2 --vms vms/
  kubectl get vm -A -o yaml | vmrules diff old.yaml new.yaml --vms -`,
		Args: cli.Arguments(2, 2, "name two files or folders with templates: the old ones, and the new ones"),
		RunE: cli.Run(&o.Versions, func(s cli.Streams) error { return Run(b, o, s) }),
	}
	judging.ParamFlag(command, &o.Params)
	judging.WithFlag(command, &o.With)
	command.Flags().StringArrayVar(&o.VMs, "vms", nil, "file or folder with VMs to validate, or - for the standard input")
	command.Flags().BoolVar(&o.All, "all", false, "show each change in all templates that have it")
	cli.Exclusive(command, "all", "vms")
	cli.UnjudgedFlag(command, &o.AllowUnjudged)
	cli.OneOf(command, "output", "o", "format of the changes", &o.Output, "text", slices.Sorted(maps.Keys(outputs))...)
	return command
}

var outputs = map[string]func(io.Writer, *differ) error{"text": writeChanged, "json": writeChangedJSON}

// Run compares two versions of templates. The error sets the exit status.
func Run(b build.Build, o Options, s cli.Streams) error {
	if o.VMs == nil && o.With != nil {
		return errors.New("--with needs --vms")
	}
	if err := cli.InputTwice(o.Versions, o.VMs, o.With); err != nil {
		return err
	}
	d := &differ{options: o, old: judging.NewRuling(b), new: judging.NewRuling(b)}
	if err := d.new.With.Read(o.With, s.In); err != nil {
		return err
	}
	for i, r := range []*judging.Ruling{&d.old, &d.new} {
		if err := readVersion(r, o.Versions[i], o.Params, s.In); err != nil {
			return err
		}
	}
	isSole := len(d.old.Given) == 1 && len(d.new.Given) == 1
	d.old.OnlyNamed, d.new.OnlyNamed = !isSole, !isSole
	// A parameter may be in one version only.
	maps.Copy(d.new.Declared, d.old.Declared)
	if err := d.new.AllDeclared(); err != nil {
		return err
	}
	nothing := "no rules were compared: give versions that have templates with rules under the same names, or --allow-unjudged"
	if o.VMs == nil {
		d.compareTemplates(s.Err)
	} else {
		nothing = "no VM was validated: give VMs that find their templates and are not exempt, or --allow-unjudged"
		d.compareVMs(s)
	}
	if err := outputs[cmp.Or(o.Output, "text")](s.Out, d); err != nil {
		return err
	}
	d.new.Ignored.Warn(s.Err)
	if d.unusable == nil && d.compared == 0 && !o.AllowUnjudged {
		return errors.New(nothing)
	}
	return cli.Verdict(d.changed != nil || d.templates != nil, d.unusable != nil)
}

// readVersion reads a version of the templates, and all their rules.
func readVersion(r *judging.Ruling, version string, params []string, stdin io.Reader) error {
	if err := r.Parameters.Read(params); err != nil {
		return err
	}
	files := manifest.Read([]string{version}, stdin)
	if git.Is(version) {
		files = manifest.ReadInputs(git.Inputs(version))
	}
	if err := r.AddTemplates(version, files); err != nil {
		return err
	}
	var wrong []error
	for _, t := range r.Templates.All {
		if _, err := t.Rules(); err != nil {
			wrong = append(wrong, output.AboutObject(t.Object).Wrong(err))
		}
	}
	return errors.Join(wrong...)
}

func (d *differ) compareVMs(s cli.Streams) {
	var vms []manifest.Object
	d.new.With.Counts = manifest.Document.HoldsVM
	for object, err := range d.new.With.Objects(manifest.Read(d.options.VMs, s.In)) {
		switch {
		case err != nil:
			d.unusable = append(d.unusable, cli.Unusable(s.Err, err))
		case object.HoldsVM() && !object.IsTemplate():
			vms = append(vms, object)
		}
	}
	d.new.With.Warn(s.Err)
	for _, vm := range vms {
		if !d.goesOn(d.compare(vm.Loaded()), output.AboutObject(vm), s.Err) {
			return
		}
	}
}

// goesOn reports whether to compare more. It writes errors about the object that was compared.
func (d *differ) goesOn(err error, a output.About, stderr io.Writer) bool {
	isFull := d.kept > judging.MaxKeptWeight
	if isFull {
		err = errors.New("too many changes: compare fewer objects at a time")
	}
	if err != nil {
		d.unusable = append(d.unusable, cli.Unusable(stderr, a.Wrong(err)))
	}
	return !isFull
}

// compare validates a VM by both versions. Its error is that the VM's template is not clear.
func (d *differ) compare(o manifest.Object) error {
	d.judged++
	vm, a := o.Content(), output.AboutObject(o)
	manifest.RemoveRules(vm)
	with := d.new.With.Set.For(o.Kind, o.Namespace).Option()
	before, err := d.old.Judge(vm, with)
	after, otherErr := d.new.Judge(vm, with)
	if err := cmp.Or(err, otherErr); err != nil {
		return err
	}
	target := before.Targets()[0]
	for _, g := range append(before.Gaps(), after.Gaps()...) {
		if g.IsUnreadable() {
			return errors.New(g.Note)
		}
	}
	switch {
	case target.Coverage == vmrules.CoverageExempt:
		return nil
	case before.By == nil && after.By == nil:
		d.withoutTemplate++
		if target.Coverage == vmrules.CoverageNoRules {
			target.Note = "the VM names no template"
		}
		d.unjudged = cmp.Or(d.unjudged, &withoutTemplate{a, target.Note})
		return nil
	}
	d.compared++
	for i, j := range []*judging.Judgement{&before, &after} {
		if j.By == nil {
			j.Note = d.options.Versions[i] + ": " + j.Targets()[0].Note
			j.Report = vmrules.NewReport(nil)
		}
		d.new.Ignored.AddKinds(d.new.Build, j.Results(vmrules.OutcomeIgnored))
	}
	c := changed{a, verdictOf(before.Report), verdictOf(after.Report), outcomeChanges(before.Report, after.Report), cmp.Or(after.Note, before.Note)}
	if c.Old != c.New || len(c.Rules) > 0 {
		d.changed = append(d.changed, c)
		d.kept += 1 + len(c.Rules)
	}
	return nil
}

func verdictOf(r *vmrules.Report) judged.Class {
	switch {
	case len(r.Results()) == 0:
		return judged.NoRules
	case r.Valid():
		return judged.Valid
	}
	return judged.Invalid
}

// outcomeChanges returns the rules that need attention and have different outcomes: first those of
// the old version, in its order, and then those that only the new one has.
func outcomeChanges(before, after *vmrules.Report) []outcomeChange {
	type key struct{ target, rule string }
	all := []outcomeChange{}
	index := map[key]int{}
	for _, r := range before.Results() {
		index[key{r.Target, r.Rule}] = len(all)
		all = append(all, outcomeChange{Rule: r.Rule, Target: r.Target, Old: r.Outcome, oldText: output.Short(r.String())})
	}
	for _, r := range after.Results() {
		i, known := index[key{r.Target, r.Rule}]
		if !known {
			i = len(all)
			all = append(all, outcomeChange{Rule: r.Rule, Target: r.Target})
		}
		all[i].New, all[i].newText = r.Outcome, output.Short(r.String())
	}
	return slices.DeleteFunc(all, func(o outcomeChange) bool {
		return o.Old == o.New || !slices.Contains(output.Loud, o.Old) && !slices.Contains(output.Loud, o.New)
	})
}
