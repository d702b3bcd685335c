package command

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/vmrules/vmrules/lint"
)

//go:embed explain.yaml
var explanationText []byte

// A topic is something that explain can explain.
type topic struct {
	Name    string
	Group   string // the name of one of groups
	Meaning string
	Example string
}

// topics returns the topics of explain.yaml and the checks of lint.
var topics = sync.OnceValue(func() []topic {
	var text struct {
		Topics []topic
		Checks map[string]string
	}
	if err := yaml.Unmarshal(explanationText, &text); err != nil {
		panic(err) // the tests read the file, so this cannot happen
	}
	for _, c := range lint.Checks() {
		meaning := fmt.Sprintf("%s (%s)", c.Meaning, severityWords[c.Severity])
		text.Topics = append(text.Topics, topic{c.ID, "check", meaning, text.Checks[c.ID]})
	}
	return text.Topics
})

// furtherKind is the group of the kinds that only vmrules-full knows.
const furtherKind = "kind of vmrules-full"

// syntax is the group of the notations that rules and templates use.
const syntax = "syntax"

// groups lists the groups, each with its title and the words before its meanings.
var groups = []struct{ name, title, subject string }{
	{"kind", "Kinds: what a rule enforces", "a value satisfies it if: "},
	{furtherKind, "Kinds beyond the format, which vmrules-full checks and vmrules ignores", "a value satisfies it if: "},
	{"key", "Keys of a rule", ""},
	{"argument", "Arguments of a rule", "a value satisfies it if: "},
	{"outcome", "Outcomes of a check", ""},
	{syntax, "What is written inside of rules and templates", ""},
	{"check", "What lint looks for", ""},
}

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [KIND|KEY|ARGUMENT|OUTCOME|LINT-ID]",
		Short: "Explain a word of the format, or a finding of lint, with an example",
		Example: `  vmrules explain
  vmrules explain maxLength
  vmrules explain half-anchored-regex`,
		Args: arguments(0, 1, "name one topic, or none for a list"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			for _, t := range topics() {
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

// list writes a line for each topic.
func list(w io.Writer) {
	for i, g := range groups {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, g.title)
		for _, t := range topics() {
			if t.Group == g.name {
				fmt.Fprintf(w, "  %-22s %s\n", t.Name, t.Meaning)
			}
		}
	}
}

// explain writes all topics with a name. There may be several: regex is a kind and an
// argument.
func explain(w io.Writer, name string) error {
	found := slices.DeleteFunc(slices.Clone(topics()), func(t topic) bool { return !strings.EqualFold(t.Name, name) })
	if len(found) == 0 {
		var names []string
		for _, t := range topics() {
			names = append(names, t.Name)
		}
		return fmt.Errorf("unknown topic %q: \"vmrules explain\" lists all topics%s", name, meant(name, names))
	}
	for i, t := range found {
		if i > 0 {
			fmt.Fprintln(w)
		}
		t.write(w)
	}
	return nil
}

func (t topic) write(w io.Writer) {
	subject := ""
	for _, g := range groups {
		if g.name == t.Group {
			subject = g.subject
		}
	}
	fmt.Fprintf(w, "%s (%s): %s%s\n", t.Name, t.Group, subject, t.Meaning)
	if t.Example == "" {
		return
	}
	fmt.Fprintln(w)
	for line := range strings.Lines(t.Example) {
		fmt.Fprint(w, "    "+line)
	}
	if t.Group != "check" {
		return
	}
	fmt.Fprintln(w)
	for _, f := range lint.Annotation(t.Example) {
		if f.ID == t.Name {
			fmt.Fprintln(w, f)
		}
	}
}
