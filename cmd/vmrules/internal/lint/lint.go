// Package lint is the subcommand lint.
package lint

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/linting"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/topic"
	"github.com/vmrules/vmrules/lint"
)

// Options say what vmrules lint does.
type Options struct {
	linting.Options
	Files         []string
	Rules         []string // files that contain only rules
	Params        []string // values of parameters, as NAME=VALUE
	AllowUnjudged bool
	Quiet, All    bool
	Output        string // a key of outputs, or "" for text

	Fix, UnsafeFixes, Diff bool
	List                   bool // write the checks, and lint nothing
}

type run struct {
	*linting.Linter
	options Options
	streams cli.Streams
	found   *linting.Linted

	unwritten error // why a diff could not be written
}

// Command returns the subcommand.
func Command(b build.Build) *cobra.Command {
	var o Options
	command := &cobra.Command{
		Use:   "lint [FILE|FOLDER|-]...",
		Short: "Find mistakes in rules",
		Long: `Lint finds mistakes, and probable mistakes, in the rules in the annotations of templates
and VMs, and says where in the file they are. "vmrules explain ID" explains a finding, and --list
lists all checks. A document that is an array of rules counts as an annotation, too. A file that
--rules names must contain rules. The parameters of a template are filled in before its rules
are read, as in vmrules check. With --for ssp, lint also validates the VM of each template as
KubeVirt's template validator would.
` + b.AboutForms() + cli.Inputs + `
The exit status is 0 without errors, 1 with errors, and 2 if a file cannot be read. It is
also 2 if there is no VM, no template and no rule. --allow-unjudged permits that, and so does
an --exclude that leaves files out.`,
		Example: `  vmrules lint templates/
  vmrules lint --for ssp templates/    # for the validator of OpenShift clusters
  vmrules lint -o github templates/    # annotates a pull request`,
		Args: func(command *cobra.Command, args []string) error {
			if o.Rules != nil || o.List {
				return nil
			}
			return cli.SomeFile(command, args)
		},
		RunE: cli.Run(&o.Files, func(s cli.Streams) error { return Run(b, o, s) }),
	}
	flags := command.Flags()
	flags.StringArrayVar(&o.Rules, "rules", nil, "file that contains only rules")
	judging.ParamFlag(command, &o.Params)
	flags.BoolVar(&o.Strict, "strict", false, "exit with 1 for warnings too, and report unknown keys and kinds as errors")
	flags.BoolVarP(&o.Quiet, "quiet", "q", false, "show only errors, and no summary")
	flags.BoolVar(&o.All, "all", false, "show each finding, even if many say the same")
	cli.OneOf(command, "for", "", "also report what another program does not understand: ssp is KubeVirt's template validator", &o.For, "", lint.SSP)
	cli.OneOf(command, "output", "o", "format of the findings", &o.Output, "text", slices.Sorted(maps.Keys(outputs))...)
	cli.UnjudgedFlag(command, &o.AllowUnjudged)
	flags.BoolVar(&o.List, "list", false, "list all checks, with the severity of each and the flag that fixes it")
	flags.BoolVar(&o.Fix, "fix", false, "fix files where that changes no verdict, or where rules are refused as a whole")
	flags.BoolVar(&o.UnsafeFixes, "unsafe-fixes", false, "with --fix or --diff, also make fixes that may change verdicts, and say which rules change")
	flags.BoolVar(&o.Diff, "diff", false, "write the changes of --fix as a unified diff, and change no file")
	o.Settings.Flags(command)
	return command
}

var outputs = map[string]func(*run) error{
	"text":    func(r *run) error { return r.write(output.Finding.Long) },
	"concise": func(r *run) error { return r.write(output.Finding.Short) },
	"json":    func(r *run) error { return output.JSON(r.streams.Out, r.found) },
	"github":  func(r *run) error { return output.GitHub(r.streams.Out, r.all()) },
	"sarif":   func(r *run) error { return output.SARIF(r.streams.Out, r.Build.Name, r.all()) },
}

// Run lints files. The error sets the exit status.
func Run(b build.Build, o Options, s cli.Streams) error {
	if o.List {
		return writeList(s.Out)
	}
	if err := cmp.Or(cli.InputTwice(o.Rules, o.Files), o.canFix(), o.Check()); err != nil {
		return err
	}
	l := linting.New(b, o.Options, judging.NewParameters())
	if err := l.Read(o.Params); err != nil {
		return err
	}
	l.PlacesFixes = o.Output == "sarif"
	l.WantsFixes = o.fixes() || l.PlacesFixes
	r := &run{Linter: l, options: o, streams: s, found: linting.NewLinted(s.Err)}
	r.lint(o.Rules, func(manifest.Document) bool { return true }, l.LintRules)
	files := o.Files
	if r.found.IsFull {
		files = nil
	}
	r.lint(files, func(d manifest.Document) bool { return d.LooksLikeRules() || d.HoldsVM() }, l.LintFile)
	if err := l.AllDeclared(); err != nil {
		return err
	}
	l.AddUseless(r.found, files)
	f := r.found
	f.PlaceFixes()
	f.Excluded = l.Excluded
	hasAny := f.Annotations > 0 || len(f.Findings) > 0 || f.HasVM || f.Unusable != nil || f.Excluded > 0
	isEmpty := !hasAny && !o.AllowUnjudged
	if isEmpty {
		f.Unusable = append(f.Unusable, &manifest.Error{File: slices.Concat(o.Files, o.Rules)[0], Message: nothing})
	}
	if err := r.writeOut(); err != nil {
		return err
	}
	r.warn(isEmpty)
	return cli.Verdict(f.Fails, f.Unusable != nil)
}

// lint lints files, which must hold what counts, and fixes them before if that is asked for.
func (r *run) lint(files []string, counts func(manifest.Document) bool, lints linting.LintsFile) {
	for file, err := range manifest.ReadExcept(r.Excludes, files, r.streams.In) {
		if err == nil {
			err = file.Nothing(counts)
		}
		if err == nil {
			err = r.Enter(file)
		}
		if err != nil {
			r.found.Fail(err)
			continue
		}
		if r.options.fixes() {
			file = r.fixed(file, lints)
		}
		lints(r.found, file)
		if r.found.IsFull {
			r.found.Fail(&manifest.Error{File: file.Name, Message: fmt.Sprintf(
				"more than %d findings: correct these first, or omit less severe ones with --min-severity", linting.MaxFindings)})
			return
		}
	}
}

// writeOut writes the findings. With --diff, the output is the diff.
func (r *run) writeOut() error {
	if r.options.Diff {
		return errors.Join(r.unwritten, r.writeSummary(r.streams.Err))
	}
	return outputs[cmp.Or(r.options.Output, "text")](r)
}

const nothing = "no VM, template or rules to lint"

// warn writes what the findings do not say.
func (r *run) warn(isEmpty bool) {
	stderr := r.streams.Err
	r.found.LeftOut.WarnNotLinted(stderr)
	switch {
	case r.found.Annotations == 0 && r.found.Source != "":
		fmt.Fprintln(stderr, "vmrules: no rules to lint; render the files first: "+output.OneLine(r.found.Source)+" | vmrules lint -")
	case isEmpty:
		fmt.Fprintln(stderr, "vmrules: "+nothing+cli.OrAllow)
	}
	if n := r.found.Hidden[lint.SeverityWarning]; n > 0 && r.found.Fails && (r.options.Quiet || cmp.Or(r.options.Output, "text") != "text") {
		fmt.Fprintf(stderr, "vmrules: %s not shown\n", output.Counted(n, "warning"))
	}
}

func (r *run) all() output.Findings {
	return output.Findings{All: r.found.Findings, Topics: topic.ForFindings(), Unusable: r.found.Unusable}
}

func writeList(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tSEVERITY\tFIXED BY")
	flags := map[string]string{"safe": "--fix", "unsafe": "--fix --unsafe-fixes"}
	for _, c := range topic.Checks() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", c.Name, c.Severity, cmp.Or(flags[c.Fixes], "-"))
	}
	return table.Flush()
}

func (r *run) write(form func(output.Finding) string) error {
	text := output.Text{Quiet: r.options.Quiet, All: r.options.All, Form: form}
	text.Count(r.found.Findings)
	text.Write(r.streams.Out, r.found.Findings)
	return r.writeSummary(r.streams.Out)
}

func (r *run) writeSummary(w io.Writer) error {
	if r.options.Quiet {
		return nil
	}
	text := output.Counted(r.found.Annotations, "annotation") + ": " + r.found.Counts() + r.SayExcluded()
	if r.options.fixes() {
		text += fmt.Sprintf(map[bool]string{false: ", %d fixed", true: ", %d would be fixed"}[r.options.Diff], r.found.Fixed)
		if n := r.found.NeedUnsafe(); n > 0 && !r.options.UnsafeFixes {
			text += fmt.Sprintf(", %d fixable with --unsafe-fixes", n)
		}
	}
	_, err := fmt.Fprintln(w, text)
	return err
}
