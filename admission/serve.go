package admission

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/api/admission/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/vmrules/vmrules/admission/internal/review"
)

// undecidedKey is the key of a context's *string that says why a request is not decided.
type undecidedKey struct{}

// maxReview is more bytes than controller-runtime accepts.
const maxReview = 8 << 20

// ServeHTTP answers an AdmissionReview. If there is no decision, because the cluster cannot be
// asked, it answers with the status 500, so that the failurePolicy of the webhook decides. A
// Webhook of controller-runtime always answers with an AdmissionReview, which would refuse
// the request.
func (r *Reviewer) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(io.LimitReader(req.Body, maxReview))
	if err == nil {
		err = checkReview(body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var undecided string
	req = req.WithContext(context.WithValue(req.Context(), undecidedKey{}, &undecided))
	req.Body = io.NopCloser(bytes.NewReader(body))
	answer := recorder{header: w.Header()}
	r.webhook.ServeHTTP(&answer, req)
	if undecided != "" {
		http.Error(w, undecided, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer.body.Bytes()) // an error means that nobody waits for the answer
}

// checkReview returns an error for a JSON object of another kind than an AdmissionReview, which
// controller-runtime would take for one. It does not say what else is wrong.
func checkReview(body []byte) error {
	var got metav1.TypeMeta
	if err := json.Unmarshal(body, &got); err != nil {
		return nil
	}
	isReview := got.APIVersion == admissionv1.SchemeGroupVersion.String() || got.APIVersion == v1beta1.SchemeGroupVersion.String()
	if isReview && got.Kind == "AdmissionReview" {
		return nil
	}
	return fmt.Errorf("the body has the kind %q and the apiVersion %q: send an AdmissionReview of %s", review.Shorten(got.Kind, review.MaxName), review.Shorten(got.APIVersion, review.MaxName), admissionv1.SchemeGroupVersion)
}

// A recorder keeps the body of a response.
type recorder struct {
	header http.Header
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }
func (r *recorder) WriteHeader(int)             {}
