package admission_test

import (
	"context"
	"fmt"
	"log"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	ctrl "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/admission"
)

// A strict webhook refuses what others would only warn of, and finds the templates that VMs name without
// their namespaces.
func ExampleNew() {
	template := func(name, annotation string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "template.openshift.io/v1", "kind": "Template",
			"metadata": map[string]any{"name": name, "namespace": "openshift", "annotations": map[string]any{vmrules.OldAnnotation: annotation}},
		}}
	}
	cluster := fake.NewClientBuilder().WithScheme(scheme()).WithObjects(
		template("linux", `[{"name": "cores", "rule": "integer", "path": "/spec.domain.cpu.cores", "message": "at most 8 cores", "max": 8}]`),
		template("broken", "["),
	).Build()

	refusals := prometheus.NewCounter(prometheus.CounterOpts{Name: "refusals_total"})
	reviewer, err := admission.New(cluster,
		admission.WithNamespaceFallback(),
		admission.WithTemplateNamespaces("openshift"),
		admission.WithUndecided(vmrules.DoubtTemplate, admission.Refuse),
		admission.WithBrokenTemplate(admission.Warn),
		admission.WithoutRatcheting(),
		admission.WithProtectedTemplates(),
		admission.WithRefusedTemplates(),
		admission.WithParseOptions(vmrules.WithBudget(vmrules.Budget{})),
		admission.WithValidateOptions(vmrules.WithoutInstancetypes()),
		admission.WithRefusalCounter(refusals),
		admission.WithDecisions(func(_ context.Context, _ ctrl.Request, resp ctrl.Response, report *vmrules.Report) {
			fmt.Println("decided:", resp.Allowed, report.Valid())
		}),
	)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"linux", "broken"} {
		resp := reviewer.Handle(context.Background(), request("CREATE", vm(`, "labels": {"vm.kubevirt.io/template": "`+name+`"}`, "", cores12), ""))
		if resp.Allowed {
			fmt.Println(name, "allowed:", resp.Warnings)
		} else {
			fmt.Println(name, "refused:", resp.Result.Message)
		}
	}
	// Output:
	// decided: false false
	// linux refused: the object is not valid: spec.template.spec.domain.cpu.cores: Invalid value: 12: at most 8 cores (12 is more than max 8)
	// decided: true false
	// broken allowed: [the validation rules cannot be used: template: line 1, column 2: "]" is missing: the array that begins at line 1 is not closed]
}
