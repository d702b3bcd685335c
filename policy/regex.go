package policy

import (
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/pcre"
)

// toRE2 translates a PCRE pattern for CEL's matches(), which is Go's regexp and, like the rule, not
// anchored.
func toRE2(pattern string) (string, error) {
	regex, err := pcre.Compile(pattern, &meter.Budget{Meter: meter.OrDefault(0, 0)})
	if err != nil {
		return "", refuse("regex", "%v", err)
	}
	if regex.RE2() == "" {
		return "", refuse("regex", "it cannot be rewritten for CEL's matches(), which uses RE2: this has no lookaround, no back-references, no atomic or possessive parts, and no $ before something else")
	}
	return regex.RE2(), nil
}
