package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// An auditor runs vmrules audit.
type auditor struct {
	output choice[func(io.Writer) auditOutput]
	build  Build
	book   rulebook
	needs  needs                           // of the rules of the book
	rules  *lru.Cache[string, parsedRules] // by the text of the annotation
	with   streamed
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
	a := &auditor{build: b, book: rulebook{build: b}, output: choice[func(io.Writer) auditOutput]{"text", map[string]func(io.Writer) auditOutput{
		"text":  func(w io.Writer) auditOutput { return newSummary(w, (*summary).text) },
		"json":  func(w io.Writer) auditOutput { return newSummary(w, (*summary).json) },
		"jsonl": func(w io.Writer) auditOutput { return newLines(w) },
	}}}
	command := &cobra.Command{
		Use:   "audit FILE|-",
		Short: "Check all VMs of a cluster by their own rules",
		Long: `Audit checks a stream of VMs by their own rules, and sums up which rules they break.
The stream is JSON: a List, as kubectl writes it, or a sequence of objects. Audit never
holds the whole stream in memory.

A VM that names an instance type or a preference is judged as KubeVirt expands it. Those
come from the files of --with, and from the stream if they come before the VM: name them
first, as in the example. Otherwise, rules about fields that they may set are not decided.

With --rules, VMs are checked by the rules of files instead, as in vmrules check.

The exit status is 0 if all VMs are valid, 1 if one is not, and 2 if the stream or the
rules of a VM cannot be used.`,
		Example: `  kubectl get vmclusterinstancetype,vmclusterpreference,vm -A -o json | vmrules audit -
  kubectl get vm -A -o json | vmrules audit -o jsonl - > violations.jsonl`,
		Args: cobra.ExactArgs(1),
		RunE: a.run,
	}
	a.with.flag(command)
	a.book.flag(command)
	a.output.flag(command, "output", "o", "a summary for people or programs, or a line of JSON for each violation")
	return command
}

func (a *auditor) run(command *cobra.Command, args []string) error {
	if err := inputTwice(a.book.files, a.with.files, args); err != nil {
		return err
	}
	if wrong := a.book.read(command.InOrStdin()); wrong != nil {
		for _, err := range wrong {
			unusable(command.ErrOrStderr(), err)
		}
		return exitUnusable
	}
	if err := a.with.read(command.InOrStdin()); err != nil {
		return err
	}
	input, size, err := open(args[0], command.InOrStdin())
	if err != nil {
		return err
	}
	defer input.Close()
	a.with.file = args[0]
	a.needs = a.book.needs()
	a.rules, _ = lru.New[string, parsedRules](maxParsed) // fails for a size of 0
	bar := progress(command.ErrOrStderr(), size)
	out := a.output.value()(command.OutOrStdout())

	failed, unusable := false, false
	broken := a.stream(io.TeeReader(input, bar), func(vm audited) error {
		unusable = unusable || vm.err != nil
		failed = failed || vm.report != nil && !vm.report.Valid()
		a.with.lacks = a.with.lacks || vm.notFound != nil
		return out.add(vm)
	})
	_ = bar.Finish()
	if err := out.finish(); err != nil {
		return err
	}
	if broken != nil {
		return broken
	}
	a.with.warn(command.ErrOrStderr())
	if a.with.wrong != nil {
		return a.with.wrong
	}
	return verdict(failed, unusable)
}

// open opens a file or the standard input. The size is -1 if it is unknown.
func open(name string, stdin io.Reader) (io.ReadCloser, int64, error) {
	if name == "-" {
		return io.NopCloser(stdin), -1, nil
	}
	file, err := os.Open(name)
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		return nil, 0, fmt.Errorf("%s: %w", name, failed.Err)
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return file, -1, nil
	}
	return file, info.Size(), nil
}

// progress returns a progress bar for a terminal, which counts the bytes that were read.
func progress(stderr io.Writer, size int64) *progressbar.ProgressBar {
	file, ok := stderr.(*os.File)
	return progressbar.NewOptions64(size,
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetVisibility(ok && isatty.IsTerminal(file.Fd())),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(progressEvery),
		progressbar.OptionClearOnFinish(),
	)
}

const progressEvery = 100 * time.Millisecond

// hasOwnRules lists the kinds whose rules are in their own annotation. There are few objects
// of other kinds, for which the library finds the rules.
var hasOwnRules = []string{"VirtualMachine", "VirtualMachineInstance"}

// judge judges one object by its own rules.
func (a *auditor) judge(r *partReader, object json.RawMessage) audited {
	vm := a.parts(r, object)
	if vm == nil {
		vm = decode(object)
	}
	if vm == nil {
		return audited{err: errors.New("an object is expected")}
	}
	return a.judgeDecoded(vm, object)
}

// judgeDecoded judges what was read of an object.
func (a *auditor) judgeDecoded(vm map[string]any, object json.RawMessage) (result audited) {
	vm, filling := filledIn(vm, object)
	metadata, _ := vm["metadata"].(map[string]any)
	result = audited{Kind: text(vm["kind"]), Namespace: text(metadata["namespace"]), Name: text(metadata["name"])}
	if namespace, name, ok := vmrules.TemplateOf(vm); ok {
		result.Template = namespace + "/" + name
	}
	if result.err = filling; filling != nil {
		return result
	}
	with := a.with.set.For(result.Kind, result.Namespace)
	defer func() { result.found, result.notFound = with.Found, with.NotFound }()
	if a.book.isGiven() {
		result.report = a.book.judge(vm, manifest.HoldsVM(vm), with.Option())
		return result
	}
	annotations, _ := metadata["annotations"].(map[string]any)
	annotation, ok := annotations[vmrules.Annotation].(string)
	if _, isExempt := annotations[vmrules.SkipAnnotation]; !ok || isExempt || !slices.Contains(hasOwnRules, result.Kind) {
		result.report, result.err = vmrules.ValidateOwn(vm, with.Option(), vmrules.WithParseOptions(a.build.options()...))
		return result
	}
	parsed := a.parse(annotation)
	if result.err = parsed.err; result.err == nil {
		result.report = vmrules.Validate(parsed.rules, vm, with.Option())
	}
	return result
}

// decode decodes a whole object; nil if it is not an object.
func decode(object json.RawMessage) map[string]any {
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	var decoded map[string]any
	if decoder.Decode(&decoded) != nil {
		return nil
	}
	return decoded
}

// filledIn returns a template with its parameters filled in, as in vmrules check, and any
// other object unchanged.
func filledIn(object map[string]any, written []byte) (map[string]any, error) {
	if !manifest.IsTemplate(text(object["kind"])) {
		return object, nil
	}
	file, err := manifest.Parse("the template", written)
	if err != nil {
		return object, err
	}
	filled, err := file.Objects()[0].Fill(nil)
	if err != nil {
		return object, err
	}
	return filled.Content(), nil
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
	rules, err := vmrules.ParseRules(annotation, a.build.options()...)
	parsed := parsedRules{rules, err, needsOf(rules)}
	if len(annotation) <= maxKept {
		a.rules.Add(annotation, parsed)
	}
	return parsed
}
