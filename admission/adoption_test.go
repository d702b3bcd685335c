package admission_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint/ssp"
)

// This file is for programs that have a validator of their own, without this module: docs/maintainers.md
// says where its parts belong. Copy what you need.

// A Template stands for that of github.com/openshift/api.
type Template struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// ruleCache has the rules of the templates in an informer. It reads those of a template again if the
// resource version is another.
type ruleCache struct {
	templates cache.KeyGetter // the store of the informer

	lock sync.Mutex
	read map[string]*readRules // by the key of the template
}

type readRules struct {
	version string
	rules   vmrules.Rules
	err     error
}

// find is for vmrules.WithTemplates.
func (c *ruleCache) find(ref vmrules.TemplateRef) (*vmrules.Template, error) {
	key := ref.Namespace + "/" + ref.Name
	found, exists, err := c.templates.GetByKey(key)
	c.lock.Lock()
	defer c.lock.Unlock()
	if err != nil || !exists {
		delete(c.read, key)
		return nil, err
	}
	template := found.(*Template)
	known := c.read[key]
	if known == nil || known.version != template.ResourceVersion {
		// A typed template: the annotation of its own, as today, and not that of the VM inside.
		rules, err := vmrules.ParseRules(template.Annotations[vmrules.OldAnnotation], vmrules.DetectVersion())
		known = &readRules{template.ResourceVersion, rules, err}
		c.read[key] = known
	}
	if known.err != nil {
		return nil, known.err // a ParseError: the VM is Undecided, with DoubtRules
	}
	return &vmrules.Template{Rules: known.rules}, nil
}

// instancetypes is for vmrules.WithInstancetypes. It reads what exists now: for a VM that names a revision,
// read the data of that ControllerRevision instead.
func instancetypes(ctx context.Context, reader client.Reader) func(vm map[string]any) (it, preference map[string]any, err error) {
	read := func(vm map[string]any, key, cluster string) (map[string]any, error) {
		name, _, _ := unstructured.NestedString(vm, "spec", key, "name")
		if name == "" {
			return nil, nil
		}
		kind, _, _ := unstructured.NestedString(vm, "spec", key, "kind")
		kind = cmp.Or(kind, cluster)
		of := client.ObjectKey{Name: name}
		if kind != cluster {
			of.Namespace, _, _ = unstructured.NestedString(vm, "metadata", "namespace")
		}
		var object unstructured.Unstructured
		object.SetGroupVersionKind(schema.GroupVersionKind{Group: "instancetype.kubevirt.io", Version: "v1beta1", Kind: kind})
		if err := reader.Get(ctx, of, &object); err != nil {
			return nil, err
		}
		return object.Object, nil
	}
	return func(vm map[string]any) (it, preference map[string]any, err error) {
		it, err = read(vm, "instancetype", "VirtualMachineClusterInstancetype")
		preference, missing := read(vm, "preference", "VirtualMachineClusterPreference")
		return it, preference, errors.Join(err, missing)
	}
}

// response answers by a report.
func response(report *vmrules.Report) *admissionv1.AdmissionResponse {
	resp := &admissionv1.AdmissionResponse{Allowed: true, Warnings: report.AdmissionWarnings()}
	if err := report.Err(); err != nil {
		resp.Allowed = false
		resp.Result = &metav1.Status{
			Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid, Message: err.Error(),
			Details: &metav1.StatusDetails{Causes: statusCauses(report.Causes())},
		}
	}
	return resp
}

func statusCauses(causes []vmrules.Cause) []metav1.StatusCause {
	var all []metav1.StatusCause
	for _, c := range causes {
		all = append(all, metav1.StatusCause{Type: metav1.CauseType(c.Reason), Message: c.Message, Field: c.Field})
	}
	return all
}

type admitFunc func(*admissionv1.AdmissionReview) *admissionv1.AdmissionResponse

// A shadow judges VMs beside the old validator, and counts and logs where the two differ.
type shadow struct {
	judge       func(vm map[string]any) *vmrules.Report
	differences *prometheus.CounterVec // by reason
	log         logr.Logger
}

// admit answers as the old validator does.
func (s *shadow) admit(old admitFunc) admitFunc {
	return func(ar *admissionv1.AdmissionReview) *admissionv1.AdmissionResponse {
		vm, err := vmrules.ParseObject(ar.Request.Object.Raw)
		resp := old(ar)
		if deleted, _, _ := unstructured.NestedFieldNoCopy(vm, "metadata", "deletionTimestamp"); deleted != nil {
			return resp
		}
		found := []string{"unreadable"}
		var report *vmrules.Report
		if err == nil {
			report = s.judge(vm)
			found = reasons(resp, report)
		}
		for _, reason := range found {
			s.differences.WithLabelValues(reason).Inc()
			s.log.Info("Another verdict", "vm", ar.Request.Namespace+"/"+ar.Request.Name, "reason", reason,
				"old", resp.Result, "new", report.String(), "error", err)
		}
		return resp
	}
}

// reasons returns why the report refuses what the old validator allows, or allows what it refuses. There
// are none if the two agree.
func reasons(old *admissionv1.AdmissionResponse, report *vmrules.Report) []string {
	found := map[string]bool{}
	isAllowed := report.Valid()
	switch {
	case old.Allowed == isAllowed:
	case !isAllowed:
		for _, r := range report.Results(vmrules.OutcomeViolated, vmrules.OutcomeUndecided) {
			for _, v := range r.Violations {
				if !v.Warned {
					found["refuses "+cmp.Or(string(r.Doubt), string(v.Reason))] = true
				}
			}
		}
	default:
		for _, r := range report.Results() { // of the rules of which the old validator speaks
			if speaksOf(old, r.Message) {
				found["allows "+string(r.Outcome)] = true
			}
		}
		if len(found) == 0 {
			found["allows "+string(report.Targets()[0].Coverage)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// speaksOf reports whether some cause begins with the message of a rule.
func speaksOf(resp *admissionv1.AdmissionResponse, message string) bool {
	return resp.Result != nil && resp.Result.Details != nil && slices.ContainsFunc(resp.Result.Details.Causes,
		func(c metav1.StatusCause) bool { return strings.HasPrefix(c.Message, message+": ") })
}

// The tests.

const (
	hostRule = `{"name": "host", "rule": "string", "path": "jsonpath::.spec.hostname", "message": "a short name", "maxLength": 15}`
	usbRule  = `{"name": "usb", "rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "valid": "jsonpath::.spec.domain.devices.disks[*].disk.bus",
		"message": "virtio alone", "values": ["virtio"]}`
	disk = `"devices": {"disks": [{"name": "a", "disk": {}}]}`
)

// withoutTemplate makes the library as lenient as a validator that allows VMs whose template is gone.
var withoutTemplate = vmrules.WarnIfUndecided(vmrules.DoubtTemplate)

// oldAdmit answers as KubeVirt's template validator does, by the VM's own annotation.
func oldAdmit(ar *admissionv1.AdmissionReview) *admissionv1.AdmissionResponse {
	vm, _ := vmrules.ParseObject(ar.Request.Object.Raw)
	text, _, _ := unstructured.NestedString(vm, "metadata", "annotations", vmrules.Annotation)
	verdict := ssp.Judge(text, vm)
	resp := &admissionv1.AdmissionResponse{Allowed: verdict.Accepted}
	var rules []struct{ Name, Message string }
	if !verdict.Accepted && json.Unmarshal([]byte(text), &rules) == nil {
		resp.Result = &metav1.Status{Details: &metav1.StatusDetails{}}
		for _, r := range rules {
			if why, failed := verdict.Why[r.Name]; failed {
				resp.Result.Details.Causes = append(resp.Result.Details.Causes, metav1.StatusCause{Message: r.Message + ": " + why})
			}
		}
	}
	return resp
}

// TestShadow counts one difference for each reason, of which docs/maintainers.md says what to do.
func TestShadow(t *testing.T) {
	page, err := os.ReadFile("../docs/maintainers.md")
	if err != nil {
		t.Fatal(err)
	}
	named := `"instancetype": {"name": "u1"}, `
	tests := []struct {
		name, object, want string
	}{
		{"both allow", vm(withRules(coresRule), "", cores1), ""},
		{"both refuse", vm(withRules(coresRule), "", cores12), ""},
		{"an unset field", vm(withRules(hostRule), "", cores1), "refuses FieldValueRequired"},
		{"an argument of another kind", vm(withRules(rule("cores", "integer", "cpu.cores", "few", `"values": ["2"]`)), "", cores1), "refuses FieldValueNotSupported"},
		{"a regex of another kind", vm(withRules(rule("cores", "integer", "cpu.cores", "few", `"regex": "^2$"`)), "", cores1), "refuses FieldValueInvalid"},
		{"null", vm(`, "annotations": {"vm.kubevirt.io/validations": "null"}`, "", cores1), "refuses Rules"},
		{"an instance type", vm(withRules(rule("memory", "integer", "memory.guest", "at most 1 GiB", `"max": 1073741824`)), named, ""), "refuses Instancetype"},
		{"a warning that cannot be decided there", vm(withRules(strings.Replace(busRule, `"valid"`, `"x"`, 1)), "", cores1), "allows Warned"},
		{"no values", vm(withRules(rule("bus", "enum", "machine.type", "m", `"x": 1`)), "", `"machine": {"type": "q35"}`), "allows Ignored"},
		{"an unset bus behind valid", vm(withRules(usbRule), "", disk), "allows Skipped"},
		{"a regex with lookahead", vm(withRules(rule("machine", "regex", "machine.type", "no i440fx", `"regex": "^(?!pc)"`)), "", `"machine": {"type": "q35"}`), "allows Satisfied"},
		{"a bound with a unit", vm(withRules(rule("memory", "integer", "memory.guest", "m", `"min": "1Gi"`)), "", `"memory": {"guest": "2Gi"}`), "allows Judged"},
		{"a blank annotation", vm(`, "annotations": {"vm.kubevirt.io/validations": " "}`, "", cores1), "allows NoRules"},
		{"no object", `{"kind": "VirtualMachine", "kind": "VirtualMachine", "spec": {"template": {"spec": {}}}}`, "unreadable"},
		{"deleted", vm(`, "deletionTimestamp": "2026-01-01T00:00:00Z"`+withRules(hostRule), "", cores1), ""},
	}
	for _, test := range tests {
		var logged []string
		differences := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "validator_differences_total"}, []string{"reason"})
		s := &shadow{
			judge:       func(vm map[string]any) *vmrules.Report { return vmrules.ValidateOwn(vm, withoutTemplate) },
			differences: differences,
			log:         funcr.New(func(_, text string) { logged = append(logged, text) }, funcr.Options{}),
		}
		req := request("CREATE", test.object, "")
		review := &admissionv1.AdmissionReview{Request: &req.AdmissionRequest}
		if diff := gocmp.Diff(oldAdmit(review), s.admit(oldAdmit)(review)); diff != "" {
			t.Errorf("%s: the answer is another (-old +shadow):\n%s", test.name, diff)
		}
		if test.want == "" {
			if logged != nil {
				t.Errorf("%s: logged %q", test.name, logged)
			}
			continue
		}
		var counted dto.Metric
		if err := differences.WithLabelValues(test.want).Write(&counted); err != nil || counted.Counter.GetValue() != 1 ||
			len(logged) != 1 || !strings.Contains(logged[0], `"reason"="`+test.want+`"`) {
			t.Errorf("%s: want %q, logged %q, %v", test.name, test.want, logged, err)
		}
		if !strings.Contains(string(page), "`"+test.want+"`") {
			t.Errorf("docs/maintainers.md does not say what to do about %q", test.want)
		}
	}
}

// TestRuleCache reads a template again if its resource version changes, and answers with causes.
func TestRuleCache(t *testing.T) {
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	put := func(version string, rules ...string) {
		template := &Template{ObjectMeta: metav1.ObjectMeta{Namespace: "templates", Name: "linux", ResourceVersion: version}}
		template.Annotations = map[string]string{vmrules.OldAnnotation: "[" + strings.Join(rules, ",") + "]"}
		if err := store.Add(template); err != nil {
			t.Fatal(err)
		}
	}
	rules := &ruleCache{templates: store, read: map[string]*readRules{}}
	var typed VirtualMachine // without a kind, as an informer has it
	if err := json.Unmarshal([]byte(vm(fromLinux, "", cores12)), &typed); err != nil {
		t.Fatal(err)
	}
	typed.TypeMeta = metav1.TypeMeta{}
	judge := func() string {
		object, err := vmrules.ToObject(&typed)
		if err != nil {
			t.Fatal(err)
		}
		resp := response(vmrules.ValidateOwn(object, vmrules.WithTemplates(rules.find), withoutTemplate, vmrules.WithoutInstancetypes()))
		if resp.Result == nil {
			return fmt.Sprint(resp.Allowed, resp.Warnings)
		}
		return fmt.Sprint(resp.Allowed, resp.Result.Details.Causes)
	}
	if got, want := judge(), "true [Not decided: the template templates/linux, which the VM names, is not there]"; got != want {
		t.Errorf("without a template: %s", got)
	}
	put("1", coresRule)
	tooMany := "false [{FieldValueInvalid at most 8 cores (12 is more than max 8) spec.template.spec.domain.cpu.cores}]"
	if got := judge(); got != tooMany {
		t.Errorf("by a template: %s", got)
	}
	put("1") // which does not happen in a cluster
	if got := judge(); got != tooMany {
		t.Errorf("of the same version: %s", got)
	}
	put("2", "{")
	if got := judge(); !strings.HasPrefix(got, "false [{InternalError ") {
		t.Errorf("that cannot be read: %s", got)
	}
	put("3")
	if got := judge(); got != "true []" {
		t.Errorf("without rules: %s", got)
	}
}

// TestInstancetypes expands a VM with what it names.
func TestInstancetypes(t *testing.T) {
	object, err := vmrules.ParseObject([]byte(vm(withRules(memoryRule), `"instancetype": {"name": "u1"}, `, `"memory": {}`)))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		objects []string
		want    vmrules.Doubt
	}{
		{[]string{instanceType("u1", 1, "2Gi")}, ""},
		{nil, vmrules.DoubtInstancetype},
	} {
		report := vmrules.ValidateOwn(object, vmrules.WithInstancetypes(instancetypes(t.Context(), cluster(t, test.objects...))))
		if got := report.Results()[0]; got.Doubt != test.want {
			t.Errorf("%v: %v", test.objects, got)
		}
	}
}
