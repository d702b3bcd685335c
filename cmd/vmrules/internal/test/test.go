// Package test is the subcommand test.
package test

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/lint"
)

// Options say what vmrules test does.
type Options struct {
	Files           []string
	Verbose, Strict bool
	Output          string // a key of outputs, or "" for text
}

type tester struct {
	build   build.Build
	options Options
	streams cli.Streams

	tested   []tested
	kept     int // the weight of the differences
	unusable []*manifest.Error
	ignored  build.LeftOut
}

// A tested is the result of one case.
type tested struct {
	File        string       `json:"file"`
	Line        int          `json:"line"`
	Name        string       `json:"name"`
	Passed      bool         `json:"passed"`
	Differences []difference `json:"differences,omitempty"`
	// Unjudged says of VMs that no rule was applied to them.
	Unjudged []string `json:"unjudged,omitempty"`
	// Problem says why the VM cannot be validated.
	Problem string `json:"problem,omitempty"`

	column int
}

// Command returns the subcommand.
func Command(b build.Build) *cobra.Command {
	var o Options
	command := &cobra.Command{
		Use:   "test FILE|FOLDER|-...",
		Short: "Test rules with VMs that must pass or fail",
		Long: `Test validates VMs by rules, and compares the outcomes with those that a file expects:

  template: windows.yaml          # the rules to test; or rules: rules.json
  parameters: {MAX_CORES: "8"}    # of the template
  with: [instancetypes.yaml]      # instance types and preferences that the VMs name
  cases:
  - name: a small VM
    vm: vms/small.yaml            # a file, or the VM itself
    expect: valid
  - name: too many cores on a slow bus
    vm: {spec: {template: {spec: {domain: {cpu: {cores: 64}}}}}}
    expect:
      violated: [max-cores]
      warned: [virtio-is-faster]

"expect" lists the names of rules by their outcome: violated, warned, undecided, ignored,
skipped or satisfied. A rule that is not listed must be skipped or satisfied. "expect: valid"
lists none. VMs are validated by these rules alone, not by their own. Without "template" and "rules", a
VM is validated by its own rules. If it has none, it is validated by the template that it names, in the
folder of the tests or below. File names are relative to the file of the tests.

If FILE is a folder, all .yaml, .yml and .json files in it and below it are searched for
documents that have "cases" and no kind.

The exit status is 0 if all cases pass, 1 if one fails, and 2 if a test cannot be run.`,
		Example: `  vmrules test tests.yaml
  vmrules test -o junit tests/ > report.xml`,
		Args: cli.SomeFile,
		RunE: cli.Run(&o.Files, func(s cli.Streams) error { return Run(b, o, s) }),
	}
	command.Flags().BoolVarP(&o.Verbose, "verbose", "v", false, "also show cases that pass")
	cli.StrictFlag(command, &o.Strict)
	cli.OneOf(command, "output", "o", "format of the results", &o.Output, "text", slices.Sorted(maps.Keys(outputs))...)
	return command
}

var outputs = map[string]func(io.Writer, *tester) error{
	"text": writeTested, "json": writeTestedJSON, "junit": writeTestedJUnit, "github": writeTestedGitHub,
}

// Run runs the tests in files. The error sets the exit status.
func Run(b build.Build, o Options, s cli.Streams) error {
	t := &tester{build: b, options: o, streams: s, ignored: build.LeftOut{}}
	for _, arg := range o.Files {
		none := true
		for file, err := range manifest.Read([]string{arg}, s.In) {
			if err != nil {
				t.fail(err.(*manifest.Error))
				none = false
				continue
			}
			for _, d := range file.Documents() {
				if _, hasCases := d.Content()["cases"]; hasCases && d.Type() == "" {
					t.test(d)
					none = false
				}
			}
		}
		if none {
			t.fail(&manifest.Error{File: arg, Message: `no tests found: write an object that has "cases", as in "vmrules help test"`})
		}
	}
	if err := outputs[cmp.Or(o.Output, "text")](s.Out, t); err != nil {
		return err
	}
	t.ignored.Warn(s.Err)
	return cli.Verdict(!t.hasPassed(), t.unusable != nil || slices.ContainsFunc(t.tested, func(c tested) bool { return c.Problem != "" }))
}

func (t *tester) hasPassed() bool {
	return t.unusable == nil && !slices.ContainsFunc(t.tested, func(c tested) bool { return !c.Passed })
}

func (t *tester) fail(err *manifest.Error) {
	t.unusable = append(t.unusable, cli.Unusable(t.streams.Err, err))
}

// test runs the cases of a document.
func (t *tester) test(d manifest.Document) {
	if t.kept > judging.MaxKeptWeight {
		return // which has been reported
	}
	r := &suiteReader{file: d.File.Name, locator: manifest.NewLocator(d.Object)}
	s := r.read(d.Content())
	j := newJudge(t.streams.In, t.build, s, r)
	if r.wrong != nil { // then the cases are only read
		for i, c := range s.cases {
			if _, err := j.vm(c); err != nil {
				r.fail(fmt.Sprintf("/cases/%d/vm", i), err)
			}
		}
		slices.SortStableFunc(r.wrong, func(a, b *manifest.Error) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		})
		for _, wrong := range r.wrong {
			t.fail(wrong)
		}
		return
	}
	for i, c := range s.cases {
		result := tested{File: d.File.Name, Name: c.name}
		result.Line, result.column, _ = r.locator.Place(fmt.Sprintf("/cases/%d", i))
		report, err := j.judge(c)
		if err != nil {
			result.Problem = err.Error()
		} else {
			result.Differences = c.expect.compare(report)
			result.Unjudged = t.unjudged(report)
			t.ignored.AddKinds(t.build, report.Results(vmrules.OutcomeIgnored))
		}
		result.Passed = err == nil && result.Differences == nil && (result.Unjudged == nil || !t.options.Strict)
		t.tested = append(t.tested, result)
		if t.kept += 1 + 10*len(result.Differences); t.kept > judging.MaxKeptWeight {
			t.fail(&manifest.Error{File: result.File, Line: result.Line, Column: result.column, Message: "too many differences: test fewer cases at a time"})
			return
		}
	}
}

// unjudged returns what to say of VMs that have no results, with which others are compared.
func (t *tester) unjudged(r *vmrules.Report) (all []string) {
	_, gaps := judged.Of(r)
	for _, g := range gaps {
		text := output.OneLine(g.String())
		if t.options.Strict {
			text += cli.AndStrict
		}
		if g.Severity() == lint.SeverityNote {
			all = append(all, text)
		}
	}
	return all
}
