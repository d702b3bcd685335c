// Package check is the subcommand check.
package check

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/deployed"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/linting"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/shelf"
	"github.com/vmrules/vmrules/lint"
)

// Options say what vmrules check does.
type Options struct {
	judging.Options
	linting.Settings
	Files               []string
	Verbose, Quiet, All bool
	NoLint              bool
	Output              string // a key of outputs, or "" for text
}

type checker struct {
	judging.Judging
	options Options
	linter  *linting.Linter

	found   *linting.Linted
	checked []checked
	said    map[string]bool // the parameters that were said to be missing
}

// A checked is the result for one object.
type checked struct {
	output.About
	Report *vmrules.Report `json:"report,omitempty"`
	// Note says why a template validates the VM that it does not name in full.
	Note string `json:"note,omitempty"`
	// Missing are the required parameters of a template that have no value.
	Missing []string `json:"missingParameters,omitempty"`
	// NotFound are the instance types and preferences that the VMs name and that are not given.
	NotFound []string `json:"notFound,omitempty"`
	// SSP is what KubeVirt's template validator says of the VMs, with --for ssp.
	SSP *deployed.Verdict `json:"ssp,omitempty"`
	// Problem says why the rules are not known, or some of them; Problems are those of the
	// annotation, with lines and columns of the file.
	Problem  string            `json:"problem,omitempty"`
	Problems []vmrules.Problem `json:"problems,omitempty"`

	class       judged.Class
	gaps        []judged.Gap
	by          *shelf.Template // that the VM names, or that is assumed
	first, last int             // its findings are those from first, before last
}

// Command returns the subcommand.
func Command(b build.Build) *cobra.Command {
	var o Options
	command := &cobra.Command{
		Use:   "check FILE|FOLDER|-...",
		Short: "Check VMs and templates by their rules",
		Long: `Check validates VMs, instances, pools, lists of these, and templates of OpenShift and KubeVirt.
The VMs in a template are validated by its rules, after its parameters are filled in. If OpenShift
would generate a value, check makes one up, the same in every run. Any other VM is validated by its
own rules. If it has none, it is validated by the template that it names, in any FILE or in that of
--template. If it names none, and --template has just one, it is validated by that; check says so.

With --rules, all VMs are validated by the rules in these files instead, including VMs in templates
and VMs that their annotations exempt.

With --for ssp, check also validates VMs as KubeVirt's template validator would, which
ssp-operator deploys on OpenShift only. A VM that the validator refuses is not valid.
` + judging.AboutInstancetypes + b.AboutForms() + cli.Inputs + `
The exit status is 0 if all objects are valid. It is 1 if one is not, or if lint finds an error. It
is 2 if a file or its rules cannot be used, if the template that a VM names in full is missing, or if
there is nothing to check. --allow-unjudged permits the last, and so does an --exclude that leaves
files out. Other files are still checked. A VM that no rule applies to is named. It fails with --strict.`,
		Example: `  vmrules check templates/
  vmrules check --template windows.yaml vm.yaml
  vmrules check --rules rules.json vms/
  kubectl get vm -A -o yaml | vmrules check -`,
		Args: cli.SomeFile,
		RunE: cli.Run(&o.Files, func(s cli.Streams) error { return Run(b, o, s) }),
	}
	o.Options.Flags(command)
	flags := command.Flags()
	flags.BoolVarP(&o.Verbose, "verbose", "v", false, "also show the outcome of each object, and rules that are satisfied or skipped")
	flags.BoolVarP(&o.Quiet, "quiet", "q", false, "show only what fails, and no summary")
	flags.BoolVar(&o.All, "all", false, "show each finding, even if many say the same")
	flags.BoolVar(&o.NoLint, "no-lint", false, "do not lint the rules of templates")
	o.Settings.Flags(command)
	cli.Exclusive(command, "verbose", "quiet")
	cli.OneOf(command, "output", "o", "format of the reports", &o.Output, "text", slices.Sorted(maps.Keys(outputs))...)
	return command
}

// Run checks objects. The error sets the exit status.
func Run(b build.Build, o Options, s cli.Streams) error {
	if err := cmp.Or(cli.InputTwice(o.Rules, o.With, []string{o.Template}, o.Files), o.Check()); err != nil {
		return err
	}
	j := judging.New(b, o.Options)
	l := linting.New(b, linting.Options{Settings: o.Settings, Strict: o.Strict, For: o.For, NoNotes: !o.Verbose}, j.Parameters)
	c := &checker{Judging: j, options: o, linter: l, found: linting.NewLinted(s.Err), said: map[string]bool{}}
	if err := c.Read(o.Sources, s.In); err != nil {
		return err
	}
	for _, wrong := range c.Book.Read(b, o.Rules, s.In) {
		c.found.Fail(wrong)
	}
	if c.found.Unusable == nil { // otherwise there are no rules to check by
		if err := c.checkAll(s); err != nil {
			return err
		}
	}
	form := cmp.Or(o.Output, "text")
	if form != "text" {
		c.Ignored.Warn(s.Err)
	}
	var nothing error
	if said := c.nothing(); said != "" && c.linter.Excluded == 0 && !o.AllowsNothing() {
		c.found.Unusable = append(c.found.Unusable, &manifest.Error{File: o.Files[0], Message: said})
		if c.Source == "" {
			said += cli.OrAllow
		}
		nothing = errors.New(said)
	}
	if err := cmp.Or(outputs[form](s.Out, c), nothing); err != nil {
		return err
	}
	return cli.Verdict(c.hasFailed(), c.isUnusable())
}

// checkAll first reads all files: any may have the template or the instance type of a VM in another one.
func (c *checker) checkAll(s cli.Streams) error {
	var objects []manifest.Object
	c.With.Counts = c.Book.Counts
	for object, err := range c.With.Objects(manifest.ReadExcept(c.linter.Excludes, c.options.Files, s.In)) {
		switch {
		case err != nil:
			c.found.Fail(err)
		case object.HoldsVM() || c.Book.IsWhole() || object.Mistakes() != nil: // it may be meant to hold one
			objects = append(objects, object)
			c.Templates.Add(object)
		default:
			c.Source = cmp.Or(c.Source, object.File.Source())
		}
	}
	c.With.Warn(s.Err)
	kept := 0 // the weight of the reports
	for _, object := range objects {
		if err := c.linter.Enter(object.File); err != nil {
			c.found.Fail(err)
			continue
		}
		result := c.check(object.Loaded())
		c.checked = append(c.checked, result)
		for _, r := range result.Report.Results() {
			kept += 1 + 10*len(r.Violations)
		}
		if kept > judging.MaxKeptWeight || c.found.IsFull {
			c.found.Fail(&manifest.Error{File: object.File.Name, Line: object.Line, Column: 1,
				Message: "too many results: check fewer objects at a time, or use vmrules audit"})
			return nil
		}
	}
	if slices.ContainsFunc(c.checked, func(o checked) bool { return o.NotFound != nil }) {
		fmt.Fprintln(s.Err, "vmrules: VMs name instance types or preferences that are missing: add their files, or use --with")
	}
	return c.AllDeclared()
}

func (c *checker) check(o manifest.Object) checked {
	result := checked{About: output.AboutObject(o), first: len(c.found.Findings)}
	filled, err := c.Fill(o)
	if err == nil {
		var j judging.JudgedObject
		j, err = c.Judge(filled.Content(), o, c.linter.Profile())
		result.Missing, result.NotFound = filled.Missing, j.NotFound
		result.Report, result.Note, result.SSP = j.Report, j.Note, j.SSP
		result.class, result.gaps = j.Class()
		result.by = j.By
	}
	c.Ignored.AddKinds(c.Build, result.Report.Results(vmrules.OutcomeIgnored))
	if err != nil {
		result.class = judged.Unreadable
	}
	findings := c.setProblem(&result, o, err)
	isLinted := o.IsTemplate() && !c.options.NoLint && c.options.Rules == nil && err == nil
	if isLinted {
		_ = c.linter.LintObject(c.found, o) // its parameters are filled in
	} else {
		findings = append(findings, o.Mistakes()...)
	}
	if !isLinted || result.Problems == nil || !c.saysProblem(result) {
		c.linter.AddJudged(c.found, o, append(findings, c.findings(o, result)...))
	}
	result.last = len(c.found.Findings)
	return result
}

// saysProblem reports whether lint has found a problem of an object's rules, and may say so.
func (c *checker) saysProblem(o checked) bool {
	return slices.ContainsFunc(c.found.Findings[o.first:], func(f output.Finding) bool {
		isAbout := func(p vmrules.Problem) bool { return p.Code == f.ID }
		return f.Severity == lint.SeverityError && slices.ContainsFunc(o.Problems, isAbout)
	})
}

func (c *checker) hasFailed() bool {
	return c.found.Fails || slices.ContainsFunc(c.checked, c.fails) || c.linter.Fails(lint.SeverityWarning) && c.With.Set.Warnings != nil
}

func (c *checker) isUnusable() bool {
	return c.found.Unusable != nil || slices.ContainsFunc(c.checked, checked.isUnusable)
}

func (c *checker) fails(o checked) bool {
	return o.SSP.Refuses() || o.Report != nil && (!o.Report.Valid() || c.options.Strict && !c.options.AllowsAll(o.gaps))
}

func (o checked) isUnusable() bool { return o.Problem != "" }
