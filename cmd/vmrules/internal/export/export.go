// Package export is the subcommand export.
package export

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/policy"
)

// Options say what vmrules export does.
type Options struct {
	Files  []string
	Params []string     // values of parameters, as NAME=VALUE
	For    string       // the template of arrays of rules
	Select selection    // of the VMs of templates; "" for what suits the kind of each
	Scope  policy.Scope // without what the source of rules says
}

// A selection says by what policies select the VMs of a template.
type selection string

const (
	byLabels     selection = "labels"     // those that name the template
	byAnnotation selection = "annotation" // those that have a copy of its rules
	byBoth       selection = "both"
)

// usual has what selects the VMs of a kind of template, by any program that makes them.
var usual = map[string]selection{"Template": byLabels, "VirtualMachineTemplate": byAnnotation}

type exporter struct {
	judging.Ruling
	options Options

	out              bytes.Buffer
	stderr           io.Writer
	names            map[string]string // whose rules have a name
	copies           map[string]string // whose VMs have copies of a text
	refused, invalid bool
}

// Command returns the subcommand.
func Command(b build.Build) *cobra.Command {
	var o Options
	command := &cobra.Command{
		Use:   "export FILE|FOLDER|-...",
		Short: "Write rules as policies, for the API server to enforce",
		Long: `Export writes the rules of each template as a ValidatingAdmissionPolicy and its binding, for
kubectl apply. Those of an OpenShift Template validate the VMs that name it by the labels
` + vmrules.TemplateLabel + ` and ` + vmrules.TemplateNamespaceLabel + `, or by the
first label alone, unless they have other rules of their own. VMs that are made from a
VirtualMachineTemplate may have no labels: its policies validate the VMs whose annotation
` + vmrules.Annotation + ` is the same as in the template, so a VM leaves them by
another annotation. --select chooses between the two. Exempt VMs are not validated. Rules with
justWarning get a second policy, which only warns.

If a VM violated a rule before an update, its policy allows an update that changes nothing that
the rule reads. With --no-ratcheting, it validates each update in full.

An array of rules does not say which VMs it is about: --for does. With --for '*', the policy is
about all VMs, whatever their annotations are.

A policy gives the verdict of vmrules check, or a stricter one: it denies a VM whose instance
type or preference may set the field of a rule. --skip-instancetypes leaves such a VM alone. A
rule that cannot be expressed exactly is refused, and nothing is written. With --partial,
policies enforce the other rules, and a comment names this one.
` + cli.Inputs + `
The exit status is 0, 1 if a rule is refused, and 2 if a file or its rules cannot be used.`,
		Example: `  vmrules export templates/ | kubectl apply -f -
  vmrules export --for openshift/windows rules.json`,
		Args: cli.SomeFile,
		RunE: cli.Run(&o.Files, func(s cli.Streams) error { return Run(b, o, s) }),
	}
	judging.ParamFlag(command, &o.Params)
	command.Flags().StringVar(&o.For, "for", "", "the template whose VMs an array of rules is about, as NAME or NAMESPACE/NAME; * for all VMs")
	cli.OneOf(command, "select", "", "select the VMs of templates by their labels, by their copies of the annotation, or by either", &o.Select, "", byLabels, byAnnotation, byBoth)
	command.Flags().BoolVar(&o.Scope.SkipInstancetypes, "skip-instancetypes", false, "leave VMs alone whose instance type or preference may set the field of a rule")
	command.Flags().BoolVar(&o.Scope.WithoutRatcheting, "no-ratcheting", false, "validate each update in full, even what it does not change")
	command.Flags().BoolVar(&o.Scope.Partial, "partial", false, "leave out rules that cannot be expressed")
	return command
}

// Run writes policies. The error sets the exit status.
func Run(b build.Build, o Options, s cli.Streams) error {
	if err := cli.InputTwice(o.Files); err != nil {
		return err
	}
	e := &exporter{Ruling: judging.NewRuling(b), options: o, stderr: s.Err, names: map[string]string{}, copies: map[string]string{}}
	if err := e.Read(judging.Sources{Params: o.Params}, s.In); err != nil {
		return err
	}
	for file, err := range manifest.Read(o.Files, s.In) {
		if err != nil {
			e.fail(err)
			continue
		}
		for _, d := range file.Documents() {
			switch {
			case d.LooksLikeRules():
				e.exportDocument(&d)
			case d.IsTemplate():
				e.exportTemplate(d.Loaded())
			}
		}
	}
	if err := e.AllDeclared(); err != nil {
		return err
	}
	if len(e.names) == 0 && !e.invalid {
		return errors.New(strings.Join(o.Files, ", ") + ": nothing to export: no template with rules, and no array of rules")
	}
	if err := cli.Verdict(e.refused, e.invalid); err != nil {
		return err
	}
	_, err := e.out.WriteTo(s.Out)
	return err
}

func (e *exporter) fail(err error) {
	fmt.Fprintln(e.stderr, "vmrules:", output.OneLine(err.Error()))
	e.invalid = true
}

// forTemplate matches what --for may be: all VMs, or a template that can exist.
var forTemplate = regexp.MustCompile(`^(\*|([a-z0-9-]+/)?[a-z0-9][a-z0-9.-]*)$`)

// exportDocument exports an array of rules.
func (e *exporter) exportDocument(d *manifest.Document) {
	about := d.File.Name + ": rules"
	text, err := d.JSON()
	var rules vmrules.Rules
	if err == nil {
		rules, err = vmrules.ParseRules(text, e.Templates.Reading...)
	}
	if err == nil && !forTemplate.MatchString(e.options.For) {
		why := "no template says which VMs these rules are for"
		if e.options.For != "" {
			why = fmt.Sprintf("no template can be named %q", e.options.For)
		}
		err = errors.New(why + ": add --for NAMESPACE/NAME with their template, or --for '*' for all VMs")
	}
	if err != nil {
		e.fail(fmt.Errorf("%s: %w", about, err))
		return
	}
	s := e.options.Scope
	if e.options.For != "*" {
		i := strings.Index(e.options.For, "/")
		s.Namespace, s.Template, s.Annotation = e.options.For[:max(i, 0)], e.options.For[i+1:], text
	}
	s.Name = exportName(s.Namespace, s.Template)
	e.export(about, rules, s)
}

// exportTemplate exports the rules of a template. Templates with the same rules share a policy about copies.
func (e *exporter) exportTemplate(o manifest.Object) {
	rules, content, err := e.Templates.RulesIn(o)
	if err == nil && rules.Len() == 0 {
		return
	}
	by := cmp.Or(e.options.Select, usual[o.Kind])
	text, written := textOf(content), textOf(o.Content())
	if err == nil {
		err = e.selectable(o, by, text, written)
	}
	about := output.AboutObject(o).String()
	if err != nil {
		e.fail(fmt.Errorf("%s: %w", about, err))
		return
	}
	if text != written {
		fmt.Fprintf(e.stderr, "vmrules: %s: its rules depend on its parameters: a VM made with other values has other rules of its own, which a policy leaves alone\n", about)
	}
	s := e.options.Scope
	s.Name, s.Annotation = exportName(o.Namespace, o.Name), text
	if by != byAnnotation {
		labels := s
		labels.Namespace, labels.Template = o.Namespace, o.Name
		e.export(about, rules, labels)
	}
	if by == byLabels {
		return
	}
	if first := e.copies[text]; first != "" {
		fmt.Fprintf(&e.out, "---\n# %s: the same rules as %s.\n", output.OneLine(about), output.OneLine(first))
		return
	}
	e.copies[text] = about
	s.Name += byAnnotationSuffix
	e.export(about, rules, s)
}

// selectable returns an error if the VMs of a template cannot be selected, by labels or by the text that
// their annotation has when it is written with some parameters.
func (e *exporter) selectable(o manifest.Object, by selection, text, written string) error {
	const cannot = "its VMs cannot be selected by their annotation"
	switch {
	case o.Name == "":
		return errors.New("the template has no name, so no VM can name it")
	case by != byLabels && text == "":
		return errors.New(cannot + ": they have no copy of its rules, which are not on a VM inside: write them there, or use --select labels")
	}
	for r := range form.References(written) {
		_, isGiven := e.Values[r.Name]
		switch reference := written[r.Start:r.End]; {
		case by != byLabels && !isGiven:
			return fmt.Errorf(cannot+", in which the parameter %s may have another value in each: give one with -p, for the VMs with that, or use --select labels", r.Name)
		case strings.Contains(text, reference):
			return fmt.Errorf("its VMs have copies of its rules that differ in the parameter %s: set it with -p", reference)
		}
	}
	return nil
}

// textOf returns the annotation of a template's VMs without blanks around it. They have no different ones.
func textOf(template map[string]any) string {
	vms, _ := template["objects"].([]any)
	vm, _ := manifest.Value(template, "spec", "virtualMachine")
	for _, vm := range append(vms[:len(vms):len(vms)], vm) {
		if text := strings.TrimSpace(manifest.TextAt(vm, "metadata", "annotations", vmrules.Annotation)); text != "" {
			return text
		}
	}
	return ""
}

// export writes the rules of one source as policies with a scope.
func (e *exporter) export(source string, rules vmrules.Rules, s policy.Scope) {
	if first, taken := e.names[s.Name]; taken {
		e.fail(fmt.Errorf("%s: %s would have the same name, %s: export them one at a time", source, first, s.Name))
		return
	}
	e.names[s.Name] = source
	policies, untranslated, err := policy.Of(rules, s)
	for _, u := range untranslated {
		fmt.Fprintf(e.stderr, "vmrules: %s: %s\n", output.OneLine(source), output.OneLine(aboutUntranslated(u)))
	}
	if len(untranslated) > 0 && !s.Partial {
		e.refused = true
		return
	}
	if err == nil {
		err = e.write(source, s, policies, untranslated)
	}
	if err != nil {
		e.fail(fmt.Errorf("%s: %w", source, err))
	}
}
