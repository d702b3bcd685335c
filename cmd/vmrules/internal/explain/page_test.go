package explain

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/config"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/topic"
	"github.com/vmrules/vmrules/lint"
)

// checksPage is the page about checks.
const checksPage = "../../../../docs/checks.md"

var update = flag.Bool("update", false, "update docs/checks.md")

// TestPage compares the page about checks with what explain says of them.
func TestPage(t *testing.T) {
	var written strings.Builder
	if err := page.ExecuteTemplate(&written, "page.tmpl", topic.Checks()); err != nil {
		t.Fatal(err)
	}
	want := written.String()
	if *update {
		if err := os.WriteFile(checksPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(checksPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-explain +page), go test -run Page . -update writes it:\n%s", diff)
	}
	for _, word := range []string{"For(", "WithKind", "option KubeVirt", "ParseRules", "SeverityError"} {
		if strings.Contains(want, word) {
			t.Errorf("the page has %s, which only Go programs know", word)
		}
	}
}

// page writes the page about all checks.
var page = template.Must(template.New("").Funcs(template.FuncMap{
	"brief": brief, "change": change,
	"severities": func() []lint.Severity { return config.Severities },
	"ofSeverity": func(s lint.Severity) []*topic.Check {
		return slices.DeleteFunc(slices.Clone(topic.Checks()), func(c *topic.Check) bool { return c.Severity != s })
	},
}).ParseFiles("testdata/page.tmpl"))

// underSSP matches what a meaning says of --for ssp.
var underSSP = regexp.MustCompile(`; (an error|a warning|only reported) with --for ssp$`)

// brief returns the meaning of a check, without its severity and what becomes of it under --for ssp.
func brief(c *topic.Check) string {
	return underSSP.ReplaceAllString(strings.TrimSuffix(c.Meaning, fmt.Sprintf(" (%s)", c.Severity)), "")
}

// change returns the lines of an example that are wrong, and those that are right in their place. Of a rule in one
// line, it shows the first key and those that differ.
func change(c *topic.Check) string {
	wrong, right := strings.SplitAfter(c.Example, "\n"), strings.SplitAfter(c.Right, "\n")
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
