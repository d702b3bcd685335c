package kyverno

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kyverno/kyverno/pkg/engine/operator"
	"github.com/kyverno/kyverno/pkg/engine/variables/regex"
)

// This file resolves references like Kyverno's package variables, with the same paths. It does not
// import that package, which has two thousand dependencies. A reference names another place in the
// pattern, not in the object.

// maxResolved is the largest number of bytes that resolving the references of one pattern may
// write. Each reference writes the text around it again.
const maxResolved = 4 << 20

// resolve replaces each reference with the value that it refers to.
func (r *overlayReader) resolve(v any, at steps, path string) any {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if strings.Contains(key, "$(") {
				r.refuse(at, "a name cannot be a reference: %s", shortened(key))
			}
		}
	case string:
		text, wrong := r.resolveIn(v, path)
		if wrong != "" {
			r.refuse(at, "%s", wrong)
		}
		return text
	}
	replaceIn(v, at, path, r.resolve)
	return v
}

// A target is the value at a path without anchors, to which a reference may refer.
type target struct {
	value any
	count int // the number of values whose paths differ only in anchors
}

// resolveIn replaces the references in one string. It returns what is wrong, or "".
func (r *overlayReader) resolveIn(text, at string) (string, string) {
	result := text
	for _, found := range regex.RegexReferences.FindAllString(text, -1) {
		before, reference, ok := strings.Cut(found, "$(")
		if !ok || len(before) > 1 {
			return text, fmt.Sprintf("a reference must be at the beginning or behind a blank: put a blank before it in %s", shortened(text))
		}
		value, wrong := r.refer("$("+reference, at)
		if wrong != "" {
			return text, wrong
		}
		if r.room -= len(result) + len(value); r.room < 0 {
			return text, fmt.Sprintf("resolving the references of the pattern takes more than %d bytes: write fewer of them, or in shorter texts", maxResolved)
		}
		result = strings.Replace(result, found, before+value, 1)
	}
	if strings.Contains(result, "$(") {
		return text, fmt.Sprintf("%s is not a reference: write one like $(<=./../../limits/memory), without blanks", shortened(text))
	}
	return result, ""
}

// refer returns the text with which Kyverno replaces a reference, or what is wrong with the
// reference.
func (r *overlayReader) refer(reference, at string) (string, string) {
	to := strings.Trim(reference, "$()")
	op := operator.GetOperatorFromStringPattern(to)
	to = to[len(op):]
	if to == "" {
		return "", fmt.Sprintf("the reference %s has no path: write one like $(<=./../../limits/memory)", reference)
	}
	if !path.IsAbs(to) {
		to = path.Join(at, to)
	}
	found := r.targets[to]
	switch {
	case found.count == 0 || found.value == nil:
		return "", fmt.Sprintf("the reference %s refers to %s, which the pattern does not have, or only with an anchor in it or above it, "+
			"where Kyverno finds nothing", shortened(reference), shortened(to))
	case found.count > 1:
		return "", fmt.Sprintf("the reference %s refers to %s, which the pattern has more than once", shortened(reference), shortened(to))
	}
	switch value := found.value.(type) {
	case string:
		if strings.Contains(value, "$(") {
			return "", fmt.Sprintf("the reference %s refers to another reference", shortened(reference))
		}
		return string(op) + value, ""
	case int64:
		if op != operator.Equal {
			return fmt.Sprintf("%s%d", op, value), ""
		}
	}
	return "", fmt.Sprintf("the reference %s must refer to a string or, with an operator, to a whole number", shortened(reference))
}
