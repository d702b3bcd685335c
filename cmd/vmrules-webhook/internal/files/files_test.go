package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/vmrules/vmrules/cmd/vmrules-webhook/internal/files"
)

const objects = `
{apiVersion: template.openshift.io/v1, kind: Template, metadata: {name: anywhere}}
---
---
{apiVersion: template.openshift.io/v1, kind: Template, metadata: {name: here, namespace: a}}
---
{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: one, namespace: a, labels: {l: x}}}
---
{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: two, namespace: a, annotations: {k: v}}}
`

func read(t *testing.T, text string) (*files.Reader, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return files.Read(name)
}

func TestGet(t *testing.T) {
	r, err := read(t, objects)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		version, namespace, name string
		want                     bool
	}{
		{"template.openshift.io/v1", "a", "here", true},
		{"template.openshift.io/v1", "b", "here", false},
		{"template.openshift.io/v1", "b", "anywhere", true},
		{"template.openshift.io/v2", "a", "here", false},
		{"template.openshift.io/v1", "a", "there", false},
	} {
		var o unstructured.Unstructured
		o.SetAPIVersion(test.version)
		o.SetKind("Template")
		err := r.Get(t.Context(), client.ObjectKey{Namespace: test.namespace, Name: test.name}, &o)
		if test.want && (err != nil || o.GetName() != test.name) || !test.want && !apierrors.IsNotFound(err) {
			t.Errorf("%+v: %v, %v", test, o, err)
		}
	}
}

func TestList(t *testing.T) {
	r, err := read(t, objects)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		opts []client.ListOption
		want string
	}{
		{nil, "one two"},
		{[]client.ListOption{client.MatchingLabels{"l": "x"}}, "one"},
		{[]client.ListOption{client.MatchingLabels{"l": "y"}}, ""},
	} {
		var list metav1.PartialObjectMetadataList
		list.APIVersion, list.Kind = "kubevirt.io/v1", "VirtualMachineList"
		if err := r.List(t.Context(), &list, test.opts...); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, item := range list.Items {
			names = append(names, item.Name)
		}
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestReadFails(t *testing.T) {
	for text, want := range map[string]string{
		"{kind: A}": "an object has no kind or no metadata.name: add it",
		"{kind: AList, items: [], metadata: {name: a}}": "there is a AList: write its items as documents of their own",
		"{":                "yaml",
		"---\n# nothing\n": "there is no object",
		"7":                "cannot unmarshal",
	} {
		if _, err := read(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := files.Read("no-such-file.yaml"); err == nil {
		t.Error("a file that does not exist was read")
	}
}
