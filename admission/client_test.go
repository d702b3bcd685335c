package admission_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/vmrules/vmrules/admission"
)

// apiServer serves some kinds and objects as an API server does: 404 for everything else.
func apiServer(t *testing.T, bodies map[string]string) client.Reader {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body, ok := bodies[req.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			body = `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}`
		}
		if body == "down" {
			w.WriteHeader(http.StatusServiceUnavailable)
			body = `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "ServiceUnavailable", "code": 503, "message": "it is down"}`
		}
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	c, err := client.New(&rest.Config{Host: server.URL}, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A cache copies nothing for a review: a template may have megabytes, and any number of reviews may name it.
func TestNothingIsCopied(t *testing.T) {
	asked := 0
	shared := func(unsafe *bool) {
		if asked++; unsafe == nil || !*unsafe {
			t.Errorf("copied")
		}
	}
	c := interceptor.NewClient(cluster(t, linux, vm(fromLinux, "", cores1)), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			shared((&client.GetOptions{}).ApplyOptions(opts).UnsafeDisableDeepCopy)
			return c.Get(ctx, key, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			shared((&client.ListOptions{}).ApplyOptions(opts).UnsafeDisableDeepCopy)
			return c.List(ctx, list, opts...)
		},
	})
	r := reviewer(t, c, admission.WithProtectedTemplates())
	r.Handle(t.Context(), request("CREATE", vm(fromLinux, "", cores12), ""))
	r.Handle(t.Context(), ofKind(request("DELETE", "", linux), "template.openshift.io/v1", "Template"))
	if asked < 2 {
		t.Error("not asked")
	}
}

func group(name, version string) string {
	return fmt.Sprintf(`{"kind": "APIGroup", "apiVersion": "v1", "name": %q, "versions": [{"groupVersion": "%s/%s", "version": %q}],
		"preferredVersion": {"groupVersion": "%s/%s", "version": %q}}`, name, name, version, version, name, version, version)
}

func resources(groupVersion, resource, kind string, namespaced bool) string {
	return fmt.Sprintf(`{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": %q, "resources": [
		{"name": %q, "kind": %q, "namespaced": %t, "verbs": ["get", "list"]}]}`, groupVersion, resource, kind, namespaced)
}

// With the client of a real cluster, a kind that is not installed counts as a missing object,
// and whatever else fails is an error.
func TestClient(t *testing.T) {
	none := map[string]string{"/api": `{"kind": "APIVersions", "versions": ["v1"]}`, "/apis": `{"kind": "APIGroupList", "apiVersion": "v1", "groups": []}`}
	openShift := map[string]string{
		"/apis/template.openshift.io":    group("template.openshift.io", "v1"),
		"/apis/template.openshift.io/v1": resources("template.openshift.io/v1", "templates", "Template", true),
	}
	const path = "/apis/template.openshift.io/v1/namespaces/templates/templates/linux"
	missing := warned("Not decided: the template templates/linux, which the VM names, is not there")
	for _, test := range []struct {
		name   string
		bodies []map[string]string
		want   answer
	}{
		{"no kind", nil, missing},
		{"no template", []map[string]string{openShift}, missing},
		{"a template", []map[string]string{openShift, {path: linux}}, refused},
		{"a template of KubeVirt in an old version", []map[string]string{{
			"/apis/template.kubevirt.io":          group("template.kubevirt.io", "v1alpha1"),
			"/apis/template.kubevirt.io/v1alpha1": resources("template.kubevirt.io/v1alpha1", "virtualmachinetemplates", "VirtualMachineTemplate", true),
			"/apis/template.kubevirt.io/v1alpha1/namespaces/templates/virtualmachinetemplates/linux": kubeVirtTemplate("v1alpha1", "templates", "linux", coresRule),
		}}, refused},
		{"a template that cannot be read", []map[string]string{openShift, {path: "down"}}, answer{Code: 500, Message: "vmrules cannot validate the request: reading the Template templates/linux: it is down"}},
		{"a kind that is down", []map[string]string{{"/apis/template.openshift.io": group("template.openshift.io", "v1"), "/apis/template.openshift.io/v1": "down"}}, answer{Code: 500, Message: "vmrules cannot validate the request: reading the Template templates/linux: " +
			"failed to get API group resources: unable to retrieve the complete list of server APIs: template.openshift.io/v1: it is down"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			bodies := maps.Clone(none)
			for _, more := range test.bodies {
				maps.Copy(bodies, more)
			}
			r := reviewer(t, apiServer(t, bodies))
			for range 2 { // the second time, the reviewer knows what is not installed
				got := answerOf(r.Handle(t.Context(), request("CREATE", vm(fromLinux, "", cores12), "")))
				if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}
