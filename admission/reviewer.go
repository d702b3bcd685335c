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
)

// A Reviewer answers requests for admission. It is an http.Handler for a webhook server, and
// a Handler of controller-runtime. It is safe for concurrent use.
type Reviewer struct {
	settings
	finder
	cache   *ruleCache
	slots   slots
	webhook admission.Webhook
}

// New returns a Reviewer that reads templates, instance types and preferences from a reader.
// The error says which options are wrong.
func New(reader client.Reader, opts ...Option) (*Reviewer, error) {
	r := &Reviewer{settings: defaults(), finder: finder{reader: reader}, slots: newSlots()}
	for _, o := range opts {
		o(&r.settings)
	}
	if reader == nil {
		r.wrong = append(r.wrong, errors.New("there is no reader"))
	}
	if len(r.wrong) > 0 {
		return nil, errors.Join(r.wrong...)
	}
	r.cache = newRuleCache(r.parse)
	r.webhook.Handler = r
	return r, nil
}

// A request is what is read of a request for admission.
type request struct {
	operation       admissionv1.Operation
	kind            schema.GroupVersionKind
	subresource     string
	namespace, name string
	object, old     map[string]any // nil if the operation has none
}

func newRequest(req admission.Request) *request {
	return &request{
		operation: req.Operation, kind: schema.GroupVersionKind(req.Kind), subresource: req.SubResource,
		namespace: req.Namespace, name: req.Name,
	}
}

// Handle answers a request. It implements the Handler of controller-runtime.
func (r *Reviewer) Handle(ctx context.Context, req admission.Request) admission.Response {
	q := newRequest(req)
	return r.answer(ctx, q, func() *decision { return r.decode(ctx, q, req) }).response(ctx)
}

// answer decides about a request, and counts and logs the decision. If the objects of the
// request count, decode fills them in; it returns nil, or the decision if it cannot.
func (r *Reviewer) answer(ctx context.Context, q *request, decode func() *decision) *decision {
	began := time.Now()
	d := r.withoutObjects(q)
	if d == nil {
		d = decode()
	}
	if d == nil {
		d = r.withObjects(ctx, q)
	}
	reviewSeconds.Observe(time.Since(began).Seconds())
	reviews.WithLabelValues(string(d.outcome)).Inc()
	d.log(log.FromContext(ctx), q)
	return d
}

// withoutObjects decides about a request whose objects do not count; nil about any other.
func (r *Reviewer) withoutObjects(q *request) *decision {
	isVM, isTemplate := q.isVM(), q.isTemplate()
	switch {
	case q.kind.Kind == "":
		return malformed(errors.New("the request does not say of which kind its object is"))
	case !isVM && !isTemplate:
		return exempt(fmt.Sprintf("vmrules does not review the kind %s: remove it from the rules of the webhook", shorten(q.kind.GroupKind().String(), maxName)))
	case q.subresource != "":
		return exempt()
	}
	switch q.operation {
	case admissionv1.Create, admissionv1.Update:
		if isTemplate {
			return exempt()
		}
		return nil
	case admissionv1.Delete:
		if isTemplate && r.protectTemplates {
			return nil
		}
		return exempt()
	case admissionv1.Connect:
		return exempt()
	}
	return malformed(fmt.Errorf("the operation is %q: it must be CREATE, UPDATE, DELETE or CONNECT", shorten(string(q.operation), maxName)))
}

// withObjects decides about a request whose objects were read.
func (r *Reviewer) withObjects(ctx context.Context, q *request) *decision {
	if q.isTemplate() {
		return r.deletion(ctx, q)
	}
	return r.judge(ctx, q)
}

// decode reads the objects of a request. It returns nil, or the decision if it cannot.
func (r *Reviewer) decode(ctx context.Context, q *request, req admission.Request) *decision {
	return r.reading(ctx, func() (err error) {
		if q.operation != admissionv1.Delete {
			q.object, err = readObject("object", req.Object.Raw, q.kind)
		}
		if q.operation != admissionv1.Create && err == nil && !q.isCollection(req) {
			q.old, err = readObject("oldObject", req.OldObject.Raw, q.kind)
		}
		return err
	})
}

// reading calls a function that reads the objects of a request. It returns nil, or the decision
// if they cannot be read.
func (r *Reviewer) reading(ctx context.Context, read func() error) *decision {
	var err error
	failed := r.slots.do(ctx, func() { err = read() })
	switch {
	case failed != nil:
		return failure(failed)
	case err != nil:
		return malformed(err)
	}
	return nil
}

// isCollection reports whether a request is to delete a collection. The API server asks again
// for each object in it.
func (q *request) isCollection(req admission.Request) bool {
	return q.operation == admissionv1.Delete && q.name == "" && len(req.OldObject.Raw) == 0
}

// maxObject is the length of the longest object that is read. API servers do not accept a
// longer one.
const maxObject = 3 << 20

// readObject reads an object of a kind.
func readObject(name string, raw []byte, kind schema.GroupVersionKind) (map[string]any, error) {
	switch {
	case len(raw) == 0:
		return nil, fmt.Errorf("the request has no %s", name)
	case len(raw) > maxObject:
		return nil, fmt.Errorf("the %s has %d bytes: at most %d are read", name, len(raw), maxObject)
	}
	object, err := vmrules.ParseObject(raw)
	if err == nil {
		err = setKind(object, kind)
	}
	if err != nil {
		return nil, fmt.Errorf("the %s cannot be read: %w", name, err)
	}
	return object, nil
}
