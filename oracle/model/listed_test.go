package model_test

import (
	"regexp"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/oracle/model"
)

// Paths about which the library is Undecided where the model decides, or decides
// where the model is Undecided. README.md says why.
var (
	// unionOfItems: items that a preference may add to, in a union.
	unionOfItems = regexp.MustCompile(`\[[^\]?'"]*,[^\]]*\]`)
	// severalOperands: a filter with an operand that may select several values.
	severalOperands = regexp.MustCompile(`\?\(.*(\.\.|\*|,|:)`)
	// descendingOperand: a filter with "..". Here the library judges what the filter
	// selects, though a parameter may hold another value of the operand.
	descendingOperand = regexp.MustCompile(`\?\(.*\.\.`)
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
		listed := descendingOperand.MatchString
		if got[i].Outcome == model.Undecided {
			listed = isListed
		}
		if want[i].Outcome != model.Undecided && got[i].Outcome != model.Undecided || !slices.ContainsFunc(c.paths(want[i].Rule), listed) {
			return false
		}
	}
	return true
}

func isListed(path string) bool {
	return unionOfItems.MatchString(path) || severalOperands.MatchString(path)
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
