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

	"github.com/vmrules/vmrules/admission"
)

// apiServer serves an OpenShift template as an API server does, to a cache that lists and
// watches. Without a template, reading templates is forbidden.
func apiServer(t *testing.T, template string) *httptest.Server {
	t.Helper()
	const templates = "/apis/template.openshift.io/v1/templates"
	bodies := map[string]string{
		"/api":  `{"kind": "APIVersions", "versions": ["v1"]}`,
		"/apis": `{"kind": "APIGroupList", "apiVersion": "v1", "groups": []}`,
		"/apis/template.openshift.io/v1": `{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "template.openshift.io/v1",
			"resources": [{"name": "templates", "kind": "Template", "namespaced": true, "verbs": ["get", "list", "watch"]}]}`,
		templates: `{"kind": "TemplateList", "apiVersion": "template.openshift.io/v1", "metadata": {"resourceVersion": "9"}, "items": [` + template + `]}`,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body, ok := bodies[req.URL.Path]
		switch query := req.URL.Query(); {
		case template == "" && strings.HasSuffix(req.URL.Path, "/templates") || strings.Contains(req.URL.Path, "/templates/forbidden"):
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403, "message": "templates.template.openshift.io is forbidden"}`)
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

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// start runs the webhook beside an API server, and returns its ports, and what tells it to stop.
func start(t *testing.T, api *httptest.Server, options ...admission.Option) (reviews, health int, stop func()) {
	t.Helper()
	reviews, health = freePort(t), freePort(t)
	c := &config{host: "127.0.0.1", port: reviews, certDir: t.TempDir(), metrics: "0", health: fmt.Sprint("127.0.0.1:", health), options: options}
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
	return reviews, health, cancel
}

// reviewOf returns a review of the VM of the quickstart.
func reviewOf(t testing.TB) string {
	t.Helper()
	vm, err := os.ReadFile("../../testdata/quickstart/vm.json")
	if err != nil {
		t.Skip("this is the module alone, without the VM of the quickstart")
	}
	return `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "1", "operation": "CREATE", "namespace": "office",
		"kind": {"group": "kubevirt.io", "version": "v1", "kind": "VirtualMachine"}, "object": ` + string(vm) + `}}`
}

// The webhook that is deployed reads by a manager's cache, and is ready when that has read all.
func TestInCluster(t *testing.T) {
	review := reviewOf(t)
	api := apiServer(t, `{"apiVersion": "template.openshift.io/v1", "kind": "Template", "metadata": {"name": "windows-desktop", "namespace": "templates", "resourceVersion": "5",
		"annotations": {"validations": "[{\"name\": \"cores\", \"rule\": \"integer\", \"path\": \"jsonpath::.spec.domain.cpu.cores\", \"message\": \"too many\", \"max\": 8}]"}},
		"objects": [{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "spec": {"template": {"spec": {}}}}]}`)
	port, health, _ := start(t, api)
	readyz(t, health, "", http.StatusOK)
	readyz(t, health, "/Template.template.openshift.io", http.StatusOK)
	const other = "VirtualMachineTemplate.template.kubevirt.io"
	if got := readyz(t, health, "/"+other, http.StatusInternalServerError); !strings.Contains(got, "objects of "+other+" count as missing: ") {
		t.Error(got)
	}
	if got := ask(t, port, review); !strings.Contains(got, "too many (12 is more than max 8)") {
		t.Error(got)
	}
	if got := ask(t, port, strings.ReplaceAll(review, "windows-desktop", "nothing")); !strings.Contains(got, "the template templates/nothing, which the VM names, is not there") {
		t.Error(got)
	}
}

// A right that is missing is named, by the pod that is not ready and by each review.
func TestMissingRight(t *testing.T) {
	review := reviewOf(t)
	port, health, _ := start(t, apiServer(t, ""), admission.WithProtectedTemplates())
	const want = "templates.template.openshift.io is forbidden"
	if got := ask(t, port, strings.ReplaceAll(review, "windows-desktop", "forbidden")); !strings.Contains(got, "reading the Template templates/forbidden: "+want) {
		t.Error(got)
	}
	if got := readyz(t, health, "", http.StatusInternalServerError); !strings.Contains(got, "[-]Template.template.openshift.io failed") {
		t.Error(got)
	}
	if got := readyz(t, health, "/Template.template.openshift.io", http.StatusInternalServerError); !strings.Contains(got, want) {
		t.Error(got)
	}
}

// A webhook that is told to stop decides about what it has been asked, unless nobody waits for it.
func TestStops(t *testing.T) {
	review := strings.ReplaceAll(reviewOf(t), "windows-desktop", "slow")
	for _, leaves := range []bool{false, true} {
		t.Run(fmt.Sprint("the client leaves: ", leaves), func(t *testing.T) {
			api := apiServer(t, "{}")
			asked, found, others := make(chan struct{}), make(chan error, 2), api.Config.Handler
			finds, find := context.WithCancel(t.Context())
			api.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if strings.HasSuffix(req.URL.Path, "/templates/slow") {
					close(asked)
					select {
					case <-finds.Done():
					case <-req.Context().Done():
					}
					found <- req.Context().Err()
				}
				others.ServeHTTP(w, req)
			})
			port, health, stop := start(t, api)
			readyz(t, health, "", http.StatusOK)
			ctx, leave := context.WithCancel(t.Context())
			answer := make(chan string)
			go func() {
				text, _ := post(ctx, port, review) // the text is compared
				answer <- text
			}()
			<-asked
			if leaves {
				leave()
				if err := <-found; err == nil {
					t.Error("the template is still looked for")
				}
			}
			stop()
			address := fmt.Sprint("127.0.0.1:", port)
			for c, err := net.Dial("tcp", address); err == nil; c, err = net.Dial("tcp", address) {
				c.Close()
			}
			find()
			const want = "the template templates/slow, which the VM names, is not there"
			if got := <-answer; strings.Contains(got, want) == leaves {
				t.Errorf("the answer is %q", got)
			}
			leave()
		})
	}
}

// readyz waits until /readyz, or one of its checks, answers with a status, and returns its text.
func readyz(t *testing.T, port int, check string, status int) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		resp, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/readyz%s", port, check))
		if err == nil && resp.StatusCode == status {
			defer resp.Body.Close()
			text, _ := io.ReadAll(resp.Body)
			return string(text)
		}
		if time.Now().After(deadline) {
			t.Fatal(resp, err)
		}
	}
}

// ask returns the answer to a review, as soon as there is one.
func ask(t *testing.T, port int, review string) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		text, err := post(t.Context(), port, review)
		if err == nil {
			return text
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// post returns the answer to a review.
func post(ctx context.Context, port int, review string) (string, error) {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // admission tests certificates
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("https://127.0.0.1:%d/validate", port), strings.NewReader(review))
	if err != nil {
		return "", err
	}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}
