package kyverno

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrules/vmrules"
)

// Steps lead from a value to one in it: the names of members (string) and indexes of items (int).
type steps []any

// to returns the steps to a value in the value at s.
func (s steps) to(step any) steps { return append(slices.Clip(s), step) }

// String returns the steps as a path, such as spec.rules[0].name.
func (s steps) String() string {
	var path strings.Builder
	for _, step := range s {
		if i, isIndex := step.(int); isIndex {
			fmt.Fprintf(&path, "[%d]", i)
		} else {
			fmt.Fprintf(&path, ".%s", step)
		}
	}
	return strings.TrimPrefix(path.String(), ".")
}

// stepsOf returns the steps of a path. A name with dots leads nowhere.
func stepsOf(path string) (all steps) {
	if path == "" {
		return nil
	}
	for name := range strings.SplitSeq(index.ReplaceAllString(path, ".$0"), ".") {
		if i, err := strconv.Atoi(strings.Trim(name, "[]")); err == nil && index.MatchString(name) {
			all = append(all, i)
		} else {
			all = append(all, name)
		}
	}
	return all
}

var index = regexp.MustCompile(`\[[0-9]+\]`)

// A mistake is what is wrong at a place in a value.
type mistake struct {
	key     string // the key of the rule that has the value; "" if it is about the rule
	at      steps
	message string
}

// inside returns mistakes in a value that a key has, or that is at steps in the value of the key.
func inside(key string, above steps, wrong []mistake) []mistake {
	for i, m := range wrong {
		wrong[i] = mistake{key, slices.Concat(above, m.at), m.message}
	}
	return wrong
}

// String returns the message behind the path, for a message about the key.
func (m mistake) String() string {
	if path := m.at.String(); path != "" {
		return shortened(path) + ": " + m.message
	}
	return m.message
}

// problemsOf returns mistakes in a rule as problems, each at its place.
func problemsOf(s vmrules.RuleSource, wrong []mistake) []vmrules.Problem {
	var problems []vmrules.Problem
	for _, m := range wrong {
		problem := s.Problem(m.key, vmrules.ReasonInvalid, "%s", m)
		problem.Offset = s.PositionIn(m.key, m.at...)
		problems = append(problems, problem)
	}
	return problems
}
