package admission

import (
	"context"
	"reflect"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/admission/internal/review"
)

// NewValidator returns a Validator of controller-runtime for a Go type of VMs, or for
// *unstructured.Unstructured. It validates what the Go type holds: a field that the type does not
// have is missing, so a Reviewer itself, which validates the JSON of the request, sees more.
func NewValidator[T client.Object](r *Reviewer) admission.Validator[T] { return validator[T]{r} }

type validator[T client.Object] struct{ *Reviewer }

func (v validator[T]) ValidateCreate(ctx context.Context, object T) (admission.Warnings, error) {
	return v.review(ctx, admissionv1.Create, object, nil)
}

func (v validator[T]) ValidateUpdate(ctx context.Context, old, object T) (admission.Warnings, error) {
	return v.review(ctx, admissionv1.Update, object, old)
}

func (v validator[T]) ValidateDelete(ctx context.Context, object T) (admission.Warnings, error) {
	return v.review(ctx, admissionv1.Delete, nil, object)
}

// review answers a request with objects of a Go type.
func (v validator[T]) review(ctx context.Context, operation admissionv1.Operation, object, old client.Object) (admission.Warnings, error) {
	given := object
	if operation == admissionv1.Delete {
		given = old
	}
	if isNil(given) || operation == admissionv1.Update && isNil(old) {
		return nil, apierrors.NewBadRequest("there is no object")
	}
	req, err := admission.RequestFromContext(ctx)
	if err != nil {
		req.Namespace, req.Name = given.GetNamespace(), given.GetName()
		req.Kind = metav1.GroupVersionKind(given.GetObjectKind().GroupVersionKind())
	}
	req.Operation = operation
	resp := v.decide(ctx, req, func(q *review.Request) (err error) {
		if q.Object, err = toObject(object, q.Kind); err == nil {
			q.Old, err = toObject(old, q.Kind)
		}
		return err
	})
	if !resp.Allowed {
		return resp.Warnings, &apierrors.StatusError{ErrStatus: *resp.Result}
	}
	return resp.Warnings, nil
}

// toObject turns an object of a Go type, if there is one, into JSON. Its TypeMeta is often empty.
func toObject(o client.Object, kind schema.GroupVersionKind) (map[string]any, error) {
	if isNil(o) {
		return nil, nil
	}
	object, err := vmrules.ToObject(o)
	return ofKind(kind, "object", object, err)
}

// isNil reports whether there is no object: neither a nil interface nor a nil pointer is one.
func isNil(o client.Object) bool {
	v := reflect.ValueOf(o)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}
