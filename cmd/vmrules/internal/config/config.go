// Package config reads .vmrules.yaml: the settings of vmrules lint for the files in its folder and
// below, and the findings that are known and accepted there.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"

	"github.com/vmrules/vmrules/lint"
)

// Name is the name of the file.
const Name = ".vmrules.yaml"

// Severities are the severities of findings, the most severe first.
var Severities = []lint.Severity{lint.SeverityError, lint.SeverityWarning, lint.SeverityNote}

// ofJudgement are the IDs of what check finds, beside the checks of lint.
var ofJudgement = []string{"warned", "ignored", "undecided", "no-rules", "no-template", "ssp", "assumed-template", "missing-parameter"}

// Checks returns the IDs that a finding may have, if it can be accepted.
func Checks() []string {
	all := slices.Clone(ofJudgement)
	for _, c := range lint.Checks() {
		all = append(all, c.ID)
	}
	return all
}

// IsCheck reports whether an ID is one of Checks.
func IsCheck(id string) bool { return slices.Contains(Checks(), id) }

// A Config is what the file says. The zero Config says nothing.
type Config struct {
	For              lint.Profile  `yaml:"for"`
	KubeVirt         string        `yaml:"kubevirt"`
	MinSeverity      lint.Severity `yaml:"min-severity"`
	WarningsAsErrors bool          `yaml:"warnings-as-errors"`
	// Severity is that of the findings of checks, in place of their own.
	Severity map[string]lint.Severity `yaml:"severity"`
	Select   []string                 `yaml:"select"`  // checks; none for all
	Exclude  []string                 `yaml:"exclude"` // globs, from the folder of the file
	Ignore   []*Ignore                `yaml:"ignore"`

	folder string // of the file
}

// An Ignore accepts the findings of a check. Path, Template and Rule narrow it down.
type Ignore struct {
	Check    string `yaml:"check"`
	Reason   string `yaml:"reason"`
	Path     string `yaml:"path"` // a glob, from the folder of the file
	Template string `yaml:"template"`
	Rule     string `yaml:"rule"`

	Line, Column int `yaml:"-"`
	isUsed       bool
}

// Useless returns the finding that the entry, or the annotation that it is, has no effect; false if it
// has one, or if not all that it is about was linted.
func (i *Ignore) Useless(what string, isAllLinted bool) (lint.Finding, bool) {
	f := lint.Finding{Severity: lint.SeverityWarning, ID: "useless-suppression", Index: -1, Line: i.Line, Column: i.Column}
	switch {
	case strings.TrimSpace(i.Reason) == "":
		f.Message = "the " + what + " has no reason, so it does not count: add one"
	case !IsCheck(i.Check):
		f.Message = fmt.Sprintf("there is no check %q: \"vmrules lint --list\" lists them", i.Check)
	case isAllLinted && !i.isUsed && !slices.Contains(ofJudgement, i.Check):
		f.Message = fmt.Sprintf("the %s for %s accepts no finding: remove it", what, i.Check)
	}
	return f, f.Message != ""
}

// UnmarshalYAML also remembers where the entry is.
func (i *Ignore) UnmarshalYAML(n *yaml.Node) error {
	type entry Ignore
	for k := 0; k < len(n.Content); k += 2 { // the decoder of a node accepts unknown fields
		if key := n.Content[k]; !slices.Contains([]string{"check", "reason", "path", "template", "rule"}, key.Value) {
			return fmt.Errorf("line %d: an entry of ignore has no field %q: use check, reason, path, template and rule", key.Line, key.Value)
		}
	}
	i.Line, i.Column = n.Line, n.Column
	return n.Decode((*entry)(i))
}

// A Finder finds the Config of files. It reads each one once.
type Finder struct {
	known map[string]*Config // by the folder of the files
}

// Of returns the Config for a file: that in the nearest folder above it. If there is none, it
// returns an empty Config. The standard input counts as a file in the current folder.
func (f *Finder) Of(file string) (*Config, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	return f.in(filepath.Dir(path))
}

func (f *Finder) in(folder string) (*Config, error) {
	if known := f.known[folder]; known != nil {
		return known, nil
	}
	c, err := read(folder)
	if errors.Is(err, fs.ErrNotExist) {
		c, err = &Config{}, nil
		if above := filepath.Dir(folder); above != folder {
			c, err = f.in(above)
		}
	}
	if err != nil {
		return nil, err
	}
	if f.known == nil {
		f.known = map[string]*Config{}
	}
	f.known[folder] = c
	return c, nil
}

func read(folder string) (*Config, error) {
	file := filepath.Join(folder, Name)
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c := &Config{folder: folder}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(c); err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if decoder.Decode(&yaml.Node{}) != io.EOF {
		return nil, fmt.Errorf("%s: a second document is not read: write one", file)
	}
	for _, id := range slices.Concat(c.Select, slices.Sorted(maps.Keys(c.Severity))) {
		if !IsCheck(id) {
			return nil, fmt.Errorf("%s: there is no check %q: \"vmrules lint --list\" lists them", file, id)
		}
		if severity, isSet := c.Severity[id]; isSet && !slices.Contains(Severities, severity) {
			return nil, fmt.Errorf("%s: the severity of %s must be error, warning or note", file, id)
		}
	}
	if c.For != "" && c.For != lint.SSP {
		return nil, fmt.Errorf("%s: \"for\" must be %s", file, lint.SSP)
	}
	if known := lint.KubeVirtVersions(); c.KubeVirt != "" && !slices.Contains(known, c.KubeVirt) {
		return nil, fmt.Errorf("%s: \"kubevirt\" must be one of %s", file, strings.Join(known, ", "))
	}
	if c.MinSeverity != "" && !slices.Contains(Severities, c.MinSeverity) {
		return nil, fmt.Errorf("%s: \"min-severity\" must be error, warning or note", file)
	}
	globs := slices.Clone(c.Exclude)
	for _, i := range c.Ignore {
		globs = append(globs, i.Path)
	}
	for _, glob := range globs {
		if err := CheckGlob(glob); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return c, nil
}

// Excludes reports whether a file is not to be linted.
func (c *Config) Excludes(file string) bool {
	return slices.ContainsFunc(c.Exclude, func(glob string) bool { return c.matches(glob, file) })
}

// matches reports whether a glob matches a file, or a folder that contains it.
func (c *Config) matches(glob, file string) bool {
	path, isInside := from(c.folder, file)
	return isInside && Matches(glob, path)
}

// CheckGlob returns an error if a text is no glob.
func CheckGlob(glob string) error {
	if !doublestar.ValidatePattern(glob) {
		return fmt.Errorf("%q is not a pattern of paths, such as testdata/**", glob)
	}
	return nil
}

// Matches reports whether a glob matches a path, or a folder that contains it.
func Matches(glob, path string) bool {
	glob = filepath.ToSlash(filepath.Clean(glob))
	for path = filepath.ToSlash(filepath.Clean(path)); ; path = filepath.ToSlash(filepath.Dir(path)) {
		if ok, _ := doublestar.Match(glob, path); ok {
			return true
		}
		if path == "." || path == "/" || path == filepath.ToSlash(filepath.Dir(path)) {
			return false
		}
	}
}

// Ignores reports whether an entry accepts a finding about a template in a file. An entry without a reason accepts
// nothing.
func (c *Config) Ignores(file, template string, f lint.Finding) bool {
	is := false
	for _, i := range c.Ignore {
		isAbout := (i.Template == "" || i.Template == template) && (i.Path == "" || c.matches(i.Path, file))
		if isAbout && strings.TrimSpace(i.Reason) != "" && i.Check == f.ID && (i.Rule == "" || i.Rule == f.Rule) {
			i.isUsed, is = true, true
		}
	}
	return is
}

// Useless reports a finding, with its file, for each entry that has no effect, of all files that were read
// and whose files were all linted: the arguments of the command say which.
func (f *Finder) Useless(linted []string, report func(file string, found lint.Finding)) {
	for _, folder := range slices.Sorted(maps.Keys(f.known)) {
		c := f.known[folder]
		if c.folder != folder { // it is in a folder above
			continue
		}
		file := filepath.Join(folder, Name)
		if path, isInside := from(".", file); isInside {
			file = path
		}
		isLinted := slices.ContainsFunc(linted, func(name string) bool {
			_, isInside := from(name, folder)
			return isInside
		})
		for _, i := range c.Ignore {
			if found, ok := i.Useless("entry", isLinted); ok {
				report(file, found)
			}
		}
	}
}

// from returns the path of a file or a folder from a folder; false if it is not inside.
func from(folder, file string) (path string, isInside bool) {
	folder, err := filepath.Abs(folder)
	if err == nil {
		file, err = filepath.Abs(file)
	}
	path, other := filepath.Rel(folder, file)
	return path, err == nil && other == nil && filepath.IsLocal(path)
}
