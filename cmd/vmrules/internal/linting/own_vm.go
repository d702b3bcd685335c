package linting

import (
	"maps"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/deployed"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// judgeOwnVM returns what KubeVirt's template validator says if it refuses the VM of a template; nothing if it
// does not. A parameter without a value may be anything.
func (l *Linter) judgeOwnVM(filled, template manifest.Object) deployed.Verdict {
	if l.now.For != lint.SSP || !template.IsTemplate() {
		return deployed.Verdict{}
	}
	none := func(vmrules.TemplateRef) map[string]any { return nil }
	v := deployed.Judge(filled.Content(), template, none)
	if !v.Refuses() || v.Pointer != "" && strings.Contains(v.Refused, "${") {
		return deployed.Verdict{}
	}
	for _, name := range v.Warned {
		delete(v.Why, name)
	}
	return *v
}

// ownVMFindings returns findings about the rules of an annotation by which the VM is refused. A rule
// that has an error already has no other one.
func ownVMFindings(v deployed.Verdict, a manifest.Annotation, others []lint.Finding) []lint.Finding {
	var all []lint.Finding
	for _, name := range slices.Sorted(maps.Keys(v.Why)) {
		isKnown := slices.ContainsFunc(others, func(f lint.Finding) bool { return f.Refuses && f.Rule == name })
		f := ownVMFinding(name, v.Why[name])
		f.Key = v.Key[name]
		if !isKnown && a.PlaceAtRule(&f) {
			all = append(all, f)
		}
	}
	return all
}

// unreadableVM returns the finding about the value for which the VM cannot be read.
func unreadableVM(v deployed.Verdict, o manifest.Object) []lint.Finding {
	if v.Pointer == "" {
		return nil
	}
	f := ownVMFinding("", v.Refused)
	f.Line, f.Column, _ = manifest.NewLocator(o).Place(v.Pointer)
	f.EndLine, f.EndColumn = f.Line, f.Column
	return []lint.Finding{f}
}

func ownVMFinding(rule, why string) lint.Finding {
	return lint.Finding{
		Severity: lint.SeverityError, ID: "ssp-own-vm", Rule: rule, Index: -1, Refuses: true,
		Message: "KubeVirt's template validator refuses the template's own VM: " + why,
	}
}
