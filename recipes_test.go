package vmrules_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/racetest"
)

const afterRecipes = `valid: 2 satisfied
Satisfied  host
Satisfied  zone
invalid: 2 violated
Violated   host: BAD NAME
           spec.hostname: "db-1" does not begin with "web-"
Violated   zone: the zone follows the host
           spec.subdomain: "db-2.example.com" does not begin with "db-1", read from jsonpath::.spec.hostname
info: line 2, column 85: rule "host": message: the message is in capital letters: write small letters (message-is-loud)
`

var (
	addedLine = regexp.MustCompile(`(?m)^\+.*\n`)
	diffMark  = regexp.MustCompile(`(?m)^[+ ]`)
)

// TestRecipes follows the diffs in CONTRIBUTING.md, and runs a program that uses what they
// add. An overlay gives the build the changed files.
func TestRecipes(t *testing.T) {
	racetest.SkipLong(t)
	if testing.Short() {
		t.Skip("it builds packages")
	}
	replace := map[string]string{"internal/constraint/beginning.go": "testdata/recipes/beginning.go"}
	for _, block := range fence.FindAllStringSubmatch(pages(t)[".github/CONTRIBUTING.md"], -1) {
		if block[1] != "diff" {
			continue
		}
		for _, file := range strings.Split("\n"+block[2], "\n // ")[1:] {
			path, places, _ := strings.Cut(file, "\n")
			replace[path] = write(t, filepath.Base(path), follow(t, path, places))
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, "-overlay", write(t, "overlay.json", string(overlay)), "testdata/recipes/main.go")
	if diff := cmp.Diff(afterRecipes, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// follow returns the text of a file with the lines that a diff adds at some places.
func follow(t *testing.T, path, places string) string {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(file)
	for _, place := range strings.Split(places, "\n ...\n") {
		place = strings.TrimRight(place, "\n") + "\n"
		before := diffMark.ReplaceAllString(addedLine.ReplaceAllString(place, ""), "")
		if n := strings.Count(text, before); n != 1 {
			t.Fatalf("%s has these lines %d times, not once:\n%s", path, n, before)
		}
		text = strings.Replace(text, before, diffMark.ReplaceAllString(place, ""), 1)
	}
	return text
}
