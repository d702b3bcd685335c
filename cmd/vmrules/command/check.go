package command

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/deployed"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// A checker runs vmrules check.
type checker struct {
	judging
	warningsAsErrors bool
	verbose          bool
	quiet            bool
	exclude          exclusion
	output           choice[func(io.Writer, *checker) error]

	checked  []checked
	unusable []*manifest.Error
	ignored  leftOut
	said     map[string]bool // the parameters that were said to be missing
}

// A checked is the result for one object.
type checked struct {
	about
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

func newCheck(b Build) *cobra.Command {
	c := &checker{
		judging: newJudging(b), ignored: leftOut{}, said: map[string]bool{},
		output: choice[func(io.Writer, *checker) error]{"text", map[string]func(io.Writer, *checker) error{
			"text": writeChecked, "json": writeCheckedJSON, "junit": writeCheckedJUnit,
			"github": func(w io.Writer, c *checker) error { return writeGitHub(w, c.remarks()) },
			"sarif":  func(w io.Writer, c *checker) error { return writeSARIF(w, b, c.remarks()) },
		}},
	}
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

` + aboutInstancetypes + b.aboutForms() + inputs + `
The exit status is 0 if all objects are valid, 1 if one is not, and 2 if a file or its
rules cannot be used, or the template that a VM names in full is missing; other files are still
checked. It is also 2 if there is nothing to check, unless --exclude has left files out, or
--allow-unjudged is given. A VM that no rule judges is named, and fails only if --strict is given.`,
		Example: `  vmrules check templates/
  vmrules check --template windows.yaml vm.yaml
  vmrules check --rules rules.json vms/
  kubectl get vm -A -o yaml | vmrules check -`,
		Args: someFile,
		RunE: c.run,
	}
	c.flags(command)
	flags := command.Flags()
	flags.BoolVar(&c.warningsAsErrors, "warnings-as-errors", false, "exit with 1 for warnings too")
	flags.BoolVarP(&c.verbose, "verbose", "v", false, "also show objects that are valid or have no rules, and rules that are satisfied or do not apply")
	flags.BoolVarP(&c.quiet, "quiet", "q", false, "show only objects that are not valid, and no summary")
	exclusive(command, "verbose", "quiet")
	c.exclude.flag(command)
	c.output.flag(command, "output", "o", "how to write the reports")
	return command
}

func (c *checker) run(command *cobra.Command, args []string) error {
	if err := inputTwice(c.book.files, c.with.files, []string{c.template}, args); err != nil {
		return err
	}
	if err := c.read(command); err != nil {
		return err
	}
	for _, wrong := range c.book.read(command.InOrStdin()) {
		c.unusable = append(c.unusable, unusable(command.ErrOrStderr(), wrong))
	}
	if c.unusable == nil { // otherwise there are no rules to check by
		if err := c.checkAll(command, args); err != nil {
			return err
		}
	}
	if c.output.name != "text" {
		c.ignored.warn(command.ErrOrStderr())
	}
	if err := c.output.value()(command.OutOrStdout(), c); err != nil {
		return err
	}
	switch {
	case c.isUnjudged() && c.source != "":
		return errors.New(c.nothing())
	case c.isUnjudged():
		return errors.New(c.nothing() + orAllow)
	}
	return verdict(c.hasFailed(), c.isUnusable())
}

const notFound = "VMs name instance types or preferences that are missing: add their files, or use --with"

// checkAll checks the objects in the files that the arguments name. It first reads all of
// them, because any file may have the template or instance type of a VM in another one.
func (c *checker) checkAll(command *cobra.Command, args []string) error {
	var objects []manifest.Object
	c.with.counts, c.with.skip = c.book.counts, c.exclude.matches
	for object, err := range c.with.objects(args, command.InOrStdin()) {
		switch {
		case err != nil:
			c.unusable = append(c.unusable, unusable(command.ErrOrStderr(), err))
		case object.HoldsVM() || c.book.isWhole():
			objects = append(objects, object)
			c.templates.Add(object)
		case c.source == "":
			c.source = object.File.Source()
		}
	}
	c.with.warn(command.ErrOrStderr())
	kept := 0 // the weight of the reports
	for _, object := range objects {
		c.checked = append(c.checked, c.check(object.Loaded(), object))
		kept += weight(c.checked[len(c.checked)-1].Report)
		if kept > maxKeptWeight {
			err := &manifest.Error{File: object.File.Name, Line: object.Line, Column: 1,
				Message: "too many results: check fewer objects at a time, or use vmrules audit"}
			c.unusable = append(c.unusable, unusable(command.ErrOrStderr(), err))
			return nil
		}
	}
	if slices.ContainsFunc(c.checked, func(o checked) bool { return o.NotFound != nil }) {
		fmt.Fprintln(command.ErrOrStderr(), "vmrules: "+notFound)
	}
	return c.allDeclared()
}

// maxKeptWeight is the largest size of all reports, counted in results. A violation counts
// as ten results.
const maxKeptWeight = 500_000

func weight(r *vmrules.Report) int {
	results := r.Results()
	all := len(results)
	for _, result := range results {
		all += 10 * len(result.Violations)
	}
	return all
}

// check checks one object, and keeps it as it should be kept.
func (c *checker) check(o, kept manifest.Object) checked {
	result := checked{about: aboutObject(o), object: kept}
	result.mistakes = o.Mistakes()
	for _, f := range result.mistakes {
		result.Mistakes = append(result.Mistakes, fmt.Sprintf("line %d, column %d: %s", f.Line, f.Column, f.Message))
	}
	filled, err := c.fill(o)
	if err == nil {
		var j judgedObject
		j, err = c.judge(filled.Content(), o)
		result.Missing, result.NotFound = filled.Missing, j.NotFound
		result.Report, result.Note, result.SSP = j.Report, j.note, j.ssp
		result.class, result.gaps = j.class()
	}
	c.ignored.addKinds(c.book.build, result.Report.Results(vmrules.Ignored))
	if err != nil {
		result.class = judged.Unreadable
	}
	c.setProblem(&result, o, err)
	result.missing = slices.DeleteFunc(missingIn(notJudgedText(o, result), result.Missing), func(name string) bool { return c.said[name] })
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
	return slices.ContainsFunc(c.checked, c.fails) || c.warningsAsErrors && c.with.set.Warnings != nil
}

func (c *checker) isUnusable() bool {
	return c.unusable != nil || c.isUnjudged() || slices.ContainsFunc(c.checked, checked.isUnusable)
}

// fails reports whether the object is not valid.
func (c *checker) fails(o checked) bool {
	return o.SSP.Refuses() || o.Report != nil && (!o.Report.Valid() || c.strict && !o.Report.Passed() ||
		c.warningsAsErrors && (len(o.Report.Warnings()) > 0 || slices.ContainsFunc(o.gaps, func(g judged.Gap) bool { return g.Severity == lint.SeverityWarning })))
}

func (o checked) isUnusable() bool { return o.Problem != "" }
