package command

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/form"
)

const aboutForms = `
FILE is YAML or JSON with one VM or template, or - for the standard input. The rules
are the VM's own. If it has none, and --template is given, they are those of its
template.
` + aboutInstancetypes

func newLimits(b Build) *cobra.Command {
	return newForm(b, "limits", "Show what each field of a VM may hold",
		`Limits writes as JSON, for each field that the rules judge, what all rules together ask
of it: its type, its bounds, and the values and patterns that it must match. It also
lists the rules that do not apply at present, and those that cannot be decided.`,
		func(rules vmrules.Rules, object map[string]any, with vmrules.ValidateOption) any {
			return form.Limits(rules, object, with)
		})
}

func newSchema(b Build) *cobra.Command {
	return newForm(b, "schema", "Write the rules of a VM as a JSON Schema",
		`Schema writes what the rules ask of a VM as a JSON Schema (draft 2020-12) for the whole
object. The schema lists what it cannot express under x-vmrules-unexpressed.`,
		func(rules vmrules.Rules, object map[string]any, with vmrules.ValidateOption) any {
			return form.Schema(rules, object, with)
		})
}

// newForm returns a command that writes something about one object and its rules.
func newForm(b Build, name, short, long string, say func(vmrules.Rules, map[string]any, vmrules.ValidateOption) any) *cobra.Command {
	r := newRuling(b)
	command := &cobra.Command{
		Use:     name + " FILE|-",
		Short:   short,
		Long:    long + "\n" + aboutForms,
		Example: "  vmrules " + name + " --template windows.yaml vm.yaml",
		Args:    cobra.ExactArgs(1),
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
			rules, content, err := r.rulesOf(object)
			if err == nil {
				err = r.allDeclared()
			}
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			ignored := leftOut{}
			for _, rule := range rules.All() {
				ignored.addKind(b, rule.Kind)
			}
			ignored.warn(command.ErrOrStderr())
			encoder := json.NewEncoder(command.OutOrStdout())
			encoder.SetIndent("", "  ")
			encoder.SetEscapeHTML(false)
			return encoder.Encode(say(rules, content, r.with.set.For(object.Kind, object.Namespace).Option()))
		},
	}
	r.flags(command)
	return command
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
		return manifest.Object{}, errors.New(arg + ": there is no VM or template in it")
	case 1:
		return found[0], nil
	}
	return manifest.Object{}, fmt.Errorf("%s: there are %d VMs and templates in it, but there must be just one", arg, len(found))
}
