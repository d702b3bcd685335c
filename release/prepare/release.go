package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// unreleased are the folders whose modules, at any depth, nobody imports or installs.
var unreleased = []string{"bench", "oracle", "release", "web"}

// A release is a version of all modules of the repository.
type release struct {
	folder  string // of the repository
	version string
	modules []*nested           // each after those that it requires
	sums    map[string][]string // the lines in go.sum, by module path
}

// A nested is a module of the repository, the root included.
type nested struct {
	folder string // slash-separated, "." for the root
	file   *modfile.File
}

func (m *nested) path() string { return m.file.Module.Mod.Path }

func (m *nested) isReleased() bool {
	top, _, _ := strings.Cut(m.folder, "/")
	return !slices.Contains(unreleased, top)
}

// newRelease finds the modules of a repository.
func newRelease(repository, version string) (*release, error) {
	if err := checkVersion(version); err != nil {
		return nil, err
	}
	found, err := findModules(repository)
	if err != nil {
		return nil, err
	}
	sorted, err := sortModules(found)
	if err != nil {
		return nil, err
	}
	return &release{folder: repository, version: version, modules: sorted, sums: map[string][]string{}}, nil
}

func findModules(repository string) ([]*nested, error) {
	var found []*nested
	err := filepath.WalkDir(repository, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "node_modules", "testdata"}, entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || entry.Name() != "go.mod":
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file, err := modfile.Parse(name, text, nil)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(repository, filepath.Dir(name))
		if err != nil {
			return err
		}
		m := &nested{filepath.ToSlash(folder), file}
		if m.isReleased() && len(file.Replace)+len(file.Exclude) > 0 {
			return fmt.Errorf("%s: go install refuses a module with replace or exclude", name)
		}
		found = append(found, m)
		return nil
	})
	return found, err
}

// sortModules puts each module after those that it requires.
func sortModules(all []*nested) ([]*nested, error) {
	var sorted []*nested
	isSorted := map[string]bool{}
	own := map[string]bool{}
	for _, m := range all {
		own[m.path()] = true
	}
	ready := func(m *nested) bool {
		return !isSorted[m.path()] && !slices.ContainsFunc(m.file.Require, func(r *modfile.Require) bool {
			return own[r.Mod.Path] && !isSorted[r.Mod.Path]
		})
	}
	for len(sorted) < len(all) {
		i := slices.IndexFunc(all, ready)
		if i < 0 {
			return nil, fmt.Errorf("modules require each other in a circle: none can be released after %d of %d", len(sorted), len(all))
		}
		isSorted[all[i].path()] = true
		sorted = append(sorted, all[i])
	}
	return sorted, nil
}

// write writes the version into all files that have it, and the released modules to a
// folder.
func (r *release) write(proxy string) error {
	if err := r.writeWorkspace(); err != nil {
		return err
	}
	for _, m := range r.modules {
		if err := r.writeModule(m); err != nil {
			return err
		}
		if !m.isReleased() {
			continue
		}
		lines, err := r.serve(m, proxy)
		if err != nil {
			return err
		}
		r.sums[m.path()] = lines
	}
	return nil
}

// writeWorkspace sets the version that the workspace of the root replaces. The other
// workspaces replace all versions.
func (r *release) writeWorkspace() error {
	name := filepath.Join(r.folder, "go.work")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	work, err := modfile.ParseWork(name, text, nil)
	if err != nil {
		return err
	}
	for _, replace := range work.Replace {
		if replace.Old.Version != "" && r.has(replace.Old.Path) {
			tokens := replace.Syntax.Token
			tokens[slices.Index(tokens, replace.Old.Version)] = r.version
		}
	}
	return os.WriteFile(name, modfile.Format(work.Syntax), 0o644)
}

// writeModule sets the version of the repository's modules in go.mod, and their sums in
// go.sum. Modules that are not released have no such sums, since their workspaces replace
// what they require.
func (r *release) writeModule(m *nested) error {
	var own []module.Version
	for _, require := range m.file.Require {
		if r.has(require.Mod.Path) {
			own = append(own, module.Version{Path: require.Mod.Path, Version: r.version})
		}
	}
	if len(own) == 0 {
		return nil
	}
	for _, required := range own {
		if err := m.file.AddRequire(required.Path, required.Version); err != nil {
			return err
		}
	}
	text, err := m.file.Format()
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.name(m, "go.mod"), text, 0o644); err != nil {
		return err
	}
	if !m.isReleased() {
		return nil
	}
	return r.writeSums(m, own)
}

// has reports whether a module is of the repository.
func (r *release) has(path string) bool {
	return slices.ContainsFunc(r.modules, func(m *nested) bool { return m.path() == path })
}

// name returns the name of a file of a module.
func (r *release) name(m *nested, file string) string {
	return filepath.Join(r.folder, filepath.FromSlash(m.folder), file)
}

// instructions says what to do with what was written.
func (r *release) instructions() string {
	var tags []string
	for _, m := range r.modules {
		if m.isReleased() {
			tags = append(tags, path.Join(m.folder, r.version))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "git commit --all --message 'Release %s'\n", r.version)
	for _, tag := range tags {
		fmt.Fprintf(&b, "git tag %s\n", tag)
	}
	fmt.Fprintf(&b, "git push --atomic origin HEAD %s\n", strings.Join(tags, " "))
	return b.String()
}
