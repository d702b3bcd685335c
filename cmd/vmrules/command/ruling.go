package command

import (
	"cmp"
	"errors"
	"fmt"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
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
	isReport  bool        // as in a cluster, no VM is judged by a template that it does not name
	known     *lru.Cache[string, parsedRules]
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
	known, _ := lru.New[string, parsedRules](maxParsed) // fails for a size of 0
	return ruling{parameters: newParameters(), reading: b.options(), known: known}
}

func (r *ruling) flags(command *cobra.Command) {
	command.Flags().StringVar(&r.template, "template", "", "file with the template of the VMs that have no rules of their own, or with several templates, which VMs name by their labels")
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
			render = "; render the files first: " + oneLine(source)
		}
		for _, object := range file.Objects() {
			if object.IsTemplate() {
				r.templates = append(r.templates, &template{Object: object.Loaded()})
			}
		}
	}
	if wrong == nil && r.templates == nil {
		return fmt.Errorf("%s: no template found%s", r.template, render)
	}
	return errors.Join(wrong...)
}

const templateNotGiven = "VMs name templates that are not given, and nothing judges them: use --template"

// lacksTemplate reports whether nothing judges a VM because the template is not given that it names in full.
func (r *ruling) lacksTemplate(vm map[string]any, report *vmrules.Report) bool {
	if len(report.Results()) > 0 {
		return false
	}
	s := vmrules.SourceOf(vm)
	return s.From == vmrules.SourceTemplate && s.Namespace != "" && r.named(s) == nil
}

// A basis is the rules by which an object is judged.
type basis struct {
	rules    vmrules.Rules
	template *template // of --template, if the rules are its rules
	// note says why there is no template, or why there is this one, if the VM does not name it in full.
	note string
}

// choose decides which template judges a VM that is not exempt and has no rules of its own: the
// one that it names in full; one that it names by half, if there is just one of this name; and
// if takesOnly, the only template, whether the VM names it or not. The error says that two
// templates have what the VM names in full.
func (r *ruling) choose(s vmrules.Source, takesOnly bool) (basis, error) {
	all := r.named(s)
	switch {
	case len(all) == 1 && s.Namespace != "":
		return basis{template: all[0]}, nil
	case len(all) == 1:
		return basis{template: all[0], note: fmt.Sprintf("judged by %s, which it names without a namespace", all[0].name())}, nil
	case len(all) > 1 && s.Namespace != "":
		return basis{}, fmt.Errorf("%s has %d templates %q, at %s:%d and %s:%d: keep one of them",
			r.template, len(all), s.Name, all[0].File().Name, all[0].Line, all[1].File().Name, all[1].Line)
	case len(all) > 1:
		return basis{note: fmt.Sprintf("%s has %d templates %.100q, which the VM names without a namespace", r.template, len(all), s.Name)}, nil
	case len(r.templates) == 1 && takesOnly:
		return basis{template: r.templates[0], note: fmt.Sprintf("judged by %s, which it does not name", r.templates[0].name())}, nil
	case s.Name == "":
		return basis{note: "the VM names no template"}, nil
	}
	return basis{note: fmt.Sprintf("%s has no template %.100q, which the VM names", r.template, s.Name)}, nil
}

// name names a template for people.
func (t *template) name() string { return short(oneLine(cmp.Or(t.Name, "a template without a name"))) }

// named returns the templates that a VM names. The file of a template may leave out the
// namespace, or have another one. The namespace only decides between templates of one name.
func (r *ruling) named(s vmrules.Source) []*template {
	var all, exact []*template
	for _, t := range r.templates {
		if s.Name == "" || t.Name != s.Name {
			continue
		}
		all = append(all, t)
		if s.Namespace != "" && t.Namespace == s.Namespace {
			exact = append(exact, t)
		}
	}
	if exact != nil {
		return exact
	}
	return all
}

// rulesOf returns the rules for an object, and the object to judge, which is a template with
// its parameters filled in. They are an error if no template is found.
func (r *ruling) rulesOf(o manifest.Object) (vmrules.Rules, map[string]any, error) {
	if o.IsTemplate() {
		return r.rulesIn(o)
	}
	vm := o.Content()
	b, err := r.basisOf(vm)
	if err == nil && b.template == nil && b.note != "" {
		err = errors.New(b.note)
	}
	return b.rules, vm, err
}

// basisOf returns the rules for a VM. It needs a template only if the VM has no rules of its own
// and is not exempt from all rules. It is safe for concurrent use.
func (r *ruling) basisOf(vm map[string]any) (basis, error) {
	source := vmrules.SourceOf(vm)
	if r.templates == nil || source.From != "" && source.From != vmrules.SourceTemplate {
		if source.From == vmrules.SourceTemplate {
			return basis{}, nil
		}
		rules, err := vmrules.RulesFor(vm, nil, r.reading...)
		return basis{rules: rules}, err
	}
	b, err := r.choose(source, !r.isReport)
	if b.template == nil {
		return b, err
	}
	b.template.read.Do(func() { b.template.rules, _, b.template.err = r.rulesIn(b.template.Object) })
	b.rules = b.template.rules
	return b, b.template.err
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
