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

// The plain build names vmrules-full where lint meets what only that knows.
func TestPlainBuildNamesFull(t *testing.T) {
	var texts []string
	for kind := range full.Kinds {
		texts = append(texts, `[{"name": "n", "rule": "`+string(kind)+`", "path": "jsonpath::.a", "message": "m"}]`)
	}
	for document := range full.Documents {
		if kind, group, ok := strings.Cut(document, "."); ok {
			texts = append(texts, `{"kind": "`+kind+`", "apiVersion": "`+group+`/v1"}`)
		}
	}
	for _, text := range texts {
		var out bytes.Buffer
		command.Main([]string{"lint", "-"}, strings.NewReader(text), &out, &out, command.Build{Name: "vmrules"})
		if !strings.Contains(out.String(), "only vmrules-full") {
			t.Errorf("%s: %s", text, out.String())
		}
	}
}
