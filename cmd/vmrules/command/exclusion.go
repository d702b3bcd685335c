package command

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/config"
)

// An exclusion leaves files out, and counts them.
type exclusion struct {
	globs []string
	count int
}

func (e *exclusion) flag(command *cobra.Command) {
	command.Flags().StringArrayVar(&e.globs, "exclude", nil, "leave out the files and folders that match a `GLOB`, such as 'testdata/**'")
}

// matches reports whether a file is left out.
func (e *exclusion) matches(file string) bool {
	is := slices.ContainsFunc(e.globs, func(glob string) bool { return config.Matches(glob, file) })
	if is {
		e.count++
	}
	return is
}

// unjudgedFlag adds the flag that makes a command succeed that has found nothing to judge.
func unjudgedFlag(command *cobra.Command, allowed *bool) {
	command.Flags().BoolVar(allowed, "allow-unjudged", false, "exit with 0 even if nothing is judged")
}

// orAllow ends messages that nothing is judged.
const orAllow = ": give files that have some, or --allow-unjudged"

// String says how many files are left out, for the end of a summary.
func (e *exclusion) String() string {
	if e.count == 0 {
		return ""
	}
	return ", " + counted(e.count, "file") + " excluded"
}
