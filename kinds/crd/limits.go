package crd

import (
	"regexp/syntax"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/vmrules/vmrules"
)

// What is in an annotation can be written by anybody, so that reading it must not
// take long. A CustomResourceDefinition is written by those who run the cluster:
// only the bound on fieldPaths is for it too.
const (
	maxExpression   = 4 << 10 // bytes of one expression: CEL's parser takes quadratic time
	maxExpressions  = 1_000   // rules of x-kubernetes-validations in one schema, about a millisecond each
	maxFieldPaths   = 1_000_000
	maxPatterns     = 5_000     // different ones in all schemas of a process
	maxDefault      = 1_000     // values in a default
	maxPatternSize  = 10_000    // steps of one pattern, its repeats written out
	maxPatternSizes = 2_000_000 // of all together: each takes some 40 bytes, which are never given back
)

// limit checks the bounds of a schema.
func (w *wording) limit(s *apiextensions.JSONSchemaProps, where *field.Path) {
	var rules, fieldPaths int
	patterns, tooLarge := map[string]bool{}, false
	crdvalidation.SchemaHas(s, func(s *apiextensions.JSONSchemaProps) bool {
		if s.Pattern != "" {
			patterns[s.Pattern] = true
			tooLarge = tooLarge || patternSize(s.Pattern) > maxPatternSize
		}
		rules += len(s.XValidations)
		for _, rule := range s.XValidations {
			if rule.FieldPath != "" && fieldPaths <= maxFieldPaths {
				fieldPaths += countSchemas(s)
			}
		}
		return false
	})
	if fieldPaths > maxFieldPaths {
		w.problem(w.node, where, vmrules.ReasonTooLong, "has too many rules with a fieldPath for its size: each is looked up in the whole schema that it stands in; at most %d schemas may be looked at", maxFieldPaths)
	}
	if w.isResource {
		return
	}
	if rules > maxExpressions {
		w.problem(w.node, where, vmrules.ReasonTooLong, "has %d rules of x-kubernetes-validations; at most %d are allowed", rules, maxExpressions)
	}
	if tooLarge {
		w.problem(w.node, where, vmrules.ReasonTooLong, "has a pattern that comes to more than %d steps with its repeats written out: repeat less", maxPatternSize)
		return
	}
	if !allPatterns.admit(patterns) {
		w.problem(w.node, where, vmrules.ReasonTooLong, "has too many patterns: Kubernetes' validators keep each pattern that they ever saw, and this process has come to %d of them, or to %d steps in all", maxPatterns, maxPatternSizes)
	}
}

func countSchemas(s *apiextensions.JSONSchemaProps) int {
	n := 0
	crdvalidation.SchemaHas(s, func(*apiextensions.JSONSchemaProps) bool {
		n++
		return false
	})
	return n
}

// patternSize is about how many instructions Go's regexp makes of a pattern: a
// match takes so many steps for each character, at worst. That of a pattern that
// cannot be used is its length.
func patternSize(pattern string) int {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return len(pattern)
	}
	return sizeOfPattern(parsed)
}

func sizeOfPattern(r *syntax.Regexp) int {
	size := 1
	if r.Op == syntax.OpLiteral {
		size = len(r.Rune)
	}
	for _, sub := range r.Sub {
		size += sizeOfPattern(sub)
	}
	if r.Op == syntax.OpRepeat {
		size *= max(r.Min, r.Max, 1)
	}
	return size
}

// patternSet counts the patterns that the API server's validators have compiled:
// they never forget one, and a new one takes them as long as they have others.
type patternSet struct {
	mutex sync.Mutex
	known map[string]bool
	sizes int // of all
}

var allPatterns = patternSet{known: map[string]bool{}}

// admit adds patterns, unless there would be too many.
func (p *patternSet) admit(patterns map[string]bool) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	added, sizes := 0, 0
	for pattern := range patterns {
		if !p.known[pattern] {
			added++
			sizes += patternSize(pattern)
		}
	}
	if len(p.known)+added > maxPatterns || p.sizes+sizes > maxPatternSizes {
		return false
	}
	p.sizes += sizes
	for pattern := range patterns {
		p.known[pattern] = true
	}
	return true
}
