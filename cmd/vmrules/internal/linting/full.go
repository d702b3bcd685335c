package linting

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/lint"
)

// explained corrects the findings in an annotation about rules that only vmrules-full knows, unless they
// are for another program: their kind is not wrong, and their keys cannot be linted.
func (l *Linter) explained(findings []lint.Finding, annotation string) []lint.Finding {
	if l.now.For != "" {
		return findings
	}
	isOfFull := map[int]bool{} // by the index of the rule
	for i, f := range findings {
		if f.ID != "unknown-kind" {
			continue
		}
		var kind string
		_ = json.Unmarshal([]byte(annotation[f.Offset:f.End]), &kind)
		if l.Build.IsOnlyOfFull(vmrules.Kind(kind)) {
			findings[i].Message = fmt.Sprintf("the kind %q is ignored, because only vmrules-full knows it: %s", kind, build.InstallFull)
			isOfFull[f.Index] = true
		}
	}
	return slices.DeleteFunc(findings, func(f lint.Finding) bool { return f.ID == "unknown-key" && isOfFull[f.Index] })
}
