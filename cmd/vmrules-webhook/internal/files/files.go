// Package files reads objects from manifests, in place of a cluster.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Reader has the objects of manifests. It is safe for concurrent use.
type Reader struct {
	objects []*unstructured.Unstructured // in the order in which they were read
}

// Read returns a Reader for the objects in files of YAML or JSON.
func Read(names ...string) (*Reader, error) {
	r := &Reader{}
	for _, name := range names {
		if err := r.add(name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return r, nil
}

func (r *Reader) add(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	decoder, before := yaml.NewYAMLOrJSONDecoder(file, 4096), len(r.objects)
	for {
		var o unstructured.Unstructured
		err := decoder.Decode(&o.Object)
		switch {
		case errors.Is(err, io.EOF) && len(r.objects) == before:
			return errors.New("there is no object: a VM would be validated by no rules")
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case o.Object == nil: // between two ---
			continue
		case o.GetKind() == "" || o.GetName() == "":
			return errors.New("an object has no kind or no metadata.name: add it")
		case o.IsList():
			return fmt.Errorf("there is a %s: write its items as documents of their own", o.GetKind())
		}
		r.objects = append(r.objects, &o)
	}
}

// Get reads an object into an *unstructured.Unstructured. An object that does not say its
// namespace is in any.
func (r *Reader) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	target := into.(*unstructured.Unstructured) // as the webhook asks for all
	kind := target.GroupVersionKind()
	for _, o := range r.objects {
		if o.GroupVersionKind() == kind && o.GetName() == key.Name && (o.GetNamespace() == "" || o.GetNamespace() == key.Namespace) {
			o.DeepCopyInto(target)
			return nil
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{Group: kind.Group, Resource: kind.Kind}, key.String())
}

// List reads the metadata of objects into a *metav1.PartialObjectMetadataList.
func (r *Reader) List(_ context.Context, into client.ObjectList, opts ...client.ListOption) error {
	target := into.(*metav1.PartialObjectMetadataList)
	var options client.ListOptions
	options.ApplyOptions(opts)
	kind := target.GroupVersionKind()
	for _, o := range r.objects {
		got := o.GroupVersionKind()
		got.Kind += "List"
		if got != kind || options.LabelSelector != nil && !options.LabelSelector.Matches(labels.Set(o.GetLabels())) {
			continue
		}
		target.Items = append(target.Items, *meta.AsPartialObjectMetadata(o))
	}
	return nil
}
