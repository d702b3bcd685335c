package command

import (
	"maps"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/deployed"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// newProfile returns the values of --for.
func newProfile() choice[lint.Profile] {
	return choice[lint.Profile]{options: map[string]lint.Profile{string(lint.SSP): lint.SSP}}
}

// sspVerdict returns what KubeVirt's template validator says of the VMs in an object whose parameters are
// filled in. They may name the template around them, as it is written, or one that the ruling knows.
func sspVerdict(filled map[string]any, written manifest.Object, r *ruling) *deployed.Verdict {
	return deployed.Judge(filled, func(ref vmrules.TemplateRef) map[string]any {
		if written.IsTemplate() && written.Name == ref.Name && (written.Namespace == "" || written.Namespace == ref.Namespace) {
			return written.Content()
		}
		return r.templates.Content(ref)
	})
}

// value returns the value at a path of members; nil if there is none.
func value(v any, names ...string) any {
	found, _ := manifest.Value(v, names...)
	return found
}

// sspLines returns what a verdict says to people.
func sspLines(v *deployed.Verdict) []string {
	all := v.Lines()
	for i, line := range all {
		all[i] = oneLine(short(line))
	}
	return all
}

// whyNotValid returns what is wrong with a VM in one line.
func (vm audited) whyNotValid() string {
	if vm.report.Valid() && vm.SSP.Refuses() {
		return strings.Join(sspLines(vm.SSP), "; ")
	}
	return whyNotValid(vm.report)
}

// judgeOwnVM returns what KubeVirt's template validator says if it refuses the VM of a template; nil if it
// does not. A parameter without a value may be anything.
func (l *linter) judgeOwnVM(filled, template manifest.Object) *deployed.Verdict {
	if l.now.profile.value() != lint.SSP || !template.IsTemplate() {
		return nil
	}
	v := sspVerdict(filled.Content(), template, &ruling{})
	if !v.Refuses() || v.Pointer != "" && strings.Contains(v.Refused, "${") {
		return nil
	}
	for _, name := range v.Warned {
		delete(v.Why, name)
	}
	return v
}

// ownVMFindings returns findings about the rules of an annotation by which the VM is refused. A rule
// that has an error already has no other one.
func ownVMFindings(v *deployed.Verdict, a manifest.Annotation, others []lint.Finding) []lint.Finding {
	if v == nil {
		return nil
	}
	var all []lint.Finding
	for _, name := range slices.Sorted(maps.Keys(v.Why)) {
		isKnown := slices.ContainsFunc(others, func(f lint.Finding) bool { return f.Severity == lint.SeverityError && f.Rule == name })
		f := ownVMFinding(name, v.Why[name])
		if !isKnown && a.PlaceAtRule(&f) {
			all = append(all, f)
		}
	}
	return all
}

// unreadableVM returns the finding about the value for which the VM cannot be read.
func unreadableVM(v *deployed.Verdict, o manifest.Object) []lint.Finding {
	if v == nil || v.Pointer == "" {
		return nil
	}
	f := ownVMFinding("", v.Refused)
	f.Line, f.Column = manifest.NewLocator(o).Place(v.Pointer)
	f.EndLine, f.EndColumn = f.Line, f.Column
	return []lint.Finding{f}
}

func ownVMFinding(rule, why string) lint.Finding {
	return lint.Finding{
		Severity: lint.SeverityError, ID: "ssp-own-vm", Rule: rule, Index: -1,
		Message: "KubeVirt's template validator refuses the template's own VM: " + why,
	}
}
