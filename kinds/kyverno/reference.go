package kyverno

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kyverno/kyverno/pkg/engine/anchor"
	"github.com/kyverno/kyverno/pkg/engine/jsonutils"
	"github.com/kyverno/kyverno/pkg/engine/operator"
	"github.com/kyverno/kyverno/pkg/engine/variables/regex"
)

// References are resolved as Kyverno's package variables does, with the same
// traversal and the same way of writing paths; the package itself would bring
// two thousand others. As there, a reference names another place of the pattern,
// and not of the object.

// maxResolved is how many bytes may be written to resolve the references of one
// pattern, each of which writes the text around it anew.
const maxResolved = 4 << 20

// resolve replaces each reference by what it refers to.
func (r *overlayReader) resolve(document any) any {
	targets := targetsOf(document)
	room := maxResolved
	resolved, err := jsonutils.NewTraversal(document, func(data *jsonutils.ActionData) (any, error) {
		at := strings.ReplaceAll(strings.TrimPrefix(data.Path, "/"), "/", ".")
		switch element := data.Element.(type) {
		case jsonutils.Key:
			if strings.Contains(element.Key, "$(") {
				r.refuse(at, "a name cannot be a reference: %s", shortened(element.Key))
			}
		case string:
			text, wrong := resolveIn(element, data.Path, targets, &room)
			if wrong != "" {
				r.refuse(at, "%s", wrong)
			}
			return text, nil
		}
		return data.Element, nil
	}).TraverseJSON()
	if err != nil {
		r.refuse("", "the references cannot be resolved: %v", err)
	}
	slices.Sort(r.wrong) // the traversal goes through a map
	return resolved
}

// A target is what references find at a path.
type target struct {
	value any
	count int // how many there are, now that their anchors are dropped
}

func targetsOf(document any) map[string]target {
	targets := map[string]target{}
	_, _ = jsonutils.NewTraversal(document, func(data *jsonutils.ActionData) (any, error) {
		if _, ok := data.Element.(jsonutils.Key); !ok {
			at := anchor.RemoveAnchorsFromPath(data.Path)
			targets[at] = target{data.Element, targets[at].count + 1}
		}
		return data.Element, nil
	}).TraverseJSON()
	return targets
}

// resolveIn replaces the references in one string, or says what is wrong.
func resolveIn(text, at string, targets map[string]target, room *int) (string, string) {
	result := text
	for _, found := range regex.RegexReferences.FindAllString(text, -1) {
		before, reference, ok := strings.Cut(found, "$(")
		if !ok || len(before) > 1 {
			return text, fmt.Sprintf("put a blank before the reference in %s", shortened(text))
		}
		value, wrong := refer("$("+reference, at, targets)
		if wrong != "" {
			return text, wrong
		}
		if *room -= len(result) + len(value); *room < 0 {
			return text, fmt.Sprintf("the references make more of the pattern than the %d bytes that may be written for them", maxResolved)
		}
		result = strings.Replace(result, found, before+value, 1)
	}
	for _, escaped := range regex.RegexEscpReferences.FindAllString(result, -1) {
		result = strings.ReplaceAll(result, escaped, escaped[1:])
	}
	if result == text && strings.Contains(text, "$(") {
		return text, fmt.Sprintf("%s is not a reference: write it like $(<=./../../limits/memory), without blanks", shortened(text))
	}
	return result, ""
}

// refer is the text that Kyverno puts in place of a reference.
func refer(reference, at string, targets map[string]target) (string, string) {
	to := strings.Trim(reference, "$()")
	op := operator.GetOperatorFromStringPattern(to)
	to = to[len(op):]
	if to == "" {
		return "", fmt.Sprintf("the reference %s names nothing: one is like $(<=./../../limits/memory)", reference)
	}
	if !path.IsAbs(to) {
		to = path.Join(at, to)
	}
	found := targets[to]
	switch {
	case found.count == 0 || found.value == nil:
		return "", fmt.Sprintf("the reference %s is to %s, which the pattern does not have%s", shortened(reference), shortened(to), near(to, targets))
	case found.count > 1:
		return "", fmt.Sprintf("the reference %s is to %s, which the pattern has more than once", shortened(reference), shortened(to))
	}
	switch value := found.value.(type) {
	case string:
		if strings.Contains(value, "$(") {
			return "", fmt.Sprintf("the reference %s is to another reference", shortened(reference))
		}
		return string(op) + value, ""
	case int64:
		if op != operator.Equal {
			return fmt.Sprintf("%s%d", op, value), ""
		}
	}
	return "", fmt.Sprintf("the reference %s has to lead to a string, or by an operator to a whole number", shortened(reference))
}

// near is a hint for those who wrote anchors into the reference, or look for
// something below one.
func near(to string, targets map[string]target) string {
	plain := anchor.RemoveAnchorsFromPath(to)
	if strings.Count(to, "(") != strings.Count(to, ")") {
		plain = anchor.RemoveAnchorsFromPath(to + ")")
	}
	names := slices.Collect(maps.Keys(targets))
	if plain != to && slices.Contains(names, plain) {
		return ": Kyverno resolves no reference that has an anchor in it or above it"
	}
	return ""
}
