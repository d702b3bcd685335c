package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/config"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
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

// A choice is a flag that takes one of a few names.
type choice[T ~string] struct {
	to       *T
	fallback T // what help names as the default
	of       []T
}

// OneOf adds a flag that takes one of a few names to a command.
func OneOf[T ~string](to *cobra.Command, name, short, usage string, value *T, fallback T, of ...T) {
	c := &choice[T]{value, fallback, of}
	to.Flags().VarP(c, name, short, usage)
	_ = to.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(c.names(), cobra.ShellCompDirectiveNoFileComp))
}

func (c *choice[T]) String() string { return string(cmp.Or(*c.to, c.fallback)) }

func (c *choice[T]) Type() string { return strings.Join(c.names(), "|") }

func (c *choice[T]) names() []string {
	var all []string
	for _, name := range c.of {
		all = append(all, string(name))
	}
	slices.Sort(all)
	return all
}

func (c *choice[T]) Set(name string) error {
	if !slices.Contains(c.of, T(name)) {
		return fmt.Errorf("must be one of %s", strings.Join(c.names(), ", "))
	}
	*c.to = T(name)
	return nil
}

// An Exclusion leaves the files out that match a glob, and counts them.
type Exclusion struct {
	Globs []string
	Count int
}

// ExcludeFlag adds the flag that leaves files out.
func ExcludeFlag(command *cobra.Command, globs *[]string) {
	command.Flags().StringArrayVar(globs, "exclude", nil, "leave out the files and folders that match a `GLOB`, such as 'testdata/**'")
}

// Matches reports whether a file is left out.
func (e *Exclusion) Matches(file string) bool {
	is := slices.ContainsFunc(e.Globs, func(glob string) bool { return config.Matches(glob, file) })
	if is {
		e.Count++
	}
	return is
}

// UnjudgedFlag adds the flag that makes a command succeed that has found nothing to validate.
func UnjudgedFlag(command *cobra.Command, allowed *bool) {
	command.Flags().BoolVar(allowed, "allow-unjudged", false, "exit with 0 even if nothing is validated")
}

// A several is a flag that takes any number of a few names.
type several[T any] struct {
	to    *[]T
	names []string // those that help and errors list
	of    map[string][]T
}

// AnyOf adds a flag that takes any number of a few names to a command: of has the values of each.
func AnyOf[T any](to *cobra.Command, name, usage string, values *[]T, names []string, of map[string][]T) {
	to.Flags().Var(&several[T]{values, names, of}, name, usage)
}

func (*several[T]) String() string { return "" }
func (f *several[T]) Type() string { return strings.Join(f.names, "|") }

func (f *several[T]) Set(names string) error {
	for name := range strings.SplitSeq(names, ",") {
		values, ok := f.of[name]
		if !ok {
			return fmt.Errorf("must be one of %s", strings.Join(f.names, ", "))
		}
		*f.to = append(*f.to, values...)
	}
	return nil
}

// OrAllow ends messages that nothing is validated.
const OrAllow = ": give files that have some, or --allow-unjudged"

// String says how many files are left out, for the end of a summary.
func (e *Exclusion) String() string {
	if e.Count == 0 {
		return ""
	}
	return ", " + output.Counted(e.Count, "file") + " excluded"
}

// StrictFlag adds the flag that makes a command fail for what no rule was applied to.
func StrictFlag(command *cobra.Command, strict *bool) {
	command.Flags().BoolVar(strict, "strict", false, "also fail for a VM that no rule applies to, unless it is exempt or none of its rules applies")
}

// AndStrict ends messages that no rule was applied to a VM.
const AndStrict = ", and --strict is given"
