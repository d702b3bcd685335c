package vmrules

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vmrules/vmrules/internal/conformance"
)

// untested are the sentences of docs/format.md that have no vector, each with the reason.
var untested = map[string]string{}

var (
	numbered  = regexp.MustCompile(`(?m)^\| ([A-Z])(\d+) \|`)
	reference = regexp.MustCompile(`\b[A-Z]\d{1,2}\b`)
)

// numbersOfFormat returns the numbers of the sentences of docs/format.md, in its order.
func numbersOfFormat(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	var numbers []string
	rows := map[string]int{} // by section
	for _, row := range numbered.FindAllStringSubmatch(string(page), -1) {
		rows[row[1]]++
		if row[2] != fmt.Sprint(rows[row[1]]) {
			t.Errorf("%s%s is row %d of its section", row[1], row[2], rows[row[1]])
		}
		numbers = append(numbers, row[1]+row[2])
	}
	return numbers
}

// TestCoverage checks that each vector names sentences of docs/format.md, and that each sentence has
// vectors. With -v it prints how many, and in which files.
func TestCoverage(t *testing.T) {
	numbers := numbersOfFormat(t)
	if len(numbers) < 100 || len(untested) > 5 {
		t.Errorf("%d of %d sentences are not tested", len(untested), len(numbers))
	}
	counts := map[string]map[string]int{} // of vectors, by number and file
	for _, number := range numbers {
		counts[number] = map[string]int{}
	}
	for file, vectors := range readVectors(t) {
		for _, v := range vectors {
			for number := range strings.SplitSeq(v.Spec, ", ") {
				if counts[number] == nil {
					t.Errorf("%s/%s tests %q, which docs/format.md does not have", file, v.Name, number)
					continue
				}
				counts[number][file]++
			}
		}
	}
	var table strings.Builder
	for _, number := range numbers {
		total, files := 0, untested[number]
		for _, file := range slices.Sorted(maps.Keys(counts[number])) {
			total += counts[number][file]
			files += fmt.Sprintf("  %s %d", file, counts[number][file])
		}
		fmt.Fprintf(&table, "\n%-4s%5d%s", number, total, files)
		if (total == 0) != (untested[number] != "") {
			t.Errorf("%s has %d vectors, and the reason to have none is %q", number, total, untested[number])
		}
	}
	t.Log(table.String())
}

// TestReferences finds numbers that docs/format.md does not have.
func TestReferences(t *testing.T) {
	numbers := numbersOfFormat(t)
	for _, page := range []string{
		"doc.go", "rule.go", "docs/format.md", "docs/consumers.md", "oracle/jsonpath_exceptions.md", "testdata/conformance/README.md",
	} {
		text, err := os.ReadFile(page)
		if errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(page, "oracle/") {
			continue // this is the module alone
		}
		if err != nil {
			t.Fatal(err)
		}
		references := reference.FindAllString(string(text), -1)
		if len(references) == 0 {
			t.Errorf("%s refers to nothing: does the test still read it?", page)
		}
		for _, number := range references {
			if !slices.Contains(numbers, number) {
				t.Errorf("%s refers to %s", page, number)
			}
		}
	}
}

// TestSuite checks that each file of vectors says its version, for readers that are not of this module.
func TestSuite(t *testing.T) {
	files, err := filepath.Glob("testdata/conformance/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no vectors", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var content struct{ Suite string }
		if err := json.Unmarshal(text, &content); err != nil || content.Suite != conformance.Suite {
			t.Errorf("%s: version %q: %v", file, content.Suite, err)
		}
	}
}
