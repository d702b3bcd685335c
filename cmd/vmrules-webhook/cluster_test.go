package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

// apiServer serves an OpenShift template as an API server does, to a cache that lists and
// watches.
func apiServer(t *testing.T, template string) *httptest.Server {
	t.Helper()
	bodies := map[string]string{
		"/api":  `{"kind": "APIVersions", "versions": ["v1"]}`,
		"/apis": `{"kind": "APIGroupList", "apiVersion": "v1", "groups": []}`,
		"/apis/template.openshift.io/v1": `{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "template.openshift.io/v1",
			"resources": [{"name": "templates", "kind": "Template", "namespaced": true, "verbs": ["get", "list", "watch"]}]}`,
		"/apis/template.openshift.io/v1/templates": `{"kind": "TemplateList", "apiVersion": "template.openshift.io/v1", "metadata": {"resourceVersion": "9"}, "items": [` + template + `]}`,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body, ok := bodies[req.URL.Path]
		switch query := req.URL.Query(); {
		case query.Has("sendInitialEvents"): // as API servers that cannot list by watching
			http.Error(w, "", http.StatusUnprocessableEntity)
		case query.Has("watch"):
			w.(http.Flusher).Flush()
			<-req.Context().Done()
		case !ok:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}`)
		default:
			fmt.Fprint(w, body)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// The webhook that is deployed reads by a manager's cache.
func TestInCluster(t *testing.T) {
	api := apiServer(t, `{"apiVersion": "template.openshift.io/v1", "kind": "Template", "metadata": {"name": "windows-desktop", "namespace": "templates", "resourceVersion": "5",
		"annotations": {"validations": "[{\"name\": \"cores\", \"rule\": \"integer\", \"path\": \"jsonpath::.spec.domain.cpu.cores\", \"message\": \"too many\", \"max\": 8}]"}},
		"objects": [{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "spec": {"template": {"spec": {}}}}]}`)
	c := &config{host: "127.0.0.1", port: freePort(t), certDir: t.TempDir(), metrics: "0", health: "0"}
	if err := writeCertificate(c.certDir); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- c.runInCluster(ctx, webhook.NewServer(webhook.Options{Host: c.host, Port: c.port, CertDir: c.certDir}), &rest.Config{Host: api.URL})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	vm, err := os.ReadFile("../../testdata/quickstart/vm.json")
	if err != nil {
		t.Skip("this is the module alone, without the VM of the quickstart")
	}
	review := `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "1", "operation": "CREATE", "namespace": "office",
		"kind": {"group": "kubevirt.io", "version": "v1", "kind": "VirtualMachine"}, "object": ` + string(vm) + `}}`
	if got := ask(t, c.port, review); !strings.Contains(got, "too many (12 is more than max 8)") {
		t.Error(got)
	}
	if got := ask(t, c.port, strings.ReplaceAll(review, "windows-desktop", "nothing")); !strings.Contains(got, "the template templates/nothing, which the VM names, does not exist") {
		t.Error(got)
	}
}

// ask returns the answer to a review, as soon as there is one.
func ask(t *testing.T, port int, review string) string {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // admission tests certificates
	defer transport.CloseIdleConnections()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		resp, err := (&http.Client{Transport: transport}).Post(fmt.Sprintf("https://127.0.0.1:%d/validate", port), "application/json", strings.NewReader(review))
		if err == nil {
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			return string(body)
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}
