package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// serve writes a module to a folder as a module proxy serves it, and returns its lines in
// go.sum.
func (r *release) serve(m *nested, proxy string) ([]string, error) {
	mod, err := os.ReadFile(r.name(m, "go.mod"))
	if err != nil {
		return nil, err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{r.version, time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return nil, err
	}
	escaped, err := module.EscapePath(m.path())
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	for name, text := range map[string][]byte{"list": []byte(r.version + "\n"), r.version + ".info": info, r.version + ".mod": mod} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return nil, err
		}
	}
	packed := filepath.Join(folder, r.version+".zip")
	if err := r.pack(m, packed); err != nil {
		return nil, err
	}
	zipSum, err := dirhash.HashZip(packed, dirhash.Hash1)
	if err != nil {
		return nil, err
	}
	modSum, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(mod)), nil
	})
	if err != nil {
		return nil, err
	}
	return []string{
		m.path() + " " + r.version + " " + zipSum,
		m.path() + " " + r.version + "/go.mod " + modSum,
	}, nil
}

// pack writes the zip of a module. Like the go command, it adds the license of the
// repository to a module that has none.
func (r *release) pack(m *nested, to string) error {
	root := r.name(m, "")
	checked, err := zip.CheckDir(root)
	if err != nil {
		return err
	}
	var files []zip.File
	hasLicense := false
	for _, name := range checked.Valid {
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		files = append(files, packedFile{filepath.ToSlash(relative), name})
		hasLicense = hasLicense || relative == "LICENSE"
	}
	if !hasLicense {
		files = append(files, packedFile{"LICENSE", filepath.Join(r.folder, "LICENSE")})
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := zip.Create(out, module.Version{Path: m.path(), Version: r.version}, files); err != nil {
		return err
	}
	return out.Close()
}

// A packedFile is a file of a zip.
type packedFile struct{ path, from string }

func (f packedFile) Path() string                 { return f.path }
func (f packedFile) Lstat() (os.FileInfo, error)  { return os.Lstat(f.from) }
func (f packedFile) Open() (io.ReadCloser, error) { return os.Open(f.from) }

// writeSums replaces the lines of the repository's modules in the go.sum of a module, in
// the order of the go command.
func (r *release) writeSums(m *nested, required []module.Version) error {
	name := r.name(m, "go.sum")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var versions []module.Version
	lines := map[module.Version]string{}
	add := func(line string) {
		fields := strings.Fields(line)
		version := module.Version{Path: fields[0], Version: fields[1]}
		versions = append(versions, version)
		lines[version] = line
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line != "" && !r.has(strings.Fields(line)[0]) {
			add(line)
		}
	}
	for _, v := range required {
		for _, line := range r.sums[v.Path] {
			add(line)
		}
	}
	module.Sort(versions)
	var b strings.Builder
	for _, version := range slices.Compact(versions) {
		b.WriteString(lines[version] + "\n")
	}
	return os.WriteFile(name, []byte(b.String()), 0o644)
}
