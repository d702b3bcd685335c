package bench

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/dlclark/regexp2/v2"
	"k8s.io/client-go/util/jsonpath"
)

// clientGo finds values with kubectl's JSONPath, and checks them as the hand-written peer
// does.
type clientGo struct {
	rules  []clientGoRule
	broken []string
}

type clientGoRule struct {
	rule
	path  *jsonpath.JSONPath
	holds func(v any) bool
}

func prepareClientGo(set ruleSet) (judge, error) {
	j := &clientGo{}
	for _, r := range set.rules {
		if _, isPath := r.Max.(string); isPath || set.validate != nil || set.name == "struct" {
			return nil, fmt.Errorf("rule %s: it looks up values and no more", r.Name)
		}
		path := jsonpath.New(r.Name).AllowMissingKeys(true)
		if err := path.Parse("{.spec.template" + strings.TrimPrefix(r.Path, "jsonpath::") + "}"); err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.Name, err)
		}
		j.rules = append(j.rules, clientGoRule{r, path, checkOf(r)})
	}
	return j, nil
}

func (j *clientGo) judge(vm *vm) {
	j.broken = nil
	for _, r := range j.rules {
		if !r.satisfiedBy(vm.object) {
			j.broken = append(j.broken, r.Name)
		}
	}
}

func (j *clientGo) violated() []string { return j.broken }

func (r clientGoRule) satisfiedBy(vm map[string]any) bool {
	found, err := r.path.FindResults(vm)
	if err != nil || len(found[0]) == 0 {
		return r.optional()
	}
	for _, v := range found[0] {
		if !r.holds(v.Interface()) {
			return false
		}
	}
	return true
}

// checkOf returns a function that reports whether a value satisfies the rule.
func checkOf(r rule) func(v any) bool {
	switch r.Kind {
	case "integer":
		least, most := int64(r.Min.(int)), int64(math.MaxInt64)
		if r.Max != nil {
			most = int64(r.Max.(int))
		}
		return func(v any) bool { return between(v, least, most) }
	case "string":
		return func(v any) bool { return lengthBetween(v, r.MinLength.(int), r.MaxLength.(int)) }
	case "regex":
		return patternOf(r.Regex)
	}
	var values []string
	for _, v := range r.Values {
		values = append(values, v.(string))
	}
	return func(v any) bool { return oneOf(v, values...) }
}

// patternOf compiles a pattern with Go's regexp where that supports the pattern.
func patternOf(regex string) func(v any) bool {
	var match func(s string) bool
	if p, err := regexp.Compile(regex); err == nil {
		match = p.MatchString
	} else {
		p := regexp2.MustCompile(regex)
		match = func(s string) bool { return matches(p, s) }
	}
	return func(v any) bool {
		s, ok := rendered(v)
		return ok && match(s)
	}
}
