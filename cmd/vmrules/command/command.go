// Package command is the vmrules command, of which there are two builds: vmrules,
// which knows the format and depends on little, and vmrules-full.
package command

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
)

// A Build is the command with what it knows beyond the format.
type Build struct {
	Name  string // of the command
	Kinds map[vmrules.Kind]vmrules.KindCompiler
	// Documents are those that --rules takes beside the rules of an annotation, by
	// their kind and API group: ClusterPolicy.kyverno.io. A document that has no
	// kind and no apiVersion is under "".
	Documents map[string]DocumentReader
}

// A DocumentReader makes rules about whole objects of a document, which is JSON.
// What is wrong with it should be a *vmrules.ParseError.
type DocumentReader func(document []byte) (vmrules.Rules, error)

// Main runs the command as a process would, and returns its exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, b Build) int {
	command := b.command()
	command.SetArgs(args)
	command.SetIn(stdin)
	command.SetOut(stdout)
	command.SetErr(stderr)
	err := command.Execute()
	if status := exitStatus(0); errors.As(err, &status) {
		return int(status)
	}
	if err != nil {
		fmt.Fprintln(stderr, "vmrules:", err)
		return int(exitUnusable)
	}
	return 0
}

// options say how annotations are read.
func (b Build) options() []vmrules.ParseOption {
	var all []vmrules.ParseOption
	for _, kind := range slices.Sorted(maps.Keys(b.Kinds)) {
		all = append(all, vmrules.WithKind(kind, b.Kinds[kind]))
	}
	return all
}

// An exitStatus is what is left to say once everything else has been said.
type exitStatus int

const (
	exitFailed   exitStatus = 1 // something is not valid, or has errors
	exitUnusable exitStatus = 2 // something cannot be read or used
)

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// verdict is the error that says how a command ends.
func verdict(failed, unusable bool) error {
	switch {
	case unusable:
		return exitUnusable
	case failed:
		return exitFailed
	}
	return nil
}

func (b Build) command() *cobra.Command {
	command := &cobra.Command{
		Use:           b.Name,
		Short:         "Check KubeVirt VMs by the rules of their templates, and the rules themselves",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	command.AddCommand(newCheck(b), newLint(b), newAudit(b), newLimits(b), newSchema(b), newExplain(), newVersion(b))
	return command
}

// inputs says what the commands read.
const inputs = `
FILE is YAML or JSON with any number of objects, or - for the standard input; of a
folder, all .yaml, .yml and .json files in it and below it are read.
`
