// Package mistakes plants mistakes that authors make in templates, and reads what the command says of them.
package mistakes

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vmrules/vmrules/cmd/vmrules/command"
)

// mostMissed is how many mistakes may be missed.
const mostMissed = 1

// TestMistakes plants a mistake at a time, and reads what the command says, as its author would.
func TestMistakes(t *testing.T) {
	var all []mistakes
	read("testdata/cases.json", &all)
	count, missed := 0, 0
	for _, m := range all {
		for i, c := range m.Cases {
			count++
			said, fails := saidOf(t, c.Template, c.plant(t))
			why := c.missing(said)
			if why == "" && m.MustFail && !fails {
				why = "the exit status is 0"
			}
			if why != "" {
				missed++
			}
			if *update && (why == "") != (c.Missed == "") {
				m.Cases[i].Missed = why
				continue
			}
			switch {
			case why != "" && c.Missed == "":
				t.Errorf("%s, %s:%d: %s in lines %d with one of %q: %s, but %v", m.Mutation, c.Template, c.At, c.Replace, c.Lines, c.Cure, why, said)
			case why == "" && c.Missed != "":
				t.Errorf("%s, %s:%d: %s: found now, remove what is missed", m.Mutation, c.Template, c.At, c.Replace)
			}
		}
	}
	if *update {
		write("testdata/cases.json", all)
	}
	if count < 160 || missed > mostMissed {
		t.Errorf("of %d mistakes, %d are missed, want at most %d", count, missed, mostMissed)
	}
}

// TestNoMistakes checks that nothing is said of the templates without a mistake.
func TestNoMistakes(t *testing.T) {
	files, err := filepath.Glob("testdata/templates/*")
	if err != nil || len(files) != 12 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text := readFile(t, file)
		if said, fails := saidOf(t, filepath.Base(file), text); said != nil || fails {
			t.Errorf("%s: %v, fails: %v", file, said, fails)
		}
	}
}

// plant returns the template with the mistake.
func (m mistake) plant(t *testing.T) string {
	t.Helper()
	lines := strings.SplitAfter(readFile(t, "testdata/templates/"+m.Template), "\n")
	before, rest := strings.Join(lines[:m.At-1], ""), strings.Join(lines[m.At-1:], "")
	if at := strings.Index(rest, m.Find); at < 0 || at > len(lines[m.At-1]) {
		t.Fatalf("line %d of %s has no %q", m.At, m.Template, m.Find)
	}
	return before + strings.Replace(rest, m.Find, m.Replace, 1)
}

// missing returns why what is said does not lead to the mistake, nor to what would be right.
func (m mistake) missing(all []remark) string {
	if all == nil {
		return "nothing is said of it"
	}
	here := slices.DeleteFunc(slices.Clone(all), func(r remark) bool { return !slices.Contains(m.Lines, r.line) })
	switch {
	case len(here) == 0:
		return fmt.Sprintf("line %d is named", all[0].line)
	case !slices.ContainsFunc(here, m.isCured):
		return "it is not said what would be right"
	}
	return ""
}

func (m mistake) isCured(by remark) bool {
	return slices.ContainsFunc(m.Cure, func(cure string) bool { return strings.Contains(by.message, cure) })
}

// A remark is what a command says of a line.
type remark struct {
	line    int
	message string
}

var (
	workflowCommand  = regexp.MustCompile(`(?m)^::\w+ file=([^,\n]*)(?:,line=(\d+),col=\d+)?,title=[^:\n]*::(.*)$`)
	workflowReplaced = strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n")
)

// saidOf returns what lint and check say of a template that is among others, and whether one of them
// fails.
func saidOf(t *testing.T, name, text string) (all []remark, fails bool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"lint"}, {"lint", "--for", "ssp"}, {"check"}} {
		var out bytes.Buffer
		args = append(args, "-o", "github", file, "testdata/templates/freebsd.yaml")
		fails = command.Main(args, strings.NewReader(""), &out, io.Discard, command.Build{Name: "vmrules"}) != 0 || fails
		for _, found := range workflowCommand.FindAllStringSubmatch(out.String(), -1) {
			if found[1] == file {
				line, _ := strconv.Atoi(found[2]) // 0 if there is none
				all = append(all, remark{line, workflowReplaced.Replace(found[3])})
			}
		}
	}
	return all, fails
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
