package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/shelf"
)

// A ruling finds the rules by which an object is judged: its own, or those of a template, with the
// template's parameters filled in. It also finds the instance types of VMs.
type ruling struct {
	parameters
	with      companions
	keep      vmrules.ValidateOption // reads annotations, and is the same for all objects
	template  string
	templates shelf.Shelf // those of --template, and perhaps others
	given     []*shelf.Template
	onlyNamed bool // no VM is judged by a template that it does not name
}

func newRuling(b Build) ruling {
	reading := b.options()
	return ruling{parameters: newParameters(), keep: vmrules.KeepRules(reading...), templates: shelf.Shelf{Reading: reading}}
}

func (r *ruling) flags(command *cobra.Command) {
	command.Flags().StringVar(&r.template, "template", "", "file with templates, for the VMs that name them and have no rules of their own; one alone is also for VMs that name none")
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
	return r.readTemplates(command.InOrStdin())
}

func (r *ruling) readTemplates(stdin io.Reader) error {
	r.templates.Fill = r.fill
	if r.template == "" {
		return nil
	}
	var wrong []error
	render := ""
	for file, err := range manifest.Read([]string{r.template}, stdin) {
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		if source := file.Source(); source != "" && render == "" {
			render = "; render the files first: " + oneLine(source)
		}
		for _, object := range file.Objects() {
			r.templates.Add(object)
		}
	}
	r.given = r.templates.All
	if wrong == nil && r.given == nil {
		return fmt.Errorf("%s: no template found%s", r.template, render)
	}
	return errors.Join(wrong...)
}

// A judgement is the report on an object, and by which template it was judged, if the VM names that.
type judgement struct {
	*vmrules.Report
	by   *shelf.Template
	note string // that the VM does not name it in full
	// unclear has why templates cannot be looked up, by their names in targets. The report shortens it.
	unclear map[string]error
}

// class returns what became of the object, and the gaps in the report.
func (j judgement) class() (judged.Class, []judged.Gap) {
	class, all := judged.Of(j.Report)
	for i, g := range all {
		if err := j.unclear[g.Template]; err != nil && g.Doubt == vmrules.DoubtLookup {
			all[i].Note = fmt.Sprintf("the template %s cannot be looked up: %v", g.Template, err)
		}
	}
	return class, all
}

func (j judgement) gaps() []judged.Gap {
	_, all := j.class()
	return all
}

// judge judges an object, whose parameters are filled in, by its own rules or those of the templates
// that its VMs name. A VM that names none is judged by the only template that is given. The error is
// that this cannot be used. It is safe for concurrent use.
func (r *ruling) judge(object map[string]any, opts ...vmrules.ValidateOption) (judgement, error) {
	var j judgement
	find := func(ref vmrules.TemplateRef) (*vmrules.Template, error) {
		found, err := r.templates.Named(ref)
		if err != nil {
			if j.unclear == nil {
				j.unclear = map[string]error{}
			}
			j.unclear[strings.TrimPrefix(ref.Namespace+"/"+ref.Name, "/")] = err
			return nil, err
		}
		if j.by = found; found != nil && ref.Namespace == "" {
			j.note = fmt.Sprintf("judged by %s, which it names without a namespace", nameOf(found))
		}
		return found.Found()
	}
	j.Report = vmrules.ValidateOwn(object, append(opts[:len(opts):len(opts)], r.keep, vmrules.WithTemplates(find))...)
	if len(r.given) != 1 || r.onlyNamed || manifest.IsTemplate(manifest.TextAt(object, "kind")) || !namesNone(j.Report) {
		return j, nil
	}
	j.by = r.given[0]
	j.note = fmt.Sprintf("judged by %s, which it does not name", nameOf(j.by))
	rules, err := j.by.Rules()
	if err == nil {
		j.Report = vmrules.Validate(rules, object, opts...)
	}
	return j, err
}

// namesNone reports whether a VM has no rules and names no template.
func namesNone(r *vmrules.Report) bool {
	all := r.Targets()
	return len(all) == 1 && all[0].Coverage == vmrules.CoverageNoRules && all[0].From == ""
}

// nameOf names a template for people.
func nameOf(t *shelf.Template) string {
	return short(oneLine(cmp.Or(t.Name, "a template without a name")))
}
