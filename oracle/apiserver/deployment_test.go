package apiserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const (
	deployFolder  = "../../cmd/vmrules-webhook/deploy"
	deployName    = "vmrules-webhook"
	systemSpace   = "vmrules"   // the namespace of the manifests
	templateSpace = "templates" // a namespace
)

// standIns have any fields. The webhook reads these kinds, and the server has to have them.
var standIns = []struct{ group, version, kind, scope string }{
	{"template.openshift.io", "v1", "Template", "Namespaced"},
	{"instancetype.kubevirt.io", "v1beta1", "VirtualMachineInstancetype", "Namespaced"},
	{"instancetype.kubevirt.io", "v1beta1", "VirtualMachineClusterInstancetype", "Cluster"},
	{"instancetype.kubevirt.io", "v1beta1", "VirtualMachinePreference", "Namespaced"},
	{"instancetype.kubevirt.io", "v1beta1", "VirtualMachineClusterPreference", "Cluster"},
}

// A deployment is what the manifests of the webhook make in the server.
type deployment struct {
	*server
	client   client.Client
	warnings *warnings // of answers to the server's vms
	by       *authority
	objects  map[string]*unstructured.Unstructured // by kind, for kinds of which there is one
	binary   string                                // of the webhook
}

var prepared = sync.OnceValue(func() error {
	s, err := started()
	if err != nil {
		return err
	}
	var definitions []*apiextensionsv1.CustomResourceDefinition
	for _, k := range standIns {
		plural := strings.ToLower(k.kind) + "s"
		anything := true
		definitions = append(definitions, &apiextensionsv1.CustomResourceDefinition{
			ObjectMeta: metav1.ObjectMeta{Name: plural + "." + k.group},
			Spec: apiextensionsv1.CustomResourceDefinitionSpec{
				Group: k.group, Scope: apiextensionsv1.ResourceScope(k.scope),
				Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Kind: k.kind},
				Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
					Name: k.version, Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{
						OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &anything},
					},
				}},
			},
		})
	}
	_, err = envtest.InstallCRDs(s.config, envtest.CRDInstallOptions{CRDs: definitions, Paths: []string{templateDefinition}})
	return err
})

// deploy creates what the webhook needs, apart from the configuration that has the server call it.
// The test removes it.
func deploy(t testing.TB) *deployment {
	t.Helper()
	shared := *start(t)
	d := &deployment{server: &shared, warnings: &warnings{}, by: newAuthority(t), objects: map[string]*unstructured.Unstructured{}}
	if err := prepared(); err != nil {
		t.Fatal(err)
	}
	d.config = rest.CopyConfig(d.config)
	d.config.WarningHandler = d.warnings
	all, err := dynamic.NewForConfig(d.config)
	if err != nil {
		t.Fatal(err)
	}
	d.vms = all.Resource(virtualMachines).Namespace("default")
	if d.client, err = client.New(d.config, client.Options{FieldValidation: metav1.FieldValidationStrict}); err != nil {
		t.Fatal(err)
	}
	for _, o := range manifests(t) {
		d.objects[o.GetKind()] = o
	}
	d.add(t, object("v1", "Namespace", "", templateSpace, nil))
	d.binary = build(t, filepath.Dir(deployFolder), ".")
	for _, kind := range []string{"Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding"} {
		d.add(t, d.objects[kind].DeepCopy())
	}
	return d
}

// manifests returns the objects in the files of deploy.
func manifests(t testing.TB) (all []*unstructured.Unstructured) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(deployFolder, "*.yaml"))
	if err != nil || len(names) == 0 {
		t.Fatal(err, names)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, documents(t, text)...)
	}
	return all
}

// documents returns the objects in a text of YAML.
func documents(t testing.TB, text []byte) (all []*unstructured.Unstructured) {
	t.Helper()
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		var o unstructured.Unstructured
		switch err := decoder.Decode(&o.Object); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		case o.Object != nil:
			all = append(all, &o)
		}
	}
}

func object(apiVersion, kind, namespace, name string, fields map[string]any) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	for k, v := range fields {
		o.Object[k] = v
	}
	o.SetAPIVersion(apiVersion)
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// typed turns an object into its Go type.
func typed[T any](t testing.TB, o *unstructured.Unstructured) *T {
	t.Helper()
	var into T
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(o.Object, &into, true); err != nil {
		t.Fatal(err)
	}
	return &into
}

// add creates an object, which the test removes. A namespace stays: what removes it is not the
// server.
func (d *deployment) add(t testing.TB, o *unstructured.Unstructured) {
	t.Helper()
	err := d.client.Create(context.Background(), o)
	if o.GetKind() == "Namespace" && apierrors.IsAlreadyExists(err) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if o.GetKind() == "Namespace" {
		return
	}
	t.Cleanup(func() {
		if err := d.client.Delete(context.Background(), o); client.IgnoreNotFound(err) != nil {
			t.Error(err)
		}
	})
}

// kubeconfig writes a file with which a program is the service account of the manifests.
func (d *deployment) kubeconfig(t testing.TB) string {
	t.Helper()
	token, err := d.typed.CoreV1().ServiceAccounts(systemSpace).CreateToken(context.Background(), deployName, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "kubeconfig")
	err = clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"c": {Server: d.config.Host, CertificateAuthorityData: d.config.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"a": {Token: token.Status.Token}},
		Contexts:       map[string]*clientcmdapi.Context{"x": {Cluster: "c", AuthInfo: "a"}},
		CurrentContext: "x",
	}, name)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// run starts the webhook with the arguments and the environment of the manifests, and more arguments.
func (d *deployment) run(t testing.TB, more ...string) *program {
	t.Helper()
	p := newProgram(t, d.by)
	container := typed[appsv1.Deployment](t, d.objects["Deployment"]).Spec.Template.Spec.Containers[0]
	command := exec.Command(d.binary, slices.Concat(container.Args, []string{
		"--cert-dir", p.folder, "--host", "127.0.0.1", "--port", fmt.Sprint(p.reviews),
		"--health", fmt.Sprint("127.0.0.1:", p.health), "--metrics", fmt.Sprint("127.0.0.1:", p.metrics),
	}, more)...)
	for _, e := range container.Env {
		command.Env = append(command.Environ(), e.Name+"="+e.Value)
	}
	p.start(t, d.kubeconfig(t), command)
	return p
}

// ready waits until the program is ready.
func (d *deployment) ready(t testing.TB, p *program) {
	t.Helper()
	d.wait(t, func() error {
		if status, text := p.readyz(""); status != http.StatusOK {
			return errors.New(text)
		}
		return nil
	})
}

// call has the server call the webhook at a port, as the manifests say, until the test ends.
func (d *deployment) call(t testing.TB, port int) {
	t.Helper()
	config := typed[admissionregistrationv1.ValidatingWebhookConfiguration](t, d.objects["ValidatingWebhookConfiguration"])
	for i := range config.Webhooks {
		c := &config.Webhooks[i].ClientConfig
		url := fmt.Sprintf("https://127.0.0.1:%d%s", port, *c.Service.Path)
		c.URL, c.Service, c.CABundle = &url, nil, d.by.pem
	}
	api := d.typed.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	if _, err := api.Create(context.Background(), config, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	// Its rules cannot be read.
	broken := smallVM("")
	broken["metadata"].(map[string]any)["annotations"] = map[string]any{"vm.kubevirt.io/validations": "["}
	answers := func(want verdict) func() error {
		return func() error {
			if _, err := d.vms.Create(context.Background(), &unstructured.Unstructured{Object: broken}, metav1.CreateOptions{DryRun: dryRun}); verdictOfWebhook(err) != want {
				return fmt.Errorf("%v, want %s", err, want)
			}
			return nil
		}
	}
	d.wait(t, answers(refused))
	t.Cleanup(func() {
		if err := api.Delete(context.Background(), config.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		d.wait(t, answers(admitted))
	})
}

// verdictOfWebhook returns what the webhook made the server say to a write.
func verdictOfWebhook(err error) verdict {
	switch {
	case err == nil:
		return admitted
	case strings.HasPrefix(err.Error(), "admission webhook ") && strings.Contains(err.Error(), " denied the request: "):
		return refused
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return invalid
	}
	return verdict(err.Error())
}
