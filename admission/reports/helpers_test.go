package reports

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/vmrules/vmrules/admission/internal/backlog"
	"github.com/vmrules/vmrules/admission/internal/review"
	"github.com/vmrules/vmrules/openreports"
)

// A world is a cluster with a keeper.
type world struct {
	*keeper
	t      *testing.T
	client client.WithWatch
	done   []string // reads of VMs and writes
	fails  func(what string) error
}

// newWorld returns a cluster with VMs and templates, each a text of JSON.
func newWorld(t *testing.T, settings review.Settings, objects ...string) *world {
	t.Helper()
	w := &world{t: t, fails: func(string) error { return nil }}
	all := runtime.NewScheme()
	if err := installReports(all); err != nil {
		t.Fatal(err)
	}
	for _, kinds := range review.Kinds() {
		all.AddKnownTypeWithName(kinds[0], &unstructured.Unstructured{})
		all.AddKnownTypeWithName(kinds[0].GroupVersion().WithKind(kinds[0].Kind+"List"), &unstructured.UnstructuredList{})
	}
	w.client = fake.NewClientBuilder().WithScheme(all).
		WithIndex(&apiReport{}, byVM, ownerOf).
		WithInterceptorFuncs(interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				if u, ok := o.(*unstructured.Unstructured); ok && u.GetKind() == review.VMKind.Kind {
					w.note("read", key.Name)
				}
				return c.Get(ctx, key, o, opts...)
			},
			Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
				if err := w.note("create", o); err != nil {
					return err
				}
				return c.Create(ctx, o, opts...)
			},
			Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
				if err := w.note("update", o); err != nil {
					return err
				}
				return c.Update(ctx, o, opts...)
			},
			Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
				if err := w.note("delete", o); err != nil {
					return err
				}
				return c.Delete(ctx, o, opts...)
			},
		}).Build()
	w.keeper = &keeper{
		reviewer: review.New(w, settings), vms: w.client, reports: w.client, live: w.client, started: time.Now(),
		limiter: rate.NewLimiter(rate.Inf, 1), backlog: backlog.New(), leads: func() bool { return true },
	}
	for _, text := range objects {
		w.write(text)
	}
	return w
}

func (w *world) note(what string, about any) error {
	switch o := about.(type) {
	case string:
		w.done = append(w.done, what+" "+o)
	case *unstructured.Unstructured:
		if o.GetKind() != openreports.Kind {
			return nil // a test writes it
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(o.Object, &apiReport{}, true); err != nil {
			w.t.Error(err)
		}
		w.done = append(w.done, what+" "+o.GetName())
	default:
		return nil
	}
	return w.fails(what)
}

// Get implements review.Cluster.
func (w *world) Get(ctx context.Context, kind schema.GroupVersionKind, namespace, name string, isCached bool) (map[string]any, error) {
	if isCached {
		return nil, nil
	}
	var o unstructured.Unstructured
	o.SetGroupVersionKind(kind)
	if err := w.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &o); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return o.Object, nil
}

// VMs implements review.Cluster.
func (w *world) VMs(context.Context, string) ([]metav1.PartialObjectMetadata, error) {
	panic("only a deletion asks for it")
}

// write creates an object, or updates it.
func (w *world) write(text string) {
	w.t.Helper()
	var o unstructured.Unstructured
	if err := json.Unmarshal([]byte(text), &o.Object); err != nil {
		w.t.Fatalf("%v: %s", err, text)
	}
	old := o.DeepCopy()
	err := w.client.Get(w.t.Context(), client.ObjectKeyFromObject(&o), old)
	if err == nil {
		o.SetResourceVersion(old.GetResourceVersion())
		err = w.client.Update(w.t.Context(), &o)
	} else {
		err = w.client.Create(w.t.Context(), &o)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// remove deletes an object.
func (w *world) remove(text string) {
	w.t.Helper()
	var o unstructured.Unstructured
	if err := json.Unmarshal([]byte(text), &o.Object); err != nil {
		w.t.Fatal(err)
	}
	if err := w.client.Delete(w.t.Context(), &o); err != nil {
		w.t.Fatal(err)
	}
}

// judge judges VMs of the namespace office that have changed, and returns what that has read and written.
func (w *world) judge(names ...string) []string {
	w.t.Helper()
	w.done = nil
	for _, name := range names {
		w.backlog.Add(types.NamespacedName{Namespace: "office", Name: name}, time.Now())
	}
	for _, name := range names {
		w.again(name)
	}
	return w.done
}

func (w *world) again(name string) {
	w.t.Helper()
	if _, err := w.Reconcile(w.t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "office", Name: name}}); err != nil {
		w.done = append(w.done, "error: "+err.Error())
	}
}

// results returns what the Reports say: name, summary, then result, rule and message.
func (w *world) results() (all []string) {
	w.t.Helper()
	var list apiReportList
	if err := w.client.List(w.t.Context(), &list); err != nil {
		w.t.Fatal(err)
	}
	for _, r := range list.Items {
		lines := []string{r.Name + " by " + r.Annotations["vmrules.io/policy"]}
		for _, result := range r.Results {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s: %s", result.Result, result.Rule, result.Description)))
		}
		all = append(all, strings.Join(lines, "; "))
	}
	return all
}

const ofLinux = `"labels": {"vm.kubevirt.io/template": "linux", "vm.kubevirt.io/template.namespace": "templates"}`

// vm returns a VM with metadata, and cores.
func vm(name, uid, metadata string, cores int) string {
	if metadata != "" {
		metadata = ", " + metadata
	}
	return fmt.Sprintf(`{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": %q, "namespace": "office", "uid": %q%s},
		"spec": {"template": {"spec": {"domain": {"cpu": {"cores": %d}}}}}}`, name, uid, metadata, cores)
}

// rule returns a rule about cores.
func rule(name string, most int) string {
	return fmt.Sprintf(`{"name": %q, "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "at most %d", "max": %d}`, name, most, most)
}

func annotations(key string, rules ...string) string {
	text, _ := json.Marshal("[" + strings.Join(rules, ",") + "]")
	return fmt.Sprintf(`"annotations": {%q: %s}`, key, text)
}

// template returns an OpenShift template in the namespace templates.
func template(name string, rules ...string) string { return templateIn("templates", name, rules...) }

func templateIn(namespace, name string, rules ...string) string {
	return fmt.Sprintf(`{"apiVersion": "template.openshift.io/v1", "kind": "Template", "metadata": {"name": %q, "namespace": %q, "uid": "t", %s},
		"objects": [{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "spec": {"template": {"spec": {}}}}]}`, name, namespace, annotations("validations", rules...))
}

func metadataIn(t *testing.T, text string) *metav1.PartialObjectMetadata {
	t.Helper()
	var o metav1.PartialObjectMetadata
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	return &o
}
