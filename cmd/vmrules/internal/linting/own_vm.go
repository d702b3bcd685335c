package linting

import (
	"maps"
	"slices"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// judgeOwnVM returns why KubeVirt's template validator refuses the VM of a template, by the names of rules.
func (l *Linter) judgeOwnVM(filled, template manifest.Object) map[string]string {
	if l.now.profile != lint.SSP || !template.IsTemplate() {
		return nil
	}
	v := judging.SspVerdict(filled.Content(), template, &judging.Ruling{})
	if !v.Refuses() {
		return nil
	}
	for _, name := range v.Warned {
		delete(v.Why, name)
	}
	return v.Why
}

// ownVMFindings returns findings about the rules of an annotation by which the VM is refused. A rule
// that has an error already has no other one.
func ownVMFindings(why map[string]string, a manifest.Annotation, others []lint.Finding) []lint.Finding {
	var all []lint.Finding
	for _, name := range slices.Sorted(maps.Keys(why)) {
		isKnown := slices.ContainsFunc(others, func(f lint.Finding) bool { return f.Severity == lint.SeverityError && f.Rule == name })
		f := lint.Finding{
			Severity: lint.SeverityError, ID: "ssp-own-vm", Rule: name, Index: -1,
			Message: "KubeVirt's template validator refuses the template's own VM: " + why[name],
		}
		if !isKnown && a.PlaceAtRule(&f) {
			all = append(all, f)
		}
	}
	return all
}
