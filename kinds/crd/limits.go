package crd

import (
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"

	"github.com/vmrules/vmrules"
)

// Everybody can write an annotation, so reading one must not take long.
const (
	maxExpression   = 4 << 10   // bytes of one expression: CEL's parser takes quadratic time
	maxExpressions  = 1_000     // rules of x-kubernetes-validations in one schema, about a millisecond each
	maxFieldPaths   = 1_000_000 // schemas in which the fieldPaths of one schema are looked up
	maxPatterns     = 5_000     // different patterns in all schemas of a process
	maxDefault      = 1_000     // values in a default
	maxPatternSteps = 10_000    // steps of one pattern with its repeats written out
	maxPatternSize  = 2 << 20   // bytes of one compiled pattern
	maxPatternSizes = 64 << 20  // bytes of all compiled patterns of a process, which are never freed
)

// limit checks the bounds of a schema, and pays for its patterns and rules.
func (r *reading) limit(s *apiextensions.JSONSchemaProps) {
	var rules, fieldPaths int
	var work, size int64
	tooLarge := false
	crdvalidation.SchemaHas(s, func(s *apiextensions.JSONSchemaProps) bool {
		if s.Pattern != "" {
			tooLarge = r.payPattern(s.Pattern).isTooLarge() || tooLarge
		}
		if len(s.XValidations) == 0 {
			return r.unpaid
		}
		schemas := countSchemas(s)
		rules += len(s.XValidations)
		work += validatorWork + int64(schemas)*subschemaWork
		size += validatorSize
		for _, rule := range s.XValidations {
			if rule.FieldPath != "" {
				fieldPaths += schemas
			}
			n := tokens(rule.Rule) + tokens(rule.MessageExpression)
			work += ruleWork + n*ruleTokenWork + 3*(nestingWork(rule.Rule)+nestingWork(rule.MessageExpression))
			size += ruleSize + n*tokenSize
		}
		return r.unpaid
	})
	if r.pay(work, size); r.unpaid { // before they are parsed or compiled
		return
	}
	if fieldPaths > maxFieldPaths {
		r.problem(nil, vmrules.ReasonTooLong, "has too many rules with a fieldPath: looking them up in the schemas below their rules takes more than %d schemas; write fewer of them, or in smaller schemas", maxFieldPaths)
	}
	if rules > maxExpressions {
		r.problem(nil, vmrules.ReasonTooLong, "has %d rules of x-kubernetes-validations; at most %d are allowed", rules, maxExpressions)
	}
	if tooLarge {
		r.problem(nil, vmrules.ReasonTooLong, "has "+largePattern, "pattern", maxPatternSteps, maxPatternSize)
		return
	}
	if admitted, known := allPatterns.admit(r.patterns); admitted {
		r.pay(int64(known)*knownPatternWork*int64(len(r.patterns)), 0)
	} else {
		r.problem(nil, vmrules.ReasonTooLong, "has too many new patterns: Kubernetes' validators never free a pattern, so that all schemas of a process may have %d different patterns, of %d bytes together; write fewer patterns", maxPatterns, maxPatternSizes)
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

// A patternSet counts the patterns that the API server's validators have compiled in this
// process. The validators never free a pattern, and compiling a new one takes time in
// proportion to the number of patterns that they have.
type patternSet struct {
	mutex sync.Mutex
	known map[string]bool
	sizes int // bytes of all compiled patterns
}

var allPatterns = patternSet{known: map[string]bool{}}

// admit adds patterns, and returns the number of patterns in the set. It
// adds nothing and returns false if there would be too many.
func (p *patternSet) admit(patterns map[string]patternPrice) (bool, int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	added, sizes := 0, 0
	for pattern, price := range patterns {
		if !p.known[pattern] {
			added++
			sizes += price.size
		}
	}
	if len(p.known)+added > maxPatterns || p.sizes+sizes > maxPatternSizes {
		return false, len(p.known)
	}
	p.sizes += sizes
	for pattern := range patterns {
		p.known[pattern] = true
	}
	return true, len(p.known)
}
