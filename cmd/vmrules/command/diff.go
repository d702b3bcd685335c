package command

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A differ runs vmrules diff.
type differ struct {
	old, new bundle
	vms      []string
	output   choice[func(io.Writer, *differ) error]

	changed         []changed
	judged          int // VMs
	compared        int // those that a template judges
	withoutTemplate int
	unjudged        *unjudged // the first VM without a template
	allowUnjudged   bool
	kept            int // changes of rules
	unusable        []*manifest.Error
	build           Build
	ignored         leftOut
}

// A bundle is the templates of a version. A VM is judged by the template that it names.
type bundle struct{ ruling }

// A changed is a VM about which the two versions disagree.
type changed struct {
	File      string       `json:"file"`
	Line      int          `json:"line"`
	Kind      string       `json:"kind,omitempty"`
	Namespace string       `json:"namespace,omitempty"`
	Name      string       `json:"name,omitempty"`
	Old       string       `json:"old"` // its verdict
	New       string       `json:"new"`
	Rules     []ruleChange `json:"rules"`
	Note      string       `json:"note,omitempty"` // which template judges it, if it does not name it in full

	title string
}

// An unjudged is a VM that names no template of either version.
type unjudged struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Why       string `json:"why"`

	title string
}

// The verdicts of a version about a VM.
const (
	isValid  = "valid"
	notValid = "invalid"
	isFree   = "no rules"
)

// A ruleChange is a rule with different outcomes. An outcome is "" if there is no such rule.
type ruleChange struct {
	Rule   string          `json:"rule"`
	Target string          `json:"target,omitempty"`
	Old    vmrules.Outcome `json:"old,omitempty"`
	New    vmrules.Outcome `json:"new,omitempty"`

	oldText, newText string
}

func newDiff(b Build) *cobra.Command {
	d := &differ{old: bundle{newRuling(b)}, new: bundle{newRuling(b)}, build: b, ignored: leftOut{}}
	d.output = choice[func(io.Writer, *differ) error]{"text", map[string]func(io.Writer, *differ) error{
		"text": writeChanged, "json": writeChangedJSON,
	}}
	command := &cobra.Command{
		Use:   "diff OLD NEW --vms FILE",
		Short: "Show which VMs are judged differently by new templates",
		Long: `Diff judges VMs by two versions of their templates, and shows the VMs and rules with
different outcomes. OLD and NEW are files or folders with templates. A VM is judged by the
template that it names by its labels. If it names none, and each version has
just one template, it is judged by that. A name without a namespace counts if just one
template has it. The rules that VMs carry themselves do not count, because
templates put copies of their rules there. VMs that are exempt from rules stay exempt.

A rule is shown if it was, or is now, violated, warned, undecided or ignored, with the old
outcome behind - and the new one behind +.

The exit status is 0 if nothing changes, 1 if a VM is judged differently, and 2 if
something cannot be used. It is also 2 if there are no VMs, or none of them finds its
template, unless --allow-unjudged is given.`,
		Example: `  vmrules diff templates/v1 templates/v2 --vms vms/
  kubectl get vm -A -o yaml | vmrules diff old.yaml new.yaml --vms -`,
		Args: cobra.ExactArgs(2),
		RunE: d.run,
	}
	d.new.parameters.flag(command)
	d.new.with.flag(command)
	command.Flags().StringArrayVar(&d.vms, "vms", nil, "file or folder with VMs, or - for the standard input")
	_ = command.MarkFlagRequired("vms") // fails only for an unknown flag
	command.Flags().BoolVar(&d.allowUnjudged, "allow-unjudged", false, "exit with 0 if no VM finds its template")
	d.output.flag(command, "output", "o", "how to write the changes")
	return command
}

func (d *differ) run(command *cobra.Command, args []string) error {
	if err := inputTwice(args, d.vms, d.new.with.files); err != nil {
		return err
	}
	d.old.template, d.new.template = args[0], args[1]
	d.old.given = d.new.given
	for _, b := range []*bundle{&d.old, &d.new} {
		if err := b.read(command); err != nil {
			return err
		}
		if err := b.readRules(); err != nil {
			return err
		}
	}
	// A parameter may be in one version only.
	for name := range d.old.declared {
		d.new.declared[name] = true
	}
	if err := d.new.allDeclared(); err != nil {
		return err
	}
	var vms []manifest.Object
	d.new.with.counts = manifest.Document.HoldsVM
	for object, err := range d.new.with.objects(d.vms, command.InOrStdin()) {
		switch {
		case err != nil:
			d.unusable = append(d.unusable, unusable(command.ErrOrStderr(), err))
		case object.HoldsVM() && !object.IsTemplate():
			vms = append(vms, object)
		}
	}
	d.new.with.warn(command.ErrOrStderr())
	for _, vm := range vms {
		if err := d.compare(vm); err != nil {
			d.unusable = append(d.unusable, unusable(command.ErrOrStderr(), err))
		}
		if d.kept > maxKeptWeight {
			err := &manifest.Error{File: vm.File().Name, Line: vm.Line, Column: 1, Message: "too many changes: compare fewer VMs at a time"}
			d.unusable = append(d.unusable, unusable(command.ErrOrStderr(), err))
			break
		}
	}
	if err := d.output.value()(command.OutOrStdout(), d); err != nil {
		return err
	}
	d.ignored.warn(command.ErrOrStderr())
	if d.unusable == nil && d.compared == 0 && !d.allowUnjudged {
		return errNothingJudged
	}
	return verdict(d.changed != nil, d.unusable != nil)
}

var errNothingJudged = errors.New("no VM was judged: give VMs that find their templates and are not exempt, or --allow-unjudged")

// readRules reads the rules of all templates.
func (b *bundle) readRules() error {
	var all []error
	for _, t := range b.templates {
		t.rules, _, t.err = b.rulesIn(t.Object)
		if t.err != nil {
			all = append(all, &manifest.Error{File: t.File().Name, Line: t.Line, Column: 1, Message: t.String() + ": " + t.err.Error()})
		}
	}
	return errors.Join(all...)
}

// choose decides which template of each version judges a VM. The only template judges VMs that
// name none, if both versions have just one.
func (d *differ) choose(vm map[string]any) (before, after basis, err error) {
	source := namedBy(vm)
	takesOnly := source.Name == "" && len(d.old.templates) == 1 && len(d.new.templates) == 1
	before, oldErr := d.old.choose(source, takesOnly)
	after, newErr := d.new.choose(source, takesOnly)
	return before, after, cmp.Or(oldErr, newErr)
}

// namedBy returns the template that a VM names, whatever rules it has itself.
func namedBy(vm map[string]any) vmrules.Source {
	if namespace, name, ok := vmrules.TemplateOf(vm); ok {
		return vmrules.Source{Namespace: namespace, Name: name}
	}
	metadata, _ := vm["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if annotations != nil {
		vm, metadata, annotations = maps.Clone(vm), maps.Clone(metadata), maps.Clone(annotations)
		delete(annotations, vmrules.Annotation)
		metadata["annotations"], vm["metadata"] = annotations, metadata
	}
	return vmrules.SourceOf(vm)
}

// rulesOfTemplate returns the rules of the template; none if there is no template.
func (b basis) rulesOfTemplate() vmrules.Rules {
	if b.template == nil {
		return vmrules.Rules{}
	}
	return b.template.rules
}

// compare judges a VM by both versions. Its error is that the VM's template is not clear.
func (d *differ) compare(o manifest.Object) error {
	d.judged++
	vm := o.Content()
	if vmrules.SourceOf(vm).From == vmrules.SourceExempt {
		return nil
	}
	by, now, err := d.choose(vm)
	if err != nil {
		return &manifest.Error{File: o.File().Name, Line: o.Line, Column: 1, Message: o.String() + ": " + err.Error()}
	}
	if by.template == nil && now.template == nil {
		d.withoutTemplate++
		if d.unjudged == nil {
			d.unjudged = &unjudged{o.File().Name, o.Line, o.Kind, o.Namespace, o.Name, by.note, o.String()}
		}
		return nil
	}
	d.compared++
	with := d.new.with.set.For(o.Kind, o.Namespace).Option()
	before, after := vmrules.Validate(by.rulesOfTemplate(), vm, with), vmrules.Validate(now.rulesOfTemplate(), vm, with)
	d.ignored.addKinds(d.build, before)
	d.ignored.addKinds(d.build, after)
	c := changed{
		File: o.File().Name, Line: o.Line, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, title: o.String(),
		Old: verdictOf(before), New: verdictOf(after), Rules: changesOf(before, after), Note: cmp.Or(now.note, by.note),
	}
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
	return notValid
}

// changesOf returns the rules that need attention and have different outcomes: first those of
// the old version, in its order, and then those that only the new one has.
func changesOf(before, after *vmrules.Report) []ruleChange {
	type key struct{ target, rule string }
	all := []ruleChange{}
	index := map[key]int{}
	for _, r := range before.Results() {
		index[key{r.Target, r.Rule}] = len(all)
		all = append(all, ruleChange{Rule: r.Rule, Target: r.Target, Old: r.Outcome, oldText: short(r.String())})
	}
	for _, r := range after.Results() {
		i, known := index[key{r.Target, r.Rule}]
		if !known {
			i = len(all)
			all = append(all, ruleChange{Rule: r.Rule, Target: r.Target})
		}
		all[i].New, all[i].newText = r.Outcome, short(r.String())
	}
	return slices.DeleteFunc(all, func(c ruleChange) bool {
		return c.Old == c.New || !slices.Contains(loud, c.Old) && !slices.Contains(loud, c.New)
	})
}
