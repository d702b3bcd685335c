package linting

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/lint"
)

// explained corrects the findings in an annotation about rules that only vmrules-full knows, unless they
// are for another program: their kind is not wrong, and their keys cannot be linted.
func (l *Linter) explained(findings []lint.Finding, annotation string) []lint.Finding {
	if l.now.profile != "" {
		return findings
	}
	isOfFull := map[int]bool{} // by the index of the rule
	for i, f := range findings {
		if f.ID != "unknown-kind" {
			continue
		}
		if kind := textAt(annotation, f.Offset); l.Build.IsOnlyOfFull(vmrules.Kind(kind)) {
			findings[i].Message = fmt.Sprintf("the kind %q is ignored, because only vmrules-full knows it: %s", kind, build.InstallFull)
			isOfFull[f.Index] = true
		}
	}
	return slices.DeleteFunc(findings, func(f lint.Finding) bool { return f.ID == "unknown-key" && isOfFull[f.Index] })
}

// textAt returns the string of JSON at an offset; "" if there is another value.
func textAt(written string, offset int) string {
	var text string
	if offset >= len(written) || json.NewDecoder(strings.NewReader(written[offset:])).Decode(&text) != nil {
		return ""
	}
	return text
}
