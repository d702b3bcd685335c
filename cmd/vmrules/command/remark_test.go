package command

import (
	"os"
	"strings"
	"testing"

	"github.com/vmrules/vmrules/lint"
)

// TestHelp checks that the sections of the documentation to which findings link describe them.
func TestHelp(t *testing.T) {
	doc, err := os.ReadFile("../../../lint/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	found := linted{}
	for i, topic := range found.remarks().topics {
		_, heading, _ := strings.Cut(topic.help, "#hdr-")
		_, section, ok := strings.Cut(string(doc), "// # "+strings.ReplaceAll(heading, "_", " ")+"\n")
		section, _, _ = strings.Cut(section, "\n// # ")
		if !ok || !strings.Contains(section, "\n//\t"+topic.id+" ") {
			t.Errorf("%s does not describe %s", topic.help, lint.Checks()[i].ID)
		}
	}
}
