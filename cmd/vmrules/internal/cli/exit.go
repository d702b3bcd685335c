package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
)

// Execute runs a command as a process would, and returns its exit status.
func Execute(command *cobra.Command, args []string, s Streams) int {
	command.SilenceUsage, command.SilenceErrors = true, true
	command.SetArgs(args)
	command.SetIn(s.In)
	command.SetOut(s.Out)
	command.SetErr(s.Err)
	err := command.Execute()
	if status := exitStatus(0); errors.As(err, &status) {
		return int(status)
	}
	if err != nil {
		for _, err := range Unjoined(err) {
			fmt.Fprintln(s.Err, "vmrules:", err)
		}
		return int(ExitUnusable)
	}
	return 0
}

// Unjoined returns the errors that errors.Join has joined.
func Unjoined(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// An exitStatus is an error that has been reported, and only sets the exit status.
type exitStatus int

const (
	ExitFailed   exitStatus = 1 // something is not valid, or has errors
	ExitUnusable exitStatus = 2 // something cannot be read or used
)

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Verdict returns the error with which a command ends; nil if nothing failed.
func Verdict(failed, unusable bool) error {
	switch {
	case unusable:
		return ExitUnusable
	case failed:
		return ExitFailed
	}
	return nil
}

// Unusable writes that a file cannot be used, for any output format.
func Unusable(stderr io.Writer, err error) *manifest.Error {
	fmt.Fprintln(stderr, "vmrules:", output.OneLine(err.Error()))
	return err.(*manifest.Error)
}
