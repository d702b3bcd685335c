package admission_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"sigs.k8s.io/controller-runtime/pkg/log"
	ctrl "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/admission"
)

func TestWrongOptions(t *testing.T) {
	_, err := admission.New(nil,
		admission.WithUndecided(vmrules.DoubtBound, admission.Warn),
		admission.WithUndecided(vmrules.DoubtParameter, "ignore"),
		admission.WithUndecided(vmrules.DoubtTemplate, ""),
		admission.WithBrokenTemplate("allow"),
		admission.WithTemplateNamespaces("openshift", "Open Shift"),
		admission.WithRefusalCounter(nil),
		admission.WithDecisions(nil),
		nil,
	)
	want := `what becomes of a rule that is Undecided because of "Bound" cannot be set: only Instancetype, Preference, Template and Parameter may warn
the action is "ignore": it must be "refuse" or "warn"
the action is "": it must be "refuse" or "warn"
the action is "allow": it must be "refuse" or "warn"
there cannot be a namespace "Open Shift": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')
there is no counter of refusals
there is no function for decisions
there is no reader`
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Each decision is told once, with its request; refusals are counted under another name; and what is
// refused or warned about is in a log that has nothing for debugging.
func TestDecisions(t *testing.T) {
	counter := prometheus.NewCounter(prometheus.CounterOpts{Name: "validator_rejected_total", Help: "Refused VMs."})
	var told, logged []string
	r := reviewer(t, cluster(t, template("templates", "linux", coresRule, busRule)),
		admission.WithRefusalCounter(counter),
		admission.WithDecisions(func(_ context.Context, req ctrl.Request, resp ctrl.Response, report *vmrules.Report) {
			told = append(told, fmt.Sprintf("%s %s %v, %d results, %d warnings", req.Operation, req.Name, resp.Allowed, len(report.Results()), len(resp.Warnings)))
		}))
	ctx := log.IntoContext(t.Context(), funcr.New(func(_, text string) { logged = append(logged, text) }, funcr.Options{}))
	usb := `"devices": {"disks": [{"disk": {"bus": "usb"}}]}`
	for _, object := range []string{vm(fromLinux, "", cores1), vm(fromLinux, "", cores12), vm(fromLinux, "", cores1+", "+usb), "{"} {
		r.Handle(ctx, request("CREATE", object, ""))
	}
	var typed VirtualMachine
	if err := json.Unmarshal([]byte(vm(fromLinux, "", cores12)), &typed); err != nil {
		t.Fatal(err)
	}
	if _, err := admission.NewValidator[*VirtualMachine](r).ValidateCreate(ctx, &typed); err == nil {
		t.Error("the VM is valid")
	}
	want := []string{
		"CREATE reception true, 2 results, 0 warnings",
		"CREATE reception false, 2 results, 0 warnings",
		"CREATE reception true, 2 results, 1 warnings",
		"CREATE reception false, 0 results, 0 warnings",
		"CREATE reception false, 2 results, 0 warnings",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	var m dto.Metric
	if err := counter.Write(&m); err != nil || m.Counter.GetValue() != 2 {
		t.Errorf("counted %v, %v", m.Counter.GetValue(), err)
	}
	if len(logged) != 4 || !strings.Contains(logged[1], `"msg"="Warned"`) || !strings.Contains(logged[1], "virtio is faster") {
		t.Errorf("logged %q", logged)
	}
}

// The options for judging come behind those of the Reviewer.
func TestWithoutInstancetypes(t *testing.T) {
	create := request("CREATE", vm(withRules(memoryRule), `"instancetype": {"name": "u1"}, `, `"memory": {}`), "")
	got := answerOf(reviewer(t, cluster(t), admission.WithValidateOptions(vmrules.WithoutInstancetypes())).Handle(t.Context(), create))
	want := answer{Code: 422, Causes: []string{"spec.template.spec.domain.memory.guest: at least 1 GiB (the field is not set)"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Kinds of rules among the options for judging count as well.
func TestParseOptionsForJudging(t *testing.T) {
	create := request("CREATE", vm(withRules(rule("cores", "odd", "cpu.cores", "m", `"max": 8`)), "", cores12), "")
	want := answer{Code: 422, Causes: []string{`: VM: line 1, column 1: WithKind has no compiler for the kind "odd"`}}
	odd := vmrules.WithKind("odd", nil)
	for name, opt := range map[string]vmrules.ValidateOption{"WithParseOptions": vmrules.WithParseOptions(odd), "KeepRules": vmrules.KeepRules(odd)} {
		got := answerOf(reviewer(t, cluster(t), admission.WithValidateOptions(opt)).Handle(t.Context(), create))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A template that a function of the caller cannot look up is not decided about either.
func TestLookupOfCallerFails(t *testing.T) {
	find := vmrules.WithTemplates(func(vmrules.TemplateRef) (*vmrules.Template, error) { return nil, errors.New("it is down") })
	for _, req := range []ctrl.Request{request("CREATE", vm(fromLinux, "", cores12), ""), request("UPDATE", vm(fromLinux, "", cores12), vm(fromLinux, "", cores12))} {
		got := answerOf(reviewer(t, cluster(t), admission.WithValidateOptions(find)).Handle(t.Context(), req))
		want := answer{Code: 500, Message: "vmrules cannot validate the request: the object is not valid: Not decided: the template templates/linux cannot be looked up: it is down"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", req.Operation, diff)
		}
	}
}

// What a function of the caller does not find warns, as what the cluster does not have.
func TestInstancetypesOfCaller(t *testing.T) {
	find := vmrules.WithInstancetypes(func(map[string]any) (it, preference map[string]any, err error) {
		return nil, nil, errors.New("it is elsewhere")
	})
	create := request("CREATE", vm(withRules(memoryRule), `"instancetype": {"name": "u1"}, `, ""), "")
	got := answerOf(reviewer(t, cluster(t), admission.WithValidateOptions(find)).Handle(t.Context(), create))
	want := warned("Not decided: at least 1 GiB (spec.template.spec.domain.memory.guest may be set by the instance type: it is elsewhere)")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
