package docs_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/racetest"
)

var (
	fence   = regexp.MustCompile("(?ms)^ *```(\\w*)\n(.*?)^ *```$")
	code    = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestMain runs the tests in the folder above, since pages are named from there.
func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// pages returns the Markdown pages of the repository by their paths.
func pages(t *testing.T) map[string]string {
	t.Helper()
	if _, err := os.Stat("cmd/vmrules/go.mod"); err != nil {
		t.Skip("this is the module alone, without the folders that its pages link to")
	}
	texts := map[string]string{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != "." && path != ".github" && (entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".")) {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		texts[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// anchors returns the names by which a link can select a heading of a page, as GitHub
// makes them.
func anchors(page string) map[string]bool {
	names := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		name := noSlug.ReplaceAllString(strings.ToLower(h[1]), "")
		names[strings.ReplaceAll(name, " ", "-")] = true
	}
	return names
}

// TestLinks finds links to files and headings that do not exist.
func TestLinks(t *testing.T) {
	texts := pages(t)
	links := 0
	for page, text := range texts {
		text = code.ReplaceAllString(fence.ReplaceAllString(text, ""), "")
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			path, anchor, hasAnchor := strings.Cut(match[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			links++
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", page, match[1], err)
			} else if hasAnchor && !anchors(texts[target])[anchor] {
				t.Errorf("%s links to %s: %s has no such heading", page, match[1], target)
			}
		}
	}
	if links < 20 {
		t.Errorf("found %d relative links, want at least 20: does the test still read them?", links)
	}
}

// TestPrograms runs each Go program in the README and in docs, and compares what it writes
// with the block that follows it. Other Go code must be a part of one of examples.
func TestPrograms(t *testing.T) {
	racetest.SkipLong(t)
	if testing.Short() {
		t.Skip("it builds programs")
	}
	programs, examples := 0, inExamples(t)
	for page, text := range pages(t) {
		if page != "README.md" && filepath.Dir(page) != "docs" {
			continue
		}
		blocks := fence.FindAllStringSubmatch(text, -1)
		for i, block := range blocks {
			if block[1] != "go" {
				continue
			}
			if !strings.HasPrefix(block[2], "package main") {
				if !strings.Contains(examples, block[2]) {
					t.Errorf("%s: no program in examples has this:\n%s", page, block[2])
				}
				continue
			}
			programs++
			if i+1 == len(blocks) || blocks[i+1][1] != "" {
				t.Errorf("%s: no block with the output follows this program:\n%s", page, block[2])
			} else if diff := cmp.Diff(blocks[i+1][2], run(t, write(t, "main.go", block[2]))); diff != "" {
				t.Errorf("%s: (-page +output):\n%s", page, diff)
			}
		}
	}
	if programs < 2 {
		t.Errorf("found %d programs, want at least 2: does the test still read them?", programs)
	}
}

// inExamples returns the text of all examples.
func inExamples(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("examples/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// write writes a file in a folder of its own, and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// run returns what go run writes.
func run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"run"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return string(out)
}
