// Package topic has the texts that explain the words of the format and the checks of lint.
package topic

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	texts "text/template"

	"go.yaml.in/yaml/v3"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/linting"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/lint"
)

//go:embed explain.yaml
var explanationText []byte

//go:embed explain.tmpl
var explanationForms string

// A Topic is something that explain can explain.
type Topic struct {
	Name    string
	Group   string // the name of one of groups
	Meaning string
	Odd     string // what it does with odd values
	Example string

	Check *Check // nil for other topics
}

// A Check explains a check.
type Check struct {
	Topic      `yaml:",inline"`
	Why, Right string
	For        lint.Profile // which alone reports it
	KubeVirt   string       // the version that reports it
	Fix, Fixes string       // Fixes is what --fix does

	Severity lint.Severity
}

type explained struct {
	Topics []Topic
	Checks map[string]*Check

	inOrder []*Check // as lint has them
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
		t.Severity = c.Severity
		meaning := cmp.Or(t.Meaning, inCommand.Replace(c.Meaning))
		t.Name, t.Group, t.Meaning = c.ID, "check", fmt.Sprintf("%s (%s)", meaning, c.Severity)
		t.Check = t
		all.Topics, all.inOrder = append(all.Topics, t.Topic), append(all.inOrder, t)
	}
	return all
})

// All returns all topics.
func All() []Topic { return explanations().Topics }

// Checks returns the checks in the order of lint.
func Checks() []*Check { return explanations().inOrder }

// inCommand replaces the words of the library with those of the command.
var inCommand = strings.NewReplacer("under For(SSP)", "with --for ssp", "under Strict", "with --strict", "the Budget allows", "is allowed", "the option KubeVirt names", "--kubevirt names")

var forms = texts.Must(texts.New("").Funcs(texts.FuncMap{"indent": Indented}).Parse(explanationForms))

// Said returns what lint says of the example.
func (t *Check) Said() string {
	settings := linting.Settings{KubeVirt: t.KubeVirt, NoConfig: true}
	l := linting.New(build.Build{}, linting.Options{For: t.For, Settings: settings}, judging.NewParameters())
	file, _ := manifest.Parse("example", t.Example) // the tests read all of them
	_ = l.Enter(file)                               // it reads no .vmrules.yaml
	found := linting.NewLinted(io.Discard)
	l.LintFile(found, file)
	var said strings.Builder
	for _, f := range found.Findings {
		if f.ID == t.Name {
			said.WriteString(f.Short() + "\n")
		}
	}
	return said.String()
}

// Text returns a form of explain.tmpl about the check.
func (t *Check) Text(form string) string {
	var text strings.Builder
	if err := forms.ExecuteTemplate(&text, form, t); err != nil {
		panic(err) // the tests write all of them, so this cannot happen
	}
	return text.String()
}

// Indented indents a text by four spaces.
func Indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ") + "\n"
}

// ForFindings returns the checks as topics of findings, and others with what explain.yaml says of them.
func ForFindings(others ...output.Topic) []output.Topic {
	var all []output.Topic
	for _, c := range Checks() {
		all = append(all, output.Topic{ID: c.Name, Meaning: c.Meaning, Help: output.AboutChecks + c.Name, Severity: c.Severity, Advice: c.Text("advice")})
	}
	for _, t := range others {
		at := slices.IndexFunc(All(), func(known Topic) bool { return known.Name == t.ID })
		t.Meaning, t.Advice = All()[at].Meaning, All()[at].Odd+"\n"
		all = append(all, t)
	}
	return all
}
