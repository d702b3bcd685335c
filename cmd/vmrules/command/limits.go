package command

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/form"
)

const aboutForms = `
FILE is YAML or JSON with one VM or template, or - for the standard input. The rules
are the VM's own. If it has none, and --template is given, they are those of its
template.

With --parameters, FILE has a template, and it is about the template's parameters instead of
the fields: about the values that they may have, so that the fields they fill in satisfy the
template's rules.
` + aboutInstancetypes

// A formed is what limits and schema are about: an object and its rules or, with
// --parameters, a template.
type formed struct {
	rules        vmrules.Rules
	object       map[string]any
	with         vmrules.ValidateOption
	reading      []vmrules.ParseOption
	isParameters bool
}

func newLimits(b Build) *cobra.Command {
	output := choice[func(io.Writer, []holder) error]{"json", map[string]func(io.Writer, []holder) error{
		"json": nil, "text": writeLimits,
	}}
	command := newForm(b, "limits", "Show what each field of a VM may hold",
		`Limits writes, for each field that the rules judge, what all rules together ask of it:
its type, its bounds, and the values and patterns that it must match. As JSON, it also
lists the rules that do not apply at present, and those that cannot be decided.`,
		func(command *cobra.Command, of formed) error {
			limits, all, err := of.limits()
			if err != nil {
				return err
			}
			if write := output.value(); write != nil {
				return write(command.OutOrStdout(), all)
			}
			return writeJSON(command.OutOrStdout(), limits)
		})
	output.flag(command, "output", "o", "how to write the limits")
	return command
}

func newSchema(b Build) *cobra.Command {
	profile := choice[bool]{options: map[string]bool{"forms": true}}
	command := newForm(b, "schema", "Write the rules of a VM as a JSON Schema",
		`Schema writes what the rules ask of a VM as a JSON Schema (draft 2020-12) for the whole
object. The schema lists what it cannot express under x-vmrules-unexpressed.

With --for forms, or --parameters, the schema is for a generator of forms: each field has one
type, a title and a description, and there are only keywords of JSON Schema. The standard
error then says what the schema does not express.`,
		func(command *cobra.Command, of formed) error {
			if !of.isParameters && !profile.value() {
				return writeJSON(command.OutOrStdout(), form.Schema(of.rules, of.object, of.with))
			}
			in, err := of.inputs()
			if err != nil {
				return err
			}
			warnUnexpressed(command.ErrOrStderr(), in.Unexpressed)
			return writeJSON(command.OutOrStdout(), in.Schema)
		})
	profile.flag(command, "for", "", "what the schema is for")
	return command
}

// limits returns what to write as JSON, and the same for the text.
func (f formed) limits() (any, []holder, error) {
	if f.isParameters {
		parameters, err := form.Parameters(f.object, f.reading...)
		return parameters, parameterHolders(parameters), err
	}
	limits := form.Limits(f.rules, f.object, f.with)
	return limits, limitHolders(limits), nil
}

func (f formed) inputs() (form.InputSchema, error) {
	if f.isParameters {
		return form.ParameterInputs(f.object, f.reading...)
	}
	return form.Inputs(f.rules, f.object, f.with), nil
}

// warnUnexpressed writes what a schema does not express.
func warnUnexpressed(stderr io.Writer, all []form.Unexpressed) {
	for _, u := range all {
		about := ""
		for _, part := range []struct{ noun, name string }{
			{"parameter", u.Parameter}, {"rule", u.Rule}, {"", u.Argument}, {"in", u.Target}, {"for a", u.Type},
		} {
			switch {
			case part.name == "":
			case part.noun == "":
				about += " " + part.name
			default:
				about += " " + part.noun + " " + part.name
			}
		}
		fmt.Fprintln(stderr, oneLine(fmt.Sprintf("vmrules: not in the schema:%s: %s", about, u.Reason)))
	}
}

// newForm returns a command that writes something about one object and its rules.
func newForm(b Build, name, short, long string, write func(*cobra.Command, formed) error) *cobra.Command {
	r := newRuling(b)
	isParameters := false
	command := &cobra.Command{
		Use:   name + " FILE|-",
		Short: short,
		Long:  long + "\n" + aboutForms,
		Example: "  vmrules " + name + " --template windows.yaml vm.yaml\n" +
			"  vmrules " + name + " --parameters windows.yaml",
		Args: arguments(1, 1, "name one file, or - for standard input"),
		RunE: func(command *cobra.Command, args []string) error {
			if err := inputTwice(r.with.files, []string{r.template}, args); err != nil {
				return err
			}
			if err := r.read(command); err != nil {
				return err
			}
			object, err := r.onlyObject(command, args[0])
			if err != nil {
				return err
			}
			r.with.warn(command.ErrOrStderr())
			of, err := r.formed(object, isParameters)
			if err == nil && !isParameters && of.rules.Len() == 0 {
				fmt.Fprintf(command.ErrOrStderr(), "vmrules: %s: no rules, so any value is allowed\n", aboutObject(object))
			}
			if err == nil {
				err = write(command, of)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			ignored := leftOut{}
			for _, rule := range of.rules.All() {
				ignored.addKind(b, rule.Kind)
			}
			ignored.warn(command.ErrOrStderr())
			return nil
		},
	}
	r.flags(command)
	command.Flags().BoolVar(&isParameters, "parameters", false, "describe the parameters of the template in FILE")
	for _, other := range []string{"template", "with", "param"} {
		exclusive(command, "parameters", other)
	}
	return command
}

func (r *ruling) formed(object manifest.Object, isParameters bool) (formed, error) {
	switch {
	case !isParameters:
		rules, content, err := r.rulesOf(object)
		if err == nil {
			err = r.allDeclared()
		}
		return formed{rules: rules, object: content, with: r.with.set.For(object.Kind, object.Namespace).Option()}, err
	case !object.IsTemplate():
		return formed{}, errors.New("--parameters needs a template, and this is a " + object.Kind)
	}
	return formed{object: object.Content(), reading: r.reading, isParameters: true}, nil
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
