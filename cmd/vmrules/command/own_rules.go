package command

import (
	"slices"

	"github.com/vmrules/vmrules"
)

// The cache keeps maxParsed annotations of limited length. Most VMs have the annotation of a
// template. The parsed rules take many times the length of the annotation.
const (
	maxParsed = 100
	maxKept   = 32 << 10
)

type parsedRules struct {
	rules vmrules.Rules
	err   error
}

// hasOwnRules lists the kinds whose rules are in their own annotation. There are few objects
// of other kinds, for which the library finds the rules.
var hasOwnRules = []string{"VirtualMachine", "VirtualMachineInstance"}

// annotationOf returns the rules of an object that has rules of its own, and is not exempt from them;
// false for other objects, and for those of which the library must find the rules.
func annotationOf(vm map[string]any, kind string) (string, bool) {
	if !slices.Contains(hasOwnRules, kind) {
		return "", false
	}
	source := vmrules.SourceOf(vm)
	return source.Annotation, source.From == vmrules.SourceOwn
}

// parse reads an annotation, unless the cache has its rules.
func (r *ruling) parse(annotation string) parsedRules {
	if known, ok := r.known.Get(annotation); ok {
		return known
	}
	rules, err := vmrules.ParseRules(annotation, r.reading...)
	parsed := parsedRules{rules, err}
	if len(annotation) <= maxKept {
		r.known.Add(annotation, parsed)
	}
	return parsed
}
