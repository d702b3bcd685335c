package main

import (
	"archive/zip"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// repository is a repository whose modules are found in another order than they are
// released in.
var repository = map[string]string{
	"LICENSE": "Free.\n",
	"go.mod":  "module example.com/m\n\ngo 1.25.0\n",
	"go.work": "go 1.25.0\n\nuse (\n\t.\n\t./b\n)\n\n// Until b has a new root.\nreplace example.com/m v0.0.0 => .\n",
	"m.go":    "package m\n",

	"a/go.mod":          "module example.com/m/a\n\ngo 1.25.0\n\nrequire (\n\texample.com/m v0.0.0\n\texample.com/m/b v0.0.0\n)\n",
	"a/go.sum":          "example.com/c v1.0.0 h1:c=\nexample.com/m v0.0.1 h1:old=\nexample.com/z v1.0.0 h1:z=\n",
	"b/go.mod":          "module example.com/m/b\n\ngo 1.25.0\n\nrequire example.com/m v0.0.0 // indirect\n",
	"b/go.sum":          "",
	"b/LICENSE":         "Less free.\n",
	"b/testdata/go.mod": "module example.com/other\n",
	"bench/go.mod":      "module example.com/m/bench\n\ngo 1.25.0\n\nrequire example.com/m v0.0.0\n\nreplace example.com/m => ..\n",
}

// write makes a repository, with some files changed.
func write(t *testing.T, changes map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for _, files := range []map[string]string{repository, changes} {
		for name, text := range files {
			name = filepath.Join(folder, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return folder
}

func read(t *testing.T, names ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(names...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWrite(t *testing.T) {
	folder, proxy := write(t, nil), t.TempDir()
	r, err := newRelease(folder, "v0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.write(proxy); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"go.mod":       repository["go.mod"],
		"go.work":      strings.Replace(repository["go.work"], "v0.0.0", "v0.1.0", 1),
		"a/go.mod":     strings.ReplaceAll(repository["a/go.mod"], "v0.0.0", "v0.1.0"),
		"b/go.mod":     strings.ReplaceAll(repository["b/go.mod"], "v0.0.0", "v0.1.0"),
		"bench/go.mod": strings.Replace(repository["bench/go.mod"], "v0.0.0", "v0.1.0", 1),
	}
	for name, text := range want {
		if diff := cmp.Diff(text, read(t, folder, name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	var versions []string
	for line := range strings.Lines(read(t, folder, "a/go.sum")) {
		versions = append(versions, line[:strings.LastIndex(line, " ")])
	}
	wantVersions := []string{
		"example.com/c v1.0.0", "example.com/m v0.1.0", "example.com/m v0.1.0/go.mod",
		"example.com/m/b v0.1.0", "example.com/m/b v0.1.0/go.mod", "example.com/z v1.0.0",
	}
	if diff := cmp.Diff(wantVersions, versions); diff != "" {
		t.Errorf("a/go.sum (-want +got):\n%s", diff)
	}
	wantInstructions := `git commit --all --message 'Release v0.1.0'
git tag v0.1.0
git tag b/v0.1.0
git tag a/v0.1.0
git push --atomic origin HEAD v0.1.0 b/v0.1.0 a/v0.1.0
`
	if diff := cmp.Diff(wantInstructions, r.instructions()); diff != "" {
		t.Errorf("instructions (-want +got):\n%s", diff)
	}
	for module, license := range map[string]string{"m": "Free.\n", "m/a": "Free.\n", "m/b": "Less free.\n"} {
		zipped, err := zip.OpenReader(filepath.Join(proxy, "example.com", module, "@v/v0.1.0.zip"))
		if err != nil {
			t.Fatal(err)
		}
		defer zipped.Close()
		text, err := fs.ReadFile(zipped, "example.com/"+module+"@v0.1.0/LICENSE")
		if err != nil || string(text) != license {
			t.Errorf("license of %s: %q, %v", module, text, err)
		}
	}
	if got := read(t, proxy, "example.com/m/a/@v/v0.1.0.mod"); got != want["a/go.mod"] {
		t.Errorf("the proxy serves another go.mod:\n%s", got)
	}
}

func TestRefused(t *testing.T) {
	tests := []struct {
		name, version string
		changes       map[string]string
		want          string
	}{
		{"no version", "0.1.0", nil, `"0.1.0" is not a version`},
		{"half a version", "v0.1", nil, `"v0.1" is not a version`},
		{"a version with another path", "v2.0.0", nil, "the module paths have no major version"},
		{"a replace", "v0.1.0", map[string]string{"b/go.mod": "module example.com/m/b\n\nreplace example.com/m => ..\n"}, "go install refuses"},
		{"an exclude", "v0.1.0", map[string]string{"b/go.mod": "module example.com/m/b\n\nexclude example.com/c v1.0.0\n"}, "go install refuses"},
		{"a circle", "v0.1.0", map[string]string{"go.mod": "module example.com/m\n\nrequire example.com/m/a v0.0.0\n"}, "circle"},
		{"a name that no zip may have", "v0.1.0", map[string]string{"a/x:y": ""}, "x:y"},
		{"names that are one on some systems", "v0.1.0", map[string]string{"a/x": "", "a/X": ""}, "case-insensitive"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := newRelease(write(t, test.changes), test.version)
			if err == nil {
				err = r.write(t.TempDir())
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
