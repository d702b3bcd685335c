// Package topic has the texts that explain the words of the format and the checks of lint.
package topic

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	texts "text/template"

	"go.yaml.in/yaml/v3"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/config"
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
	Brief    string // the meaning, without what becomes of it under --for ssp
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
		t.Brief = underSSP.ReplaceAllString(meaning, "")
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

// underSSP matches what a meaning says of --for ssp.
var underSSP = regexp.MustCompile(`; (an error|a warning|only reported) with --for ssp$`)

var forms = texts.Must(texts.New("").Funcs(texts.FuncMap{
	"indent":     Indented,
	"severities": func() []lint.Severity { return config.Severities },
	"ofSeverity": func(s lint.Severity) []*Check {
		return slices.DeleteFunc(slices.Clone(Checks()), func(c *Check) bool { return c.Severity != s })
	},
}).Parse(explanationForms))

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

// Change returns the lines of the example that are wrong, and those that are right in their place. Of a rule in one
// line, it shows the first key and those that differ.
func (t *Check) Change() string {
	wrong, right := strings.SplitAfter(t.Example, "\n"), strings.SplitAfter(t.Right, "\n")
	for len(wrong) > 0 && len(right) > 0 && wrong[0] == right[0] {
		wrong, right = wrong[1:], right[1:]
	}
	for len(wrong) > 0 && len(right) > 0 && wrong[len(wrong)-1] == right[len(right)-1] {
		wrong, right = wrong[:len(wrong)-1], right[:len(right)-1]
	}
	if len(wrong) == 1 && len(right) == 1 {
		wrong[0], right[0] = shortened(wrong[0], right[0]), shortened(right[0], wrong[0])
	}
	var change strings.Builder
	for _, line := range wrong {
		change.WriteString("-" + line)
	}
	for _, line := range right {
		change.WriteString("+" + line)
	}
	return change.String()
}

var nextKey = regexp.MustCompile(`, "\w+":`)

// shortened leaves out the keys of a line that another line has too, but for the first one.
func shortened(line, other string) string {
	starts := append(nextKey.FindAllStringIndex(line, -1), []int{len(line) - len("\n")})
	short := line[:starts[0][0]]
	for i, next := range starts[1:] {
		switch key := line[starts[i][0]:next[0]]; {
		case !strings.Contains(other, key):
			short += key
		case !strings.HasSuffix(short, "…"):
			short += ", …"
		}
	}
	return short + "\n"
}

// Text returns a form of explain.tmpl about the check.
func (t *Check) Text(form string) string { return written(form, t) }

// Page returns the page about all checks.
func Page() string { return written("page", Checks()) }

func written(form string, about any) string {
	var text strings.Builder
	if err := forms.ExecuteTemplate(&text, form, about); err != nil {
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
