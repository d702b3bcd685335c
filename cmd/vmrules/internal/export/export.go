// Package export is the subcommand export.
package export

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
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
	Scope  policy.Scope // without what the source of rules says
}

// A exporter runs vmrules export.
type exporter struct {
	judging.Ruling
	options Options

	out              bytes.Buffer
	stderr           io.Writer
	names            map[string]string // whose rules have a name
	refused, invalid bool
}

// Command returns the subcommand.
func Command(b build.Build) *cobra.Command {
	var o Options
	command := &cobra.Command{
		Use:   "export FILE|FOLDER|-...",
		Short: "Write rules as policies, for the API server to enforce",
		Long: `Export writes the rules of each template as a ValidatingAdmissionPolicy and its binding, for
kubectl apply. They judge the VMs that name the template by the labels
` + vmrules.TemplateLabel + ` and ` + vmrules.TemplateNamespaceLabel + `, or by the
first label alone. --by-annotation adds policies for VMs that name it by annotations; these
make each write of other VMs slower. No policy judges VMs that are exempt from rules, or that
have other rules of their own. Rules with justWarning get a second policy, which only warns.

If a VM violated a rule before an update, its policy allows an update that changes nothing that
the rule reads. With --no-ratcheting, it judges each update in full.

An array of rules does not say which VMs it is about: --for does.

A policy gives the verdict of vmrules check, or a stricter one: it denies a VM whose instance
type or preference may set the field of a rule. A rule that cannot be expressed exactly is
refused, and nothing is written. With --partial, policies enforce the other rules, and a comment
names this one.
` + cli.Inputs + `
The exit status is 0, 1 if a rule is refused, and 2 if a file or its rules cannot be used.`,
		Example: `  vmrules export templates/ | kubectl apply -f -
  vmrules export --for openshift/windows rules.json`,
		Args: cli.SomeFile,
		RunE: cli.Run(&o.Files, func(s cli.Streams) error { return Run(b, o, s) }),
	}
	judging.ParamFlag(command, &o.Params)
	command.Flags().StringVar(&o.For, "for", "", "the template whose VMs an array of rules is about, as NAME or NAMESPACE/NAME; * for all VMs")
	command.Flags().BoolVar(&o.Scope.ByAnnotation, "by-annotation", false, "add policies for VMs that name their template by annotations")
	command.Flags().BoolVar(&o.Scope.NoRatcheting, "no-ratcheting", false, "judge each update in full, even what it does not change")
	command.Flags().BoolVar(&o.Scope.Partial, "partial", false, "leave out rules that cannot be expressed")
	return command
}

// Run writes policies. The error sets the exit status.
func Run(b build.Build, o Options, s cli.Streams) error {
	if err := cli.InputTwice(o.Files); err != nil {
		return err
	}
	e := &exporter{Ruling: judging.NewRuling(b), options: o, stderr: s.Err, names: map[string]string{}}
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

// exportDocument exports an array of rules.
func (e *exporter) exportDocument(d *manifest.Document) {
	about := d.File.Name + ": rules"
	text, err := d.JSON()
	var rules vmrules.Rules
	if err == nil {
		rules, err = vmrules.ParseRules(text, e.Templates.Reading...)
	}
	if err == nil && e.options.For == "" {
		err = errors.New("no template says which VMs these rules are for: add --for NAMESPACE/NAME with their template, or --for '*' for all VMs")
	}
	if err != nil {
		e.fail(fmt.Errorf("%s: %w", about, err))
		return
	}
	namespace, name, ok := strings.Cut(e.options.For, "/")
	switch {
	case e.options.For == "*":
		namespace, name = "", ""
	case !ok:
		namespace, name = "", e.options.For
	}
	e.export(about, rules, text, namespace, name)
}

func (e *exporter) exportTemplate(o manifest.Object) {
	rules, content, err := e.Templates.RulesIn(o)
	text := textOf(content)
	switch missing := slices.Collect(form.References(text)); {
	case err != nil:
	case rules.Len() == 0:
		return
	case len(missing) > 0:
		err = fmt.Errorf("its VMs have copies of its rules that differ in the parameter %s: set it with -p", text[missing[0].Start:missing[0].End])
	case o.Name == "":
		err = errors.New("the template has no name, so no VM can name it")
	}
	if err != nil {
		e.fail(fmt.Errorf("%s: %w", output.AboutObject(o), err))
		return
	}
	if text != textOf(o.Content()) {
		fmt.Fprintf(e.stderr, "vmrules: %s: its rules depend on its parameters: a VM made with other values has other rules of its own, which a policy leaves alone\n", output.AboutObject(o))
	}
	e.export(output.AboutObject(o).String(), rules, text, o.Namespace, o.Name)
}

// textOf returns the annotation of the VMs in a template. They have no different ones.
func textOf(template map[string]any) string {
	vms, _ := template["objects"].([]any)
	vm, _ := manifest.Value(template, "spec", "virtualMachine")
	for _, vm := range append(vms[:len(vms):len(vms)], vm) {
		if text := manifest.TextAt(vm, "metadata", "annotations", vmrules.Annotation); strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}

// export writes the rules of one source, whose VMs name a template and may have a copy of an annotation.
func (e *exporter) export(source string, rules vmrules.Rules, annotation, namespace, template string) {
	s := e.options.Scope
	s.Name, s.Template, s.Namespace, s.Annotation = exportName(namespace, template), template, namespace, annotation
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
	var documents []byte
	if err == nil {
		documents, err = exportDocuments(source, s, policies, untranslated)
	}
	if err != nil {
		e.fail(fmt.Errorf("%s: %w", source, err))
		return
	}
	if e.out.Len() > 0 {
		e.out.WriteString("---\n")
	}
	e.out.Write(documents)
}
