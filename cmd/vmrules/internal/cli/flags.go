package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Exclusive says that two flags cannot be used together.
func Exclusive(command *cobra.Command, one, other string) {
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

// A choice is a flag that takes some of a few names.
type choice struct {
	names    []string               // those that help and errors list
	fallback string                 // what help names as the default
	set      func(text string) bool // false for other names
}

func (c *choice) String() string { return c.fallback }
func (c *choice) Type() string   { return strings.Join(c.names, "|") }

func (c *choice) Set(text string) error {
	if !c.set(text) {
		return fmt.Errorf("must be one of %s", strings.Join(c.names, ", "))
	}
	return nil
}

// OneOf adds a flag that takes one of a few names to a command.
func OneOf[T ~string](to *cobra.Command, name, short, usage string, value *T, fallback T, of ...T) {
	var names []string
	for _, name := range of {
		names = append(names, string(name))
	}
	slices.Sort(names)
	to.Flags().VarP(&choice{names, string(fallback), func(text string) bool {
		isKnown := slices.Contains(names, text)
		if isKnown {
			*value = T(text)
		}
		return isKnown
	}}, name, short, usage)
	_ = to.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// AnyOf adds a flag that takes any number of a few names to a command: of has the values of each.
func AnyOf[T any](to *cobra.Command, name, usage string, values *[]T, names []string, of map[string][]T) {
	to.Flags().Var(&choice{names, "", func(text string) bool {
		for name := range strings.SplitSeq(text, ",") {
			all, isKnown := of[name]
			if !isKnown {
				return false
			}
			*values = append(*values, all...)
		}
		return true
	}}, name, usage)
}

// UnjudgedFlag adds the flag that makes a command succeed that has found nothing to validate.
func UnjudgedFlag(command *cobra.Command, allowed *bool) {
	command.Flags().BoolVar(allowed, "allow-unjudged", false, "exit with 0 even if nothing is validated")
}

// OrAllow ends messages that nothing is validated.
const OrAllow = ": give files that have some, or --allow-unjudged"

// StrictFlag adds the flag that makes a command fail for what no rule was applied to.
func StrictFlag(command *cobra.Command, strict *bool) {
	command.Flags().BoolVar(strict, "strict", false, "also fail for a VM that no rule applies to, unless it is exempt or none of its rules applies")
}

// AndStrict ends messages that no rule was applied to a VM.
const AndStrict = ", and --strict is given"
