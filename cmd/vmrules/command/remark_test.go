package command

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestHelp checks that the sections of the documentation to which findings link describe them.
func TestHelp(t *testing.T) {
	doc, err := os.ReadFile("../../../lint/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var sections []string
	for _, section := range strings.Split(string(doc), "\n// # ")[1:] {
		heading, text, _ := strings.Cut(section, "\n")
		sections = append(sections, "#hdr-"+notInAnchor.ReplaceAllString(heading, "_")+"\n"+text)
	}
	var found linted
	for _, topic := range found.remarks().topics {
		_, anchor, _ := strings.Cut(topic.help, "#")
		if !slices.ContainsFunc(sections, func(section string) bool {
			return strings.HasPrefix(section, "#"+anchor+"\n") && strings.Contains(section, "\n//\t"+topic.id+" ")
		}) {
			t.Errorf("%s does not describe %s", topic.help, topic.id)
		}
	}
}

// notInAnchor is what go doc replaces in the anchors of headings.
var notInAnchor = regexp.MustCompile(`[^\pL\pN]`)
