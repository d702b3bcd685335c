package lint

import (
	"encoding/json"
	"math"
	"regexp/syntax"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

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
