package linting

import (
	"cmp"
	"io"
	"slices"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A LintsFile lints a file.
type LintsFile func(to *Linted, file *manifest.File)

// Fix fixes what it can in a file. It returns how many findings are fixed, how fixes that are not safe
// change rules, and whether not all fixes were tried.
func (l *Linter) Fix(
	file *manifest.File, lints LintsFile, withUnsafe bool,
) (fixed *manifest.File, n int, changes []string, isPart bool) {
	defer func() { l.room = maxFixed }()
	safe, n := l.rounds(file, lints, false)
	fixed, more := safe, 0
	if withUnsafe {
		fixed, more = l.rounds(safe, lints, true)
	}
	return fixed, n + more, l.changes(safe, fixed), l.room <= 0
}

// maxRounds is the number of rounds in which a file is fixed. Fixes in the same place take several.
const maxRounds = 100

// rounds fixes a file until no fix is left, and returns how many findings are fixed.
func (l *Linter) rounds(file *manifest.File, lints LintsFile, withUnsafe bool) (*manifest.File, int) {
	n := 0
	for range maxRounds {
		found := NewLinted(io.Discard)
		lints(found, file)
		now, applied := apply(file, chosen(found.fixes, withUnsafe))
		if applied == 0 {
			break
		}
		file, n = now, n+applied
	}
	return file, n
}

// chosen returns fixes that can be made together.
func chosen(fixes []*fix, withUnsafe bool) []*fix {
	hasSafe := map[*fixable]bool{}
	for _, f := range fixes {
		if f != nil && f.isSafe {
			hasSafe[f.of] = true
		}
	}
	return disjoint(slices.DeleteFunc(fixes, func(f *fix) bool {
		return f == nil || !f.isSafe && (!withUnsafe || hasSafe[f.of])
	}))
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
