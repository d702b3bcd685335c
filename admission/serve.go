package admission

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/api/admission/v1beta1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/vmrules/vmrules/admission/internal/review"
)

// maxReview is the length of the longest AdmissionReview that is read: it has two objects at most.
const maxReview = 2*maxObject + 1<<20

// ServeHTTP answers an AdmissionReview. If there is no decision, because the cluster cannot be
// asked, it answers with the status 500, so that the failurePolicy of the webhook decides. A
// Webhook of controller-runtime always answers with an AdmissionReview, which would refuse
// the request.
func (r *Reviewer) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	size := maxReview // if the request does not say it
	if n := req.ContentLength; n >= 0 && n < maxReview {
		size = int(n)
	}
	if busy := r.reviewer.Take(size, func() { r.serve(w, req) }); busy != nil {
		notRead(w, req, busy)
	}
}

func (r *Reviewer) serve(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxReview))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		refuseBody(w, req, http.StatusRequestEntityTooLarge, fmt.Errorf("the body has more than %d bytes", maxReview))
		return
	}
	var asked admissionv1.AdmissionReview
	if err == nil {
		// The versions of an AdmissionReview have the same fields.
		busy := r.reviewer.Unpack(req.Context(), len(body), func() { err = utiljson.Unmarshal(body, &asked) })
		if busy != nil {
			notRead(w, req, busy)
			return
		}
	}
	isKnown := asked.APIVersion == admissionv1.SchemeGroupVersion.String() || asked.APIVersion == v1beta1.SchemeGroupVersion.String()
	switch {
	case err != nil:
		refuseBody(w, req, http.StatusBadRequest, fmt.Errorf("the body cannot be read: %w", err))
	case !isKnown || asked.Kind != "AdmissionReview":
		http.Error(w, fmt.Sprintf("the body has the kind %q and the apiVersion %q: send an AdmissionReview of %s",
			review.Shorten(asked.Kind, review.MaxName), review.Shorten(asked.APIVersion, review.MaxName), admissionv1.SchemeGroupVersion), http.StatusBadRequest)
	case asked.Request == nil:
		refuseBody(w, req, http.StatusBadRequest, errors.New("the AdmissionReview has no request"))
	default:
		answer(w, asked, r.webhook.Handle(req.Context(), admission.Request{AdmissionRequest: *asked.Request}))
	}
}

// notRead answers if there was no time to read a body.
func notRead(w http.ResponseWriter, req *http.Request, busy error) {
	log.FromContext(req.Context()).Error(busy, "Did not read a request")
	http.Error(w, "the review is not read: "+busy.Error(), http.StatusServiceUnavailable)
}

// refuseBody answers a body in which there is no request.
func refuseBody(w http.ResponseWriter, req *http.Request, code int32, err error) {
	log.FromContext(req.Context()).Error(err, "Could not read a request")
	var none admissionv1.AdmissionReview
	none.SetGroupVersionKind(admissionv1.SchemeGroupVersion.WithKind("AdmissionReview"))
	answer(w, none, admission.Errored(code, err))
}

func answer(w http.ResponseWriter, asked admissionv1.AdmissionReview, resp admission.Response) {
	if resp.Result != nil && resp.Result.Code == http.StatusInternalServerError {
		http.Error(w, resp.Result.Message, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	// An error means that nobody waits for the answer.
	_ = json.NewEncoder(w).Encode(admissionv1.AdmissionReview{TypeMeta: asked.TypeMeta, Response: &resp.AdmissionResponse})
}
