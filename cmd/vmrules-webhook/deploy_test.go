package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/vmrules/vmrules/admission"
)

// manifests returns the objects in files, by kind and name.
func manifests(t *testing.T, files string) map[string]*unstructured.Unstructured {
	t.Helper()
	names, err := filepath.Glob(files)
	if err != nil || len(names) == 0 {
		t.Fatal(err, names)
	}
	all := map[string]*unstructured.Unstructured{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
			var o unstructured.Unstructured
			if err := decoder.Decode(&o.Object); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all[o.GetKind()+" "+o.GetName()] = &o
		}
	}
	return all
}

// typed turns an object into its Go type, with an error for unknown fields.
func typed[T any](t *testing.T, all map[string]*unstructured.Unstructured, key string) *T {
	t.Helper()
	var into T
	if all[key] == nil {
		t.Fatalf("there is no %s", key)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(all[key].Object, &into, true); err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	return &into
}

// at returns a text in an object.
func at(o *unstructured.Unstructured, path ...string) string {
	text, _, _ := unstructured.NestedString(o.Object, path...)
	return text
}

// The webhook only reads. With the component for reports, it also writes those, events and, in its own namespace,
// leases.
func TestRights(t *testing.T) {
	all := manifests(t, "deploy/*.yaml")
	component := manifests(t, "deploy/reports/*.yaml")
	writes := func(rules ...rbacv1.PolicyRule) (all []string) {
		for _, r := range rules {
			verbs := slices.DeleteFunc(slices.Clone(r.Verbs), func(verb string) bool { return slices.Contains([]string{"get", "list", "watch"}, verb) })
			if len(verbs) > 0 {
				all = append(all, fmt.Sprint(r.APIGroups, r.Resources, r.ResourceNames, verbs))
			}
		}
		return all
	}
	const name = "vmrules-webhook-reports"
	got := [][]string{
		writes(typed[rbacv1.ClusterRole](t, all, "ClusterRole vmrules-webhook").Rules...),
		writes(typed[rbacv1.ClusterRole](t, component, "ClusterRole "+name).Rules...),
		writes(typed[rbacv1.Role](t, component, "Role "+name).Rules...),
	}
	want := [][]string{
		nil,
		{"[openreports.io] [reports] [] [create update delete]"},
		{"[coordination.k8s.io] [leases] [] [create]", "[coordination.k8s.io] [leases] [vmrules-reports] [update]", "[] [events] [] [create patch]"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	account := typed[corev1.ServiceAccount](t, all, "ServiceAccount vmrules-webhook")
	role := typed[rbacv1.Role](t, component, "Role "+name)
	for _, s := range append(typed[rbacv1.ClusterRoleBinding](t, component, "ClusterRoleBinding "+name).Subjects, typed[rbacv1.RoleBinding](t, component, "RoleBinding "+name).Subjects...) {
		if s.Name != account.Name || s.Namespace != account.Namespace || role.Namespace != account.Namespace {
			t.Errorf("the rights are those of %+v", s)
		}
	}
}

// The component for reports adds a flag that there is.
func TestReportsComponent(t *testing.T) {
	component := manifests(t, "deploy/reports/kustomization.yaml")["Component "]
	patches, _, err := unstructured.NestedSlice(component.Object, "patches")
	if err != nil || len(patches) != 1 {
		t.Fatal(err, patches)
	}
	patch := patches[0].(map[string]any)
	var steps []struct{ Op, Path, Value string }
	if err := yaml.Unmarshal([]byte(patch["patch"].(string)), &steps); err != nil {
		t.Fatal(err)
	}
	if len(steps) != 1 || steps[0].Op != "add" || steps[0].Path != "/spec/template/spec/containers/0/args/-" {
		t.Fatal(steps)
	}
	target := patch["target"].(map[string]any)
	pod := typed[appsv1.Deployment](t, manifests(t, "deploy/*.yaml"), fmt.Sprint(target["kind"], " ", target["name"])).Spec.Template.Spec
	for _, args := range [][]string{pod.Containers[0].Args, append(pod.Containers[0].Args, steps[0].Value)} {
		if c, err := parse(args, io.Discard); err != nil || c.reports != (len(args) > len(pod.Containers[0].Args)) {
			t.Error(args, err)
		}
	}
}

// The manifests fit each other and the program.
func TestManifests(t *testing.T) {
	const name = "vmrules-webhook"
	all := manifests(t, "deploy/*.yaml")
	pod := typed[appsv1.Deployment](t, all, "Deployment "+name).Spec.Template
	service := typed[corev1.Service](t, all, "Service "+name)
	budget := typed[policyv1.PodDisruptionBudget](t, all, "PodDisruptionBudget "+name)
	typed[corev1.Namespace](t, all, "Namespace "+service.Namespace)
	typed[corev1.ServiceAccount](t, all, "ServiceAccount "+pod.Spec.ServiceAccountName)
	typed[rbacv1.ClusterRole](t, all, "ClusterRole "+typed[rbacv1.ClusterRoleBinding](t, all, "ClusterRoleBinding "+name).RoleRef.Name)

	for k, v := range service.Spec.Selector {
		if pod.Labels[k] != v || budget.Spec.Selector.MatchLabels[k] != v {
			t.Errorf("the label %s differs", k)
		}
	}
	container := pod.Spec.Containers[0]
	c, err := parse(container.Args, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if container.VolumeMounts[0].MountPath != c.certDir {
		t.Errorf("the certificate is at %s, but read from %s", container.VolumeMounts[0].MountPath, c.certDir)
	}
	ports := map[string]int32{}
	for _, p := range container.Ports {
		ports[p.Name] = p.ContainerPort
	}
	if ports["reviews"] != int32(c.port) || c.metrics != ":8080" || ports["metrics"] != 8080 || c.health != ":8081" || ports["health"] != 8081 {
		t.Errorf("the ports are %v", ports)
	}
	if s := container.SecurityContext; !*s.ReadOnlyRootFilesystem || *s.AllowPrivilegeEscalation || !*pod.Spec.SecurityContext.RunAsNonRoot {
		t.Error("the container may do too much")
	}

	drain := time.Duration(container.Lifecycle.PreStop.Sleep.Seconds)*time.Second + c.drain
	if grace := time.Duration(*pod.Spec.TerminationGracePeriodSeconds) * time.Second; drain < 10*time.Second || grace < drain+20*time.Second {
		t.Errorf("a pod has %v to end, and begins after %v", grace, drain)
	}

	secret, _, _ := unstructured.NestedString(all["Certificate "+name].Object, "spec", "secretName")
	hosts, _, _ := unstructured.NestedStringSlice(all["Certificate "+name].Object, "spec", "dnsNames")
	if secret != pod.Spec.Volumes[0].Secret.SecretName || hosts[0] != service.Name+"."+service.Namespace+".svc" {
		t.Errorf("the certificate is in %s, for %v", secret, hosts)
	}

	issuer := at(all["Certificate "+name], "spec", "issuerRef", "name")
	authority := all["Certificate "+name+"-ca"]
	signer := at(authority, "spec", "issuerRef", "name")
	if isCA, _, _ := unstructured.NestedBool(authority.Object, "spec", "isCA"); !isCA || signer == issuer ||
		at(all["Issuer "+issuer], "spec", "ca", "secretName") != at(authority, "spec", "secretName") || all["Issuer "+signer] == nil ||
		at(authority, "spec", "privateKey", "rotationPolicy") != "Never" {
		t.Error("the certificate is not signed by an authority that stays")
	}

	config := typed[admissionregistrationv1.ValidatingWebhookConfiguration](t, all, "ValidatingWebhookConfiguration "+name)
	if got := config.Annotations["cert-manager.io/inject-ca-from"]; got != service.Namespace+"/"+name {
		t.Errorf("the authority is that of %s", got)
	}
	for _, w := range config.Webhooks {
		if s := w.ClientConfig.Service; s.Name != service.Name || s.Namespace != service.Namespace || *s.Path != admission.Path {
			t.Errorf("%s calls %+v", w.Name, s)
		}
	}
}
