package main

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// An answer is a reader with one answer.
type answer struct {
	client.Reader
	err error
}

func (a answer) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return a.err
}

// Only what the cache does not have is asked for again.
func TestFreshReader(t *testing.T) {
	missing, down := apierrors.NewNotFound(schema.GroupResource{}, "x"), errors.New("down")
	for _, test := range []struct{ cached, live, want error }{
		{nil, down, nil},
		{down, nil, down},
		{missing, nil, nil},
		{missing, down, down},
	} {
		r := freshReader{answer{err: test.cached}, answer{err: test.live}}
		if got := r.Get(t.Context(), client.ObjectKey{}, &unstructured.Unstructured{}); !errors.Is(got, test.want) {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
