package command

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	texts "text/template"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

//go:embed explain.yaml
var explanationText []byte

//go:embed explain.tmpl
var explanationForms string

// A topic is something that explain can explain.
type topic struct {
	Name    string
	Group   string // the name of one of groups
	Meaning string
	Example string
}

// A checkTopic explains a check.
type checkTopic struct {
	topic      `yaml:",inline"`
	Why, Right string
	Flags      []string // of lint, which reports it only with these
	Fix, Fixes string   // Fixes is what --fix does

	severity lint.Severity
}

// explained holds what explain.yaml says.
type explained struct {
	Topics []topic
	Checks map[string]*checkTopic

	inOrder []*checkTopic // as lint has them
}

// explanations returns the topics of explain.yaml, with the checks of lint.
var explanations = sync.OnceValue(func() (all explained) {
	if err := yaml.Unmarshal(explanationText, &all); err != nil {
		panic(err) // the tests read the file, so this cannot happen
	}
	for _, c := range lint.Checks() {
		t := all.Checks[c.ID]
		if t == nil { // it is about an option, which a command refuses
			continue
		}
		t.severity = c.Severity
		t.Name, t.Group, t.Meaning = c.ID, "check", cmp.Or(t.Meaning, inCommand.Replace(c.Meaning))
		t.Meaning = fmt.Sprintf("%s (%s)", t.Meaning, severityWords[c.Severity])
		all.Topics, all.inOrder = append(all.Topics, t.topic), append(all.inOrder, t)
	}
	return all
})

func topics() []topic { return explanations().Topics }

// inCommand replaces the words of the library with those of the command.
var inCommand = strings.NewReplacer("under For(SSP)", "with --for ssp", "under Strict", "with --strict", "the Budget allows", "is allowed")

// forms are the texts about a check.
var forms = texts.Must(texts.New("").Funcs(texts.FuncMap{"indent": indented}).Parse(explanationForms))

// Said returns what lint says of the example.
func (t *checkTopic) Said() string {
	var out, said strings.Builder
	Main(append([]string{"lint", "--no-config", "-o", "concise", "-"}, t.Flags...), strings.NewReader(t.Example), &out, io.Discard, Build{})
	for line := range strings.Lines(out.String()) {
		if place, ok := strings.CutPrefix(line, manifest.Stdin); ok && strings.HasSuffix(line, "["+t.Name+"]\n") {
			said.WriteString("example" + place)
		}
	}
	return said.String()
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ") + "\n"
}

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
		if c := explanations().Checks[t.Name]; c != nil {
			return forms.ExecuteTemplate(w, "text", c)
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
	if t.Example != "" {
		fmt.Fprint(w, "\n"+indented(t.Example))
	}
}
