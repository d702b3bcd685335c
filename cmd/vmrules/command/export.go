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

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/form"
)

// An Export is rules to be written for another program to enforce.
type Export struct {
	Rules vmrules.Rules
	// Name is a name for the objects to be written, to which -by-annotation and -warnings may be
	// appended. It is a DNS-1123 subdomain of at most 200 characters, and different for each template.
	Name   string
	Source string // where the rules are, for a comment
	// Template and Namespace name the template whose VMs the rules are about. The rules are
	// about all VMs if Template is "", and about templates in any namespace if Namespace is "".
	Template, Namespace string
	// Annotation is the text of the template's rules, of which its VMs may have a copy.
	Annotation string
	Policy     PolicyOptions
}

// PolicyOptions say how policies differ from the usual ones.
type PolicyOptions struct {
	ByAnnotation bool // also about VMs that name the template by their annotations
	NoRatcheting bool // judge each update in full
}

// An Exporter writes rules in another form, as documents of YAML. It leaves out rules that this
// form cannot express, names them in comments, and returns why they are left out.
type Exporter func(Export) (documents []byte, omitted []Omission, err error)

// An Omission says why a rule is not exported.
type Omission struct{ Rule, Why string }

// An exporting runs vmrules export.
type exporting struct {
	ruling
	to      choice[Exporter]
	of      string // the template of arrays of rules
	policy  PolicyOptions
	partial bool

	out              bytes.Buffer
	stderr           io.Writer
	names            map[string]string // whose rules have a name
	omitted, invalid bool
}

func newExport(b Build) *cobra.Command {
	if b.Exports == nil {
		return &cobra.Command{
			Use: "export", Hidden: true, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error { return errors.New("export is in vmrules-full: " + installFull) },
		}
	}
	e := &exporting{ruling: newRuling(b), to: choice[Exporter]{options: b.Exports}, names: map[string]string{}}
	command := &cobra.Command{
		Use:   "export --to vap|crd FILE|FOLDER|-...",
		Short: "Write rules for the API server to enforce",
		Long: `Export --to vap writes the rules of each template as a ValidatingAdmissionPolicy and its
binding, for kubectl apply. They are about the VMs of the template: those that name it by
the labels ` + vmrules.TemplateLabel + ` and ` + vmrules.TemplateNamespaceLabel + `,
or by the first label alone. --by-annotation adds policies about VMs that name it by
annotations, which make each write of other VMs slower. Policies are not about VMs that are
exempt from rules, and not about VMs with other rules of their own. Rules with justWarning get
a second policy, which warns.

A policy forgives an update of a VM that violated a rule before, if the update changes nothing
that the rule reads. With --no-ratcheting, it judges each update in full.

Export --to crd writes the rules of each template as x-kubernetes-validations, with the schema
that they need, for a CustomResourceDefinition of your own. They are about all VMs.

A document that is an array of rules does not say which VMs it is about: --for does.

The expressions give the verdicts of vmrules check, or a stricter one: a VM that names an
instance type or a preference is denied if that may set the field of a rule. A rule that
cannot be expressed exactly is refused, and nothing is written, unless --skip-untranslatable
is given. It then is a comment.
` + inputs + `
The exit status is 0, 1 if a rule is refused, and 2 if a file or its rules cannot be used.`,
		Example: `  vmrules-full export --to vap templates/ | kubectl apply -f -
  vmrules-full export --to vap --for openshift/windows rules.json`,
		Args: someFile,
		RunE: e.run,
	}
	e.parameters.flag(command)
	e.to.flag(command, "to", "", "what to write")
	command.Flags().StringVar(&e.of, "for", "", "the template whose VMs an array of rules is about, as NAME or NAMESPACE/NAME; * for all VMs")
	command.Flags().BoolVar(&e.policy.ByAnnotation, "by-annotation", false, "add policies for VMs that name their template by annotations")
	command.Flags().BoolVar(&e.policy.NoRatcheting, "no-ratcheting", false, "judge each update in full, also what it does not change")
	command.Flags().BoolVar(&e.partial, "skip-untranslatable", false, "leave out rules that cannot be expressed")
	return command
}

func (e *exporting) run(command *cobra.Command, args []string) error {
	if e.to.name == "" {
		return errors.New("give --to " + strings.Join(e.to.names(), " or --to "))
	}
	if e.to.name != "vap" && e.policy != (PolicyOptions{}) {
		return errors.New("--by-annotation and --no-ratcheting are about policies: use them with --to vap")
	}
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
		e.exportFile(file)
	}
	if err := e.allDeclared(); err != nil {
		return err
	}
	if len(e.names) == 0 && !e.invalid {
		return errors.New(strings.Join(args, ", ") + ": nothing to export: no template with rules, and no array of rules")
	}
	if err := verdict(e.omitted && !e.partial, e.invalid); err != nil {
		return err
	}
	_, err := e.out.WriteTo(command.OutOrStdout())
	return err
}

func (e *exporting) fail(err error) {
	fmt.Fprintln(e.stderr, "vmrules:", oneLine(err.Error()))
	e.invalid = true
}

func (e *exporting) exportFile(file *manifest.File) {
	for _, d := range file.Documents() {
		if d.LooksLikeRules() {
			e.exportDocument(&d)
		}
	}
	for _, object := range file.Objects() {
		if object.IsTemplate() {
			e.exportTemplate(object.Loaded())
		}
	}
}

// exportDocument exports an array of rules.
func (e *exporting) exportDocument(d *manifest.Document) {
	about := d.File().Name + ": rules"
	text, err := d.JSON()
	var rules vmrules.Rules
	if err == nil {
		rules, err = vmrules.ParseRules(text, e.reading...)
	}
	if err == nil && e.of == "" {
		err = errors.New("no template says which VMs these rules are for: add --for NAMESPACE/NAME with their template, or --for '*' for all VMs")
	}
	if err != nil {
		e.fail(fmt.Errorf("%s: %w", about, err))
		return
	}
	x := Export{Rules: rules, Source: about, Annotation: text}
	if e.of != "*" {
		x.Template = e.of
		if namespace, name, ok := strings.Cut(e.of, "/"); ok {
			x.Namespace, x.Template = namespace, name
		}
	}
	e.export(x)
}

func (e *exporting) exportTemplate(o manifest.Object) {
	rules, content, err := e.rulesIn(o)
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
	if e.to.name == "vap" && text != textOf(o.Content()) {
		fmt.Fprintf(e.stderr, "vmrules: %s: its rules depend on its parameters: a VM made with other values has other rules of its own, which a policy leaves alone\n", aboutObject(o))
	}
	e.export(Export{Rules: rules, Source: aboutObject(o).String(), Template: o.Name, Namespace: o.Namespace, Annotation: text})
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

// export writes the rules of one source.
func (e *exporting) export(x Export) {
	x.Name = exportName(x)
	if first, taken := e.names[x.Name]; taken {
		e.fail(fmt.Errorf("%s: %s would have the same name, %s: export them one at a time", x.Source, first, x.Name))
		return
	}
	e.names[x.Name] = x.Source
	x.Policy = e.policy
	documents, omitted, err := e.to.value()(x)
	if err != nil {
		e.fail(fmt.Errorf("%s: %w", x.Source, err))
		return
	}
	for _, o := range omitted {
		fmt.Fprintf(e.stderr, "vmrules: %s: rule %q: %s\n", oneLine(x.Source), short(oneLine(o.Rule)), oneLine(o.Why))
		e.omitted = true
	}
	if e.out.Len() > 0 && len(documents) > 0 {
		e.out.WriteString("---\n")
	}
	e.out.Write(documents)
}

// notInName matches what cannot be in the name of a Kubernetes object.
var notInName = regexp.MustCompile(`[^a-z0-9.-]+|(^|\.)-+|-+(\.|$)|\.\.+`)

// maxName leaves room for a suffix in the 253 characters that a name may have.
const maxName = 180

// exportName returns the name for the export of a template. A name gets a hash if it is not valid as
// it is, or may be that of another template: a dot may end a namespace, and an exporter may append
// -by-annotation and -warnings.
func exportName(x Export) string {
	if x.Template == "" {
		return "vmrules"
	}
	name := x.Template
	if x.Namespace != "" {
		name = x.Namespace + "." + name
	}
	valid := strings.Trim(notInName.ReplaceAllString(strings.ToLower(name[:min(len(name), maxName)]), "-"), "-.")
	isAmbiguous := x.Namespace == "" && strings.Contains(name, ".") || strings.HasSuffix(name, "-warnings") || strings.HasSuffix(name, "-by-annotation")
	if valid == name && !isAmbiguous {
		return "vmrules." + name
	}
	return fmt.Sprintf("vmrules.%s-%.4x", strings.ReplaceAll(valid, ".", "-"), sha256.Sum256([]byte(name)))
}
