// Package deployed says what KubeVirt's template validator, as OpenShift clusters run it, makes of the VMs in
// an object.
package deployed

import (
	"fmt"
	"iter"
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
// rules of the OpenShift Template that it names in full, which find returns as it is in the cluster.
func Judge(object map[string]any, find func(vmrules.TemplateRef) map[string]any) *Verdict {
	var all *Verdict
	for at, vm := range vmsIn(object) {
		if _, isExempt := manifest.Value(vm, "metadata", "annotations", vmrules.SkipAnnotation); isExempt {
			continue
		}
		written, _ := manifest.Value(vm, "metadata", "annotations", vmrules.Annotation)
		annotation, isText := written.(string)
		if written != nil && !isText {
			continue // the API server refuses it
		}
		if annotation == "" {
			annotation = ofTemplate(object, vm, find)
		}
		v := Verdict{ssp.Judge(annotation, vm), annotation == ""}
		if v.Pointer != "" {
			v.Pointer = at + v.Pointer
		}
		all = all.and(v)
	}
	return all
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

// vmsIn returns the VirtualMachines in an object, each with its JSON Pointer. The validator is not asked
// about other kinds.
func vmsIn(object map[string]any) iter.Seq2[string, map[string]any] {
	inside, at := []any{object}, func(int) string { return "" }
	if list, ok := object["objects"].([]any); ok {
		inside, at = list, func(i int) string { return fmt.Sprint("/objects/", i) }
	} else if vm, ok := manifest.Value(object, "spec", "virtualMachine"); ok {
		inside, at = []any{vm}, func(int) string { return "/spec/virtualMachine" }
	}
	return func(yield func(string, map[string]any) bool) {
		for i, v := range inside {
			vm, _ := v.(map[string]any)
			_, hasVMI := manifest.Value(vm, "spec", "template", "spec")
			kind := manifest.TextAt(vm, "kind")
			if isVM := hasVMI && (kind == "VirtualMachine" || kind == ""); isVM && !yield(at(i), vm) {
				return
			}
		}
	}
}

// and joins the verdicts on several VMs of one object.
func (v *Verdict) and(next Verdict) *Verdict {
	if v == nil {
		return &next
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
