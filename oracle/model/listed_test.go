package model_test

import (
	"regexp"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/oracle/model"
)

// Paths for which the library is Undecided (Skipped under Partial) or lists fewer
// violations, while the model decides. README.md says why.
var (
	// unionOfItems: items that a preference may add to, in a union.
	unionOfItems = regexp.MustCompile(`\[[^\]?'"]*,[^\]]*\]`)
	// severalOperands: a filter with an operand that may select several values, or with
	// two paths.
	severalOperands = regexp.MustCompile(`\?\([^)]*(\.\.|\*|,|:|@[^)]*@)`)
)

// unknown matches parts of an object that make some of its values unknown.
var unknown = regexp.MustCompile(`"preference"|"instancetype"|\$\{`)

// listed reports whether all differences are listed.
func (c testCase) listed() bool {
	want, got, err := c.judge()
	if err != nil || len(want) != len(got) {
		return false
	}
	for i := range want {
		if !same(want[i:i+1], got[i:i+1]) && !c.lists(want[i], got[i]) {
			return false
		}
	}
	return true
}

// lists reports whether two results of one rule may differ as they do.
func (c testCase) lists(want, got model.Result) bool {
	object := encode(c.object)
	less := got.Outcome == model.Undecided ||
		got.Outcome == model.Skipped && c.options.Partial ||
		got.Outcome == want.Outcome && len(got.Violations) < len(want.Violations)
	if less && strings.Contains(object, `"preference"`) && slices.ContainsFunc(c.paths(want.Rule), unionOfItems.MatchString) {
		return true
	}
	return less && unknown.MatchString(object) && slices.ContainsFunc(c.paths(want.Rule), severalOperands.MatchString)
}

// paths returns all strings of a rule, which include its paths.
func (c testCase) paths(rule string) []string {
	for _, r := range c.rules {
		if r["name"] == rule {
			return strings.SplitAfter(encode(r), `",`)
		}
	}
	return nil
}
