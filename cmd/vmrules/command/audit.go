package command

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/deployed"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// An auditor runs vmrules audit.
type auditor struct {
	judging
	output   choice[func(io.Writer) auditOutput]
	inStream streamed
	seen     seen
}

// An audited is the result for one VM.
type audited struct {
	File      string `json:"file,omitempty"`
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Template  string `json:"template,omitempty"` // with its namespace, if the VM names one

	Note string `json:"note,omitempty"` // as in check

	class judged.Class
	gaps  []judged.Gap
	fails bool // with --strict
	// SSP is what KubeVirt's template validator says of the VM, with --for ssp.
	SSP *deployed.Verdict `json:"ssp,omitempty"`

	found, notFound []string // the instance types and preferences that it names

	report  *vmrules.Report
	results []vmrules.Result // of the report
	err     error            // why its rules cannot be used, or that it is not an object

	object map[string]any
}

// An auditOutput writes the results of VMs, in the order in which they were read.
type auditOutput interface {
	add(audited) error
	finish() error
}

func newAudit(b Build) *cobra.Command {
	a := &auditor{judging: newJudging(b), seen: seen{ignored: leftOut{}}}
	a.output = choice[func(io.Writer) auditOutput]{"text", map[string]func(io.Writer) auditOutput{
		"text":   func(w io.Writer) auditOutput { return newSummary(w, (*summary).text) },
		"json":   func(w io.Writer) auditOutput { return newSummary(w, (*summary).json) },
		"jsonl":  func(w io.Writer) auditOutput { return newLines(w) },
		"report": func(w io.Writer) auditOutput { return newReports(w, a.book.files) },
	}}
	command := &cobra.Command{
		Use:   "audit FILE|FOLDER|-...",
		Short: "Check all VMs of a cluster by their own rules",
		Long: `Audit checks VMs by their own rules, and sums up which rules they break. A VM without
rules of its own is checked by the rules of its template, if --template has that, as in
vmrules check. A VM without a template has no rules.

FILE is JSON or YAML, or - for the standard input. JSON is a List, as kubectl writes it, or
a sequence of objects, and may have any length: audit never holds all of it in memory. YAML
is read as a whole. If FILE is a folder, all .yaml, .yml and .json files in it and below it
are read.

A VM that names an instance type or a preference is judged as KubeVirt expands it. Those
come from the files of --with, and from FILE if they come before the VM: name them
first, as in the example. Otherwise, rules about fields that they may set are not decided.

With --rules, VMs are checked by the rules of files instead, as in vmrules check.

With -o report, audit writes a Report of openreports.io/v1alpha1 for each VM that has rules,
which kubectl can apply. A VM whose rules are not known has one that says so.

With --for ssp, audit also counts the VMs that KubeVirt's template validator refuses as not
valid.

The exit status is 0 if all VMs are valid or no rule judges them, 1 if one is not, or names a template
in full that is missing, and 2 if a file or the rules of a VM cannot be used; the other files are still
checked. It is also 2 if there is no VM and no template, unless --allow-unjudged is given. VMs whose
rules judge nothing are named; VMs without rules only with --strict, which also fails for both.`,
		Example: `  kubectl get vmclusterinstancetype,vmclusterpreference,vm -A -o json | vmrules audit -
  kubectl get vm -A -o json | vmrules audit --template templates.yaml -
  kubectl get vm -A -o json | vmrules audit -o jsonl - > violations.jsonl
  vmrules audit instancetypes/ vms/`,
		Args: someFile,
		RunE: a.run,
	}
	a.flags(command)
	a.output.flag(command, "output", "o", "a summary for people or programs, a line of JSON for each violation, or a Report in YAML for each VM")
	return command
}

func (a *auditor) run(command *cobra.Command, args []string) error {
	if err := inputTwice(a.book.files, a.with.files, []string{a.template}, args); err != nil {
		return err
	}
	a.onlyNamed = a.isReport() // as in a cluster
	if a.isReport() && a.profile.name != "" {
		return errors.New("-o report and --for cannot be used together: a Report is about rules")
	}
	stderr := command.ErrOrStderr()
	if wrong := a.book.read(command.InOrStdin()); wrong != nil {
		for _, err := range wrong {
			unusable(stderr, err)
		}
		return exitUnusable
	}
	if err := a.read(command); err != nil {
		return err
	}
	out := a.output.value()(command.OutOrStdout())
	for input, err := range manifest.Inputs(args, command.InOrStdin()) {
		var full error // why the results cannot be written
		if err == nil {
			err = a.input(input, stderr, func(vm audited) error {
				vm.File = input.Name
				a.seen.add(a.book.build, vm)
				full = out.add(vm)
				return full
			})
		}
		if full != nil {
			return full
		}
		if err != nil {
			unusable(stderr, inInput(input.Name, err))
			a.seen.unusable = true
		}
	}
	if err := out.finish(); err != nil {
		return err
	}
	a.warn(stderr)
	if a.inStream.wrong != nil {
		return a.inStream.wrong
	}
	if err := a.allDeclared(); err != nil {
		return err
	}
	return verdict(a.seen.failed, a.seen.unusable || a.isUnjudged())
}

func (a *auditor) isReport() bool { return a.output.name == "report" }

// A seen holds what all results together say.
type seen struct {
	failed, unusable bool
	lacks            bool // a VM names an instance type or a preference that was not found
	judged           bool // an object has rules
	found            bool // or may hold a VM
	ignored          leftOut
}

func (s *seen) add(b Build, vm audited) {
	s.unusable = s.unusable || vm.class == judged.Unreadable
	s.failed = s.failed || vm.fails || vm.report != nil && !vm.report.Valid() || vm.SSP.Refuses()
	s.lacks = s.lacks || vm.notFound != nil
	s.judged = s.judged || len(vm.results) > 0 || vm.SSP.Refuses()
	s.found = s.found || s.judged || manifest.HoldsVM(vm.object)
	s.ignored.addKinds(b, vm.results)
}

// warn writes what the results do not say.
func (a *auditor) warn(stderr io.Writer) {
	a.with.warn(stderr)
	if a.seen.lacks {
		fmt.Fprintln(stderr, "vmrules: "+notInStream)
	}
	a.seen.ignored.warn(stderr)
	switch {
	case a.source != "" && !a.seen.judged:
		fmt.Fprintln(stderr, "vmrules: no object has rules; render the files first: "+oneLine(a.source)+" | vmrules audit -")
	case a.isUnjudged():
		fmt.Fprintln(stderr, "vmrules: no VM or template to check"+orAllow)
	}
}

// isUnjudged reports whether there was nothing to check, though there should have been.
func (a *auditor) isUnjudged() bool { return !a.seen.found && !a.seen.unusable && !a.allowUnjudged }

// inInput returns why an input cannot be used.
func inInput(name string, err error) *manifest.Error {
	if wrong := (*manifest.Error)(nil); errors.As(err, &wrong) {
		return wrong
	}
	return &manifest.Error{File: name, Message: err.Error()}
}
