package command

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A tester runs vmrules test.
type tester struct {
	build   Build
	verbose bool
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
skipped or satisfied. A rule that is not listed must not be violated, warned or undecided.
"valid" lists no rule. The VMs are judged by these rules alone, not by their own. File
names are relative to the file of the tests.

If FILE is a folder, all .yaml, .yml and .json files in it and below it are searched for
documents that have "cases" and no kind.

The exit status is 0 if all cases pass, 1 if one fails, and 2 if something cannot be used.`,
		Example: `  vmrules test tests.yaml
  vmrules test -o junit tests/ > report.xml`,
		Args: someFile,
		RunE: t.run,
	}
	command.Flags().BoolVarP(&t.verbose, "verbose", "v", false, "also show cases that pass")
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
	s, wrong := readSuite(&d)
	if wrong != nil {
		t.fail(command, wrong)
		return
	}
	locator := d.NewLocator()
	j, wrongs := newJudge(command, t.build, s, filepath.Dir(d.File().Name))
	for _, err := range wrongs {
		line, column := locator.Place("")
		t.fail(command, &manifest.Error{File: d.File().Name, Line: line, Column: column, Message: err.Error()})
	}
	if wrongs != nil {
		return
	}
	for i, c := range s.Cases {
		result := tested{File: d.File().Name, Name: c.Name}
		result.Line, result.column = locator.Place(fmt.Sprintf("/cases/%d", i))
		report, err := j.judge(c)
		if err != nil {
			result.Problem = err.Error()
		} else {
			result.Differences = c.Expect.compare(report)
			t.ignored.addKinds(t.build, report)
		}
		result.Passed = err == nil && result.Differences == nil
		t.tested = append(t.tested, result)
		if t.kept += 1 + 10*len(result.Differences); t.kept > maxKeptWeight {
			t.fail(command, &manifest.Error{File: result.File, Line: result.Line, Column: result.column, Message: "too many differences: test fewer cases at a time"})
			return
		}
	}
}

// A judge judges the VMs of a suite by its rules.
type judge struct {
	ruling
	command *cobra.Command
	folder  string // of the suite
	book    rulebook
}

// newJudge reads the rules of a suite, or returns all their errors.
func newJudge(command *cobra.Command, b Build, s suite, folder string) (*judge, []error) {
	j := &judge{ruling: newRuling(b), command: command, folder: folder, book: rulebook{build: b}}
	for name, value := range s.Parameters {
		j.values[name] = string(value)
	}
	for _, name := range s.With {
		j.with.files = append(j.with.files, j.path(name))
	}
	if s.Template != "" {
		j.template = j.path(s.Template)
	} else {
		j.book.files = []string{j.path(s.Rules)}
	}
	if err := j.read(command); err != nil {
		return nil, unjoined(err)
	}
	var all []error
	for _, wrong := range j.book.read(command.InOrStdin()) {
		all = append(all, wrong)
	}
	if j.templates != nil {
		rules, err := j.rulesOfTemplate()
		if err != nil {
			all = append(all, err)
		}
		j.book.chapters = []chapter{{rules: rules}}
	}
	return j, all
}

// rulesOfTemplate returns the rules of the template, of which there must be just one.
func (j *judge) rulesOfTemplate() (vmrules.Rules, error) {
	if len(j.templates) > 1 {
		return vmrules.Rules{}, fmt.Errorf("%s has %d templates: name a file with one", j.template, len(j.templates))
	}
	rules, _, err := j.rulesIn(j.templates[0].Object)
	if err == nil {
		err = j.allDeclared()
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", j.template, err)
	}
	return rules, err
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
	with := j.with.set.For(text(vm["kind"]), text(value(vm, "metadata", "namespace"))).Option()
	report := j.book.judge(vm, true, with)
	if len(report.Results()) == 0 {
		return nil, errors.New("no rules to judge the VM by")
	}
	return report, nil
}

// vm reads the VM of a case.
func (j *judge) vm(c suiteCase) (map[string]any, error) {
	if c.VM.file == "" {
		if kind := text(c.VM.object["kind"]); kind != "" && !manifest.HoldsVM(c.VM.object) && !j.book.isWhole() {
			return nil, fmt.Errorf("%.100q is not the kind of a VM or template", kind)
		}
		return c.VM.object, nil
	}
	object, err := j.onlyObject(j.command, j.path(c.VM.file))
	if err != nil {
		return nil, err
	}
	filled, err := j.fill(object)
	return filled.Content(), err
}
