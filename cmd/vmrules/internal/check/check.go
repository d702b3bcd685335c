// Package check is the subcommand check.
package check

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

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
	"github.com/vmrules/vmrules/lint"
)

// Options say what vmrules check does.
type Options struct {
	judging.Options
	Files            []string
	WarningsAsErrors bool
	Verbose, Quiet   bool
	Exclude          []string // globs
	Output           string   // a key of checkOutputs, or "" for text
}

// A checker runs vmrules check.
type checker struct {
	judging.Judging
	options Options
	exclude cli.Exclusion

	checked  []checked
	unusable []*manifest.Error
	ignored  build.LeftOut
	said     map[string]bool // the parameters that were said to be missing
}

// A checked is the result for one object.
type checked struct {
	output.About
	Report *vmrules.Report `json:"report,omitempty"`
	// Note says why a template judges the VM that it does not name in full.
	Note string `json:"note,omitempty"`
	// Missing are the required parameters of a template that have no value.
	Missing []string `json:"missingParameters,omitempty"`
	// NotFound are the instance types and preferences that the VMs name and that are
	// not given.
	NotFound []string `json:"notFound,omitempty"`
	// SSP is what KubeVirt's template validator says of the VMs, with --for ssp.
	SSP *deployed.Verdict `json:"ssp,omitempty"`
	// Mistakes are mistakes outside of the rules, because of which rules may not be read.
	Mistakes []string `json:"mistakes,omitempty"`
	// Problem says why the rules are not known, or some of them; Problems are those of the
	// annotation, with lines and columns of the file.
	Problem  string            `json:"problem,omitempty"`
	Problems []vmrules.Problem `json:"problems,omitempty"`

	object   manifest.Object
	missing  []string          // of Missing, those because of which rules are not judged, if no earlier object has them
	mistakes []lint.Finding    // of Mistakes
	placed   []*manifest.Error // those of Problems whose place is known
	class    judged.Class
	gaps     []judged.Gap
}

// Command returns the subcommand.
func Command(b build.Build) *cobra.Command {
	var o Options
	command := &cobra.Command{
		Use:   "check FILE|FOLDER|-...",
		Short: "Check VMs and templates by their rules",
		Long: `Check validates VMs, instances, pools, lists of these, and templates of OpenShift and
KubeVirt. A VM is checked by its own rules. If it has none, it is checked by the rules of the
template that it names, which may be in any FILE or in that of --template. A VM that names none is
checked by the template of --template, if that is the only one, which check says. The VMs in a
template are checked by its own rules, after its parameters are filled in. If OpenShift would
generate a value, check makes one up, which is always the same.

With --rules, all VMs, including those in templates, are checked by the rules of files
instead. This includes VMs that their annotations exempt.

With --for ssp, check also says what KubeVirt's template validator, which most clusters
run, does with a VM. A VM that it refuses is not valid.

` + judging.AboutInstancetypes + b.AboutForms() + cli.Inputs + `
The exit status is 0 if all objects are valid, 1 if one is not, and 2 if a file or its
rules cannot be used, or the template that a VM names in full is missing; other files are still
checked. It is also 2 if there is nothing to check, unless --exclude has left files out, or
--allow-unjudged is given. A VM that no rule judges is named, and fails only if --strict is given.`,
		Example: `  vmrules check templates/
  vmrules check --template windows.yaml vm.yaml
  vmrules check --rules rules.json vms/
  kubectl get vm -A -o yaml | vmrules check -`,
		Args: cli.SomeFile,
		RunE: cli.Run(&o.Files, func(s cli.Streams) error { return Run(b, o, s) }),
	}
	o.Flags(command)
	flags := command.Flags()
	flags.BoolVar(&o.WarningsAsErrors, "warnings-as-errors", false, "exit with 1 for warnings too")
	flags.BoolVarP(&o.Verbose, "verbose", "v", false, "also show objects that are valid or have no rules, and rules that are satisfied or do not apply")
	flags.BoolVarP(&o.Quiet, "quiet", "q", false, "show only objects that are not valid, and no summary")
	cli.Exclusive(command, "verbose", "quiet")
	cli.ExcludeFlag(command, &o.Exclude)
	cli.OneOf(command, "output", "o", "how to write the reports", &o.Output, "text", slices.Sorted(maps.Keys(outputs))...)
	return command
}

var outputs = map[string]func(io.Writer, *checker) error{
	"text": writeChecked, "json": writeCheckedJSON, "junit": writeCheckedJUnit,
	"github": func(w io.Writer, c *checker) error { return output.GitHub(w, c.remarks()) },
	"sarif":  func(w io.Writer, c *checker) error { return output.SARIF(w, c.Book.Build, c.remarks()) },
}

// Run checks objects. The error sets the exit status.
func Run(b build.Build, o Options, s cli.Streams) error {
	if err := cli.InputTwice(o.Rules, o.With, []string{o.Template}, o.Files); err != nil {
		return err
	}
	c := newChecker(b, o)
	if err := c.Read(o.Sources, s.In); err != nil {
		return err
	}
	for _, wrong := range c.Book.Read(o.Rules, s.In) {
		c.unusable = append(c.unusable, cli.Unusable(s.Err, wrong))
	}
	if c.unusable == nil { // otherwise there are no rules to check by
		if err := c.checkAll(s); err != nil {
			return err
		}
	}
	output := cmp.Or(o.Output, "text")
	if output != "text" {
		c.ignored.Warn(s.Err)
	}
	if err := outputs[output](s.Out, c); err != nil {
		return err
	}
	switch {
	case c.isUnjudged() && c.Source != "":
		return errors.New(c.nothing())
	case c.isUnjudged():
		return errors.New(c.nothing() + cli.OrAllow)
	}
	return cli.Verdict(c.hasFailed(), c.isUnusable())
}

func newChecker(b build.Build, o Options) *checker {
	return &checker{
		Judging: judging.New(b, o.Options), options: o, exclude: cli.Exclusion{Globs: o.Exclude},
		ignored: build.LeftOut{}, said: map[string]bool{},
	}
}

const notFound = "VMs name instance types or preferences that are missing: add their files, or use --with"

// checkAll checks the objects in the files that the arguments name. It first reads all of
// them, because any file may have the template or instance type of a VM in another one.
func (c *checker) checkAll(s cli.Streams) error {
	var objects []manifest.Object
	c.With.Counts, c.With.Skip = c.Book.Counts, c.exclude.Matches
	for object, err := range c.With.Objects(c.options.Files, s.In) {
		switch {
		case err != nil:
			c.unusable = append(c.unusable, cli.Unusable(s.Err, err))
		case object.HoldsVM() || c.Book.IsWhole():
			objects = append(objects, object)
			c.Templates.Add(object)
		case c.Source == "":
			c.Source = object.File.Source()
		}
	}
	c.With.Warn(s.Err)
	kept := 0 // the weight of the reports
	for _, object := range objects {
		c.checked = append(c.checked, c.check(object.Loaded(), object))
		kept += judging.Weight(c.checked[len(c.checked)-1].Report)
		if kept > judging.MaxKeptWeight {
			err := &manifest.Error{File: object.File.Name, Line: object.Line, Column: 1,
				Message: "too many results: check fewer objects at a time, or use vmrules audit"}
			c.unusable = append(c.unusable, cli.Unusable(s.Err, err))
			return nil
		}
	}
	if slices.ContainsFunc(c.checked, func(o checked) bool { return o.NotFound != nil }) {
		fmt.Fprintln(s.Err, "vmrules: "+notFound)
	}
	return c.AllDeclared()
}

// check checks one object, and keeps it as it should be kept.
func (c *checker) check(o, kept manifest.Object) checked {
	result := checked{About: output.AboutObject(o), object: kept}
	result.mistakes = o.Mistakes()
	for _, f := range result.mistakes {
		result.Mistakes = append(result.Mistakes, fmt.Sprintf("line %d, column %d: %s", f.Line, f.Column, f.Message))
	}
	filled, err := c.Fill(o)
	if err == nil {
		var j judging.JudgedObject
		j, err = c.Judge(filled.Content(), o)
		result.Missing, result.NotFound = filled.Missing, j.NotFound
		result.Report, result.Note, result.SSP = j.Report, j.Note, j.Ssp
		result.class, result.gaps = j.Class()
	}
	c.ignored.AddKinds(c.Book.Build, result.Report.Results(vmrules.Ignored))
	if err != nil {
		result.class = judged.Unreadable
	}
	c.setProblem(&result, o, err)
	result.missing = slices.DeleteFunc(linting.MissingIn(notJudgedText(o, result), result.Missing), func(name string) bool { return c.said[name] })
	for _, name := range result.missing {
		c.said[name] = true
	}
	return result
}

// notJudgedText returns the texts that have the parameters because of which rules are not judged.
func notJudgedText(o manifest.Object, result checked) string {
	var text strings.Builder
	for _, r := range result.Report.Results(vmrules.Undecided) {
		for _, v := range r.Violations {
			text.WriteString(v.Detail)
		}
	}
	if result.isUnusable() {
		for _, a := range o.Annotations() {
			text.WriteString(a.Text())
		}
	}
	return text.String()
}

func (c *checker) hasFailed() bool {
	return slices.ContainsFunc(c.checked, c.fails) || c.options.WarningsAsErrors && c.With.Set.Warnings != nil
}

func (c *checker) isUnusable() bool {
	return c.unusable != nil || c.isUnjudged() || slices.ContainsFunc(c.checked, checked.isUnusable)
}

// fails reports whether the object is not valid.
func (c *checker) fails(o checked) bool {
	return o.SSP.Refuses() || o.Report != nil && (!o.Report.Valid() || c.options.Strict && !o.Report.Passed() ||
		c.options.WarningsAsErrors && (len(o.Report.Warnings()) > 0 || slices.ContainsFunc(o.gaps, func(g judged.Gap) bool { return g.Severity == lint.SeverityWarning })))
}

func (o checked) isUnusable() bool { return o.Problem != "" }
