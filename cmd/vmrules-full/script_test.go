package main

import (
	"bytes"
	"errors"
	"flag"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/vmrules/vmrules/cmd/vmrules/command"
)

// update writes what comes out into the scripts; read what changes.
var update = flag.Bool("update", false, "update what the scripts in testdata/script expect")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"vmrules-full": main})
}

// TestScript runs the command as a shell does.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs a command, which must exit with a status: exits 2 vmrules-full check
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

// TestExplain demands of each kind beyond the format that it is explained, with an
// example in which there is nothing to find.
func TestExplain(t *testing.T) {
	for kind := range full.Kinds {
		t.Run(kind, func(t *testing.T) {
			var explained, stderr bytes.Buffer
			if status := command.Main([]string{"explain", kind}, nil, &explained, &stderr, full); status != 0 {
				t.Fatalf("exit status %d: %s", status, stderr.String())
			}
			_, example, ok := strings.Cut(explained.String(), "\n\n")
			if !ok || !strings.Contains(example, `"rule": "`+kind+`"`) {
				t.Fatalf("there is no example of the kind in\n%s", explained.String())
			}
			var linted bytes.Buffer
			lint := []string{"lint", "--strict", "--warnings-as-errors", "--rules", "-"}
			if status := command.Main(lint, strings.NewReader("["+example+"]"), &linted, &stderr, full); status != 0 {
				t.Errorf("exit status %d: %s%s", status, linted.String(), stderr.String())
			}
		})
	}
}
