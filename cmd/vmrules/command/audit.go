package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// An auditor runs vmrules audit.
type auditor struct {
	ruling
	output   choice[func(io.Writer) auditOutput]
	book     rulebook
	needs    needs                           // of the rules of the book
	rules    *lru.Cache[string, parsedRules] // by the text of the annotation
	inStream streamed
	source   string // how to render manifests of which only the description was read
}

// The cache keeps maxParsed annotations of limited length. Most VMs have the annotation of a
// template. The parsed rules take many times the length of the annotation.
const (
	maxParsed = 100
	maxKept   = 32 << 10
)

type parsedRules struct {
	rules vmrules.Rules
	err   error
	needs needs
}

// An audited is the result for one VM.
type audited struct {
	File      string `json:"file,omitempty"`
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Template  string `json:"template,omitempty"` // with its namespace, if the VM names one

	found, notFound []string // the instance types and preferences that it names

	report *vmrules.Report
	err    error // why its rules cannot be used, or that it is not an object
}

// An auditOutput writes the results of VMs, in the order in which they were read.
type auditOutput interface {
	add(audited) error
	finish() error
}

func newAudit(b Build) *cobra.Command {
	a := &auditor{ruling: newRuling(b), book: rulebook{build: b}, output: choice[func(io.Writer) auditOutput]{"text", map[string]func(io.Writer) auditOutput{
		"text":  func(w io.Writer) auditOutput { return newSummary(w, (*summary).text) },
		"json":  func(w io.Writer) auditOutput { return newSummary(w, (*summary).json) },
		"jsonl": func(w io.Writer) auditOutput { return newLines(w) },
	}}}
	command := &cobra.Command{
		Use:   "audit FILE|FOLDER|-...",
		Short: "Check all VMs of a cluster by their own rules",
		Long: `Audit checks VMs by their own rules, and sums up which rules they break. A VM without
rules of its own is checked by the rules of its template, if --template is given.

FILE is JSON or YAML, or - for the standard input. JSON is a List, as kubectl writes it, or
a sequence of objects, and may have any length: audit never holds all of it in memory. YAML
is read as a whole. If FILE is a folder, all .yaml, .yml and .json files in it and below it
are read.

A VM that names an instance type or a preference is judged as KubeVirt expands it. Those
come from the files of --with, and from FILE if they come before the VM: name them
first, as in the example. Otherwise, rules about fields that they may set are not decided.

With --rules, VMs are checked by the rules of files instead, as in vmrules check.

The exit status is 0 if all VMs are valid, 1 if one is not, and 2 if a file or the rules of
a VM cannot be used; the other files are still checked.`,
		Example: `  kubectl get vmclusterinstancetype,vmclusterpreference,vm -A -o json | vmrules audit -
  kubectl get vm -A -o json | vmrules audit --template templates.yaml -
  kubectl get vm -A -o json | vmrules audit -o jsonl - > violations.jsonl
  vmrules audit instancetypes/ vms/`,
		Args: cobra.MinimumNArgs(1),
		RunE: a.run,
	}
	a.flags(command)
	a.book.flag(command)
	a.output.flag(command, "output", "o", "a summary for people or programs, or a line of JSON for each violation")
	return command
}

func (a *auditor) run(command *cobra.Command, args []string) error {
	if err := a.book.excludes(a.template); err != nil {
		return err
	}
	if err := inputTwice(a.book.files, a.with.files, []string{a.template}, args); err != nil {
		return err
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
	a.needs = a.book.needs()
	a.rules, _ = lru.New[string, parsedRules](maxParsed) // fails for a size of 0
	out := a.output.value()(command.OutOrStdout())

	failed, broken, lacks, judged := false, false, false, false
	ignored := leftOut{}
	for input, err := range manifest.Inputs(args, command.InOrStdin()) {
		var full error // why the results cannot be written
		if err == nil {
			err = a.input(input, stderr, func(vm audited) error {
				vm.File = input.Name
				broken = broken || vm.err != nil
				failed = failed || vm.report != nil && !vm.report.Valid()
				lacks = lacks || vm.notFound != nil
				judged = judged || len(vm.report.Results()) > 0
				ignored.addKinds(a.book.build, vm.report)
				full = out.add(vm)
				return full
			})
		}
		if full != nil {
			return full
		}
		if err != nil {
			unusable(stderr, inInput(input.Name, err))
			broken = true
		}
	}
	if err := out.finish(); err != nil {
		return err
	}
	a.with.warn(stderr)
	if lacks {
		fmt.Fprintln(stderr, "vmrules: "+notInStream)
	}
	ignored.warn(stderr)
	if a.source != "" && !judged {
		fmt.Fprintln(stderr, "vmrules: no object has rules; render them first: "+oneLine(a.source)+" | vmrules audit -")
	}
	if a.inStream.wrong != nil {
		return a.inStream.wrong
	}
	if err := a.allDeclared(); err != nil {
		return err
	}
	return verdict(failed, broken)
}

// inInput returns why an input cannot be used.
func inInput(name string, err error) *manifest.Error {
	if wrong := (*manifest.Error)(nil); errors.As(err, &wrong) {
		return wrong
	}
	return &manifest.Error{File: name, Message: err.Error()}
}

// hasOwnRules lists the kinds whose rules are in their own annotation. There are few objects
// of other kinds, for which the library finds the rules.
var hasOwnRules = []string{"VirtualMachine", "VirtualMachineInstance"}

// judge judges one object of a stream.
func (a *auditor) judge(r *partReader, object json.RawMessage) audited {
	vm := a.parts(r, object)
	if vm == nil {
		var err error
		if vm, err = decode(object); err != nil {
			return audited{err: err}
		}
	}
	if !manifest.IsTemplate(text(vm["kind"])) {
		return a.judgeDecoded(vm)
	}
	file, err := manifest.Parse("the template", object)
	if err != nil {
		return named(vm, err)
	}
	return a.judgeObject(file.Objects()[0])
}

// judgeObject judges an object of a file. The parameters of a template are filled in, as in
// vmrules check.
func (a *auditor) judgeObject(o manifest.Object) audited {
	filled, err := a.fill(o)
	if err != nil {
		return named(o.Content(), err)
	}
	return a.judgeDecoded(filled.Content())
}

// named returns a result with the names of an object.
func named(object map[string]any, err error) audited {
	metadata, _ := object["metadata"].(map[string]any)
	result := audited{Kind: text(object["kind"]), Namespace: text(metadata["namespace"]), Name: text(metadata["name"]), err: err}
	if namespace, name, ok := vmrules.TemplateOf(object); ok {
		result.Template = namespace + "/" + name
	}
	return result
}

// judgeDecoded judges an object, of which the parts that its rules need were read.
func (a *auditor) judgeDecoded(vm map[string]any) audited {
	result := named(vm, nil)
	with := a.with.set.For(result.Kind, result.Namespace)
	result.report, result.err = a.report(vm, result.Kind, with.Option())
	result.found, result.notFound = with.Found, with.NotFound
	return result
}

func (a *auditor) report(vm map[string]any, kind string, with vmrules.ValidateOption) (*vmrules.Report, error) {
	_, isList := vm["items"]
	isList = isList && strings.HasSuffix(kind, "List")
	if isList && (a.book.isGiven() || a.templates != nil) {
		return nil, errNested // only ValidateOwn would find the VMs
	}
	if a.book.isGiven() {
		return a.book.judge(vm, manifest.HoldsVM(vm), with), nil
	}
	if annotation, ok := annotationOf(vm, kind); ok {
		parsed := a.parse(annotation)
		if parsed.err != nil {
			return nil, parsed.err
		}
		return vmrules.Validate(parsed.rules, vm, with), nil
	}
	if a.templates == nil || manifest.IsTemplate(kind) || !manifest.HoldsVM(vm) {
		return vmrules.ValidateOwn(vm, with, vmrules.WithParseOptions(a.reading...))
	}
	rules, err := a.rulesOfVM(vm)
	if err != nil {
		return nil, err
	}
	return vmrules.Validate(rules, vm, with), nil
}

var errNested = errors.New("this is a list in a list: write its items into the list around it")

// annotationOf returns the rules of an object that has rules of its own, and is not exempt from them;
// false for other objects, and for those of which the library must find the rules.
func annotationOf(vm map[string]any, kind string) (string, bool) {
	annotations, _ := value(vm, "metadata", "annotations").(map[string]any)
	_, isExempt := annotations[vmrules.SkipAnnotation]
	annotation := text(annotations[vmrules.Annotation])
	return annotation, !isBlank(annotation) && !isExempt && slices.Contains(hasOwnRules, kind)
}

func isBlank(annotation string) bool { return strings.TrimSpace(annotation) == "" }

// decode decodes a whole object.
func decode(object json.RawMessage) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	var decoded map[string]any
	err := decoder.Decode(&decoded)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) || err == nil && decoded == nil {
		return nil, errNoObject
	}
	if err != nil {
		return nil, fmt.Errorf("the object cannot be read: %w", err)
	}
	return decoded, nil
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// parse reads an annotation, unless the cache has its rules.
func (a *auditor) parse(annotation string) parsedRules {
	if known, ok := a.rules.Get(annotation); ok {
		return known
	}
	rules, err := vmrules.ParseRules(annotation, a.reading...)
	parsed := parsedRules{rules, err, needsOf(rules)}
	if len(annotation) <= maxKept {
		a.rules.Add(annotation, parsed)
	}
	return parsed
}
