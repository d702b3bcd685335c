package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A lintsFile lints a file, and writes to stderr why something in it cannot be linted.
type lintsFile func(to *linted, file *manifest.File, stderr io.Writer)

// isFixing reports whether the findings of files are fixed.
func (l *linter) isFixing() bool { return l.fixes || l.diffs }

// mayFix returns an error if the flags ask for what cannot be done.
func (l *linter) mayFix(args []string) error {
	l.wantsFixes = l.isFixing() || l.output.name == "sarif"
	switch {
	case l.unsafeFixes && !l.isFixing():
		return errors.New("--unsafe-fixes needs --fix or --diff")
	case l.diffs && l.isSet("output"):
		return errors.New("--diff and --output cannot be used together: --diff writes a diff")
	case l.diffs:
		return nil
	}
	for _, name := range slices.Concat(l.rules, args) {
		if l.fixes && manifest.StreamOf(name) != "" {
			return fmt.Errorf("%s cannot be written, so --fix cannot fix it: --diff shows what to change", name)
		}
	}
	return nil
}

// fixed fixes what it can in a file, which it writes, or else shows as a diff. It returns the file
// as it is now, of which remains to be said what cannot be fixed.
func (l *linter) fixed(to *linted, file *manifest.File, lints lintsFile, stdout, stderr io.Writer) *manifest.File {
	l.room = maxFixed
	safe, n := l.rounds(file, lints, false)
	fixed, m := safe, 0
	if l.unsafeFixes {
		fixed, m = l.rounds(safe, lints, true)
	}
	if l.room <= 0 {
		fmt.Fprintf(stderr, "vmrules: %s: not all fixes were tried, because there are too many: correct some by hand\n", oneLine(file.Name))
	}
	if n+m == 0 {
		return file
	}
	if l.diffs {
		name := filepath.ToSlash(file.Name)
		text := diff.Diff(name, []byte(file.Raw), name, []byte(fixed.Raw))
		_, text, _ = bytes.Cut(text, []byte("\n")) // the line that diff -r has
		_, _ = stdout.Write(text)
	} else if err := replace(file, fixed.Raw); err != nil {
		to.Unusable = append(to.Unusable, unusable(stderr, &manifest.Error{File: file.Name, Message: "not fixed: " + err.Error()}))
		return file
	}
	to.Fixed += n + m
	l.writeChanges(safe, fixed, stderr)
	if l.diffs {
		return file
	}
	return fixed
}

// maxRounds is the number of rounds in which a file is fixed. Fixes in the same place take several.
const maxRounds = 100

// rounds fixes a file until no fix is left, and returns how many findings are fixed.
func (l *linter) rounds(file *manifest.File, lints lintsFile, withUnsafe bool) (*manifest.File, int) {
	n := 0
	for range maxRounds {
		found := newLinted()
		lints(found, file, io.Discard)
		now, applied := apply(file, chosen(found.Findings, withUnsafe))
		if applied == 0 {
			break
		}
		file, n = now, n+applied
	}
	return file, n
}

// chosen returns fixes that can be made together.
func chosen(findings []finding, withUnsafe bool) []*fix {
	hasSafe := map[*fixable]bool{}
	for _, f := range findings {
		if f.fix != nil && f.fix.isSafe {
			hasSafe[f.fix.of] = true
		}
	}
	var all []*fix
	for _, f := range findings {
		if f.fix != nil && (f.fix.isSafe || withUnsafe && !hasSafe[f.fix.of]) {
			all = append(all, f.fix)
		}
	}
	return disjoint(all)
}

// disjoint returns fixes in the order of their places, without those that overlap an earlier one.
func disjoint(fixes []*fix) []*fix {
	slices.SortStableFunc(fixes, func(a, b *fix) int {
		x, y := a.Around(), b.Around()
		return cmp.Or(x.Start-y.Start, x.End-y.End)
	})
	end := -1
	return slices.DeleteFunc(fixes, func(f *fix) bool {
		overlaps := f.Around().Start <= end
		if !overlaps {
			end = f.Around().End
		}
		return overlaps
	})
}

// apply makes fixes, and returns how many findings they fix. If the file cannot have all of them
// together, it makes those of each half that it can.
func apply(file *manifest.File, fixes []*fix) (*manifest.File, int) {
	var changes []manifest.Change
	n := 0
	for _, f := range fixes {
		changes = append(changes, f.Change)
		n += f.findings
	}
	if changed, ok := file.With(changes); ok {
		return changed, n
	}
	if len(fixes) < 2 {
		return file, 0
	}
	half := len(fixes) / 2
	file, behind := apply(file, fixes[half:]) // which leaves the places of the others as they are
	file, before := apply(file, fixes[:half])
	return file, before + behind
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

// A ruled is an object, or a document, with its rules in one text.
type ruled struct {
	about string
	line  int
	rules vmrules.Rules // none, if they are refused
}

// writeChanges writes how fixes that are not safe change rules.
func (l *linter) writeChanges(before, after *manifest.File, stderr io.Writer) {
	if before == after {
		return
	}
	olds := l.ruledIn(before)
	for _, now := range l.ruledIn(after) {
		var old vmrules.Rules // none, if nobody has read them
		if i := slices.IndexFunc(olds, func(o ruled) bool { return o.line == now.line }); i >= 0 {
			old = olds[i].rules
			olds = slices.Delete(olds, i, i+1)
		}
		for _, c := range changesOf(old, now.rules) {
			fmt.Fprintf(stderr, "vmrules: %s: %s: %s\n", oneLine(after.Name), oneLine(short(now.about)), c)
		}
	}
}

// ruledIn returns all texts with rules in a file.
func (l *linter) ruledIn(file *manifest.File) []ruled {
	var all []ruled
	add := func(about, text string, line int, reading []vmrules.ParseOption) {
		rules, _ := vmrules.ParseRules(text, reading...)
		all = append(all, ruled{about, line, rules})
	}
	for _, d := range file.Documents() {
		if text, err := d.JSON(); d.IsArray() && err == nil {
			line, _ := d.Place(0)
			add(d.String(), text, line, l.build.options())
		}
	}
	for _, o := range file.Objects() {
		filled, err := l.fill(o)
		if err != nil {
			continue
		}
		for _, a := range filled.Annotations() {
			add(o.String(), a.Text(), a.Line(), a.Options(l.build.options()))
		}
	}
	return all
}
