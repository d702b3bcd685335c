package admission_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	ctrl "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/vmrules/vmrules/admission"
)

// cluster returns a client for a cluster with objects.
func cluster(t testing.TB, objects ...string) client.WithWatch {
	t.Helper()
	builder := fake.NewClientBuilder().WithScheme(scheme())
	for _, text := range objects {
		builder.WithObjects(object(t, text))
	}
	return builder.Build()
}

// scheme returns a scheme with VMs, without which a fake client cannot list their metadata.
func scheme() *runtime.Scheme {
	s := runtime.NewScheme()
	s.AddKnownTypes(schema.GroupVersion{Group: "kubevirt.io", Version: "v1"}, &VirtualMachine{}, &VirtualMachineList{})
	return s
}

// reviewer returns a Reviewer for a cluster.
func reviewer(t testing.TB, reader client.Reader, opts ...admission.Option) *admission.Reviewer {
	t.Helper()
	r, err := admission.New(reader, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// failing returns a client whose Get fails for the objects of some kinds.
func failing(c client.WithWatch, errs map[string]error) client.Client {
	return interceptor.NewClient(c, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if err := errs[o.GetObjectKind().GroupVersionKind().Kind]; err != nil {
				return err
			}
			return c.Get(ctx, key, o, opts...)
		},
	})
}

func object(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	var o unstructured.Unstructured
	if err := json.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return &o
}

// An answer is what a test compares of a response.
type answer struct {
	Allowed  bool
	Code     int32
	Message  string   `json:",omitempty"`
	Causes   []string // "field: message"
	Warnings []string
}

func answerOf(resp ctrl.Response) answer {
	a := answer{Allowed: resp.Allowed, Warnings: resp.Warnings}
	if resp.Result == nil {
		return a
	}
	a.Code = resp.Result.Code
	if resp.Result.Details == nil {
		a.Message = resp.Result.Message
		return a
	}
	for _, c := range resp.Result.Details.Causes {
		a.Causes = append(a.Causes, fmt.Sprintf("%s: %s", c.Field, c.Message))
	}
	return a
}

// A request for a VM in the namespace "office", unless the test sets more.
func request(operation, object, old string) ctrl.Request {
	req := ctrl.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		UID: "1", Operation: admissionv1.Operation(operation), Namespace: "office", Name: "reception",
		Kind: metav1.GroupVersionKind{Group: "kubevirt.io", Version: "v1", Kind: "VirtualMachine"},
	}}
	if object != "" {
		req.Object.Raw = []byte(object)
	}
	if old != "" {
		req.OldObject.Raw = []byte(old)
	}
	return req
}

func ofKind(req ctrl.Request, apiVersion, kind string) ctrl.Request {
	group, version, _ := strings.Cut(apiVersion, "/")
	req.Kind = metav1.GroupVersionKind{Group: group, Version: version, Kind: kind}
	return req
}

// vm returns a VM with metadata, a spec beside the template, and a domain.
func vm(metadata, spec, domain string) string {
	return fmt.Sprintf(`{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
		"metadata": {"name": "reception", "namespace": "office"%s}, "spec": {%s"template": {"spec": {"domain": {%s}}}}}`, metadata, spec, domain)
}

const (
	// fromLinux is the metadata of a VM that was made from the template linux.
	fromLinux = `, "labels": {"vm.kubevirt.io/template": "linux", "vm.kubevirt.io/template.namespace": "templates"}`
	exempt    = `, "annotations": {"vm.kubevirt.io/skip-validations": "true"}`

	cores1  = `"cpu": {"cores": 1}`
	cores12 = `"cpu": {"cores": 12}`
	cores99 = `"cpu": {"cores": 99}`

	alreadyTooMany = `spec.template.spec.domain.cpu.cores: Invalid value: 12: at most 8 cores (12 is more than max 8)`
	tooMany        = `spec.template.spec.domain.cpu.cores: at most 8 cores (12 is more than max 8)`
)

// rule returns a rule about a field of the domain.
func rule(name, kind, field, message, arguments string) string {
	return fmt.Sprintf(`{"name": %q, "rule": %q, "path": "jsonpath::.spec.domain.%s", "message": %q, %s}`, name, kind, field, message, arguments)
}

var (
	coresRule  = rule("cores", "integer", "cpu.cores", "at most 8 cores", `"max": 8`)
	memoryRule = rule("memory", "integer", "memory.guest", "at least 1 GiB", `"min": 1073741824`)
	busRule    = `{"name": "bus", "rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "valid": "jsonpath::.spec.domain.devices.disks[*].disk.bus",
		"message": "virtio is faster", "values": ["virtio"], "justWarning": true}`
)

// withRules returns metadata with rules of the VM's own.
func withRules(rules ...string) string {
	annotation, _ := json.Marshal("[" + strings.Join(rules, ",") + "]")
	return fmt.Sprintf(`, "annotations": {"vm.kubevirt.io/validations": %s}`, annotation)
}

// template returns an OpenShift template with rules.
func template(namespace, name string, rules ...string) string {
	annotation, _ := json.Marshal("[" + strings.Join(rules, ",") + "]")
	return fmt.Sprintf(`{"apiVersion": "template.openshift.io/v1", "kind": "Template",
		"metadata": {"name": %q, "namespace": %q, "uid": "u", "annotations": {"validations": %s}},
		"objects": [{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "spec": {"template": {"spec": {}}}}]}`, name, namespace, annotation)
}

// kubeVirtTemplate returns a template of KubeVirt's own kind.
func kubeVirtTemplate(version, namespace, name string, rules ...string) string {
	return fmt.Sprintf(`{"apiVersion": "template.kubevirt.io/%s", "kind": "VirtualMachineTemplate",
		"metadata": {"name": %q, "namespace": %q}, "spec": {"virtualMachine": {"metadata": {"name": "x"%s}, "spec": {"template": {"spec": {}}}}}}`,
		version, name, namespace, withRules(rules...))
}

// instanceType returns a cluster-wide instance type, and revision one as it was.
func instanceType(name string, cpus int, memory string) string {
	return fmt.Sprintf(`{"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachineClusterInstancetype",
		"metadata": {"name": %q}, "spec": {"cpu": {"guest": %d}, "memory": {"guest": %q}}}`, name, cpus, memory)
}

func revision(name, labels, data string) string {
	return fmt.Sprintf(`{"apiVersion": "apps/v1", "kind": "ControllerRevision",
		"metadata": {"name": %q, "namespace": "office", "labels": {%s}}, "revision": 1, "data": %s}`, name, labels, data)
}
