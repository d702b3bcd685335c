// Package explain is the subcommand explain.
package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/topic"
)

// groups lists the groups, each with its title.
var groups = []struct{ name, title string }{
	{"kind", "Kinds: what a rule demands of each value"},
	{"kind of vmrules-full", "More kinds: vmrules-full checks them, vmrules ignores them"},
	{"key", "Keys of a rule"},
	{"argument", "Arguments: what else a rule demands of each value"},
	{"outcome", "Outcomes of a rule"},
	{"syntax", "Notations in rules and templates"},
	{"check", "What lint looks for"},
	{"finding of check", "What check says besides"}, // that is not about one rule
}

// Command returns the subcommand.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [KIND|KEY|ARGUMENT|OUTCOME|ID]",
		Short: "Explain a word of the format or a check of lint, with an example",
		Example: `  vmrules explain
  vmrules explain maxLength
  vmrules explain half-anchored-regex`,
		Args: cli.Arguments(0, 1, "name one topic, or none for a list"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			for _, t := range topic.All() {
				names = append(names, cobra.CompletionWithDesc(t.Name, t.Meaning))
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) == 0 {
				list(command.OutOrStdout())
				return nil
			}
			return explain(command.OutOrStdout(), args[0])
		},
	}
}

func list(w io.Writer) {
	for i, g := range groups {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, g.title)
		for _, t := range topic.All() {
			if t.Group == g.name {
				fmt.Fprintf(w, "  %-22s %s\n", t.Name, t.Meaning)
			}
		}
	}
}

// explain writes all topics with a name. There may be several: regex is a kind and an argument.
func explain(w io.Writer, name string) error {
	found := slices.DeleteFunc(slices.Clone(topic.All()), func(t topic.Topic) bool { return !strings.EqualFold(t.Name, name) })
	if len(found) == 0 {
		var names []string
		for _, t := range topic.All() {
			names = append(names, t.Name)
		}
		return fmt.Errorf("unknown topic %q: \"vmrules explain\" lists all topics%s", name, cli.Meant(name, names))
	}
	for i, t := range found {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if t.Check != nil {
			_, err := io.WriteString(w, t.Check.Text("text"))
			return err
		}
		fmt.Fprintf(w, "%s (%s): %s\n", t.Name, t.Group, t.Meaning)
		if t.Odd != "" {
			fmt.Fprintln(w, t.Odd)
		}
		if t.Example != "" {
			fmt.Fprint(w, "\n"+topic.Indented(t.Example))
		}
	}
	return nil
}
