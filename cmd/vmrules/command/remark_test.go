package command

import (
	"os"
	"strings"
	"testing"
)

// TestHelp checks that the page to which findings link has a heading for each check.
func TestHelp(t *testing.T) {
	page, err := os.ReadFile(checksPage)
	if err != nil {
		t.Fatal(err)
	}
	var found linted
	for _, topic := range found.remarks().topics {
		of, anchor, _ := strings.Cut(topic.help, "#")
		if !strings.HasSuffix(of, "/docs/checks.md") || !strings.Contains(string(page), "\n## "+anchor+"\n") {
			t.Errorf("%s does not describe %s", topic.help, topic.id)
		}
	}
}
