package lint_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/lint"
)

// FuzzAnnotation checks that nothing panics, that the errors are the problems of
// ParseRules, that every finding has a position, is sorted and belongs to a check, that
// each run finds the same, that following a suggestion removes its finding, and that For changes
// only severities.
func FuzzAnnotation(f *testing.F) {
	for _, vectors := range conformance.Read(f, "../testdata/conformance") {
		for i, v := range vectors {
			if i%20 == 0 { // a fuzzer runs its seeds first
				f.Add(v.Text(f), false, false)
			}
		}
	}
	for _, test := range sspTests {
		f.Add(test.annotation(), false, false)
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
		without := lint.Annotation(annotation, opts...)
		checkFindings(t, annotation, without, opts...)
		with := lint.Annotation(annotation, append(opts, lint.For(lint.SSP))...)
		if diff := cmp.Diff(without, with, cmpopts.IgnoreFields(lint.Finding{}, "Severity")); diff != "" {
			t.Errorf("For changes more than severities (-without +with):\n%s", diff)
		}
	})
}
