package lint_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/lint"
)

// vectorSeeds adds one of step vectors.
func vectorSeeds(t testing.TB, step int, add func(annotation string, old, strict bool)) {
	n := 0
	each := func(annotation string, old, strict bool) {
		if n%step == 0 {
			add(annotation, old, strict)
		}
		n++
	}
	for _, vectors := range conformance.Read(t, "../testdata/conformance") {
		for i, v := range vectors {
			if i%20 == 0 {
				each(v.Text(), false, false)
			}
		}
	}
	for _, test := range sspTests {
		each(test.annotation(), false, false)
	}
	for _, v := range readVectors(t) {
		each(v.text(), v.Old, v.Strict)
	}
}

func TestFindingsOfVectors(t *testing.T) {
	vectorSeeds(t, 1, func(annotation string, old, strict bool) { checkAnnotation(t, annotation, old, strict) })
}

// FuzzAnnotation begins with few vectors: a seed costs a fuzzer as much as twenty other inputs.
func FuzzAnnotation(f *testing.F) {
	vectorSeeds(f, 10, func(annotation string, old, strict bool) { f.Add(annotation, old, strict) })
	f.Fuzz(checkAnnotation)
}

// checkAnnotation checks that nothing panics, that the errors are the problems of
// ParseRules, that every finding has a position, is sorted and belongs to a check, that
// each run finds the same, that following a suggestion removes its finding, and that For changes
// only severities, and adds what isOnlyForSSP.
func checkAnnotation(t *testing.T, annotation string, old, strict bool) {
	var opts []vmrules.ParseOption
	if old {
		opts = append(opts, vmrules.V201901())
	}
	if strict {
		opts = append(opts, vmrules.Strict())
	}
	without := lint.Annotation(annotation, opts...)
	checkFindings(t, annotation, without, opts...)
	with := slices.DeleteFunc(lint.Annotation(annotation, append(opts, lint.For(lint.SSP))...), isOnlyForSSP)
	if diff := cmp.Diff(without, with, cmpopts.IgnoreFields(lint.Finding{}, "Severity", "Refuses")); diff != "" {
		t.Errorf("For changes more than severities (-without +with):\n%s", diff)
	}
}
