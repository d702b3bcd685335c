package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A ruling knows by which rules an object is judged: its own, or those of a
// template, with the template's parameters filled in.
type ruling struct {
	reading  []vmrules.ParseOption // of annotations
	template string
	given    []string // parameters, as NAME=VALUE

	parameters map[string]string
	declared   map[string]bool   // the parameters of templates that were met
	templates  []manifest.Object // of --template
}

func newRuling(b Build) ruling {
	return ruling{reading: b.options(), parameters: map[string]string{}, declared: map[string]bool{}}
}

func (r *ruling) flags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&r.template, "template", "", "file with the template of the VMs, or with several, which VMs name by their label")
	flags.StringArrayVarP(&r.given, "param", "p", nil, "value of a template's parameter, as NAME=VALUE")
}

func (r *ruling) read(command *cobra.Command) error {
	if err := r.readParameters(); err != nil {
		return err
	}
	return r.readTemplates(command)
}

func (r *ruling) readParameters() error {
	for _, given := range r.given {
		name, value, ok := strings.Cut(given, "=")
		if !ok || name == "" {
			return fmt.Errorf("-p %s: a parameter is given as NAME=VALUE", given)
		}
		r.parameters[name] = value
	}
	return nil
}

// allDeclared tells of a parameter that would have had no effect.
func (r *ruling) allDeclared() error {
	for _, name := range slices.Sorted(maps.Keys(r.parameters)) {
		if !r.declared[name] {
			return fmt.Errorf("-p %s: no template here has a parameter of this name", name)
		}
	}
	return nil
}

func (r *ruling) readTemplates(command *cobra.Command) error {
	if r.template == "" {
		return nil
	}
	for file, err := range manifest.Read([]string{r.template}, command.InOrStdin()) {
		if err != nil {
			return err
		}
		for _, object := range file.Objects() {
			if object.IsTemplate() {
				r.templates = append(r.templates, object)
			}
		}
	}
	if r.templates == nil {
		return fmt.Errorf("%s: there is no template in it", r.template)
	}
	return nil
}

// templateOf is the one template that there is, or that the VM names.
func (r *ruling) templateOf(vm map[string]any) (manifest.Object, error) {
	if len(r.templates) == 1 {
		return r.templates[0], nil
	}
	_, name, ok := vmrules.TemplateOf(vm)
	if !ok {
		return manifest.Object{}, fmt.Errorf("%s has %d templates, and the VM does not name one by the labels %s and %s",
			r.template, len(r.templates), vmrules.TemplateKey, vmrules.TemplateNamespaceKey)
	}
	for _, t := range r.templates {
		if t.Name == name {
			return t, nil
		}
	}
	return manifest.Object{}, fmt.Errorf("%s has no template %q, which the VM names", r.template, name)
}

func (r *ruling) fill(o manifest.Object) (content map[string]any, missing []string, err error) {
	for _, p := range o.Parameters() {
		r.declared[p.Name] = true
	}
	filled, err := o.Fill(r.parameters)
	return filled.Content, filled.Missing, err
}

// rulesOf finds the rules for an object, and the object that they are for: a
// template has its parameters filled in.
func (r *ruling) rulesOf(o manifest.Object) (vmrules.Rules, map[string]any, error) {
	if o.IsTemplate() {
		content, _, err := r.fill(o)
		if err != nil {
			return vmrules.Rules{}, nil, err
		}
		rules, err := vmrules.RulesFor(nil, content, r.reading...)
		return rules, content, err
	}
	vm := o.Content()
	if r.templates == nil {
		rules, err := vmrules.RulesFor(vm, nil, r.reading...)
		return rules, vm, err
	}
	template, err := r.templateOf(vm)
	if err != nil {
		return vmrules.Rules{}, nil, err
	}
	content, _, err := r.fill(template)
	if err != nil {
		return vmrules.Rules{}, nil, err
	}
	rules, err := vmrules.RulesFor(vm, content, r.reading...)
	return rules, vm, err
}
