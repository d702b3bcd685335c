package crd

import (
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/vmrules/vmrules"
)

// What is in an annotation can be written by anybody, so that reading it must not
// take long. A CustomResourceDefinition is written by those who run the cluster:
// only the bound on fieldPaths and the budget of the call are for it too.
const (
	maxExpression   = 4 << 10 // bytes of one expression: CEL's parser takes quadratic time
	maxExpressions  = 1_000   // rules of x-kubernetes-validations in one schema, about a millisecond each
	maxFieldPaths   = 1_000_000
	maxPatterns     = 5_000    // different ones in all schemas of a process
	maxDefault      = 1_000    // values in a default
	maxPatternSteps = 10_000   // of one pattern, its repeats written out
	maxPatternSize  = 2 << 20  // bytes of its program
	maxPatternSizes = 64 << 20 // bytes of all in a process together, which are never given back
)

// limit checks the bounds of a schema, and pays for its patterns and rules.
func (w *wording) limit(s *apiextensions.JSONSchemaProps, where *field.Path) {
	var rules, fieldPaths int
	patterns, tooLarge := map[string]int{}, false
	crdvalidation.SchemaHas(s, func(s *apiextensions.JSONSchemaProps) bool {
		if s.Pattern != "" {
			price := w.payPattern(s.Pattern)
			patterns[s.Pattern] = price.size
			tooLarge = tooLarge || price.isTooLarge()
		}
		rules += len(s.XValidations)
		for _, rule := range s.XValidations {
			if rule.FieldPath != "" && fieldPaths <= maxFieldPaths {
				fieldPaths += countSchemas(s)
			}
		}
		return w.unpaid
	})
	if w.payRules(s); w.unpaid {
		return
	}
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
		w.problem(w.node, where, vmrules.ReasonTooLong, "has "+largePattern, "pattern", maxPatternSteps, maxPatternSize)
		return
	}
	if admitted, known := allPatterns.admit(patterns); admitted {
		w.pay(known*knownPatternWork*len(patterns), 0)
	} else {
		w.problem(w.node, where, vmrules.ReasonTooLong, "has too many patterns: Kubernetes' validators keep each pattern that they ever saw, and this process has come to %d of them, or to %d bytes in all", maxPatterns, maxPatternSizes)
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

// patternSet counts the patterns that the API server's validators have compiled:
// they never forget one, and a new one takes them as long as they have others.
type patternSet struct {
	mutex sync.Mutex
	known map[string]bool
	sizes int // of all
}

var allPatterns = patternSet{known: map[string]bool{}}

// admit adds patterns and their sizes, unless there would be too many. It also
// returns how many there are.
func (p *patternSet) admit(patterns map[string]int) (bool, int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	added, sizes := 0, 0
	for pattern, size := range patterns {
		if !p.known[pattern] {
			added++
			sizes += size
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
