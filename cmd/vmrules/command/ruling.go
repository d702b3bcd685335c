package command

import (
	"errors"
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A ruling finds the rules by which an object is judged: its own, or those of a template,
// with the template's parameters filled in. It also finds the instance types of VMs.
type ruling struct {
	parameters
	with      companions
	reading   []vmrules.ParseOption // of annotations
	template  string
	templates []*template // the templates of --template
}

// A template is a template of --template. Its rules are read when the first VM is judged by
// them.
type template struct {
	manifest.Object
	read  sync.Once
	rules vmrules.Rules
	err   error
}

func newRuling(b Build) ruling {
	return ruling{parameters: newParameters(), reading: b.options()}
}

func (r *ruling) flags(command *cobra.Command) {
	command.Flags().StringVar(&r.template, "template", "", "file with the template of the VMs, or with several templates, which VMs name by their labels")
	r.with.flag(command)
	r.parameters.flag(command)
}

func (r *ruling) read(command *cobra.Command) error {
	if err := r.parameters.read(); err != nil {
		return err
	}
	if err := r.with.read(command.InOrStdin()); err != nil {
		return err
	}
	return r.readTemplates(command)
}

func (r *ruling) readTemplates(command *cobra.Command) error {
	if r.template == "" {
		return nil
	}
	var wrong []error
	render := ""
	for file, err := range manifest.Read([]string{r.template}, command.InOrStdin()) {
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		if source := file.Source(); source != "" && render == "" {
			render = "; render them first: " + oneLine(source)
		}
		for _, object := range file.Objects() {
			if object.IsTemplate() {
				r.templates = append(r.templates, &template{Object: object})
			}
		}
	}
	if wrong == nil && r.templates == nil {
		return fmt.Errorf("%s: there is no template in it%s", r.template, render)
	}
	return errors.Join(wrong...)
}

// templateOf returns the only template, or the one that the VM names.
func (r *ruling) templateOf(vm map[string]any) (*template, error) {
	if len(r.templates) == 1 {
		return r.templates[0], nil
	}
	source := vmrules.SourceOf(vm)
	if source.Namespace == "" {
		return nil, fmt.Errorf("%s has %d templates, and the VM does not name one by the labels %s and %s",
			r.template, len(r.templates), vmrules.TemplateLabel, vmrules.TemplateNamespaceLabel)
	}
	t, err := r.named(source.Namespace, source.Name)
	if t == nil && err == nil {
		err = fmt.Errorf("%s has no template %q, which the VM names", r.template, source.Name)
	}
	return t, err
}

// named returns the template that a VM names; nil if there is none. The file of a template may
// leave out the namespace, or have another one. The namespace only decides between templates of
// one name.
func (r *ruling) named(namespace, name string) (*template, error) {
	var all, exact []*template
	for _, t := range r.templates {
		if t.Name != name {
			continue
		}
		all = append(all, t)
		if t.Namespace == namespace {
			exact = append(exact, t)
		}
	}
	if len(exact) > 0 {
		all = exact
	}
	switch len(all) {
	case 0:
		return nil, nil
	case 1:
		return all[0], nil
	}
	return nil, fmt.Errorf("%s has %d templates %q, which the VM names: at %s:%d and %s:%d: keep one of them",
		r.template, len(all), name, all[0].File().Name, all[0].Line, all[1].File().Name, all[1].Line)
}

// rulesOf returns the rules for an object, and the object to judge, which is a template with
// its parameters filled in.
func (r *ruling) rulesOf(o manifest.Object) (vmrules.Rules, map[string]any, error) {
	if o.IsTemplate() {
		return r.rulesIn(o)
	}
	vm := o.Content()
	rules, err := r.rulesOfVM(vm)
	return rules, vm, err
}

// rulesOfVM returns the rules for a VM. It needs a template only if it has no rules of its own
// and is not exempt from all rules. It is safe for concurrent use.
func (r *ruling) rulesOfVM(vm map[string]any) (vmrules.Rules, error) {
	from := vmrules.SourceOf(vm).From
	if r.templates == nil || from != "" && from != vmrules.SourceTemplate {
		return vmrules.RulesFor(vm, nil, r.reading...)
	}
	t, err := r.templateOf(vm)
	if err != nil {
		return vmrules.Rules{}, err
	}
	t.read.Do(func() { t.rules, _, t.err = r.rulesIn(t.Object) })
	return t.rules, t.err
}

func (r *ruling) rulesIn(template manifest.Object) (vmrules.Rules, map[string]any, error) {
	filled, err := r.fill(template)
	if err != nil {
		return vmrules.Rules{}, nil, err
	}
	content := filled.Content()
	rules, err := vmrules.RulesFor(nil, content, r.reading...)
	return rules, content, err
}
