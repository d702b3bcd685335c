package kyverno

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kyverno/kyverno/ext/wildcard"
	kubeutils "github.com/kyverno/kyverno/pkg/utils/kube"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	kjson "sigs.k8s.io/json"

	"github.com/vmrules/vmrules"
)

// A filter selects objects. It is the block match or exclude of a policy.
type filter struct {
	size      int  // of its text in bytes
	all       bool // whether an object must fit all resources, and not only one of them
	resources []*resources
}

// A block is the text of a filter. It has one of its members.
type block struct {
	Resources *resources  `json:"resources"`
	Any       []blockItem `json:"any"`
	All       []blockItem `json:"all"`
}

type blockItem struct {
	Resources *resources `json:"resources"`
}

// resources has the criteria of a block resources. An object must fit all criteria that are
// set, and of a list, one item.
type resources struct {
	Kinds      []string              `json:"kinds"`
	Name       string                `json:"name"`
	Names      []string              `json:"names"`
	Namespaces []string              `json:"namespaces"`
	Selector   *metav1.LabelSelector `json:"selector"`

	selector labels.Selector // from Selector
}

// decode reads JSON like the API server. It returns what is wrong: fields that v does not have,
// because they would not be evaluated, or that have another type there.
func decode(text []byte, v any) []mistake {
	unknown, err := kjson.UnmarshalStrict(text, v)
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mistyped):
		want := typeNames.Replace(mistyped.Type.Kind().String())
		return []mistake{{at: stepsOf(mistyped.Field), message: fmt.Sprintf("must be of type %s, not %s", want, shortened(mistyped.Value))}}
	case err != nil:
		return []mistake{{message: "cannot be read: " + err.Error()}}
	}
	var wrong []mistake
	for _, e := range unknown {
		wrong = append(wrong, mistake{at: stepsOf(e.(kjson.FieldError).FieldPath()), message: "this is not evaluated: remove it"})
	}
	return wrong
}

// typeNames translates the names of Go's types to those of JSON.
var typeNames = strings.NewReplacer("slice", "array", "struct", "object", "map", "object")

// readFilter reads a block match or exclude, and returns all that is wrong with it. If the budget
// of the call is spent, it returns nothing.
func readFilter(s vmrules.RuleSource, raw json.RawMessage) (filter, []mistake) {
	if s.Spend(time.Duration(len(raw))*byteWork, int64(len(raw))*byteSize) != nil {
		return filter{}, nil
	}
	var b block
	if wrong := decode(raw, &b); wrong != nil {
		return filter{}, wrong
	}
	lists := [][]blockItem{b.Any, b.All}
	if b.Resources != nil {
		lists = append(lists, []blockItem{{b.Resources}})
	}
	lists = slices.DeleteFunc(lists, func(list []blockItem) bool { return list == nil })
	if len(lists) != 1 || len(lists[0]) == 0 {
		return filter{}, []mistake{{message: "must have exactly one of resources, any and all, which says what an object must fit"}}
	}
	f := filter{size: len(raw), all: b.All != nil}
	var wrong []mistake
	for _, item := range lists[0] {
		f.resources = append(f.resources, item.Resources)
		wrong = append(wrong, item.Resources.check()...)
	}
	return f, wrong
}

// check reads the selector, and returns what is wrong with the criteria.
func (r *resources) check() (wrong []mistake) {
	refuse := func(format string, args ...any) {
		wrong = append(wrong, mistake{message: fmt.Sprintf(format, args...)})
	}
	if r == nil || len(r.Kinds)+len(r.Name)+len(r.Names)+len(r.Namespaces) == 0 && r.Selector == nil {
		refuse("resources: no criterion has a value, so no object would fit: write one of kinds, name, names, namespaces, selector")
		return wrong
	}
	for _, kind := range r.Kinds {
		if _, _, name, sub := kubeutils.ParseKindSelector(kind); name == "" || sub != "" && sub != "*" {
			refuse("resources.kinds: %s does not name a kind: write Kind, version/Kind or group/version/Kind", shortened(kind))
		}
	}
	var err error
	if r.selector, err = metav1.LabelSelectorAsSelector(r.Selector); err != nil {
		refuse("resources.selector: %v", err)
	}
	return wrong
}

// mismatch returns what of an object does not fit, or "" if the object fits. It pays for all
// comparisons.
func (f filter) mismatch(o *object, w *work) string {
	w.spend(f.size)
	var first string
	for _, r := range f.resources {
		why := r.mismatch(o, w)
		if why == "" && !f.all {
			return ""
		}
		first = cmp.Or(first, why)
	}
	return first
}

func (r *resources) mismatch(o *object, w *work) string {
	name, namespace := cmp.Or(o.Metadata.Name, o.Metadata.GenerateName), o.Metadata.Namespace
	if o.Kind == "Namespace" {
		namespace = o.Metadata.Name
	}
	switch {
	case len(r.Kinds) > 0 && !slices.ContainsFunc(r.Kinds, func(kind string) bool { return w.isKind(kind, o) }):
		return fmt.Sprintf("its kind is %s", shortened(o.Kind))
	case r.Name != "" && !w.like(r.Name, name), len(r.Names) > 0 && !w.likeOne(r.Names, name):
		return fmt.Sprintf("its name is %s", show(name))
	case len(r.Namespaces) > 0 && !w.likeOne(r.Namespaces, namespace):
		return fmt.Sprintf("its namespace is %s", show(namespace))
	case r.Selector != nil && !r.selector.Matches(labels.Set(o.Metadata.Labels)):
		return "its labels do not fit"
	}
	return ""
}

func (w *work) isKind(selector string, o *object) bool {
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
