package admission_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	ctrl "sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// A server is controller-runtime's webhook server with a handler at /validate.
type server struct {
	folder, url string // of the certificate; of the handler
}

func serve(t *testing.T, handler http.Handler) *server {
	t.Helper()
	s := &server{folder: t.TempDir()}
	s.certify(t)
	port := freePort(t)
	s.url = fmt.Sprintf("https://127.0.0.1:%d/validate", port)
	w := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: s.folder})
	w.Register("/validate", handler)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	for w.StartedChecker()(nil) != nil {
		select {
		case err := <-ended:
			ended <- err
			t.Fatal(err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	return s
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// certify gives the server a new certificate.
func (s *server) certify(t *testing.T) {
	t.Helper()
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"tls.key": key, "tls.crt": certificate} {
		if err := os.WriteFile(filepath.Join(s.folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// client returns a client that trusts the present certificate of the server, and no other.
func (s *server) client(t *testing.T) *http.Client {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.folder, "tls.crt"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// post returns the HTTP status and the body of the answer to a body.
func (s *server) post(c *http.Client, body []byte) (int, []byte, error) {
	resp, err := c.Post(s.url, "application/json", bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, text, err
}

// reviewOf returns an AdmissionReview as an API server sends it.
func reviewOf(t testing.TB, req ctrl.Request) []byte {
	t.Helper()
	text, err := json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"}, Request: &req.AdmissionRequest,
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// read returns the response in a body.
func read(body []byte) (*admissionv1.AdmissionResponse, error) {
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(body, &review); err != nil {
		return nil, fmt.Errorf("%w: %s", err, body)
	}
	if review.Response == nil {
		return nil, fmt.Errorf("there is no response: %s", body)
	}
	return review.Response, nil
}

func TestHTTPS(t *testing.T) {
	s := serve(t, reviewer(t, cluster(t, linux)))
	_, body, err := s.post(s.client(t), reviewOf(t, request("CREATE", vm(fromLinux, "", cores12), "")))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1",
		"response": map[string]any{
			"uid": "1", "allowed": false,
			"status": map[string]any{
				"metadata": map[string]any{}, "status": "Failure", "code": 422.0, "reason": "Invalid",
				"message": `the object is not valid: spec.template.spec.domain.cpu.cores: Invalid value: 12: at most 8 cores (12 is more than max 8)`,
				"details": map[string]any{
					"name": "reception", "group": "kubevirt.io", "kind": "VirtualMachine",
					"causes": []any{map[string]any{
						"reason": "FieldValueInvalid", "field": "spec.template.spec.domain.cpu.cores", "message": "at most 8 cores (12 is more than max 8)",
					}},
				},
			},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A new certificate is served without a restart.
func TestCertificateIsReloaded(t *testing.T) {
	s := serve(t, reviewer(t, cluster(t)))
	body := reviewOf(t, request("CREATE", vm("", "", cores1), ""))
	before := s.client(t)
	if _, _, err := s.post(before, body); err != nil {
		t.Fatal(err)
	}
	s.certify(t)
	after := s.client(t)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		_, _, err := s.post(after, body)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// Without a decision, the status of HTTP says so, and the failurePolicy of the webhook decides.
func TestHTTPSFails(t *testing.T) {
	s := serve(t, reviewer(t, failing(cluster(t), map[string]error{"Template": fmt.Errorf("the API server is down")})))
	c := s.client(t)
	status, body, err := s.post(c, reviewOf(t, request("CREATE", vm(fromLinux, "", cores1), "")))
	if err != nil {
		t.Fatal(err)
	}
	want := "vmrules cannot validate the request: reading the Template templates/linux: the API server is down\n"
	if status != http.StatusInternalServerError || string(body) != want {
		t.Errorf("%d: %s", status, body)
	}
	status, _, err = s.post(c, reviewOf(t, request("CREATE", vm("", "", cores1), "")))
	if err != nil || status != http.StatusOK {
		t.Errorf("a review after that: %d, %v", status, err)
	}
}

func TestConcurrentReviews(t *testing.T) {
	// All are on their way at the same time: a connection takes 250.
	const connections, streams = 40, 250
	const n = connections * streams
	s := serve(t, reviewer(t, cluster(t, linux, template("templates", "other", memoryRule), instanceType("u1", 1, "2Gi"))))
	other := strings.Replace(fromLinux, "linux", "other", 1)
	cases := []struct {
		body    []byte
		allowed bool
	}{
		{reviewOf(t, request("CREATE", vm(fromLinux, "", cores1), "")), true},
		{reviewOf(t, request("CREATE", vm(fromLinux, "", cores12), "")), false},
		{reviewOf(t, request("UPDATE", vm(fromLinux, "", cores12), vm(fromLinux, "", cores12))), true},
		{reviewOf(t, request("CREATE", vm(other, "", cores1), "")), false},
		{reviewOf(t, request("CREATE", vm(other, `"instancetype": {"name": "u1"}, `, ""), "")), true},
		{reviewOf(t, request("CREATE", vm(withRules(coresRule), "", cores12), "")), false},
	}
	clients := make([]*http.Client, connections)
	for i := range clients {
		clients[i] = s.client(t)
		if _, _, err := s.post(clients[i], cases[0].body); err != nil {
			t.Fatal(err)
		}
	}
	wrong := make(chan string, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			test := cases[i%len(cases)]
			_, body, err := s.post(clients[i/streams], test.body)
			if err != nil {
				wrong <- err.Error()
				return
			}
			if resp, err := read(body); err != nil || resp.Allowed != test.allowed || resp.UID != "1" {
				wrong <- fmt.Sprintf("case %d: %v, %s", i%len(cases), err, body)
			}
		})
	}
	group.Wait()
	close(wrong)
	for text := range wrong {
		t.Fatalf("%d of %d reviews are wrong, such as: %s", len(wrong)+1, n, text)
	}
}

// What is not an AdmissionReview is not answered by one.
func TestNoReview(t *testing.T) {
	s := serve(t, reviewer(t, cluster(t)))
	c := s.client(t)
	good := string(reviewOf(t, request("CREATE", vm("", "", cores1), "")))
	for from, to := range map[string]string{
		"admission.k8s.io/v1": "example.com/v1", "k8s.io/v1\"": "k8s.io/v7\"", "AdmissionReview": "ConversionReview", good: "null",
	} {
		status, body, err := s.post(c, []byte(strings.Replace(good, from, to, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(string(body), "send an AdmissionReview of admission.k8s.io/v1\n") || status != http.StatusBadRequest {
			t.Errorf("%s: %d, %s", to, status, body)
		}
	}
}

func TestHostileBodies(t *testing.T) {
	s := serve(t, reviewer(t, cluster(t, linux)))
	c := s.client(t)
	good := string(reviewOf(t, request("CREATE", vm(fromLinux, "", cores1), "")))
	nested := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
	deep := strings.Repeat(`{"a":`, 2_000) + "1" + strings.Repeat("}", 2_000)
	for _, test := range []struct {
		name, body string
		code       int32
	}{
		{"nothing", "", 400},
		{"not JSON", "\x00\xff", 400},
		{"truncated", good[:len(good)/2], 400},
		{"10 MB", strings.Replace(good, `"uid":"1"`, `"uid":"`+strings.Repeat("1", 10<<20)+`"`, 1), 413},
		{"a large object", string(reviewOf(t, request("CREATE", vm(`, "x": "`+strings.Repeat("x", 4<<20)+`"`, "", cores1), ""))), 400},
		{"no request", `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}`, 400},
		{"nested", nested, 400},
		{"a nested object", strings.Replace(good, `"spec":{"template"`, `"x":`+nested+`,"spec":{"template"`, 1), 400},
		{"an object nested less deeply", strings.Replace(good, `"spec":{"template"`, `"x":`+deep+`,"spec":{"template"`, 1), 400},
		{"a list for an object", strings.Replace(good, `"object":{`, `"object":[],"x":{`, 1), 400},
		{"metadata that is a text", string(reviewOf(t, request("CREATE", `{"kind": "VirtualMachine", "metadata": "x", "spec": "y"}`, ""))), 422},
		{"labels that are numbers", string(reviewOf(t, request("CREATE", vm(`, "labels": 7, "annotations": [7]`, `"instancetype": 7, `, cores1), ""))), 422},
		{"an annotation that is a number", string(reviewOf(t, request("CREATE", vm(`, "annotations": {"vm.kubevirt.io/validations": 7}`, "", cores1), ""))), 422},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, body, err := s.post(c, []byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := read(body)
			if err != nil || status != http.StatusOK {
				t.Fatalf("%d, %v", status, err)
			}
			if resp.Allowed != (test.code == 200) || resp.Result.Code != test.code {
				t.Errorf("%.500s", body)
			}
		})
	}
}
