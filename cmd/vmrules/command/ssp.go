package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
	"github.com/vmrules/vmrules/lint/ssp"
)

// templateValidations is the annotation of a template that KubeVirt's template validator reads,
// if a VM has no rules of its own.
const templateValidations = vmrules.OldAnnotation

// newProfile returns the values of --for.
func newProfile() choice[lint.Profile] {
	return choice[lint.Profile]{options: map[string]lint.Profile{string(lint.SSP): lint.SSP}}
}

// sspVerdict returns what KubeVirt's template validator says of the VMs in an object whose
// parameters are filled in; nil if it sees no VM there, or the VMs are exempt. A VM without rules
// of its own has those of a template, as it is in the cluster, without parameters filled in. The
// template may be nil.
func sspVerdict(object, template map[string]any) *ssp.Verdict {
	var all *ssp.Verdict
	for _, vm := range vmsIn(object) {
		annotation := manifest.TextAt(template, "metadata", "annotations", templateValidations)
		switch source := vmrules.SourceOf(vm); source.From {
		case vmrules.SourceExempt, vmrules.SourceUnknown:
			continue
		case vmrules.SourceOwn:
			annotation = source.Annotation
		}
		all = joined(all, ssp.Judge(annotation, vm))
	}
	return all
}

// value returns the value at a path of members; nil if there is none.
func value(v any, names ...string) any {
	found, _ := manifest.Value(v, names...)
	return found
}

// vmsIn returns the VirtualMachines in an object. The validator is not asked about other kinds.
func vmsIn(object map[string]any) []map[string]any {
	var all []map[string]any
	inside := []any{object}
	if list, ok := object["objects"].([]any); ok {
		inside = list
	} else if vm, ok := manifest.Value(object, "spec", "virtualMachine"); ok {
		inside = []any{vm}
	}
	for _, v := range inside {
		vm, _ := v.(map[string]any)
		_, isVM := manifest.Value(vm, "spec", "template", "spec")
		if kind := manifest.TextAt(vm, "kind"); isVM && (kind == "VirtualMachine" || kind == "") {
			all = append(all, vm)
		}
	}
	return all
}

// joined joins the verdicts on several VMs of one object.
func joined(all *ssp.Verdict, next ssp.Verdict) *ssp.Verdict {
	if all == nil {
		return &next
	}
	all.Accepted = all.Accepted && next.Accepted
	if all.Refused == "" {
		all.Refused = next.Refused
	}
	all.Failed = append(all.Failed, next.Failed...)
	all.Warned = append(all.Warned, next.Warned...)
	for name, why := range next.Why {
		all.Why[name] = why
	}
	return all
}

// sspLines returns what a verdict says to people.
func sspLines(v *ssp.Verdict) []string {
	if v == nil {
		return nil
	}
	const refuses = "KubeVirt's template validator refuses this VM: "
	if v.Refused != "" {
		return []string{refuses + oneLine(short(v.Refused))}
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(v.Why)) {
		says := refuses
		if slices.Contains(v.Warned, name) {
			says = "KubeVirt's template validator only logs about this VM: "
		}
		all = append(all, says+oneLine(fmt.Sprintf("rule %s: %s", short(name), short(v.Why[name]))))
	}
	return all
}

// judgeForSSP sets the verdict of KubeVirt's template validator.
func (c *checker) judgeForSSP(o manifest.Object, result *checked) {
	if c.profile.name == "" {
		return
	}
	filled, err := c.fill(o)
	if err != nil {
		return // the object is unusable
	}
	if o.IsTemplate() {
		result.SSP = sspVerdict(filled.Content(), o.Content())
	} else {
		result.SSP = c.sspVerdictOn(o.Content())
	}
}

// sspVerdictOn returns the verdict on a VM by its own rules, or those of a template of --template.
// It is safe for concurrent use.
func (r *ruling) sspVerdictOn(vm map[string]any) *ssp.Verdict {
	if r.templates != nil {
		if of, err := r.choose(vmrules.SourceOf(vm), true); err == nil && of.template != nil {
			return sspVerdict(vm, of.template.Content())
		}
	}
	return sspVerdict(vm, nil)
}

func (o checked) isRefusedBySSP() bool { return isRefused(o.SSP) }

func isRefused(v *ssp.Verdict) bool { return v != nil && !v.Accepted }

// whyNotValid returns what is wrong with a VM in one line.
func (vm audited) whyNotValid() string {
	if vm.report.Valid() && isRefused(vm.SSP) {
		return strings.Join(sspLines(vm.SSP), "; ")
	}
	return whyNotValid(vm.report)
}

// An ownVM is the verdict of KubeVirt's template validator on the VM of a template, as far as no
// finding has said it.
type ownVM struct{ why map[string]string }

func (l *linter) judgeOwnVM(filled, template manifest.Object) ownVM {
	if l.now.profile.value() != lint.SSP || !template.IsTemplate() {
		return ownVM{}
	}
	v := sspVerdict(filled.Content(), template.Content())
	if v == nil || v.Accepted {
		return ownVM{}
	}
	for _, name := range v.Warned {
		delete(v.Why, name)
	}
	return ownVM{v.Why}
}

// findingsIn returns findings about the rules of an annotation by which the VM is refused. A rule
// that has an error already has no other one.
func (own ownVM) findingsIn(a manifest.Annotation, others []lint.Finding) []lint.Finding {
	var all []lint.Finding
	for _, name := range slices.Sorted(maps.Keys(own.why)) {
		isKnown := slices.ContainsFunc(others, func(f lint.Finding) bool { return f.Severity == lint.SeverityError && f.Rule == name })
		f := lint.Finding{
			Severity: lint.SeverityError, ID: "ssp-own-vm", Rule: name, Index: -1,
			Message: "KubeVirt's template validator refuses the template's own VM: " + own.why[name],
		}
		if !isKnown && a.PlaceAtRule(&f) {
			all = append(all, f)
		}
	}
	return all
}
