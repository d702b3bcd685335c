package model_test

import (
	"regexp"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/oracle/model"
)

// Paths about which the library is Undecided where the model decides; where more is
// violated, it lists less of it. With the second, it may also be Violated where the
// model is Undecided. README.md says why.
var (
	// unionOfItems: items that a preference may add to, in a union.
	unionOfItems = regexp.MustCompile(`\[[^\]?'"]*,[^\]]*\]`)
	// severalOperands: a filter with an operand that may select several values.
	severalOperands = regexp.MustCompile(`\?\([^)]*(\.\.|\*|,|:)`)
)

// listed reports whether all that differs is by rules with such paths.
func (c testCase) listed() bool {
	want, got, err := c.judge()
	if err != nil || len(want) != len(got) {
		return false
	}
	for i := range want {
		if same(want[i:i+1], got[i:i+1]) {
			continue
		}
		if !slices.ContainsFunc(c.paths(want[i].Rule), differs(want[i].Outcome, got[i].Outcome)) {
			return false
		}
	}
	return true
}

// differs returns a function that reports whether a path is listed for a difference of these outcomes.
func differs(want, got model.Outcome) func(path string) bool {
	return func(path string) bool {
		switch {
		case got == model.Undecided || got == want:
			return unionOfItems.MatchString(path) || severalOperands.MatchString(path)
		case want == model.Undecided && (got == model.Violated || got == model.Warned):
			return severalOperands.MatchString(path)
		}
		return false
	}
}

// paths returns all strings of a rule, among which are its paths.
func (c testCase) paths(rule string) []string {
	for _, r := range c.rules {
		if r["name"] == rule {
			return strings.SplitAfter(encode(r), `",`)
		}
	}
	return nil
}
