package topic

import (
	"os"
	"strings"
	"testing"
)

// TestHelp checks that the page to which findings link has a heading for each check.
func TestHelp(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/checks.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range ForFindings() {
		of, anchor, _ := strings.Cut(topic.Help, "#")
		if !strings.HasSuffix(of, "/docs/checks.md") || !strings.Contains(string(page), "\n## "+anchor+"\n") {
			t.Errorf("%s does not describe %s", topic.Help, topic.ID)
		}
	}
}
