package scripttest

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// RunShell runs each line of the sh blocks of a page that calls a command, in a folder.
// The exit status must be 0, or 1 where something is not valid.
func RunShell(t *testing.T, page, name, folder string) {
	t.Helper()
	calls := 0
	for _, block := range Blocks(t, page, "sh") {
		for line := range strings.Lines(block) {
			if !strings.HasPrefix(line, name+" ") && !strings.Contains(line, "| "+name+" ") {
				continue
			}
			calls++
			if out, status := Shell(folder, line); status != 0 && status != 1 {
				t.Errorf("%s: %sexit status %d:\n%s", page, line, status, out)
			}
		}
	}
	if calls == 0 {
		t.Errorf("%s: no line calls %s: does the test still read it?", page, name)
	}
}

// Blocks returns what the blocks in a language hold on a page.
func Blocks(t *testing.T, page, language string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	form := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```$")
	for _, match := range form.FindAllStringSubmatch(string(text), -1) {
		all = append(all, match[1])
	}
	return all
}

// Shell returns what a command line writes, and its exit status; -1 for one that cannot run.
func Shell(folder, line string) (string, int) {
	command := exec.Command("sh", "-c", line)
	command.Dir = folder
	out, err := command.CombinedOutput()
	if command.ProcessState == nil {
		return err.Error(), -1
	}
	return string(out), command.ProcessState.ExitCode()
}
