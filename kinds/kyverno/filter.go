package kyverno

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kyverno/kyverno/ext/wildcard"
	"github.com/kyverno/kyverno/pkg/engine/wildcards"
	kubeutils "github.com/kyverno/kyverno/pkg/utils/kube"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/vmrules/vmrules"
)

// A filter selects objects. It is the block match or exclude of a policy.
type filter struct {
	all       bool // whether an object must fit all resources, and not only one of them
	resources []resources
}

// resources has the criteria of a block resources. An object must fit all criteria that are
// set, and of a list, one item.
type resources struct {
	Kinds       []string              `json:"kinds"`
	Name        string                `json:"name"`
	Names       []string              `json:"names"`
	Namespaces  []string              `json:"namespaces"`
	Annotations map[string]string     `json:"annotations"`
	Selector    *metav1.LabelSelector `json:"selector"`
}

var criteria = []string{"kinds", "name", "names", "namespaces", "annotations", "selector"}

// readFilter reads a block match or exclude, and returns all that is wrong with it. If the budget
// of the call is spent, it returns nothing.
func readFilter(s vmrules.RuleSource, raw json.RawMessage) (filter, []string) {
	if s.Spend(len(raw)*byteWork, len(raw)*byteSize) != nil {
		return filter{}, nil
	}
	var block map[string]json.RawMessage
	if err := json.Unmarshal(raw, &block); err != nil {
		return filter{}, []string{"must be an object with resources, any or all"}
	}
	dropNulls(block)
	wrong := unknown(block, "", "resources", "any", "all")
	if len(block) != 1 && wrong == nil {
		return filter{}, []string{"must have exactly one of resources, any and all"}
	}
	var f filter
	for key, value := range block {
		list := []json.RawMessage{value}
		switch key {
		case "resources":
			list[0], _ = json.Marshal(map[string]any{"resources": value})
		case "any", "all":
			f.all = key == "all"
			if err := json.Unmarshal(value, &list); err != nil || len(list) == 0 {
				wrong = append(wrong, key+": must be a list of objects with resources")
				continue
			}
		default:
			continue
		}
		for _, item := range list {
			r, more := readResources(item)
			f.resources = append(f.resources, r)
			wrong = append(wrong, more...)
		}
	}
	return f, wrong
}

func readResources(raw json.RawMessage) (resources, []string) {
	var outer, inner map[string]json.RawMessage
	err := json.Unmarshal(raw, &outer)
	dropNulls(outer)
	if err == nil {
		err = json.Unmarshal(outer["resources"], &inner)
	}
	dropNulls(inner)
	wrong := append(unknown(outer, "", "resources"), unknown(inner, "resources.", criteria...)...)
	if err != nil || len(inner) == 0 {
		return resources{}, append(wrong, "resources: must have at least one of "+strings.Join(criteria, ", "))
	}
	var r resources
	known, _ := json.Marshal(inner)
	decoder := json.NewDecoder(bytes.NewReader(known))
	if wrong == nil {
		decoder.DisallowUnknownFields() // in the selector
	}
	if err := decoder.Decode(&r); err != nil {
		return r, append(wrong, "resources: cannot be read: "+strings.TrimPrefix(err.Error(), "json: "))
	}
	return r, append(wrong, r.wrong()...)
}

// wrong returns what is wrong with the criteria.
func (r resources) wrong() []string {
	var wrong []string
	for _, kind := range r.Kinds {
		if _, _, name, sub := kubeutils.ParseKindSelector(kind); name == "" || sub != "" && sub != "*" {
			wrong = append(wrong, fmt.Sprintf("resources.kinds: %s does not name a kind: write Kind, version/Kind or group/version/Kind", shortened(kind)))
		}
	}
	if r.Selector != nil {
		if _, err := metav1.LabelSelectorAsSelector(wildcards.ReplaceInSelector(r.Selector, nil)); err != nil {
			wrong = append(wrong, "resources.selector: "+err.Error())
		}
	}
	if len(r.Kinds)+len(r.Name)+len(r.Names)+len(r.Namespaces)+len(r.Annotations) == 0 && r.Selector == nil {
		wrong = append(wrong, "resources: no criterion has a value, so no object would fit: write one")
	}
	return wrong
}

func dropNulls(m map[string]json.RawMessage) {
	maps.DeleteFunc(m, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
}

func unknown(m map[string]json.RawMessage, at string, known ...string) []string {
	var wrong []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(known, key) {
			wrong = append(wrong, fmt.Sprintf("%s%s is not evaluated: use only %s", at, shortened(key), strings.Join(known, ", ")))
		}
	}
	return wrong
}

// mismatch returns what of an object does not fit, or "" if the object fits. It pays for all
// comparisons.
func (f filter) mismatch(o unstructured.Unstructured, w *work) string {
	var first string
	for _, r := range f.resources {
		why := r.mismatch(o, w)
		if why == "" && !f.all {
			return ""
		}
		if why != "" && first == "" {
			first = why
		}
	}
	return first
}

func (r resources) mismatch(o unstructured.Unstructured, w *work) string {
	name := o.GetName()
	if name == "" {
		name = o.GetGenerateName()
	}
	namespace := o.GetNamespace()
	if o.GetKind() == "Namespace" {
		namespace = o.GetName()
	}
	switch {
	case len(r.Kinds) > 0 && !slices.ContainsFunc(r.Kinds, func(kind string) bool { return w.isKind(kind, o) }):
		return fmt.Sprintf("its kind is %s", shortened(o.GetKind()))
	case r.Name != "" && !w.like(r.Name, name), len(r.Names) > 0 && !w.likeOne(r.Names, name):
		return fmt.Sprintf("its name is %s", show(name))
	case len(r.Namespaces) > 0 && !w.likeOne(r.Namespaces, namespace):
		return fmt.Sprintf("its namespace is %s", show(namespace))
	case !w.likeAll(r.Annotations, o.GetAnnotations()):
		return "its annotations do not fit"
	case r.Selector != nil && !w.selects(r.Selector, o.GetLabels()):
		return "its labels do not fit"
	}
	return ""
}

func (w *work) isKind(selector string, o unstructured.Unstructured) bool {
	gvk := o.GroupVersionKind()
	group, version, kind, _ := kubeutils.ParseKindSelector(selector)
	return w.like(group, gvk.Group) && w.like(version, gvk.Version) && w.like(kind, gvk.Kind)
}

// like reports whether a text matches a pattern with wildcards. It pays for the match first.
func (w *work) like(pattern, text string) bool {
	return w.wildcards(pattern, text) && wildcard.Match(pattern, text)
}

func (w *work) likeOne(patterns []string, text string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return w.like(p, text) })
}

func (w *work) likeAll(wanted, got map[string]string) bool {
	for name, value := range wanted {
		found := false
		for n, v := range got {
			found = found || w.like(name, n) && w.like(value, v)
		}
		if !found {
			return false
		}
	}
	return true
}

// selects reports whether a selector selects labels. Kyverno replaces a name and a value with
// wildcards with a label that matches them. If several labels match, it takes any of them, so the
// result is in doubt.
func (w *work) selects(selector *metav1.LabelSelector, got map[string]string) bool {
	for name, value := range selector.MatchLabels {
		var found []string
		for n, v := range got {
			if w.like(name, n) && w.like(value, v) {
				found = append(found, n)
			}
		}
		if len(found) > 1 && wildcard.ContainsWildcard(name) && len(selector.MatchExpressions)+len(selector.MatchLabels) > 1 {
			w.doubts(fmt.Sprintf("several labels match %s, and Kyverno takes any of them", name))
		}
	}
	if w.doubt != "" {
		return false
	}
	made, err := metav1.LabelSelectorAsSelector(wildcards.ReplaceInSelector(selector, got))
	if err != nil {
		w.doubts("the selector cannot be applied to the labels of the object")
		return false
	}
	return made.Matches(labels.Set(got))
}
