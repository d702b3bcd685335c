package command

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/policy"
)

// An exporting runs vmrules export.
type exporting struct {
	ruling
	of    string       // the template of arrays of rules
	scope policy.Scope // with what the flags say

	out              bytes.Buffer
	stderr           io.Writer
	names            map[string]string // whose rules have a name
	refused, invalid bool
}

func newExport(b Build) *cobra.Command {
	e := &exporting{ruling: newRuling(b), names: map[string]string{}}
	command := &cobra.Command{
		Use:   "export FILE|FOLDER|-...",
		Short: "Write rules as policies, for the API server to enforce",
		Long: `Export writes the rules of each template as a ValidatingAdmissionPolicy and its binding, for
kubectl apply. They are about the VMs of the template: those that name it by the labels
` + vmrules.TemplateLabel + ` and ` + vmrules.TemplateNamespaceLabel + `, or by the
first label alone. --by-annotation adds policies about VMs that name it by annotations,
which make each write of other VMs slower. Policies are not about VMs that are exempt
from rules, and not about VMs with other rules of their own. Rules with justWarning get
a second policy, which warns.

A policy forgives an update of a VM that violated a rule before, if the update changes nothing
that the rule reads. With --no-ratcheting, it judges each update in full.

A document that is an array of rules does not say which VMs it is about: --for does.

The expressions give the verdicts of vmrules check, or a stricter one: a VM that names an
instance type or a preference is denied if that may set the field of a rule. A rule that
cannot be expressed exactly is refused, and nothing is written, unless --partial is given:
policies then enforce the other rules, and a comment names this one.
` + inputs + `
The exit status is 0, 1 if a rule is refused, and 2 if a file or its rules cannot be used.`,
		Example: `  vmrules export templates/ | kubectl apply -f -
  vmrules export --for openshift/windows rules.json`,
		Args: someFile,
		RunE: e.run,
	}
	e.parameters.flag(command)
	command.Flags().StringVar(&e.of, "for", "", "the template whose VMs an array of rules is about, as NAME or NAMESPACE/NAME; * for all VMs")
	command.Flags().BoolVar(&e.scope.ByAnnotation, "by-annotation", false, "add policies for VMs that name their template by annotations")
	command.Flags().BoolVar(&e.scope.NoRatcheting, "no-ratcheting", false, "judge each update in full, also what it does not change")
	command.Flags().BoolVar(&e.scope.Partial, "partial", false, "leave out rules that cannot be expressed")
	return command
}

func (e *exporting) run(command *cobra.Command, args []string) error {
	if err := inputTwice(args); err != nil {
		return err
	}
	if err := e.read(command); err != nil {
		return err
	}
	e.stderr = command.ErrOrStderr()
	for file, err := range manifest.Read(args, command.InOrStdin()) {
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
	if err := e.allDeclared(); err != nil {
		return err
	}
	if len(e.names) == 0 && !e.invalid {
		return errors.New(strings.Join(args, ", ") + ": nothing to export: no template with rules, and no array of rules")
	}
	if err := verdict(e.refused, e.invalid); err != nil {
		return err
	}
	_, err := e.out.WriteTo(command.OutOrStdout())
	return err
}

func (e *exporting) fail(err error) {
	fmt.Fprintln(e.stderr, "vmrules:", oneLine(err.Error()))
	e.invalid = true
}

// exportDocument exports an array of rules.
func (e *exporting) exportDocument(d *manifest.Document) {
	about := d.File.Name + ": rules"
	text, err := d.JSON()
	var rules vmrules.Rules
	if err == nil {
		rules, err = vmrules.ParseRules(text, e.templates.Reading...)
	}
	if err == nil && e.of == "" {
		err = errors.New("no template says which VMs these rules are for: add --for NAMESPACE/NAME with their template, or --for '*' for all VMs")
	}
	if err != nil {
		e.fail(fmt.Errorf("%s: %w", about, err))
		return
	}
	namespace, name, ok := strings.Cut(e.of, "/")
	switch {
	case e.of == "*":
		namespace, name = "", ""
	case !ok:
		namespace, name = "", e.of
	}
	e.export(about, rules, text, namespace, name)
}

func (e *exporting) exportTemplate(o manifest.Object) {
	rules, content, err := e.templates.RulesIn(o)
	text := textOf(content)
	switch missing := slices.Collect(form.References(text)); {
	case err != nil:
	case rules.Len() == 0:
		return
	case len(missing) > 0:
		err = fmt.Errorf("its VMs have copies of its rules that differ in the parameter %s: set it with -p", text[missing[0].Start:missing[0].End])
	case o.Name == "":
		err = errors.New("the template has no name, so no VM can be recognized as one of it")
	}
	if err != nil {
		e.fail(fmt.Errorf("%s: %w", aboutObject(o), err))
		return
	}
	if text != textOf(o.Content()) {
		fmt.Fprintf(e.stderr, "vmrules: %s: its rules depend on its parameters: a VM made with other values has other rules of its own, which a policy leaves alone\n", aboutObject(o))
	}
	e.export(aboutObject(o).String(), rules, text, o.Namespace, o.Name)
}

// textOf returns the annotation of the VMs in a template. They have no different ones.
func textOf(template map[string]any) string {
	vms, _ := template["objects"].([]any)
	vms = append(vms[:len(vms):len(vms)], value(template, "spec", "virtualMachine"))
	for _, vm := range vms {
		if text, _ := value(vm, "metadata", "annotations", vmrules.Annotation).(string); strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}

// export writes the rules of one source, whose VMs name a template and may have a copy of an annotation.
func (e *exporting) export(source string, rules vmrules.Rules, annotation, namespace, template string) {
	s := e.scope
	s.Name, s.Template, s.Namespace, s.Annotation = exportName(namespace, template), template, namespace, annotation
	if first, taken := e.names[s.Name]; taken {
		e.fail(fmt.Errorf("%s: %s would have the same name, %s: export them one at a time", source, first, s.Name))
		return
	}
	e.names[s.Name] = source
	policies, untranslated, err := policy.Of(rules, s)
	for _, u := range untranslated {
		fmt.Fprintf(e.stderr, "vmrules: %s: %s\n", oneLine(source), oneLine(aboutUntranslated(u)))
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

// notInName matches what cannot be in the name of a Kubernetes object.
var notInName = regexp.MustCompile(`[^a-z0-9.-]+|(^|\.)-+|-+(\.|$)|\.\.+`)

// maxName leaves room for a suffix in the 253 characters that a name may have.
const maxName = 180

// exportName returns the name for the policy of a template. A name gets a hash if it is not valid as
// it is, or may be that of another template: a dot may end a namespace, and package policy appends
// -by-annotation and -warnings.
func exportName(namespace, template string) string {
	if template == "" {
		return "vmrules"
	}
	name := template
	if namespace != "" {
		name = namespace + "." + name
	}
	valid := strings.Trim(notInName.ReplaceAllString(strings.ToLower(name[:min(len(name), maxName)]), "-"), "-.")
	isAmbiguous := namespace == "" && strings.Contains(name, ".") || strings.HasSuffix(name, "-warnings") || strings.HasSuffix(name, "-by-annotation")
	if valid == name && !isAmbiguous {
		return "vmrules." + name
	}
	return fmt.Sprintf("vmrules.%s-%.4x", strings.ReplaceAll(valid, ".", "-"), sha256.Sum256([]byte(name)))
}

// exportDocuments returns policies as documents of YAML. Comments say where the rules are from, and
// what the policies do not enforce.
func exportDocuments(source string, s policy.Scope, policies []map[string]any, untranslated []policy.Untranslated) ([]byte, error) {
	var text bytes.Buffer
	comment := func(line string) { fmt.Fprintf(&text, "# %s\n", oneLine(line)) }
	comment(source + ", enforced for " + aboutScope(s) + ".")
	for _, u := range untranslated {
		comment("NOT ENFORCED: " + aboutUntranslated(u))
	}
	if len(policies) == 0 {
		return text.Bytes(), nil
	}
	if !s.ByAnnotation && value(policies[0], "spec", "matchConstraints", "objectSelector") != nil {
		comment("NOT ENFORCED for VMs that name the template by annotations: --by-annotation adds policies about them.")
	}
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	for _, p := range policies {
		if err := encoder.Encode(p); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), encoder.Close()
}

func aboutScope(s policy.Scope) string {
	switch {
	case s.Template == "":
		return "all VMs"
	case s.Namespace == "":
		return "VMs of the template " + s.Template + ", in any namespace"
	}
	return "VMs of the template " + s.Template + " in " + s.Namespace
}

func aboutUntranslated(u policy.Untranslated) string {
	why := u.Why
	if u.Key != "" {
		why = u.Key + ": " + why
	}
	return fmt.Sprintf("rule %q: %s", short(u.Rule), why)
}
