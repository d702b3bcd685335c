// Package audit is the subcommand audit.
package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/deployed"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
)

// Options say what vmrules audit does.
type Options struct {
	judging.Options
	Files  []string
	Output string // a key of outputs, or "" for text
}

type auditor struct {
	judging.Judging

	// What all results together say.
	failed, unusable bool
	lacks            bool // a VM names an instance type or a preference that was not found
	judged           bool // an object has rules
	found            bool // or may hold a VM

	file       string // the name of the file that is read
	companions int    // bytes of the instance types and preferences in all files
	wrong      error  // why one of these cannot be used
}

// An audited is the result for one VM.
type audited struct {
	File      string `json:"file,omitempty"`
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Template  string `json:"template,omitempty"` // with its namespace, if the VM names one

	Note string `json:"note,omitempty"` // as in check
	Lost string `json:"lost,omitempty"` // that it has lost the rules of its template

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

	template   map[string]any // by which it is validated, as it is written; nil if it names none
	annotation string         // that this has for it, and it has lost
}

// Command returns the subcommand.
func Command(b build.Build) *cobra.Command {
	var o Options
	command := &cobra.Command{
		Use:   "audit FILE|FOLDER|-...",
		Short: "Check all VMs of a cluster by their own rules",
		Long: `Audit validates VMs by their own rules, and sums up which rules they break. A VM without rules
of its own is validated by the template that it names, if --template has that. If it names none, and
--template has just one, it is validated by that.

FILE is JSON or YAML, or - for the standard input. JSON is a List, as kubectl writes it, or a
sequence of objects. It may have any length: audit never holds all of it in memory. YAML is read as
a whole. If FILE is a folder, all .yaml, .yml and .json files in it and below it are read.

A VM that names an instance type or a preference is validated as KubeVirt expands it. Give these by
--with, or in FILE before the VM, as in the example. If one is missing, rules about fields that it
may set are undecided.

With --rules, VMs are validated by the rules in these files instead, as in vmrules check.

With -o report, audit writes a Report of openreports.io/v1alpha1 for each VM that has rules; kubectl
can apply it. If the rules of a VM cannot be found, its Report says so.

A VM has lost its rules if its template has an annotation for its VMs, and the VM has none. With
-o annotate, audit writes the commands of kubectl that give them back, and changes nothing itself.

With --for ssp, VMs that KubeVirt's template validator refuses are not valid.

The exit status is 0 if all VMs are valid or no rule applies to them. It is 1 if one is not, or names in
full a template that is missing. It is 2 if a file or the rules of a VM cannot be used, or if there is
no VM and no template; --allow-unjudged permits the last. Other files are still judged. Audit names VMs
whose rules check nothing. With --strict, it also names VMs without rules, and fails for both.`,
		Example: `  kubectl get vmclusterinstancetype,vmclusterpreference,vm -A -o json | vmrules audit -
  kubectl get vm -A -o json | vmrules audit --template templates.yaml -
  kubectl get vm -A -o json | vmrules audit -o jsonl - > violations.jsonl
  vmrules audit instancetypes/ vms/`,
		Args: cli.SomeFile,
		RunE: cli.Run(&o.Files, func(s cli.Streams) error { return Run(b, o, s) }),
	}
	o.Flags(command)
	cli.OneOf(command, "output", "o", "a summary for people or programs, a line of JSON for each violation, a Report in YAML for each VM, or commands that give VMs lost rules back", &o.Output, "text", slices.Sorted(maps.Keys(outputs))...)
	return command
}

// Run audits VMs. The error sets the exit status.
func Run(b build.Build, o Options, s cli.Streams) error {
	if err := cli.InputTwice(o.Rules, o.With, []string{o.Template}, o.Files); err != nil {
		return err
	}
	a := &auditor{Judging: judging.New(b, o.Options)}
	isReport := o.Output == "report"
	a.OnlyNamed = isReport // as in a cluster
	if isReport && o.For != "" {
		return errors.New("-o report and --for cannot be used together: a Report is about rules")
	}
	if wrong := a.Book.Read(b, o.Rules, s.In); wrong != nil {
		for _, err := range wrong {
			cli.Unusable(s.Err, err)
		}
		return cli.ExitUnusable
	}
	if err := a.Read(o.Sources, s.In); err != nil {
		return err
	}
	out := outputs[cmp.Or(o.Output, "text")](s.Out, o)
	for input, err := range manifest.Inputs(o.Files, s.In) {
		var full error // why the results cannot be written
		each := func(vm audited) error {
			vm.File = input.Name
			a.see(vm)
			full = out.add(vm)
			return full
		}
		if err == nil {
			err = a.input(input, s.Err, each)
		}
		if err != nil && full == nil {
			if _, hasPlace := err.(*manifest.Error); !hasPlace { // it is in a stream, or in one document
				err = &manifest.Error{File: input.Name, Message: err.Error()}
			}
			full = unreadable(s.Err, err, each)
		}
		if full != nil {
			return full
		}
	}
	if out.finish != nil {
		if err := out.finish(); err != nil {
			return err
		}
	}
	a.warn(s.Err)
	if err := cmp.Or(a.wrong, a.AllDeclared()); err != nil {
		return err
	}
	return cli.Verdict(a.failed, a.unusable || a.isUnjudged())
}

func (a *auditor) see(vm audited) {
	a.unusable = a.unusable || vm.class == judged.Unreadable
	a.failed = a.failed || vm.fails || vm.report != nil && !vm.report.Valid() || vm.SSP.Refuses()
	a.lacks = a.lacks || vm.notFound != nil
	a.judged = a.judged || len(vm.results) > 0 || vm.SSP.Refuses()
	a.found = a.found || a.judged || vm.report == nil || judged.HasVM(vm.report)
	a.Ignored.AddKinds(a.Build, vm.results)
}

// warn writes what the results do not say.
func (a *auditor) warn(stderr io.Writer) {
	a.With.Warn(stderr)
	if a.lacks {
		fmt.Fprintln(stderr, "vmrules: "+notInStream)
	}
	a.Ignored.Warn(stderr)
	switch {
	case a.Source != "" && !a.judged:
		fmt.Fprintln(stderr, "vmrules: no object has rules; render the files first: "+output.OneLine(a.Source)+" | vmrules audit -")
	case a.isUnjudged():
		fmt.Fprintln(stderr, "vmrules: no VM or template to check"+cli.OrAllow)
	}
}

// isUnjudged reports whether there was nothing to check, though there should have been.
func (a *auditor) isUnjudged() bool {
	return !a.found && !a.unusable && !a.Options.AllowsNothing()
}
