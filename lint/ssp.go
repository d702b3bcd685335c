package lint

import (
	"encoding/json"
	"math"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/rulekey"
	"github.com/vmrules/vmrules/internal/value"
)

// ssp finds what KubeVirt's template validator does not understand, or understands
// otherwise. That program decodes a rule into a Go struct, with encoding/json, and a VM into
// its Go type. docs/consumers.md describes it.
func (l *linter) ssp(r *rule) {
	if !constraint.IsKind(r.Kind) && !l.unknownKinds[r.index] {
		l.add(r, rulekey.Rule, "ssp-kind", "KubeVirt's template validator does not know this kind, and rejects every VM with such a rule")
	}
	given := map[string]bool{}
	for _, m := range r.node.Members {
		key := sspKey(m.Key)
		if key == "" || m.Value.Value == nil {
			continue
		}
		given[key] = true
		if key != m.Key {
			f := l.add(r, m.Key, "ssp-key-case", "KubeVirt's template validator ignores case, and so reads this as %q: write that, or remove it", key)
			f.Offset, f.Suggestion = m.Start, key
			l.sspPathsIn(r, m, key)
		}
		switch key {
		case constraint.Min, constraint.Max, constraint.MinLength, constraint.MaxLength:
			l.sspBound(r, m)
		case constraint.Values:
			l.sspValues(r, m)
		case constraint.Regex:
			l.sspRegex(r, m)
		}
	}
	switch {
	case r.Kind == vmrules.KindEnum && !given[constraint.Values]:
		l.add(r, rulekey.Rule, "ssp-no-argument", "KubeVirt's template validator allows no value at all in an enum rule without values: add values")
	case r.Kind == vmrules.KindRegex && !given[constraint.Regex]:
		l.add(r, rulekey.Rule, "ssp-no-argument", "KubeVirt's template validator allows every value in a regex rule without regex: add a regex")
	}
}

// sspKey returns the key as which KubeVirt's template validator reads a key; "" if it
// ignores it.
func sspKey(written string) string {
	for _, k := range rulekey.All {
		if strings.EqualFold(k.Name, written) {
			return k.Name
		}
	}
	return ""
}

// isUsedBySSP reports whether KubeVirt's template validator uses what a key of the rule
// selects: its path, or an argument of its kind.
func (r *rule) isUsedBySSP(key string) bool {
	a := constraint.Named(key)
	return key == rulekey.Path || a != nil && vmrules.Kind(a.Kind) == r.Kind
}

// sspPathWork and sspPathSize are the cost of reading a path, for each byte.
const (
	sspPathWork = 200
	sspPathSize = 200
)

// sspPathsIn checks the paths of an argument that is unknown here. The other checks know it
// only as a key.
func (l *linter) sspPathsIn(r *rule, m jsontext.Member, key string) {
	for _, at := range slices.Concat(m.Value.Items, []jsontext.Node{m.Value}) {
		text, _ := at.Value.(string)
		if !strings.HasPrefix(text, jsonpath.Prefix) || l.budget.Spend(sspPathWork*len(text), sspPathSize*len(text)) != nil {
			continue
		}
		if p, err := vmrules.ParsePath(text); err == nil {
			l.sspPath(r, m.Key, at, p)
			if r.isUsedBySSP(key) && selectsSeveral(p) {
				l.sspSeveral(r, m.Key, at)
			}
		}
	}
}

// sspWarning finds a rule that fails in KubeVirt's template validator although it should only
// warn. The findings are those about the rule so far.
func (l *linter) sspWarning(r *rule, findings []Finding) {
	fails := !constraint.IsKind(r.Kind) || slices.ContainsFunc(findings, func(f Finding) bool {
		isUsed := strings.HasPrefix(f.ID, "ssp-") && f.Key != rulekey.Valid || r.isUsedBySSP(f.Key)
		return slices.Contains(sspErrors, f.ID) && isUsed
	})
	if r.JustWarning && fails {
		l.add(r, rulekey.JustWarning, "ssp-just-warning", "KubeVirt's template validator rejects VMs despite justWarning, because it cannot use this rule: fix the rule's other findings")
	}
}

// sspBound checks a bound. KubeVirt's template validator reads a number as a float64 and
// rounds it, and reads any string as a path.
func (l *linter) sspBound(r *rule, m jsontext.Member) {
	switch written := m.Value.Value.(type) {
	case json.Number:
		n, err := quantity.ParseJSON(written.String())
		i, isWhole := n.Int64()
		isExact := isWhole && float64(i) < math.MaxInt64 && int64(float64(i)) == i
		if err == nil && !isExact {
			l.add(r, m.Key, "ssp-rounding", "KubeVirt's template validator rounds this to a whole number of about 15 digits: write one")
		}
	case string:
		if strings.HasPrefix(written, jsonpath.Prefix) {
			return
		}
		instead := "write a whole number, without quotes"
		if n := wholeNumber(written); n != "" {
			instead = "write " + value.Shortened(n) + ", without quotes"
		}
		l.add(r, m.Key, "ssp-bound", "KubeVirt's template validator refuses an annotation with a quantity or a number in quotes: %s", instead)
	}
}

// wholeNumber returns the whole number that a text means; "" if it means none.
func wholeNumber(text string) string {
	if n, err := quantity.Parse(text); err == nil && n.IsInteger() {
		return n.String()
	}
	return ""
}

func (l *linter) sspValues(r *rule, m jsontext.Member) {
	if m.Value.Value != json.Delim('[') {
		l.add(r, m.Key, "ssp-values", "KubeVirt's template validator refuses an annotation with a path for the whole list: write an array")
		return
	}
	for _, item := range m.Value.Items {
		if _, ok := item.Value.(string); !ok {
			l.add(r, m.Key, "ssp-values", "KubeVirt's template validator refuses an annotation with values that are not strings: put each value in quotes").Offset = item.Start
		}
	}
}

// sspValue returns a literal of JSON in quotes; "" for a string, and for what cannot be a value.
func sspValue(literal string) string {
	if literal == "true" || literal == "false" {
		return `"` + literal + `"`
	}
	if s, ok := value.ScalarOf(json.Number(literal)); ok && s.Err() == nil {
		return `"` + s.String() + `"`
	}
	return ""
}

// sspRegexWork and sspRegexSize are the cost of reading a regex, for each byte.
const (
	sspRegexWork = 500
	sspRegexSize = 200
)

// sspRegex checks the regex of a rule of kind regex. KubeVirt's template validator gives it
// to Go's package regexp.
func (l *linter) sspRegex(r *rule, m jsontext.Member) {
	written, ok := m.Value.Value.(string)
	if r.Kind != vmrules.KindRegex || !ok {
		return
	}
	if _, isPath := r.Regex.Path(); isPath || strings.HasPrefix(written, jsonpath.Prefix) {
		l.add(r, m.Key, "ssp-regex-path", "KubeVirt's template validator reads this path as a regex: write the regex itself")
		return
	}
	if l.budget.Spend(sspRegexWork*len(written), sspRegexSize*len(written)) != nil {
		return
	}
	if _, err := syntax.Parse(written, syntax.Perl); err != nil {
		l.add(r, m.Key, "ssp-regex", "KubeVirt's template validator rejects every VM to which the rule applies, because RE2 cannot read this regex: avoid lookaround, back-references, possessive and atomic groups")
	}
}
