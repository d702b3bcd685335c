// Vmrules checks KubeVirt VMs by the validation rules that they or their
// templates carry, and lints these rules.
//
//	vmrules check template.yaml
//	vmrules lint templates/
//	vmrules explain minLength
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is main without the process: its arguments, its files, its exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	command := newCommand()
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

func newCommand() *cobra.Command {
	command := &cobra.Command{
		Use:           "vmrules",
		Short:         "Check KubeVirt VMs by the rules of their templates, and the rules themselves",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	command.AddCommand(newCheck(), newLint(), newAudit(), newLimits(), newSchema(), newExplain(), newVersion())
	return command
}

// inputs says what the commands read.
const inputs = `
FILE is YAML or JSON with any number of objects, or - for the standard input; of a
folder, all .yaml, .yml and .json files in it and below it are read.
`
