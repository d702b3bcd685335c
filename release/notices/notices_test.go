package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// text returns the text of a licence, from the tests of licensecheck.
func text(t *testing.T, id string) string {
	t.Helper()
	folder, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/google/licensecheck").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)), "old/testdata", id+".t1"))
	if err != nil {
		t.Fatal(err)
	}
	_, licence, _ := strings.Cut(string(text), "\n\n") // what licensecheck must find is before it
	return licence
}

func TestJudge(t *testing.T) {
	tests := []struct{ name, file, text, want string }{
		{"Apache-2.0", "LICENSE", text(t, "Apache-2.0"), ""},
		{"BSD-3-Clause", "LICENSE.txt", text(t, "BSD-3-Clause"), ""},
		{"both", "LICENSE", text(t, "Apache-2.0") + text(t, "BSD-3-Clause"), ""},
		{"one that may not be shipped", "COPYING", text(t, "AGPL-3.0"), "may not ship AGPL"},
		{"one among others", "LICENSE", text(t, "Apache-2.0") + text(t, "AGPL-3.0"), "may not ship AGPL"},
		{"an unknown one", "LICENCE", "Do what I say, for as long as I live, and pay me for it each year.", "only 0 %"},
		{"one with conditions", "LICENSE", text(t, "BSD-3-Clause") + strings.Repeat("You must pay me for it each year. ", 20), "is the text of a known licence"},
		{"nothing", "LICENSE", "", "only 0 %"},
		{"a notice", "NOTICE", "Made by us.", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := judge(filepath.Join("folder", test.file), []byte(test.text))
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestFiles(t *testing.T) {
	root := t.TempDir()
	for name, content := range map[string]string{
		"m/LICENSE": "a", "m/license.go": "b", "m/README.md": "c", "m/x/y/y.go": "d", "m/x/Copying-MIT": "e", "m/x/NOTICE.txt": "f", "m/z/LICENSE": "g", "LICENSE": "h", "bare/NOTICE": "i",
	} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := compiled{Dir: filepath.Join(root, "m/x/y")}.files(filepath.Join(root, "m"))
	if err != nil {
		t.Error(err)
	}
	for i := range files {
		files[i] = strings.TrimPrefix(files[i], root)
	}
	if diff := cmp.Diff([]string{"/m/x/Copying-MIT", "/m/x/NOTICE.txt", "/m/LICENSE"}, files); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err = compiled{ImportPath: "bare", Dir: filepath.Join(root, "bare")}.files(filepath.Join(root, "bare"))
	if err == nil || err.Error() != "package bare has no licence" {
		t.Errorf("a package without a licence: %v", err)
	}
}

// TestNotices writes the notices of this very program.
func TestNotices(t *testing.T) {
	got, err := notices("notices", ".", []string{"linux/amd64", "windows/amd64"})
	if err != nil {
		t.Fatal(err)
	}
	var contained []string
	for line := range strings.Lines(string(got)) {
		if name, ok := strings.CutPrefix(line, "notices contains "); ok {
			contained = append(contained, name[:strings.Index(name, ",")])
		}
	}
	if diff := cmp.Diff([]string{"Go", "github.com/google/licensecheck", "golang.org/x/mod"}, contained); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := notices("none", t.TempDir(), []string{"linux/amd64"}); err == nil {
		t.Error("there is nothing there, and it is no error")
	}
}
