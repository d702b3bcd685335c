package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// An auditor is a run of vmrules audit.
type auditor struct {
	output choice[func(io.Writer) auditOutput]
	build  Build
	book   rulebook
	rules  *lru.Cache[string, parsedRules] // by the text of the annotation
}

// How many annotations are kept, and how long one may be for that. Most VMs have
// that of a template; a long one that is kept takes many times its length.
const (
	maxParsed = 100
	maxKept   = 32 << 10
)

type parsedRules struct {
	rules vmrules.Rules
	err   error
}

// An audited is what came of one VM.
type audited struct {
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Template  string `json:"template,omitempty"` // with its namespace, where the VM says it

	report *vmrules.Report
	err    error // its rules cannot be used, or it is no object
}

// An auditOutput writes what came of VMs, in the order in which they were read.
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
		Short: "Judge all VMs of a cluster by their own rules",
		Long: `Audit judges a stream of VMs by their own rules, and sums up which rules they break.
The stream is JSON: a List, as kubectl writes it, or one object behind the other. It is
never in memory as a whole.

With --rules, the rules of files count instead, as for check.

The exit status is 0 where all are valid, 1 where one is not, and 2 where the stream or
the rules of a VM cannot be used.`,
		Example: `  kubectl get vm -A -o json | vmrules audit -
  kubectl get vm -A -o json | vmrules audit -o jsonl - > violations.jsonl`,
		Args: cobra.ExactArgs(1),
		RunE: a.run,
	}
	a.book.flag(command)
	a.output.flag(command, "output", "o", "a summary for people or programs, or each violation as a line of JSON")
	return command
}

func (a *auditor) run(command *cobra.Command, args []string) error {
	if err := inputTwice(a.book.files, args); err != nil {
		return err
	}
	if wrong := a.book.read(command.InOrStdin()); wrong != nil {
		for _, err := range wrong {
			unusable(command.ErrOrStderr(), err)
		}
		return exitUnusable
	}
	input, size, err := open(args[0], command.InOrStdin())
	if err != nil {
		return err
	}
	defer input.Close()
	a.rules, _ = lru.New[string, parsedRules](maxParsed) // fails for a size of 0
	bar := progress(command.ErrOrStderr(), size)
	out := a.output.value()(command.OutOrStdout())

	failed, unusable := false, false
	broken := a.stream(io.TeeReader(input, bar), func(vm audited) error {
		unusable = unusable || vm.err != nil
		failed = failed || vm.report != nil && !vm.report.Valid()
		return out.add(vm)
	})
	_ = bar.Finish()
	if err := out.finish(); err != nil {
		return err
	}
	if broken != nil {
		return broken
	}
	return verdict(failed, unusable)
}

// open opens a file or the standard input; the size is -1 where it is not known.
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

// progress is a bar on a terminal, of the bytes that were read.
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

// perCore is how many VMs may wait to be judged or written.
const perCore = 4

// stream judges the VMs of a stream on all cores, and hands on what came of them
// in their order. It holds a few VMs for each core at a time.
func (a *auditor) stream(input io.Reader, each func(audited) error) error {
	workers := runtime.GOMAXPROCS(0)
	type job struct {
		object json.RawMessage
		result chan audited
	}
	jobs := make(chan job)
	inOrder := make(chan job, perCore*workers)
	for range workers {
		go func() {
			for j := range jobs {
				j.result <- a.judge(j.object)
			}
		}()
	}
	stop := make(chan struct{})
	read := make(chan error, 1)
	go func() {
		defer close(inOrder)
		defer close(jobs)
		read <- objectsIn(input, func(object json.RawMessage) bool {
			j := job{object, make(chan audited, 1)}
			for _, queue := range []chan job{inOrder, jobs} {
				select {
				case queue <- j:
				case <-stop:
					return false
				}
			}
			return true
		})
	}()
	for j := range inOrder {
		if err := each(<-j.result); err != nil {
			close(stop)
			return err
		}
	}
	return <-read
}

// hasOwnRules are the kinds whose rules are in their own annotation. The others are
// few, and left to the library.
var hasOwnRules = []string{"VirtualMachine", "VirtualMachineInstance"}

// judge judges one object by its own rules.
func (a *auditor) judge(object json.RawMessage) audited {
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	var vm map[string]any
	if decoder.Decode(&vm) != nil || vm == nil {
		return audited{err: errors.New("what should be a VM is no object")}
	}
	vm, filling := filledIn(vm, object)
	metadata, _ := vm["metadata"].(map[string]any)
	result := audited{Kind: text(vm["kind"]), Namespace: text(metadata["namespace"]), Name: text(metadata["name"])}
	if namespace, name, ok := vmrules.TemplateOf(vm); ok {
		result.Template = namespace + "/" + name
	}
	if result.err = filling; filling != nil {
		return result
	}
	if a.book.isGiven() {
		result.report = a.book.judge(vm, manifest.HoldsVM(vm))
		return result
	}
	annotations, _ := metadata["annotations"].(map[string]any)
	annotation, ok := annotations[vmrules.Annotation].(string)
	if _, isExempt := annotations[vmrules.SkipAnnotation]; !ok || isExempt || !slices.Contains(hasOwnRules, result.Kind) {
		result.report, result.err = vmrules.ValidateOwn(vm, vmrules.WithParseOptions(a.build.options()...))
		return result
	}
	parsed := a.parse(annotation)
	if result.err = parsed.err; result.err == nil {
		result.report = vmrules.Validate(parsed.rules, vm)
	}
	return result
}

// filledIn returns a template with its parameters filled in, as check does it, and
// any other object as it is.
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

// parse reads an annotation, most of them once.
func (a *auditor) parse(annotation string) parsedRules {
	if known, ok := a.rules.Get(annotation); ok {
		return known
	}
	rules, err := vmrules.ParseRules(annotation, a.build.options()...)
	if len(annotation) <= maxKept {
		a.rules.Add(annotation, parsedRules{rules, err})
	}
	return parsedRules{rules, err}
}
