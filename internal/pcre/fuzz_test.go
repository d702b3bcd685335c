package pcre

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/vmrules/vmrules/internal/meter"
)

// No message may contain a term of the implementation.
var engineTerms = regexp.MustCompile(`(?i)regexp|\bRE2|\.NET|error parsing|defect`)

func FuzzMatch(f *testing.F) {
	for _, row := range slices.Concat(constructs, practical) {
		for _, subject := range slices.Concat(row.yes, row.no) {
			f.Add(row.pattern, subject)
		}
	}
	f.Add(`^(?=(?:a|aa)+$)`, strings.Repeat("a", 100)+"b")
	f.Add("a\xff", "\xff")
	f.Fuzz(func(t *testing.T, pattern, subject string) {
		r, err := Compile(pattern, fullBudget())
		if err != nil {
			if errors.Is(err, errEngine) || engineTerms.MatchString(strings.ReplaceAll(err.Error(), pattern, "")) {
				t.Errorf("Compile(%q): %v", pattern, err)
			}
			return
		}
		budget := func() *meter.Budget { return budgetOf(workOfCall/100, 50*time.Millisecond) }
		matched, err := r.Match(subject, budget())
		if errors.Is(err, errNotUTF8) == utf8.ValidString(subject) {
			t.Errorf("match(%q): %v", subject, err)
		}
		again, errAgain := r.Match(subject, budget())
		if err == nil && errAgain == nil && matched != again {
			t.Errorf("%q on %q is %v, then %v", pattern, subject, matched, again)
		}
	})
}
