package review_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/admission/internal/review"
)

// A cluster has templates of OpenShift, instance types of version v1, VMs, and no other kind.
// All reviews share its objects.
type cluster struct {
	objects map[string]map[string]any // by kind, name and, for a template, version
	asked   atomic.Int64              // how often Get was called
	absent  func()                    // called before the answer that a kind is absent
}

// versionKey is the key of a context's int that says which version of a template there is.
type versionKey struct{}

const templates, versions = 199, 3 // more of both together than are cached

// limit returns how many cores a version of a template allows.
func limit(template, version int) int { return 100*template + version + 1 }

func newCluster(t testing.TB) *cluster {
	t.Helper()
	c := &cluster{absent: func() {}, objects: map[string]map[string]any{
		"VirtualMachineClusterInstancetype small": object(t, `{"apiVersion": "instancetype.kubevirt.io/v1", "kind": "VirtualMachineClusterInstancetype",
			"metadata": {"name": "small"}, "spec": {"cpu": {"guest": 1}, "memory": {"guest": "512Mi"}}}`),
	}}
	for i := range templates {
		for v := range versions {
			c.objects[fmt.Sprintf("Template t%d %d", i, v)] = object(t, template(i, v))
		}
	}
	return c
}

func (c *cluster) Get(ctx context.Context, kind schema.GroupVersionKind, _, name string, isCached bool) (map[string]any, error) {
	if isCached {
		return nil, nil
	}
	c.asked.Add(1)
	switch kind.GroupVersion().String() {
	case "template.openshift.io/v1":
		name = fmt.Sprint(name, " ", ctx.Value(versionKey{}))
	case "instancetype.kubevirt.io/v1":
	default:
		c.absent()
		return nil, review.ErrNoKind
	}
	return c.objects[kind.Kind+" "+name], nil
}

func (c *cluster) VMs(_ context.Context, label string) ([]metav1.PartialObjectMetadata, error) {
	if label == "" {
		return nil, errors.New("all VMs are listed, although one has the label")
	}
	labels := map[string]string{"vm.kubevirt.io/template": label, "vm.kubevirt.io/template.namespace": "templates"}
	return []metav1.PartialObjectMetadata{
		{ObjectMeta: metav1.ObjectMeta{Namespace: "office", Name: "kitchen"}},
		{ObjectMeta: metav1.ObjectMeta{Namespace: "office", Name: "reception", Labels: labels}},
	}, nil
}

func object(t testing.TB, text string) map[string]any {
	t.Helper()
	o, err := vmrules.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func template(i, version int) string {
	return fmt.Sprintf(`{"apiVersion": "template.openshift.io/v1", "kind": "Template",
		"metadata": {"namespace": "templates", "name": "t%d", "resourceVersion": "%d", "annotations": {"validations": %q}},
		"objects": [{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "spec": {"template": {"spec": {}}}}]}`, i, version, rules(limit(i, version)))
}

func rules(cores int) string {
	return fmt.Sprintf(`[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "too many", "max": %d},
		{"name": "memory", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "valid": "jsonpath::.spec.domain.memory.guest",
		"message": "too little", "min": 1073741824}]`, cores)
}

// vm returns a VM with labels or annotations, a part of its spec beside the template, and a
// domain.
func vm(metadata, spec, domain string) string {
	return fmt.Sprintf(`{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "reception", "namespace": "office", %s},
		"spec": {%s"template": {"spec": {"domain": {%s}}}}}`, metadata, spec, domain)
}

// from returns the labels of a VM that was made from a template.
func from(template string) string {
	return fmt.Sprintf(`"labels": {"vm.kubevirt.io/template": %q, "vm.kubevirt.io/template.namespace": "templates"}`, template)
}

// own returns the annotation of a VM with rules of its own.
func own(rules string) string {
	return fmt.Sprintf(`"annotations": {"vm.kubevirt.io/validations": %q}`, rules)
}
