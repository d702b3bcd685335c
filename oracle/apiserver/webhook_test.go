package apiserver

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/instancetype"
)

var moreTemplates = flag.String("templates", "", "a `pattern` of files with more templates for the webhook")

// medium is the only instance type. There is no preference.
var medium = object("instancetype.kubevirt.io/v1beta1", "VirtualMachineClusterInstancetype", "", "u1.medium", map[string]any{
	"spec": map[string]any{"cpu": map[string]any{"guest": int64(1)}, "memory": map[string]any{"guest": "4Gi"}},
})

// found returns what a VM names, as the webhook finds it.
func found(vm map[string]any) (it, preference map[string]any, err error) {
	missing := func(n *instancetype.Named) error {
		if n == nil {
			return nil
		}
		within := ""
		if isNamespaced, _ := instancetype.IsNamespaced(n.Kind); isNamespaced {
			within = " in the namespace default"
		}
		return fmt.Errorf("the %s %s was not found%s", n.Kind, n.Name, within)
	}
	named, preferred := instancetype.NamesOf(vm)
	if named != nil && named.Kind == medium.GetKind() && named.Name == medium.GetName() {
		it, named = medium.Object, nil
	}
	switch {
	case named == nil:
		err = missing(preferred)
	case preferred == nil:
		err = missing(named)
	default:
		err = fmt.Errorf("%w, and %w", missing(named), missing(preferred))
	}
	return it, nil, err
}

// ofWebhook has the reasons for which the webhook says something else than Validate.
var ofWebhook = []difference{
	{why: "an instance type or a preference that does not exist is only worth a warning", is: func(c trial, want *vmrules.Report, got verdict) bool {
		others := 0
		missing := false
		for _, r := range want.Results() {
			switch {
			case r.Doubt == vmrules.DoubtInstancetype, r.Doubt == vmrules.DoubtPreference:
				missing = true
			case r.Outcome == vmrules.OutcomeViolated, r.Outcome == vmrules.OutcomeUndecided && !r.Violations[0].Warned:
				others++
			}
		}
		return missing && (others == 0) == (got == admitted)
	}},
}

// The webhook as the manifests deploy it, with no more rights than theirs, says what Validate says, in
// the same words. All differences have a reason in the list, and each reason occurs.
func TestWebhook(t *testing.T) {
	d := deploy(t)
	counts := map[string]int{}
	trials := d.accepted(t, d.trials(t), counts)
	p := d.run(t)
	d.ready(t, p)
	d.call(t, p.reviews)
	forbidden := d.answered(t, `code="403"`)

	occurred := map[string]int{}
	for _, c := range trials {
		opts := []vmrules.ValidateOption{vmrules.WithInstancetypes(found)}
		if c.old != nil {
			opts = append(opts, vmrules.WithOldObject(c.old), vmrules.Ratcheting())
		}
		want := vmrules.Validate(c.rules, c.object, opts...)
		d.warnings.take()
		err := d.judge(c)
		got, warnings := verdictOfWebhook(err), d.warnings.take()
		counts[fmt.Sprintf("valid %t: %s", want.Valid(), got)]++
		diff := cmp.Diff(want.Causes(), causesOf(err), cmpopts.EquateEmpty()) + cmp.Diff(want.AdmissionWarnings(), warnings, cmpopts.EquateEmpty())
		if want.Valid() == (got == admitted) && diff == "" {
			continue
		}
		i := slices.IndexFunc(ofWebhook, func(d difference) bool { return d.is(c, want, got) })
		if i < 0 {
			t.Errorf("%s (%s): %s\n%v\n(-want +got):\n%s", c.name, c.template, got, err, diff)
			continue
		}
		occurred[ofWebhook[i].why]++
	}
	for _, d := range ofWebhook {
		if occurred[d.why] == 0 {
			t.Errorf("never occurred: %s", d.why)
		}
	}
	t.Log(len(trials), counts, occurred)
	for what, least := range map[string]int{"valid true: admitted": 100, "valid false: " + string(refused): 100} {
		if counts[what] < least {
			t.Errorf("%s only %d times", what, counts[what])
		}
	}
	if n := d.answered(t, `code="403"`) - forbidden; n != 0 {
		t.Errorf("%d requests were forbidden", n)
	}
}

// trials returns trials whose templates are in the server.
func (d *deployment) trials(t *testing.T) []trial {
	t.Helper()
	trials := vectorTrials(t, func(string, vmrules.Rules) bool { return true })
	for i := range trials {
		trials[i].space = templateSpace
		if trials[i].old == nil { // not twice
			d.add(t, templateOf(i, trials[i]))
		}
	}
	d.add(t, medium.DeepCopy())
	for i, c := range mutantTrials(t) {
		c.space = templateSpace
		if i%4 < 2 && at(c.object, "instancetype") != nil { // the instance type sets them
			unstructured.RemoveNestedField(c.object, "spec", "template", "spec", "domain", "cpu")
			unstructured.RemoveNestedField(c.object, "spec", "template", "spec", "domain", "memory")
		}
		trials = append(trials, c)
	}
	for i, o := range realTemplates(t) {
		d.add(t, o)
		d.add(t, converted(o.Object))
		trials = append(trials, ofTemplate(t, o.Object, i)...)
	}
	return trials
}

// templateOf returns a template with the rules of a trial, of either kind.
func templateOf(i int, c trial) *unstructured.Unstructured {
	vm := map[string]any{
		"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
		"metadata": map[string]any{"name": "vm", "annotations": map[string]any{vmrules.Annotation: c.text}},
		"spec":     map[string]any{"template": map[string]any{"spec": map[string]any{}}},
	}
	if i%2 == 0 {
		return object("template.openshift.io/v1", "Template", templateSpace, c.template, map[string]any{"objects": []any{vm}})
	}
	return object(templateGroup+"/v1alpha1", templateKind, templateSpace, c.template, map[string]any{"spec": map[string]any{"virtualMachine": vm}})
}

// ofTemplate returns the VM of a template, and changed ones, three times: as they name the template; with
// rules of their own and half a name, as what is made from the templates that KubeVirt's projects publish has;
// and as processing makes them from the template that it is converted to, with their own rules and no labels.
func ofTemplate(t *testing.T, template map[string]any, seed int) (trials []trial) {
	t.Helper()
	rules, err := vmrules.RulesFor(nil, template)
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := unstructured.NestedString(template, "metadata", "name")
	filled, err := form.Fill(template, nil)
	if err != nil {
		t.Fatal(err)
	}
	objects, _, _ := unstructured.NestedSlice(filled, "objects")
	named := trial{name: name, template: name, space: templateSpace, rules: rules, object: objects[0].(map[string]any)}
	byItself, processed := named, named
	byItself.name += " by itself"
	byItself.space, byItself.own = "", ownRules(named.object)
	processed.name += " processed"
	processed.space, processed.template, processed.object = "", "", processedFrom(t, converted(template).Object)
	processed.own = ownRules(processed.object)
	for _, c := range []trial{named, byItself, processed} {
		trials = append(trials, c)
		trials = append(trials, mutantsOf(c, 3, uint64(seed))...)
	}
	return trials
}

func ownRules(vm map[string]any) string {
	text, _, _ := unstructured.NestedString(vm, "metadata", "annotations", vmrules.Annotation)
	return text
}

// processedFrom returns the VM that processing makes from a VirtualMachineTemplate.
func processedFrom(t *testing.T, template map[string]any) map[string]any {
	t.Helper()
	filled, err := form.Fill(template, nil)
	if err != nil {
		t.Fatal(err)
	}
	vm, _, _ := unstructured.NestedMap(filled, "spec", "virtualMachine")
	return vm
}

// causesOf returns why the webhook refused a write.
func causesOf(err error) (causes []vmrules.Cause) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	for _, c := range status.Status().Details.Causes {
		causes = append(causes, vmrules.Cause{Reason: vmrules.Reason(c.Type), Message: c.Message, Field: c.Field})
	}
	return causes
}

// Warnings are those of the answers of a server. They are safe for concurrent use.
type warnings struct {
	mu  sync.Mutex
	all []string
}

// HandleWarningHeader implements rest.WarningHandler.
func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, text)
}

// take returns the warnings, and forgets them.
func (w *warnings) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.all
	w.all = nil
	return all
}

// answered returns how many requests the server has answered, of those that have these labels.
func (d *deployment) answered(t testing.TB, labels string) int {
	t.Helper()
	return sum(t, d.metrics(t), `apiserver_request_total\{[^}]*`+labels+`[^}]*\}`)
}

// metrics returns those of the server.
func (s *server) metrics(t testing.TB) string {
	t.Helper()
	text, err := s.typed.RESTClient().Get().AbsPath("/metrics").DoRaw(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A VM is judged by its own rules or by the template that it names in full, and a template when it is
// written or deleted.
func TestWebhookSources(t *testing.T) {
	d := deploy(t)
	p := d.run(t)
	d.ready(t, p)
	const rule = `[{"name": "memory", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "m", "min": 1}]`
	good := templateOf(0, trial{template: "good", text: rule})
	d.add(t, good)
	d.add(t, templateOf(1, trial{template: "broken", text: "["}))
	d.call(t, p.reviews)
	names := func(name string) map[string]any {
		return map[string]any{vmrules.TemplateLabel: name, vmrules.TemplateNamespaceLabel: templateSpace}
	}
	own := map[string]any{vmrules.Annotation: rule}
	d.add(t, medium.DeepCopy())
	d.add(t, object("apps/v1", "ControllerRevision", "default", "medium-1", map[string]any{"revision": int64(1), "data": medium.Object}))
	of := func(revision string) map[string]any {
		return map[string]any{"name": medium.GetName(), "revisionName": revision}
	}
	for _, c := range []struct {
		name                string
		labels, annotations map[string]any
		instancetype        map[string]any
		want                verdict
		warnings            int
	}{
		{"the template", names("good"), nil, nil, refused, 0},
		{"annotations", nil, names("good"), nil, refused, 0},
		{"the label alone", map[string]any{vmrules.TemplateLabel: "good"}, nil, nil, admitted, 1},
		{"a template that cannot be used", names("broken"), nil, nil, refused, 0},
		{"no such template", names("missing"), nil, nil, admitted, 1},
		{"its own rules", names("missing"), own, nil, refused, 0},
		{"exempt", names("good"), map[string]any{vmrules.SkipAnnotation: ""}, nil, admitted, 0},
		{"nothing", nil, nil, nil, admitted, 0},
		{"an instance type", names("good"), nil, map[string]any{"name": medium.GetName()}, admitted, 0},
		{"a revision of it", names("good"), nil, of("medium-1"), admitted, 0},
		{"a revision that does not exist", names("good"), nil, of("medium-2"), admitted, 1},
	} {
		vm := smallVM("")
		vm["metadata"].(map[string]any)["labels"] = c.labels
		vm["metadata"].(map[string]any)["annotations"] = c.annotations
		if c.instancetype != nil {
			vm["spec"].(map[string]any)["instancetype"] = c.instancetype
		}
		d.warnings.take()
		_, err := d.create(vm)
		if got, warnings := verdictOfWebhook(err), d.warnings.take(); got != c.want || len(warnings) != c.warnings {
			t.Errorf("%s: %v, want %s\nwarnings: %q", c.name, err, c.want, warnings)
		}
	}

	d.warnings.take()
	d.add(t, templateOf(0, trial{template: "also-broken", text: "["}))
	if warnings := d.warnings.take(); len(warnings) != 1 {
		t.Errorf("a template that cannot be used has the warnings %q", warnings)
	}
	user := smallVM("")
	user["metadata"].(map[string]any)["labels"] = names("good")
	_ = unstructured.SetNestedField(user, "1Gi", "spec", "template", "spec", "domain", "memory", "guest")
	made, err := d.vms.Create(context.Background(), &unstructured.Unstructured{Object: user}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d.wait(t, func() error { // until the cache of the webhook has the VM
		if err := d.client.Delete(context.Background(), good, client.DryRunAll); verdictOfWebhook(err) != refused {
			return fmt.Errorf("a template with a VM is deleted: %w", err)
		}
		return nil
	})
	if err := d.vms.Delete(context.Background(), made.GetName(), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	d.wait(t, func() error { return d.client.Delete(context.Background(), good) })
}
