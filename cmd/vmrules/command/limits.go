package command

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/form"
)

// A limiter runs vmrules limits.
type limiter struct {
	ruling
	build        Build
	isParameters bool
	output       choice[bool]
}

func newLimits(b Build) *cobra.Command {
	l := &limiter{ruling: newRuling(b), build: b, output: choice[bool]{"json", map[string]bool{"json": true, "text": true, "schema": true}}}
	command := &cobra.Command{
		Use:   "limits FILE|-",
		Short: "Show what each field of a VM may hold",
		Long: `Limits writes, for each field that the rules judge, what all rules together ask of it:
its type, its bounds, and the values and patterns that it must match. As JSON, it also
lists the rules that do not apply at present, and those that cannot be decided.

With -o schema, it writes a JSON Schema (draft 2020-12) for the whole object. The schema lists
what it cannot express under x-vmrules-unexpressed.

FILE is YAML or JSON with one VM or template, or - for the standard input. The rules
are the VM's own. If it has none, and --template is given, they are those of its
template.

With --parameters, FILE has a template, and the limits are those of its parameters: the values
that they may have, so that the fields they fill in satisfy the template's rules.
` + aboutInstancetypes,
		Example: `  vmrules limits --template windows.yaml vm.yaml
  vmrules limits -o schema --template windows.yaml vm.yaml
  vmrules limits --parameters windows.yaml`,
		Args: arguments(1, 1, "name one file, or - for standard input"),
		RunE: l.run,
	}
	l.flags(command)
	command.Flags().BoolVar(&l.isParameters, "parameters", false, "describe the parameters of the template in FILE")
	for _, other := range []string{"template", "with", "param"} {
		exclusive(command, "parameters", other)
	}
	l.output.flag(command, "output", "o", "how to write the limits")
	return command
}

func (l *limiter) run(command *cobra.Command, args []string) error {
	if err := inputTwice(l.with.files, []string{l.template}, args); err != nil {
		return err
	}
	if l.isParameters && l.output.name == "schema" {
		return errors.New("--parameters and -o schema cannot be used together: a schema is about the fields of a VM")
	}
	if err := l.read(command); err != nil {
		return err
	}
	object, err := l.onlyObject(command, args[0])
	if err != nil {
		return err
	}
	l.with.warn(command.ErrOrStderr())
	write := l.writeFields
	if l.isParameters {
		write = l.writeParameters
	}
	if err := write(command, object); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}

func (l *limiter) writeParameters(command *cobra.Command, template manifest.Object) error {
	if !template.IsTemplate() {
		return errors.New("--parameters needs a template, and this is a " + template.Kind)
	}
	parameters, err := form.Parameters(template.Content(), l.templates.Reading...)
	if err != nil {
		return err
	}
	if l.output.name == "text" {
		return writeParameterLimits(command.OutOrStdout(), parameters)
	}
	return writeJSON(command.OutOrStdout(), parameters)
}

func (l *limiter) writeFields(command *cobra.Command, object manifest.Object) error {
	with := l.with.set.For(object.Kind, object.Namespace).Option()
	rules, content, err := l.rulesFor(object, with)
	if err == nil {
		err = l.allDeclared()
	}
	if err != nil {
		return err
	}
	stdout, stderr := command.OutOrStdout(), command.ErrOrStderr()
	if rules.Len() == 0 {
		fmt.Fprintf(stderr, "vmrules: %s: no rules, so any value is allowed\n", aboutObject(object))
	}
	switch l.output.name {
	case "schema":
		err = writeJSON(stdout, form.Schema(rules, content, with))
	case "text":
		err = writeLimits(stdout, form.Limits(rules, content, with))
	default:
		err = writeJSON(stdout, form.Limits(rules, content, with))
	}
	ignored := leftOut{}
	for _, rule := range rules.All() {
		ignored.addKind(l.build, rule.Kind)
	}
	ignored.warn(stderr)
	return err
}

// rulesFor returns the rules by which an object is judged, and the object with its parameters filled in.
func (l *limiter) rulesFor(o manifest.Object, with vmrules.ValidateOption) (vmrules.Rules, map[string]any, error) {
	if o.IsTemplate() {
		return l.templates.RulesIn(o)
	}
	vm := o.Content()
	j, err := l.judge(vm, with)
	if err != nil {
		return vmrules.Rules{}, nil, err
	}
	for _, g := range j.gaps() {
		switch {
		case g.IsError(), g.Coverage == vmrules.CoverageNoTemplate:
			return vmrules.Rules{}, nil, errors.New(g.Note)
		case g.Coverage == vmrules.CoverageNoRules && g.From == "" && l.given != nil:
			return vmrules.Rules{}, nil, errors.New("the VM names no template")
		}
	}
	if j.by != nil {
		rules, err := j.by.Rules()
		return rules, vm, err
	}
	rules, err := vmrules.RulesFor(vm, nil, l.templates.Reading...)
	return rules, vm, err
}

// onlyObject returns the only object in a file that has, or may have, rules.
func (r *ruling) onlyObject(command *cobra.Command, arg string) (manifest.Object, error) {
	var found []manifest.Object
	for object, err := range r.with.objects([]string{arg}, command.InOrStdin()) {
		if err != nil {
			return manifest.Object{}, err
		}
		if object.HoldsVM() {
			found = append(found, object)
		}
	}
	switch len(found) {
	case 0:
		return manifest.Object{}, errors.New(arg + ": no VM or template found")
	case 1:
		return found[0].Loaded(), nil
	}
	return manifest.Object{}, fmt.Errorf("%s has %d VMs and templates: name a file with one", arg, len(found))
}
