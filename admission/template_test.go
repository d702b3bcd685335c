package admission_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	ctrl "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/vmrules/vmrules/admission"
)

func TestTemplateDeletion(t *testing.T) {
	protect := []admission.Option{admission.WithProtectedTemplates()}
	remove := func(old string) ctrl.Request {
		req := ofKind(request("DELETE", "", old), "template.openshift.io/v1", "Template")
		req.Namespace, req.Name = "templates", "linux"
		return req
	}
	collection := remove("")
	collection.Name = ""
	kubeVirt := ofKind(remove(kubeVirtTemplate("v1beta1", "templates", "linux", coresRule)), "template.kubevirt.io/v1beta1", "VirtualMachineTemplate")
	inAnnotations := strings.Replace(fromLinux, "labels", "annotations", 1)
	inUse := answer{Code: 403, Message: "the template templates/linux has rules, and the VM office/reception refers to it: " +
		"delete the VM first, or remove its labels and annotations vm.kubevirt.io/template"}
	other := strings.Replace(fromLinux, `"templates"`, `"elsewhere"`, 1)
	run(t, []testCase{
		{"in use", protect, []string{vm(fromLinux, "", "")}, remove(linux), inUse},
		{"in use, by annotations", protect, []string{vm(inAnnotations, "", "")}, remove(linux), inUse},
		{"of KubeVirt, in use", protect, []string{vm(fromLinux, "", "")}, kubeVirt, inUse},
		{"in use, with broken rules", protect, []string{vm(fromLinux, "", "")}, remove(template("templates", "linux", "7")), inUse},
		{"in use, without rules", protect, []string{vm(fromLinux, "", "")}, remove(template("templates", "linux")), allowed},
		{"in use, by half", append([]admission.Option{admission.WithTemplateNamespaces("first", "templates")}, protect...), []string{vm(`, "labels": {"vm.kubevirt.io/template": "linux"}`, "", "")}, remove(linux), inUse},
		{"by half, but not here", append([]admission.Option{admission.WithTemplateNamespaces("first")}, protect...), []string{vm(`, "labels": {"vm.kubevirt.io/template": "linux"}`, "", "")}, remove(linux), allowed},
		{"in use, without rules, and large", protect, []string{vm(fromLinux, "", "")}, remove(strings.Replace(template("templates", "linux"), `"objects": [`, `"objects": [`+strings.Repeat("{},", 15_000), 1)), allowed},
		{"not in use", protect, []string{vm(other, "", "")}, remove(linux), allowed},
		{"in use, but not protected", nil, []string{vm(fromLinux, "", "")}, remove(linux), allowed},
		{"a collection", protect, []string{vm(fromLinux, "", "")}, collection, allowed},
		{"one of a collection", protect, []string{vm(fromLinux, "", "")}, func() ctrl.Request { r := remove(linux); r.Name = ""; return r }(), inUse},
		{"without its object", protect, nil, remove(""), answer{Code: 400, Message: "the request has no oldObject"}},
	})
}

func TestTemplateDeletionFails(t *testing.T) {
	down := interceptor.NewClient(cluster(t), interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			return errors.New("the API server is down")
		},
	})
	req := ofKind(request("DELETE", "", linux), "template.openshift.io/v1", "Template")
	req.Namespace = "templates"
	want := answer{Code: 500, Message: "vmrules cannot validate the request: listing the VMs of the template templates/linux: the API server is down"}
	got := answerOf(reviewer(t, down, admission.WithProtectedTemplates()).Handle(t.Context(), req))
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
