package lint

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/linting"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
)

// fixes reports whether the findings in files are fixed, if only to show the difference.
func (o Options) fixes() bool { return o.Fix || o.Diff }

// canFix returns an error if the options ask for what cannot be done.
func (o Options) canFix() error {
	switch {
	case o.UnsafeFixes && !o.fixes():
		return errors.New("--unsafe-fixes needs --fix or --diff")
	case o.Diff && o.Output != "":
		return errors.New("--diff and --output cannot be used together: --diff writes a diff")
	}
	for _, name := range slices.Concat(o.Rules, o.Files) {
		if o.Fix && !o.Diff && manifest.StreamOf(name) != "" {
			return fmt.Errorf("%s cannot be written, so --fix cannot fix it: --diff shows what to change", name)
		}
	}
	return nil
}

// inDiff returns the name of a file as patch reads it in the head of a diff: to its end, whatever is in it.
func inDiff(name string) string {
	switch {
	case strings.ContainsAny(name, "\t\n\r\"\\"):
		return strconv.Quote(name)
	case strings.Contains(name, " "):
		return name + "\t"
	}
	return name
}

// fixed fixes what it can in a file, which it writes, or else shows as a diff. It returns the file
// as it is now, of which remains to be said what cannot be fixed.
func (r *run) fixed(file *manifest.File, lints linting.LintsFile) *manifest.File {
	fixed, n, changes, isPart := r.Fix(file, lints, r.options.UnsafeFixes)
	if isPart {
		fmt.Fprintf(r.streams.Err, "vmrules: %s: not all fixes were tried, because there are too many: correct some by hand\n", output.OneLine(file.Name))
	}
	if n == 0 {
		return file
	}
	if r.options.Diff {
		name := inDiff(filepath.ToSlash(file.Name))
		text := diff.Diff(name, []byte(file.Raw), name, []byte(fixed.Raw))
		_, text, _ = bytes.Cut(text, []byte("\n")) // the line that diff -r has
		if _, err := r.streams.Out.Write(text); err != nil {
			r.unwritten = err
		}
	} else if err := replace(file, fixed.Raw); err != nil {
		r.found.Fail(&manifest.Error{File: file.Name, Message: "not fixed: " + err.Error()})
		return file
	}
	r.found.Fixed += n
	for _, c := range changes {
		fmt.Fprintf(r.streams.Err, "vmrules: %s: %s\n", output.OneLine(file.Name), c)
	}
	if r.options.Diff {
		return file
	}
	return fixed
}

// replace replaces a file, as it was read, at once with another text. It leaves alone a file that may
// not be written, or that has changed since. For a symbolic link, it replaces the file to which that leads.
func replace(file *manifest.File, text string) error {
	path, err := filepath.EvalSymlinks(file.Name)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode()&0o222 == 0 {
		return errors.New("the file is read-only")
	}
	made, err := os.CreateTemp(filepath.Dir(path), ".vmrules-*")
	if err != nil {
		return err
	}
	defer os.Remove(made.Name()) // unless it is renamed
	_, err = made.WriteString(text)
	err = cmp.Or(err, made.Chmod(info.Mode().Perm()), made.Close())
	if err != nil {
		return err
	}
	now, err := os.ReadFile(path)
	if err == nil && string(now) != file.Raw {
		err = errors.New("the file has changed since it was read: try again")
	}
	if err != nil {
		return err
	}
	return os.Rename(made.Name(), path)
}
