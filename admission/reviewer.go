package admission

import (
	"context"
	"errors"
	"fmt"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/admission/internal/review"
)

// A Reviewer answers requests for admission. It is an http.Handler for a webhook server, and
// a Handler of controller-runtime. It is safe for concurrent use.
type Reviewer struct {
	reviewer *review.Reviewer
	cluster  *cluster
	reports  Reports // for NewManager
	told     []DecisionFunc
	webhook  admission.Webhook
}

// New returns a Reviewer that reads templates, instance types and preferences from a reader.
// An error says which options are wrong, all of them in words; it has no type of its own.
func New(reader client.Reader, opts ...Option) (*Reviewer, error) {
	s := settings{Settings: review.Settings{Warning: []vmrules.Doubt{
		vmrules.DoubtInstancetype, vmrules.DoubtPreference, vmrules.DoubtTemplate,
	}}}
	for _, o := range opts {
		if o != nil {
			o(&s)
		}
	}
	if reader == nil {
		s.wrong = append(s.wrong, errors.New("there is no reader"))
	}
	if err := errors.Join(s.wrong...); err != nil {
		return nil, err
	}
	c := &cluster{reader: reader}
	r := &Reviewer{reviewer: review.New(c, s.Settings), cluster: c, reports: s.reports, told: s.told}
	r.webhook.Handler = r
	return r, nil
}

// Handle answers a request. It implements the Handler of controller-runtime.
func (r *Reviewer) Handle(ctx context.Context, req admission.Request) admission.Response {
	return r.decide(ctx, req, func(q *review.Request) error { return readObjects(q, req) })
}

// decide answers a request, and counts, logs and tells the decision. If the objects of the request
// count, read fills them in.
func (r *Reviewer) decide(ctx context.Context, req admission.Request, read func(*review.Request) error) admission.Response {
	began := time.Now()
	q := &review.Request{
		Operation: string(req.Operation), Kind: schema.GroupVersionKind(req.Kind), Subresource: req.SubResource,
		Namespace: req.Namespace, Name: req.Name, Size: len(req.Object.Raw) + len(req.OldObject.Raw),
	}
	d := r.reviewer.Review(ctx, q, func() error { return read(q) })
	reviewSeconds.Observe(time.Since(began).Seconds())
	reviews.WithLabelValues(string(d.Outcome)).Inc()
	if d.IsSlow {
		slowReviews.Inc()
	}
	countViolations(d.Report)
	logTo(log.FromContext(ctx), q, d)
	status := statusOf(q, d)
	resp := admission.Response{AdmissionResponse: admissionv1.AdmissionResponse{
		Allowed: status == nil, Result: status, Warnings: d.Warnings,
	}}
	for _, told := range r.told {
		told(ctx, req, resp, d.Report)
	}
	return resp
}

func readObjects(q *review.Request, req admission.Request) (err error) {
	if req.Operation != admissionv1.Delete {
		q.Object, err = readObject("object", req.Object.Raw, q.Kind)
	}
	// The API server asks again for each object in a collection that is deleted.
	isCollection := req.Operation == admissionv1.Delete && req.Name == "" && len(req.OldObject.Raw) == 0
	if req.Operation != admissionv1.Create && err == nil && !isCollection {
		q.Old, err = readObject("oldObject", req.OldObject.Raw, q.Kind)
	}
	return err
}

// maxObject is the length of the longest object that is read. API servers do not accept a
// longer one.
const maxObject = 3 << 20

func readObject(name string, raw []byte, kind schema.GroupVersionKind) (map[string]any, error) {
	switch {
	case len(raw) == 0:
		return nil, fmt.Errorf("the request has no %s", name)
	case len(raw) > maxObject:
		return nil, fmt.Errorf("the %s has %d bytes: at most %d are read", name, len(raw), maxObject)
	}
	object, err := vmrules.ParseObject(raw)
	return ofKind(kind, name, object, err)
}

// ofKind returns an object that was read, with its kind, which it may not say. It returns an error if the
// object says another one, as which it would be validated.
func ofKind(kind schema.GroupVersionKind, name string, object map[string]any, err error) (map[string]any, error) {
	version, kindName := kind.ToAPIVersionAndKind()
	for key, want := range map[string]string{"apiVersion": version, "kind": kindName} {
		if got, ok := object[key]; err == nil && ok && got != "" && got != want {
			err = fmt.Errorf("the object has the %s %q, but the request is about %q", key, fmt.Sprint(got), want)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the %s cannot be read: %w", name, err)
	}
	object["apiVersion"], object["kind"] = version, kindName
	return object, nil
}
