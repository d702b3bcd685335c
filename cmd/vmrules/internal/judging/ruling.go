package judging

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/shelf"
)

// OnlyObject returns the only object in a file that has, or may have, rules.
func (r *Ruling) OnlyObject(file string, stdin io.Reader) (manifest.Object, error) {
	var found []manifest.Object
	for object, err := range r.With.Objects(manifest.Read([]string{file}, stdin)) {
		if err != nil {
			return manifest.Object{}, err
		}
		if object.HoldsVM() {
			found = append(found, object)
		}
	}
	switch len(found) {
	case 0:
		return manifest.Object{}, errors.New(file + ": no VM or template found")
	case 1:
		return found[0].Loaded(), nil
	}
	return manifest.Object{}, fmt.Errorf("%s has %d VMs and templates: name a file with one", file, len(found))
}

// Sources are the files and values from which a ruling is made.
type Sources struct {
	Template string
	With     []string // files with instance types and preferences
	Params   []string // values of parameters, as NAME=VALUE
}

// Flags adds the flags for the sources to a command.
func (s *Sources) Flags(command *cobra.Command) {
	command.Flags().StringVar(&s.Template, "template", "", "file with templates, for VMs that name one and have no rules of their own; if it has just one, also for VMs that name none")
	WithFlag(command, &s.With)
	ParamFlag(command, &s.Params)
}

// A Ruling finds the rules by which an object is validated: its own, or those of a template, with the
// template's parameters filled in. It also finds the instance types of VMs.
type Ruling struct {
	*Parameters
	With      companions
	keep      vmrules.ValidateOption // reads annotations, and is the same for all objects
	Templates shelf.Shelf            // those of --template, and perhaps others
	Given     []*shelf.Template
	OnlyNamed bool // no VM is validated by a template that it does not name

	Build   build.Build
	Ignored build.LeftOut // the kinds of rules that were found to be ignored
}

// NewRuling returns a Ruling, which has read nothing. It reads annotations as the build does, with more options.
func NewRuling(b build.Build, more ...vmrules.ParseOption) Ruling {
	reading, p := append(b.Options(), more...), NewParameters()
	return Ruling{
		Parameters: p, keep: vmrules.KeepRules(reading...), Templates: shelf.Shelf{Reading: reading, Fill: p.Fill},
		Build: b, Ignored: build.LeftOut{},
	}
}

// Read reads the sources, and returns all their errors.
func (r *Ruling) Read(from Sources, stdin io.Reader) error {
	if err := r.Parameters.Read(from.Params); err != nil {
		return err
	}
	if err := r.With.Read(from.With, stdin); err != nil {
		return err
	}
	if from.Template == "" {
		return nil
	}
	return r.AddTemplates(from.Template, manifest.Read([]string{from.Template}, stdin))
}

// AddTemplates adds the templates in files, which have a name together.
func (r *Ruling) AddTemplates(name string, files iter.Seq2[*manifest.File, error]) error {
	var wrong []error
	render := ""
	for file, err := range files {
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		if source := file.Source(); source != "" && render == "" {
			render = "; render the files first: " + output.OneLine(source)
		}
		for _, object := range file.Objects() {
			r.Templates.Add(object)
		}
	}
	r.Given = r.Templates.All
	if wrong == nil && r.Given == nil {
		return fmt.Errorf("%s: no template found%s", name, render)
	}
	return errors.Join(wrong...)
}

// A Judgement is the report on an object, and by which template it was validated, if the VM names that.
type Judgement struct {
	*vmrules.Report
	By   *shelf.Template
	Note string // that the VM does not name it in full
	// unclear has why templates cannot be looked up, by their names in targets. The report shortens it.
	unclear map[string]error
}

// Class returns what became of the object, and the gaps in the report.
func (j Judgement) Class() (judged.Class, []judged.Gap) {
	class, all := judged.Of(j.Report)
	for i, g := range all {
		if err := j.unclear[g.Template]; err != nil && g.Doubt == vmrules.DoubtLookup {
			all[i].Note = fmt.Sprintf("the template %s cannot be looked up: %v", g.Template, err)
		}
	}
	return class, all
}

// Gaps returns the gaps in the report.
func (j Judgement) Gaps() []judged.Gap {
	_, all := j.Class()
	return all
}

// Judge validates an object, whose parameters are filled in, by its own rules or those of the templates
// that its VMs name. A VM that names none is validated by the only template that is given. The error is
// that this cannot be used. It is safe for concurrent use.
func (r *Ruling) Judge(object map[string]any, opts ...vmrules.ValidateOption) (Judgement, error) {
	j := Judgement{unclear: map[string]error{}}
	find := func(ref vmrules.TemplateRef) (*vmrules.Template, error) {
		found, err := r.Templates.Named(ref)
		if err != nil {
			j.unclear[manifest.FullName(ref.Namespace, ref.Name)] = err
			return nil, err
		}
		if j.By = found; found == nil {
			return nil, nil
		}
		if ref.Namespace == "" {
			j.Note = fmt.Sprintf("judged by %s, which it names without a namespace", nameOf(found))
		}
		rules, err := found.Rules()
		return &vmrules.Template{Namespace: found.Namespace, Name: found.Name, Rules: rules}, err
	}
	j.Report = vmrules.ValidateOwn(object, append(opts[:len(opts):len(opts)], r.keep, vmrules.WithTemplates(find))...)
	if len(r.Given) != 1 || r.OnlyNamed || manifest.IsTemplate(manifest.TextAt(object, "kind")) {
		return j, nil
	}
	if of := j.Targets(); len(of) != 1 || of[0].Coverage != vmrules.CoverageNoRules || of[0].From != "" {
		return j, nil // the VM has rules or names a template
	}
	j.By = r.Given[0]
	j.Note = fmt.Sprintf("judged by %s, which it does not name", nameOf(j.By))
	rules, err := j.By.Rules()
	if err == nil {
		j.Report = vmrules.Validate(rules, object, opts...)
	}
	return j, err
}

// nameOf names a template for people.
func nameOf(t *shelf.Template) string {
	return output.Short(output.OneLine(cmp.Or(t.Name, "a template without a name")))
}
