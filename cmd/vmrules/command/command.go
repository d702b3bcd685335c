// Package command implements the vmrules command. There are two builds: vmrules, which knows
// only the format and has few dependencies, and vmrules-full.
package command

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
)

// A Build is a build of the command, with what it knows beyond the format.
type Build struct {
	Name  string // of the command
	Kinds map[vmrules.Kind]vmrules.KindCompiler
	// Documents has a reader for each sort of document that --rules accepts besides the
	// rules of an annotation, by kind and API group: ClusterPolicy.kyverno.io. The key is
	// "" for a document without kind and apiVersion.
	Documents map[string]DocumentReader
}

// A DocumentReader converts a JSON document to rules about whole objects. Its error should
// be a *vmrules.ParseError.
type DocumentReader func(document []byte) (vmrules.Rules, error)

// Main runs the command as a process would, and returns its exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, b Build) int {
	command := b.Command()
	command.SetArgs(args)
	command.SetIn(stdin)
	command.SetOut(stdout)
	command.SetErr(stderr)
	err := command.Execute()
	if status := exitStatus(0); errors.As(err, &status) {
		return int(status)
	}
	if err != nil {
		for _, err := range unjoined(err) {
			fmt.Fprintln(stderr, "vmrules:", err)
		}
		return int(exitUnusable)
	}
	return 0
}

// unjoined returns the errors that errors.Join has joined.
func unjoined(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// options returns the options for reading annotations.
func (b Build) options() []vmrules.ParseOption {
	var all []vmrules.ParseOption
	for _, kind := range slices.Sorted(maps.Keys(b.Kinds)) {
		all = append(all, vmrules.WithKind(kind, b.Kinds[kind]))
	}
	return all
}

// An exitStatus is an error that has been reported, and only sets the exit status.
type exitStatus int

const (
	exitFailed   exitStatus = 1 // something is not valid, or has errors
	exitUnusable exitStatus = 2 // something cannot be read or used
)

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// verdict returns the error with which a command ends; nil if nothing failed.
func verdict(failed, unusable bool) error {
	switch {
	case unusable:
		return exitUnusable
	case failed:
		return exitFailed
	}
	return nil
}

// arguments accepts from least to most arguments. Otherwise, the message says what to give.
func arguments(least, most int, message string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return errors.New(message)
		}
		return nil
	}
}

var someFile = arguments(1, math.MaxInt, "name a file, a folder or - for standard input")

// exclusive says that two flags cannot be used together.
func exclusive(command *cobra.Command, one, other string) {
	command.MarkFlagsMutuallyExclusive(one, other) // for completion: the message is another
	before := command.PreRunE
	command.PreRunE = func(command *cobra.Command, args []string) error {
		if flags := command.Flags(); flags.Changed(one) && flags.Changed(other) {
			return fmt.Errorf("--%s and --%s cannot be used together", one, other)
		}
		if before != nil {
			return before(command, args)
		}
		return nil
	}
}

// Command returns the command with all of its subcommands.
func (b Build) Command() *cobra.Command {
	command := &cobra.Command{
		Use:           b.Name,
		Short:         "Check KubeVirt VMs by the rules of their templates, and the rules themselves",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	command.AddCommand(newCheck(b), newLint(b), newAudit(b), newLimits(b), newSchema(b), newConvert(b), newExport(b), newTest(b), newDiff(b), newExplain())
	command.SetHelpCommand(newHelp())
	addVersion(command, b)
	if name, isPlugin := strings.CutPrefix(filepath.Base(os.Args[0]), "kubectl-"); isPlugin {
		command.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl " + strings.ReplaceAll(name, "_", "-")}
	}
	return command
}

// newHelp returns the command help. That of cobra succeeds for a command that does not exist.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(command *cobra.Command, args []string) error {
			about, _, err := command.Root().Find(args)
			if err != nil {
				return err
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// inputs describes in help texts what the commands read.
const inputs = `
FILE is YAML or JSON with any number of objects, or - for the standard input. If it is
a folder, all .yaml, .yml and .json files in it and below it are read.
`
