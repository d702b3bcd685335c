package apiserver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	clientset "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/kinds/crd/export"
)

// ofDefinitions has the reasons for which a definition says something else than vmrules, apart from
// differences.
var ofDefinitions = []difference{
	{why: "the VM names an instance type or a preference, which a definition cannot look up", is: differences[0].is},
	differences[3],
}

// A definition with the exported schema and rules of the quickstart's template admits a VM exactly if
// vmrules finds it valid. All differences have a reason in the list, and each reason occurs.
func TestDefinitions(t *testing.T) {
	s := start(t)
	out := export.Translate(quickstart(t))
	definition := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "virtualmachines.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "virtualmachines", Singular: "virtualmachine", Kind: "VirtualMachine", ListKind: "VirtualMachineList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: out.Schema},
			}},
		},
	}
	if _, err := envtest.InstallCRDs(s.config, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{definition}}); err != nil {
		t.Fatal(err)
	}
	vms := s.any.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "virtualmachines"}).Namespace("default")
	occurred, counts := map[string]int{}, map[string]int{}
	for _, c := range mutantTrials(t) {
		if c.old != nil {
			continue
		}
		c.object = whole(labelled(c.object, "vm", ""))
		want := vmrules.Validate(c.rules, c.object) // which does not know the group example.com
		object := &unstructured.Unstructured{Object: labelled(c.object, "vm", "")}
		object.SetAPIVersion("example.com/v1")
		_, err := vms.Create(context.Background(), object, metav1.CreateOptions{DryRun: dryRun})
		got := admitted
		if err != nil {
			got = refused
		}
		if err != nil && strings.Contains(err.Error(), "evaluating rule") {
			got = failed
		}
		counts[fmt.Sprintf("valid %t: %s", want.Valid(), got)]++
		if want.Valid() == (got == admitted) && got != failed {
			continue
		}
		i := slices.IndexFunc(ofDefinitions, func(d difference) bool { return d.is(c, want, got) })
		if i < 0 {
			t.Errorf("%s: %s\n%v\nvmrules: %s", c.name, got, err, want)
			continue
		}
		occurred[ofDefinitions[i].why]++
	}
	for _, d := range ofDefinitions {
		if occurred[d.why] == 0 {
			t.Errorf("never occurred: %s", d.why)
		}
	}
	t.Log(counts, occurred)
}

// KubeVirt's own definition, whose lists have bounds, takes the exported rules of a template.
func TestKubeVirtsDefinition(t *testing.T) {
	s := start(t)
	text, err := os.ReadFile(filepath.Join(environment.BinaryAssetsDirectory, "crds", "kubevirt.io_virtualmachines.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &definition); err != nil {
		t.Fatal(err)
	}
	api := clientset.NewForConfigOrDie(s.config).ApiextensionsV1().CustomResourceDefinitions()
	current, err := api.Get(context.Background(), definition.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := export.Translate(quickstart(t))
	if len(out.CRD) < 5 {
		t.Fatalf("only %d rules", len(out.CRD))
	}
	for i := range current.Spec.Versions {
		current.Spec.Versions[i].Schema.OpenAPIV3Schema.XValidations = out.CRD
	}
	if _, err := api.Update(context.Background(), current, metav1.UpdateOptions{DryRun: dryRun}); err != nil {
		t.Errorf("%.2000s", err)
	}
}
