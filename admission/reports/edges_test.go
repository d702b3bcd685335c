package reports

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/vmrules/vmrules/admission/internal/review"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/openreports"
)

// A Report says of a VM what the library's report says.
func TestEdges(t *testing.T) {
	const testdata = "../../../testdata"
	if _, err := os.Stat(testdata); err != nil {
		t.Skip("this is the module alone, without the objects of the edges")
	}
	conformance.RunEdges(t, testdata, "admission_reports.json", map[string]conformance.Edge{"keeper.Reconcile": reported})
}

// reported returns the results of the Reports about the VMs in an object.
func reported(t *testing.T, object json.RawMessage, templates []json.RawMessage) string {
	w := newWorld(t, review.Settings{})
	w.reviewer = review.New(unclear{w}, review.Settings{})
	for _, template := range templates {
		if !strings.Contains(string(template), `"unclear"`) { // of which there are two
			w.write(string(template))
		}
	}
	var given struct {
		Kind  string
		Items []json.RawMessage
	}
	if object != nil {
		if err := json.Unmarshal(object, &given); err != nil {
			t.Fatal(err)
		}
	}
	if given.Kind == review.VMKind.Kind {
		given.Items = []json.RawMessage{object}
	}
	var all []string
	for _, item := range given.Items {
		all = append(all, w.reportOn(item))
	}
	return cmp.Or(strings.Join(all, ", "), "not watched")
}

// reportOn returns the result of the Report about an object.
func (w *world) reportOn(text json.RawMessage) string {
	var o unstructured.Unstructured
	if err := json.Unmarshal(text, &o.Object); err != nil {
		w.t.Fatal(err)
	}
	if o.GetKind() != review.VMKind.Kind {
		return "not watched"
	}
	o.SetUID(types.UID(o.GetName()))
	whole, err := o.MarshalJSON()
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(string(whole))
	key := client.ObjectKeyFromObject(&o)
	if _, err := w.Reconcile(w.t.Context(), reconcile.Request{NamespacedName: key}); err != nil {
		return "tried again"
	}
	var r apiReport
	key.Name = "vmrules-" + key.Name
	switch err := w.client.Get(w.t.Context(), key, &r); {
	case client.IgnoreNotFound(err) != nil:
		w.t.Fatal(err)
	case err != nil:
		return "no report"
	}
	return r.Labels[openreports.ResultLabel]
}

// unclear is a cluster in which a template of this name cannot be looked up.
type unclear struct{ review.Cluster }

func (c unclear) Get(ctx context.Context, kind schema.GroupVersionKind, namespace, name string, isCached bool) (map[string]any, error) {
	if name == "unclear" {
		return nil, errors.New("it is down")
	}
	return c.Cluster.Get(ctx, kind, namespace, name, isCached)
}
