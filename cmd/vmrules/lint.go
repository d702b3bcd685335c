package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A linter is a run of vmrules lint.
type linter struct {
	strict           bool
	warningsAsErrors bool
	least            choice[int]
	output           choice[func(io.Writer, *linted) error]
}

// A linted is what came of it.
type linted struct {
	Findings    []finding         `json:"findings"`
	Unusable    []*manifest.Error `json:"unusable,omitempty"`
	Annotations int               `json:"annotations"`
}

// A finding is one of the library's, in a file.
type finding struct {
	File       string           `json:"file"`
	Line       int              `json:"line"`
	Column     int              `json:"column"` // in code points
	Object     string           `json:"object"`
	Severity   vmrules.Severity `json:"severity"`
	ID         string           `json:"id"`
	Rule       string           `json:"rule,omitempty"`
	Index      int              `json:"index"` // of the rule, -1 for none
	Key        string           `json:"key,omitempty"`
	Message    string           `json:"message"`
	Suggestion string           `json:"suggestion,omitempty"`

	source string // the line
}

func newLint() *cobra.Command {
	l := &linter{
		least: choice[int]{"info", weights},
		output: choice[func(io.Writer, *linted) error]{"text", map[string]func(io.Writer, *linted) error{
			"text": writeText, "json": writeJSON[*linted], "sarif": writeSARIF, "github": writeGitHub,
		}},
	}
	command := &cobra.Command{
		Use:   "lint FILE|FOLDER|-...",
		Short: "Find what is wrong with rules, or hardly meant",
		Long: `Lint looks at the rules in the annotations of templates and VMs, and says where in
the file something is wrong with them or most likely not meant. "vmrules explain ID"
tells more about a finding.
` + inputs + `
The exit status is 0 without errors, 1 with errors, and 2 where a file cannot be read.`,
		Example: `  vmrules lint templates/
  vmrules lint -o github templates/    # annotates a pull request`,
		Args: cobra.MinimumNArgs(1),
		RunE: l.run,
	}
	command.Flags().BoolVar(&l.strict, "strict", false, "unknown keys and kinds, and rules without arguments, are errors")
	command.Flags().BoolVar(&l.warningsAsErrors, "warnings-as-errors", false, "exit with 1 for warnings, too")
	l.least.flag(command, "min-severity", "", "leave out what matters less")
	l.output.flag(command, "output", "o", "how to write the findings")
	return command
}

// weights order the severities.
var weights = map[string]int{
	string(vmrules.SeverityInfo): 0, string(vmrules.SeverityWarning): 1, string(vmrules.SeverityError): 2,
}

func (l *linter) run(command *cobra.Command, args []string) error {
	found := &linted{Findings: []finding{}}
	for file, err := range manifest.Read(args, command.InOrStdin()) {
		if err != nil {
			found.Unusable = append(found.Unusable, unusable(command.ErrOrStderr(), err))
			continue
		}
		for _, object := range file.Objects() {
			for _, annotation := range object.Annotations() {
				found.Annotations++
				found.Findings = append(found.Findings, l.lint(annotation)...)
			}
		}
	}
	if err := l.output.value()(command.OutOrStdout(), found); err != nil {
		return err
	}
	failed := found.count(vmrules.SeverityError) > 0 ||
		l.warningsAsErrors && found.count(vmrules.SeverityWarning) > 0
	return verdict(failed, len(found.Unusable) > 0)
}

// unusable says that a file cannot be used, whatever the output is.
func unusable(stderr io.Writer, err error) *manifest.Error {
	fmt.Fprintln(stderr, "vmrules:", oneLine(err.Error()))
	return err.(*manifest.Error)
}

func (l *linter) lint(a manifest.Annotation) []finding {
	var opts []vmrules.ParseOption
	if l.strict {
		opts = append(opts, vmrules.Strict())
	}
	var found []finding
	for _, f := range a.Lint(opts...) {
		if weights[string(f.Severity)] < l.least.value() {
			continue
		}
		found = append(found, finding{
			File: a.Object.File().Name, Line: f.Line, Column: f.Column, Object: a.Object.String(),
			Severity: f.Severity, ID: f.ID, Rule: f.Rule, Index: f.Index, Key: f.Key,
			Message: f.Message, Suggestion: f.Suggestion,
			source: a.Object.File().Line(f.Line),
		})
	}
	return found
}

func (l *linted) count(s vmrules.Severity) int {
	n := 0
	for _, f := range l.Findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// subject says what a finding is about: its rule, where it has one.
func (f finding) subject() string {
	switch {
	case f.Rule != "":
		return fmt.Sprintf("rule %q: ", f.Rule)
	case f.Index >= 0:
		return fmt.Sprintf("rules[%d]: ", f.Index)
	}
	return ""
}
