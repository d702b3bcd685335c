package manifest

import (
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/config"
)

// suppressing is the beginning of the keys of annotations that accept findings.
const suppressing = "ignore-check.vmrules.io/"

// Suppressions returns the annotations in the metadata of the object itself that accept the findings of a
// check.
func (o Object) Suppressions() []*config.Ignore {
	annotations := o.tree().get("metadata", "annotations")
	if annotations == nil {
		return nil
	}
	var all []*config.Ignore
	for _, m := range annotations.members {
		name, is := strings.CutPrefix(m.key, suppressing)
		if !is {
			continue
		}
		s := &config.Ignore{}
		s.Check, s.Rule, _ = strings.Cut(name, ".")
		s.Reason, _ = m.value.scalar.(string)
		s.Line, s.Column = o.File.source.place(m.at)
		all = append(all, s)
	}
	return all
}
