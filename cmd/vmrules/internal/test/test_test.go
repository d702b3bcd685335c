package test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
)

// Cases that differ in many rules have more to say than is kept.
func TestDifferencesAreBounded(t *testing.T) {
	var rules []string
	for i := range 2_000 {
		rules = append(rules, fmt.Sprintf(`{"name": "r%d", "rule": "string", "path": "jsonpath::.x", "message": "m"}`, i))
	}
	file := t.TempDir() + "/rules.json"
	if err := os.WriteFile(file, []byte("["+strings.Join(rules, ",")+"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	suite := `{"rules": "` + file + `", "cases": [` +
		strings.TrimSuffix(strings.Repeat(`{"name": "c", "vm": {"spec": {"template": {"spec": {}}}}, "expect": "valid"},`, 40), ",") + `]}`
	var stdout, stderr bytes.Buffer
	status := cli.Execute(Command(build.Build{Name: "vmrules"}), []string{"-o", "junit", "-"}, cli.Streams{In: strings.NewReader(suite), Out: &stdout, Err: &stderr})
	if status != int(cli.ExitUnusable) || !strings.Contains(stderr.String(), "too many differences: test fewer cases at a time") {
		t.Errorf("exit status %d: %s", status, stderr.String())
	}
	const enough = judging.MaxKeptWeight/(10*2_000+1) + 1
	if got := strings.Count(stdout.String(), "<testcase"); got != enough+1 { // and one for the error
		t.Errorf("%d cases are reported", got)
	}
}
