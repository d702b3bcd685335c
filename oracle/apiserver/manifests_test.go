package apiserver

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const kustomize = "sigs.k8s.io/kustomize/kustomize/v5@v5.8.2"

// What kustomize makes of the manifests is what the server takes, and so is a pod of the deployment in
// their namespace, which only admits restricted ones. The kinds of other projects are not there.
func TestManifests(t *testing.T) {
	d := deploy(t)
	folder, err := filepath.Abs(deployFolder)
	if err != nil {
		t.Fatal(err)
	}
	own := t.TempDir()
	base, err := filepath.Rel(own, folder)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("resources: [%s]\ncomponents: [%s, %s]\n", base, filepath.Join(base, "monitoring"), filepath.Join(base, "reports"))
	if err := os.WriteFile(filepath.Join(own, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	others := map[string]int{}
	isRestricted := false
	made := built(t, own)
	if !bytes.Contains(made, []byte("\n        - --reports\n")) {
		t.Error("the component reports does not reach the program")
	}
	for _, o := range documents(t, made) {
		err := d.client.Apply(context.Background(), client.ApplyConfigurationFromUnstructured(o.DeepCopy()), client.FieldOwner("test"), client.DryRunAll)
		switch {
		case meta.IsNoMatchError(err):
			others[o.GetKind()]++
		case err != nil:
			t.Errorf("%s %s: %v", o.GetKind(), o.GetName(), err)
		}
		if o.GetKind() != "Deployment" {
			continue
		}
		spec, _, _ := unstructured.NestedMap(o.Object, "spec", "template", "spec")
		pod := object("v1", "Pod", o.GetNamespace(), "pod", map[string]any{"spec": spec})
		if err := d.client.Create(context.Background(), pod.DeepCopy(), client.DryRunAll); err != nil {
			t.Error(err)
		}
		unstructured.RemoveNestedField(pod.Object, "spec", "securityContext")
		isRestricted = apierrors.IsForbidden(d.client.Create(context.Background(), pod, client.DryRunAll))
	}
	if !isRestricted {
		t.Error("the namespace admits any pod")
	}
	if diff := cmp.Diff(map[string]int{"Issuer": 2, "Certificate": 2, "ServiceMonitor": 1, "PrometheusRule": 1}, others); diff != "" {
		t.Errorf("kinds that the server does not have (-want +got):\n%s", diff)
	}
}

// built returns what kustomize makes of a folder.
func built(t *testing.T, folder string) []byte {
	t.Helper()
	command := exec.Command("go", "run", kustomize, "build", folder)
	command.Stderr = os.Stderr
	text, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	return text
}
