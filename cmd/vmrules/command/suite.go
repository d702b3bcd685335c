package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// A tester runs vmrules test.
type tester struct {
	build   Build
	verbose bool
	strict  bool
	output  choice[func(io.Writer, *tester) error]

	tested   []tested
	kept     int // the weight of the differences
	unusable []*manifest.Error
	ignored  leftOut
}

// A tested is the result of one case.
type tested struct {
	File        string       `json:"file"`
	Line        int          `json:"line"`
	Name        string       `json:"name"`
	Passed      bool         `json:"passed"`
	Differences []difference `json:"differences,omitempty"`
	// Unjudged says of VMs that no rule judged them.
	Unjudged []string `json:"unjudged,omitempty"`
	// Problem says why the VM cannot be judged.
	Problem string `json:"problem,omitempty"`

	column int
}

func newTest(b Build) *cobra.Command {
	t := &tester{build: b, ignored: leftOut{}, output: choice[func(io.Writer, *tester) error]{"text", map[string]func(io.Writer, *tester) error{
		"text": writeTested, "json": writeTestedJSON, "junit": writeTestedJUnit, "github": writeTestedGitHub,
	}}}
	command := &cobra.Command{
		Use:   "test FILE|FOLDER|-...",
		Short: "Test rules with VMs that must pass or fail",
		Long: `Test judges VMs by rules, and compares the outcomes with those that a file expects:

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
skipped or satisfied. A rule that is not listed must be skipped or satisfied. "valid" lists
no rule. The VMs are judged by these rules alone, not by their own. Without "template" and "rules",
each is judged by its own rules or, if it has none, by those of the template that it names, which
must be in the folder of the file or below. File names are relative to the file of the tests.

If FILE is a folder, all .yaml, .yml and .json files in it and below it are searched for
documents that have "cases" and no kind.

The exit status is 0 if all cases pass, 1 if one fails, and 2 if something cannot be used.`,
		Example: `  vmrules test tests.yaml
  vmrules test -o junit tests/ > report.xml`,
		Args: someFile,
		RunE: t.run,
	}
	command.Flags().BoolVarP(&t.verbose, "verbose", "v", false, "also show cases that pass")
	strictFlag(command, &t.strict)
	t.output.flag(command, "output", "o", "how to write the results")
	return command
}

func (t *tester) run(command *cobra.Command, args []string) error {
	for _, arg := range args {
		none := true
		for file, err := range manifest.Read([]string{arg}, command.InOrStdin()) {
			if err != nil {
				t.fail(command, err.(*manifest.Error))
				none = false
				continue
			}
			for _, d := range file.Documents() {
				if d.Type() == "" && d.Has("cases") {
					t.test(command, d)
					none = false
				}
			}
		}
		if none {
			t.fail(command, &manifest.Error{File: arg, Message: `no tests found: write an object that has "cases", as in "vmrules help test"`})
		}
	}
	if err := t.output.value()(command.OutOrStdout(), t); err != nil {
		return err
	}
	t.ignored.warn(command.ErrOrStderr())
	return verdict(!t.hasPassed(), t.unusable != nil || slices.ContainsFunc(t.tested, func(c tested) bool { return c.Problem != "" }))
}

func (t *tester) hasPassed() bool {
	return t.unusable == nil && !slices.ContainsFunc(t.tested, func(c tested) bool { return !c.Passed })
}

func (t *tester) fail(command *cobra.Command, err *manifest.Error) {
	t.unusable = append(t.unusable, unusable(command.ErrOrStderr(), err))
}

// test runs the cases of a document.
func (t *tester) test(command *cobra.Command, d manifest.Document) {
	if t.kept > maxKeptWeight {
		return // which has been reported
	}
	r := &suiteReader{file: d.File.Name, locator: manifest.NewLocator(d.Object)}
	s := r.read(d.Content())
	j := newJudge(command, t.build, s, r)
	if r.wrong != nil { // then the cases are only read
		for i, c := range s.cases {
			if _, err := j.vm(c); err != nil {
				r.fail(fmt.Sprintf("/cases/%d/vm", i), err)
			}
		}
		for _, wrong := range r.mistakes() {
			t.fail(command, wrong)
		}
		return
	}
	for i, c := range s.cases {
		result := tested{File: d.File.Name, Name: c.name}
		result.Line, result.column = r.locator.Place(fmt.Sprintf("/cases/%d", i))
		report, err := j.judge(c)
		if err != nil {
			result.Problem = err.Error()
		} else {
			result.Differences = c.expect.compare(report)
			result.Unjudged = t.unjudged(report)
			t.ignored.addKinds(t.build, report.Results(vmrules.Ignored))
		}
		result.Passed = err == nil && result.Differences == nil && (result.Unjudged == nil || !t.strict)
		t.tested = append(t.tested, result)
		if t.kept += 1 + 10*len(result.Differences); t.kept > maxKeptWeight {
			t.fail(command, &manifest.Error{File: result.File, Line: result.Line, Column: result.column, Message: "too many differences: test fewer cases at a time"})
			return
		}
	}
}

// unjudged returns what to say of VMs that have no results, with which others are compared.
func (t *tester) unjudged(r *vmrules.Report) (all []string) {
	_, gaps := judged.Of(r)
	for _, g := range gaps {
		if text := oneLine(g.String()); g.Severity == lint.SeverityInfo && t.strict {
			all = append(all, text+andStrict)
		} else if g.Severity == lint.SeverityInfo {
			all = append(all, text)
		}
	}
	return all
}

// A judge judges the VMs of a suite by its rules.
type judge struct {
	ruling
	command *cobra.Command
	folder  string // of the suite
	book    rulebook
	isOwn   bool // the suite names no rules
}

// newJudge reads the rules of a suite, and adds what is wrong with them to the mistakes.
func newJudge(command *cobra.Command, b Build, s suite, r *suiteReader) *judge {
	j := &judge{ruling: newRuling(b), command: command, folder: filepath.Dir(r.file), book: rulebook{build: b}, isOwn: s.rules == "" && s.template == ""}
	j.values = s.parameters
	fail := func(at string, err error) {
		for _, err := range unjoined(err) {
			r.fail(at, err)
		}
	}
	for i, name := range s.with {
		if name == "" {
			continue // which has been reported
		}
		j.with.files = []string{j.path(name)}
		if err := j.with.read(command.InOrStdin()); err != nil {
			fail(fmt.Sprintf("/with/%d", i), err)
		}
	}
	if s.rules != "" {
		j.book.files = []string{j.path(s.rules)}
		for _, wrong := range j.book.read(command.InOrStdin()) {
			r.fail("/rules", wrong)
		}
	}
	if j.isOwn {
		j.templates.Beside, j.templates.Fill = j.folder, j.fill
	}
	if s.template == "" {
		return j
	}
	j.template = j.path(s.template)
	if err := j.readTemplates(command.InOrStdin()); err != nil {
		fail("/template", err)
		return j
	}
	about := func(err error) error { return fmt.Errorf("%s: %w", j.template, err) }
	rules, err := j.given[0].Rules()
	if n := len(j.given); n > 1 {
		err = fmt.Errorf("it has %d templates: name a file with one", n)
	}
	if err != nil {
		r.fail("/template", about(err))
	}
	for name := range j.values {
		if err := j.isDeclared(name); err != nil {
			r.fail("/parameters/"+escape.Replace(name), about(err))
		}
	}
	j.book.chapters = []chapter{{rules: rules}}
	return j
}

// path returns the name of a file that the suite names.
func (j *judge) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(j.folder, name)
}

// judge judges the VM of a case.
func (j *judge) judge(c suiteCase) (*vmrules.Report, error) {
	vm, err := j.vm(c)
	if err != nil {
		return nil, err
	}
	with := j.with.set.For(manifest.TextAt(vm, "kind"), manifest.TextAt(vm, "metadata", "namespace")).Option()
	if !j.isOwn {
		report := j.book.judge(vm, true, with)
		if len(report.Results()) == 0 {
			return nil, errors.New("no rules to judge the VM by")
		}
		return report, nil
	}
	judgement, err := j.ruling.judge(vm, with)
	for _, g := range judgement.gaps() {
		if g.IsError() {
			err = cmp.Or(err, errors.New(g.String()))
		}
	}
	return judgement.Report, err
}

// vm reads the VM of a case.
func (j *judge) vm(c suiteCase) (map[string]any, error) {
	if c.file == "" {
		if kind := manifest.TextAt(c.vm, "kind"); kind != "" && !manifest.HoldsVM(c.vm) && !j.book.isWhole() {
			return nil, fmt.Errorf("%.100q is not the kind of a VM or template", kind)
		}
		return c.vm, nil
	}
	object, err := j.onlyObject(j.command, j.path(c.file))
	if err != nil {
		return nil, err
	}
	filled, err := j.fill(object)
	return filled.Content(), err
}
