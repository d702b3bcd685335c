package vmrules_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReasons checks that each exported name has a reason for which a user wants it, in a line of its own.
func TestReasons(t *testing.T) {
	text, err := os.ReadFile("testdata/reasons.txt")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		name, reason, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !strings.HasPrefix(reason, "to ") {
			t.Errorf("%q does not say what the name is wanted for", name)
		}
		names = append(names, name)
	}
	want := exportedNames(t)
	slices.Sort(names)
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("testdata/reasons.txt has a line for each exported name (-exported +reasons):\n%s", diff)
	}
}
