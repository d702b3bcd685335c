package judging

import (
	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/deployed"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
)

// SSPVerdict returns what KubeVirt's template validator says of the VMs in an object whose parameters are
// filled in. They may name the template around them, as it is written, or one that the ruling knows.
func SSPVerdict(filled map[string]any, written manifest.Object, r *Ruling) *deployed.Verdict {
	return deployed.Judge(filled, func(ref vmrules.TemplateRef) map[string]any {
		if written.IsTemplate() && written.Name == ref.Name && (written.Namespace == "" || written.Namespace == ref.Namespace) {
			return written.Content()
		}
		return r.Templates.Content(ref)
	})
}

// SSPLines returns what a verdict says to people.
func SSPLines(v *deployed.Verdict) []deployed.Line {
	all := v.Lines()
	for i := range all {
		all[i].Text = output.OneLine(output.Short(all[i].Text))
	}
	return all
}
