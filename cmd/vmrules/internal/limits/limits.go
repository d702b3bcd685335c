// Package limits is the subcommand limits.
package limits

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/form"
)

// Options say what vmrules limits does.
type Options struct {
	judging.Sources
	Files      []string // one
	Parameters bool     // of the template in the file
	Output     string   // json, which is also "", text or schema
}

type limiter struct {
	judging.Ruling
	options Options
}

// Command returns the subcommand.
func Command(b build.Build) *cobra.Command {
	var o Options
	command := &cobra.Command{
		Use:   "limits FILE|-",
		Short: "Show what each field of a VM may hold",
		Long: `For each field that rules check, limits writes what all of them together demand: its type,
its bounds, and the values and patterns that it must match. JSON also lists the rules that do not
apply at present, and those that cannot be decided.

With -o schema, it writes a JSON Schema (draft 2020-12) for the whole object. The schema lists
what it cannot express under x-vmrules-unexpressed.

FILE is YAML or JSON with one VM or template, or - for the standard input. The rules
are the VM's own. If it has none, they are those of its template in --template.

With --parameters, FILE has a template. Limits then writes what values its parameters may have, so
that the fields that they fill in satisfy the template's rules.
` + judging.AboutInstancetypes,
		Example: `  vmrules limits --template windows.yaml vm.yaml
  vmrules limits -o schema --template windows.yaml vm.yaml
  vmrules limits --parameters windows.yaml`,
		Args: cli.Arguments(1, 1, "name one file, or - for standard input"),
		RunE: cli.Run(&o.Files, func(s cli.Streams) error { return Run(b, o, s) }),
	}
	o.Flags(command)
	command.Flags().BoolVar(&o.Parameters, "parameters", false, "describe the parameters of the template in FILE")
	for _, other := range []string{"template", "with", "param"} {
		cli.Exclusive(command, "parameters", other)
	}
	cli.OneOf(command, "output", "o", "format of the limits", &o.Output, "json", "json", "text", "schema")
	return command
}

// Run describes limits. The error sets the exit status.
func Run(b build.Build, o Options, s cli.Streams) error {
	if err := cli.InputTwice(o.With, []string{o.Template}, o.Files); err != nil {
		return err
	}
	l := &limiter{Ruling: judging.NewRuling(b), options: o}
	if o.Parameters && o.Output == "schema" {
		return errors.New("--parameters and -o schema cannot be used together: a schema is about the fields of a VM")
	}
	if err := l.Read(o.Sources, s.In); err != nil {
		return err
	}
	object, err := l.OnlyObject(o.Files[0], s.In)
	if err != nil {
		return err
	}
	l.With.Warn(s.Err)
	write := l.writeFields
	if o.Parameters {
		write = l.writeParameters
	}
	if err := write(s, object); err != nil {
		return fmt.Errorf("%s: %w", o.Files[0], err)
	}
	return nil
}

func (l *limiter) writeParameters(s cli.Streams, template manifest.Object) error {
	if !template.IsTemplate() {
		return errors.New("--parameters needs a template, and this is a " + template.Kind)
	}
	parameters, err := form.Parameters(template.Content(), l.Templates.Reading...)
	if err != nil {
		return err
	}
	if l.options.Output == "text" {
		return writeParameterLimits(s.Out, parameters)
	}
	return output.JSON(s.Out, parameters)
}

func (l *limiter) writeFields(s cli.Streams, object manifest.Object) error {
	with := l.With.Set.For(object.Kind, object.Namespace).Option()
	rules, content, err := l.rulesFor(object, with)
	if err == nil {
		err = l.AllDeclared()
	}
	if err != nil {
		return err
	}
	if rules.Len() == 0 {
		fmt.Fprintf(s.Err, "vmrules: %s: no rules, so any value is allowed\n", output.AboutObject(object))
	}
	switch l.options.Output {
	case "schema":
		err = output.JSON(s.Out, form.Schema(rules, content, with))
	case "text":
		err = writeLimits(s.Out, form.Limits(rules, content, with))
	default:
		err = output.JSON(s.Out, form.Limits(rules, content, with))
	}
	for _, rule := range rules.All() {
		l.Ignored.AddKind(l.Build, rule.Kind)
	}
	l.Ignored.Warn(s.Err)
	return err
}

// rulesFor returns the rules by which an object is validated, and the object with its parameters filled in.
func (l *limiter) rulesFor(o manifest.Object, with vmrules.ValidateOption) (vmrules.Rules, map[string]any, error) {
	if o.IsTemplate() {
		return l.Templates.RulesIn(o)
	}
	vm := o.Content()
	j, err := l.Judge(vm, with)
	if err != nil {
		return vmrules.Rules{}, nil, err
	}
	for _, g := range j.Gaps() {
		switch {
		case g.IsError(), g.Coverage == vmrules.CoverageNoTemplate:
			return vmrules.Rules{}, nil, errors.New(g.Note)
		case g.Coverage == vmrules.CoverageNoRules && g.From == "" && l.Given != nil:
			return vmrules.Rules{}, nil, errors.New("the VM names no template")
		}
	}
	if j.By != nil {
		rules, err := j.By.Rules()
		return rules, vm, err
	}
	rules, err := vmrules.RulesFor(vm, nil, l.Templates.Reading...)
	return rules, vm, err
}
