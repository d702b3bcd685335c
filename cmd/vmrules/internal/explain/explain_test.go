package explain

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	command "github.com/vmrules/vmrules/cmd/vmrules/internal/lint"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/topic"
	"github.com/vmrules/vmrules/lint"
)

// TestMeanings compares the meanings of kinds, arguments and outcomes with the tables in
// the library's documentation, in both directions.
func TestMeanings(t *testing.T) {
	groups := []struct {
		name, file, mark string
		width            int // of the first column
	}{
		{"kind", "rule.go", "//\tkind ", 15},
		{"argument", "rule.go", "//\targument ", 15},
		{"outcome", "doc.go", "// # Outcomes\n", 12},
	}
	for _, g := range groups {
		doc, err := os.ReadFile("../../../../" + g.file)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, row := range table(string(doc), g.mark, g.width) {
			for _, name := range strings.Split(row.names, ", ") {
				want[name] = row.meaning
			}
		}
		delete(want, "another") // kind
		got := map[string]string{}
		for _, topic := range topic.All() {
			if topic.Group == g.name {
				got[topic.Name] = topic.Meaning
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%ss (-%s +explain.yaml):\n%s", g.name, g.file, diff)
		}
	}
}

// A row of a table may go over several lines, and name several things.
type row struct{ names, meaning string }

// table reads the first two columns of the table behind a mark.
func table(doc, mark string, width int) []row {
	_, doc, _ = strings.Cut(doc, mark)
	var rows []row
	for _, line := range strings.Split(doc, "\n")[1:] {
		line, ok := strings.CutPrefix(line, "//\t")
		if !ok && rows != nil {
			break
		}
		if !ok {
			continue
		}
		first := strings.TrimSpace(line[:width])
		if first != "" && (rows == nil || !strings.HasSuffix(rows[len(rows)-1].names, ",")) {
			rows = append(rows, row{})
		}
		meaning, _, _ := strings.Cut(line[width:], "  ")
		last := &rows[len(rows)-1]
		last.names = strings.TrimSpace(last.names + " " + first)
		last.meaning = strings.TrimSpace(last.meaning + " " + meaning)
	}
	return rows
}

// TestKeys demands all keys of the format.
func TestKeys(t *testing.T) {
	rule := reflect.TypeFor[vmrules.Rule]()
	for i := range rule.NumField() {
		name := strings.ToLower(rule.Field(i).Name[:1]) + rule.Field(i).Name[1:]
		switch name {
		case "kind":
			name = "rule"
		case "unknown": // stands for no key
			continue
		}
		if !slices.ContainsFunc(topic.All(), func(t topic.Topic) bool { return t.Name == name && (t.Group == "key" || t.Group == "argument") }) {
			t.Errorf("the key %s is not explained", name)
		}
	}
}

// TestPaths reads the paths that explain jsonpath shows.
func TestPaths(t *testing.T) {
	for _, topic := range topic.All() {
		if topic.Name != "jsonpath" {
			continue
		}
		for line := range strings.Lines(topic.Example) {
			if _, err := vmrules.ParsePath(strings.Fields(line)[0]); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}

// TestExamples demands of each example that it shows what it is there for.
func TestExamples(t *testing.T) {
	for _, topic := range topic.All() {
		switch topic.Group {
		case "outcome", "syntax", "check", "finding of check":
		case "kind of vmrules-full": // whose examples are tested where they are known
		default:
			for _, f := range lint.Annotation("["+topic.Example+"]", vmrules.Strict()) {
				if f.Severity != lint.SeverityNote {
					t.Errorf("the example for %s: %v", topic.Name, f)
				}
			}
			if topic.Group != "kind" && !strings.Contains(topic.Example, `"`+topic.Name+`":`) {
				t.Errorf("the example for %s does not have it", topic.Name)
			}
			if topic.Group == "kind" && !strings.Contains(topic.Example, `"rule": "`+topic.Name+`"`) {
				t.Errorf("the example for %s is of another kind", topic.Name)
			}
		}
	}
}

// TestOwnTexts demands that no two topics print the same sentence, and that each word of the format
// says what it does with odd values.
func TestOwnTexts(t *testing.T) {
	said := map[string]string{}
	for _, topic := range topic.All() {
		texts := []string{topic.Meaning, topic.Odd}
		if c := topic.Check; c != nil {
			texts = append(texts, c.Why)
		} else if topic.Odd == "" || topic.Example == "" && topic.Group != "finding of check" {
			t.Errorf("%s (%s) does not say what it does with odd values, or has no example", topic.Name, topic.Group)
		}
		for _, text := range texts {
			if other := said[text]; text != "" && other != "" {
				t.Errorf("%s and %s print the same text: %s", other, topic.Name, text)
			}
			said[text] = topic.Name
		}
	}
}

// TestOutcomes validates the example of each outcome.
func TestOutcomes(t *testing.T) {
	for _, topic := range topic.All() {
		if topic.Group != "outcome" {
			continue
		}
		var vm map[string]any
		if err := yaml.Unmarshal([]byte(topic.Example), &vm); err != nil {
			t.Fatal(err)
		}
		results := vmrules.ValidateOwn(vm).Results()
		if len(results) != 1 {
			t.Errorf("the example for %s has %d results", topic.Name, len(results))
		}
		for _, result := range results {
			if diff := cmp.Diff(topic.Name, string(result.Outcome)); diff != "" {
				t.Errorf("(-explain.yaml +result): %s", diff)
			}
		}
	}
}

var (
	// ofOptions are the checks that no file fails.
	ofOptions = []string{"invalid-option", "unknown-profile", "unknown-kubevirt"}
	// withoutExample are the checks that no short file fails.
	withoutExample = []string{"too-long", "not-checked", "ssp-kind"}
)

// TestChecks demands of each check that its first example fails, and that its second one passes
// without a finding that is more than a note. --fix must fix the first as explain.yaml says.
func TestChecks(t *testing.T) {
	for _, c := range lint.Checks() {
		if !slices.ContainsFunc(topic.Checks(), func(t *topic.Check) bool { return t.Name == c.ID }) && !slices.Contains(ofOptions, c.ID) {
			t.Errorf("%s is not explained", c.ID)
		}
	}
	for _, c := range topic.Checks() {
		id := c.Name
		if c.Why == "" || c.Fix == "" || (c.Example == "") != slices.Contains(withoutExample, id) {
			t.Errorf("%s: why %q, fix %q, example %q", id, c.Why, c.Fix, c.Example)
		}
		if c.Example == "" {
			continue
		}
		if c.Said() == "" {
			t.Errorf("%s: lint finds nothing in the example", id)
		}
		if _, out := linting(c, c.Right, "--min-severity", "warning", "-o", "concise"); !strings.Contains(out, ": 0 errors, 0 warnings,") || strings.Contains(out, "["+id+"]") {
			t.Errorf("%s: what is right:\n%s", id, out)
		}
		fixes := ""
		for _, f := range []struct{ is, flag string }{{"unsafe", "--unsafe-fixes"}, {"safe", "--fix"}} {
			if diff, _ := linting(c, c.Example, "--diff", f.flag); diff != "" {
				fixes = f.is
			}
		}
		if diff := cmp.Diff(c.Fixes, fixes); diff != "" {
			t.Errorf("%s: fixes (-explain.yaml +lint):\n%s", id, diff)
		}
	}
}

// linting returns what lint writes about a text, to both outputs together for text.
func linting(c *topic.Check, text string, flags ...string) (stdout, stderr string) {
	var out, errors strings.Builder
	if c.For != "" {
		flags = append(flags, "--for", string(c.For))
	}
	if c.KubeVirt != "" {
		flags = append(flags, "--kubevirt", c.KubeVirt)
	}
	cli.Execute(command.Command(build.Build{}), append([]string{"--no-config", "-"}, flags...), cli.Streams{In: strings.NewReader(text), Out: &out, Err: &errors})
	return out.String(), errors.String() + out.String()
}
