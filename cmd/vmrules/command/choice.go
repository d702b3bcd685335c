package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
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
