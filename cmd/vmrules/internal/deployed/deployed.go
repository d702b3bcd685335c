// Package deployed says what KubeVirt's template validator, as OpenShift clusters run it, makes of the VMs in
// an object.
package deployed

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint/ssp"
)

// A Verdict is what the validator says of the VMs in an object.
type Verdict struct {
	ssp.Verdict
	NoRules bool `json:"noRules,omitempty"` // it finds none for any of them
}

// Judge returns the verdict on the VMs in an object whose parameters are filled in; nil if there is no
// VM that the validator is asked about, or all are exempt. A VM without an annotation of its own has the
// rules of the OpenShift Template that it names in full: the object itself, as it is written, or one that known
// returns as it is in the cluster.
func Judge(object map[string]any, written manifest.Object, known func(vmrules.TemplateRef) map[string]any) *Verdict {
	find := func(ref vmrules.TemplateRef) map[string]any {
		if written.IsTemplate() && written.Name == ref.Name && (written.Namespace == "" || written.Namespace == ref.Namespace) {
			return written.Content()
		}
		return known(ref)
	}
	if list, ok := object["objects"].([]any); ok {
		var all *Verdict
		for i, vm := range list {
			all = all.and(judgeVM(vm, fmt.Sprint("/objects/", i), object, find))
		}
		return all
	}
	if vm, ok := manifest.Value(object, "spec", "virtualMachine"); ok {
		return judgeVM(vm, "/spec/virtualMachine", object, find)
	}
	return judgeVM(object, "", object, find)
}

// judgeVM returns the verdict on a value in an object, at a JSON Pointer, if that is a VirtualMachine: the
// validator is not asked about other kinds.
func judgeVM(v any, at string, around map[string]any, find func(vmrules.TemplateRef) map[string]any) *Verdict {
	vm, _ := v.(map[string]any)
	_, hasVMI := manifest.Value(vm, "spec", "template", "spec")
	if kind := manifest.TextAt(vm, "kind"); !hasVMI || kind != "VirtualMachine" && kind != "" {
		return nil
	}
	written, _ := manifest.Value(vm, "metadata", "annotations", vmrules.Annotation)
	annotation, isText := written.(string)
	_, isExempt := manifest.Value(vm, "metadata", "annotations", vmrules.SkipAnnotation)
	if isExempt || written != nil && !isText { // the API server refuses the latter
		return nil
	}
	if annotation == "" {
		annotation = ofTemplate(around, vm, find)
	}
	all := Verdict{ssp.Judge(annotation, vm), annotation == ""}
	if all.Pointer != "" {
		all.Pointer = at + all.Pointer
	}
	return &all
}

// ofTemplate returns the rules of the Template that a VM names, perhaps by the labels that the
// Template around it adds.
func ofTemplate(around, vm map[string]any, find func(vmrules.TemplateRef) map[string]any) string {
	namespace, name, isNamed := vmrules.TemplateOf(vm)
	if !isNamed {
		namespace, name, isNamed = vmrules.TemplateOf(map[string]any{"metadata": map[string]any{"labels": around["labels"]}})
	}
	if !isNamed {
		return ""
	}
	template := find(vmrules.TemplateRef{Namespace: namespace, Name: name})
	if manifest.TextAt(template, "kind") != "Template" {
		return ""
	}
	return manifest.TextAt(template, "metadata", "annotations", vmrules.OldAnnotation)
}

// and joins the verdicts on several VMs of one object.
func (v *Verdict) and(next *Verdict) *Verdict {
	if v == nil || next == nil {
		return cmp.Or(v, next)
	}
	v.NoRules = v.NoRules && next.NoRules
	v.Accepted = v.Accepted && next.Accepted
	if v.Refused == "" {
		v.Refused, v.Pointer = next.Refused, next.Pointer
	}
	v.Failed = append(v.Failed, next.Failed...)
	v.Warned = append(v.Warned, next.Warned...)
	maps.Copy(v.Why, next.Why)
	maps.Copy(v.Key, next.Key)
	return v
}

// Refuses reports whether the validator refuses a VM.
func (v *Verdict) Refuses() bool { return v != nil && !v.Accepted }

// A Line is what a verdict says to people, perhaps of one rule.
type Line struct {
	Text    string
	Refuses bool
}

// Lines returns what the verdict says to people.
func (v *Verdict) Lines() []Line {
	const validator = "KubeVirt's template validator "
	switch {
	case v == nil:
		return nil
	case v.NoRules:
		return []Line{{validator + "finds no rules for this VM", false}}
	case v.Refused != "":
		return []Line{{validator + "refuses this VM: " + v.Refused, true}}
	}
	var all []Line
	for _, name := range slices.Sorted(maps.Keys(v.Why)) {
		says, refuses := "refuses this VM: ", true
		if slices.Contains(v.Warned, name) {
			says, refuses = "only logs about this VM: ", false
		}
		all = append(all, Line{fmt.Sprintf("%s%srule %s: %s", validator, says, name, v.Why[name]), refuses})
	}
	return all
}
