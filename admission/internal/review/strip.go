package review

import (
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Strip is a transformation for caches. It leaves out managedFields, and of metadata that is cached alone the
// annotations of others.
func Strip(o any) (any, error) {
	if m, ok := o.(*metav1.PartialObjectMetadata); ok {
		maps.DeleteFunc(m.Annotations, func(name, _ string) bool {
			return !strings.HasPrefix(name, "vm.kubevirt.io/") && !strings.HasPrefix(name, "vmrules.io/")
		})
	}
	if m, err := meta.Accessor(o); err == nil {
		m.SetManagedFields(nil)
	}
	return o, nil
}
