package lint_test

import (
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/lint"
)

// FuzzAnnotation checks that nothing panics, that the errors are the problems of
// ParseRules, that every finding has a position, is sorted and belongs to a check, that
// each run finds the same, and that following a suggestion removes its finding.
func FuzzAnnotation(f *testing.F) {
	for _, vectors := range conformance.Read(f, "../testdata/conformance") {
		for i, v := range vectors {
			if i%20 == 0 { // a fuzzer runs its seeds first
				f.Add(v.Text(f), false, false)
			}
		}
	}
	for _, v := range readVectors(f) {
		f.Add(v.text(f), v.Version == vmrules.V201901, v.Strict)
	}
	f.Fuzz(func(t *testing.T, annotation string, old, strict bool) {
		var opts []vmrules.ParseOption
		if old {
			opts = append(opts, vmrules.WithVersion(vmrules.V201901))
		}
		if strict {
			opts = append(opts, vmrules.Strict())
		}
		checkFindings(t, annotation, lint.Annotation(annotation, opts...), opts...)
	})
}
