package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/vmrules/vmrules/cmd/vmrules/command"
	"github.com/vmrules/vmrules/cmd/vmrules/scripttest"
)

func TestMain(m *testing.M) { scripttest.Main(m, "vmrules-full", main) }

func TestScript(t *testing.T) { scripttest.Run(t) }

// The command explains each kind beyond the format with an example that has no lint findings.
func TestExplain(t *testing.T) {
	for kind := range full.Kinds {
		t.Run(string(kind), func(t *testing.T) {
			var explained, stderr bytes.Buffer
			if status := command.Main([]string{"explain", string(kind)}, nil, &explained, &stderr, full); status != 0 {
				t.Fatalf("exit status %d: %s", status, stderr.String())
			}
			_, example, ok := strings.Cut(explained.String(), "\n\n")
			if !ok || !strings.Contains(example, `"rule": "`+string(kind)+`"`) {
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
