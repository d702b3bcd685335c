package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/config"
)

// A choice is a flag with a few values, each of which selects a T.
type choice[T any] struct {
	name    string
	options map[string]T
}

func (c *choice[T]) value() T       { return c.options[c.name] }
func (c *choice[T]) String() string { return c.name }
func (c *choice[T]) Type() string   { return strings.Join(c.names(), "|") }
func (c *choice[T]) names() []string {
	return slices.Sorted(maps.Keys(c.options))
}

func (c *choice[T]) Set(name string) error {
	if _, ok := c.options[name]; !ok {
		return fmt.Errorf("must be one of %s", strings.Join(c.names(), ", "))
	}
	c.name = name
	return nil
}

// choices is a flag that selects any number of a few Ts.
type choices[T any] struct {
	choice[T]
	chosen []T
}

func (c *choices[T]) Set(names string) error {
	for name := range strings.SplitSeq(names, ",") {
		if err := c.choice.Set(name); err != nil {
			return err
		}
		c.chosen = append(c.chosen, c.value())
	}
	return nil
}

// flag adds the choice to a command.
func (c *choice[T]) flag(to *cobra.Command, name, short, usage string) {
	to.Flags().VarP(c, name, short, usage)
	_ = to.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(c.names(), cobra.ShellCompDirectiveNoFileComp))
}

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

// strictFlag adds the flag that makes a command fail for what no rule judged.
func strictFlag(command *cobra.Command, strict *bool) {
	command.Flags().BoolVar(strict, "strict", false, "also fail for a VM that no rule judges, unless it is exempt or none of its rules applies")
}

// andStrict ends messages that nothing judged a VM.
const andStrict = ", and --strict is given"
