package openreports_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/openreports"
)

var update = flag.Bool("update", false, "write testdata/report.json; read the difference before you commit it")

const (
	vm = `{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "reception", "namespace": "office", "uid": "11-22"},
		"spec": {"template": {"spec": {"domain": {"cpu": {"cores": 12}, "devices": {"disks": [
			{"name": "a", "disk": {"bus": "sata"}}, {"name": "b", "disk": {"bus": "scsi"}}, {"name": "c", "disk": {"bus": "virtio"}}]}}}}}}`
	rules = `[
		{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "at most 8 cores", "max": 8},
		{"name": "bus", "rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "message": "virtio is faster", "values": ["virtio"], "justWarning": true},
		{"name": "sockets", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.sockets", "message": "one socket", "max": 1},
		{"name": "model", "rule": "string", "path": "jsonpath::.spec.domain.cpu.model", "valid": "jsonpath::.spec.domain.cpu.model", "message": "a model"},
		{"name": "memory", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "less than the maximum", "max": "jsonpath::.spec.domain.memory.maxGuest"},
		{"name": "weather", "rule": "weather", "path": "jsonpath::.spec.domain.cpu", "message": "sunny"}]`
)

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	o, err := vmrules.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func judged(t *testing.T, annotation, vm string) *vmrules.Report {
	t.Helper()
	all, err := vmrules.ParseRules(annotation)
	if err != nil {
		t.Fatal(err)
	}
	return vmrules.Validate(all, object(t, vm))
}

func resultsIn(report map[string]any) (all []map[string]any) {
	results, _ := report["results"].([]any)
	for _, r := range results {
		all = append(all, r.(map[string]any))
	}
	return all
}

// asText returns a Report as the text that testdata has.
func asText(t *testing.T, report map[string]any) string {
	t.Helper()
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// All outcomes, with the texts that dashboards show.
func TestNew(t *testing.T) {
	report := openreports.New(object(t, vm), openreports.Validation{Policy: "templates/linux", Report: judged(t, rules, vm), Time: time.Unix(1700000000, 5)})
	got := asText(t, report)
	const golden = "testdata/report.json"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is known only by half says so, and no VM without rules has a Report.
func TestNothingJudged(t *testing.T) {
	const exact = `{"kind": "VirtualMachine", "metadata": {"name": "reception"}, "spec": {}}`
	for _, test := range []struct {
		name   string
		report *vmrules.Report
		err    error
		want   string
	}{
		{"no rules", judged(t, "", vm), nil, ""},
		{"not validated at all", nil, nil, "error: nothing has been validated"},
		{"rules that cannot be read", nil, errors.New("the validation rules cannot be used"), "error: the validation rules cannot be used"},
		{"no VM inside", judged(t, rules, `{"kind": "VirtualMachine"}`), nil, "error error error error error skip"},
		{"all skipped", judged(t, `[{"name": "a", "rule": "string", "path": "jsonpath::.spec.x", "valid": "jsonpath::.spec.x", "message": "m"}]`, vm), nil, "skip"},
	} {
		t.Run(test.name, func(t *testing.T) {
			report := openreports.New(object(t, exact), openreports.Validation{Policy: "p", Report: test.report, Err: test.err})
			var outcomes []string
			for _, r := range resultsIn(report) {
				outcomes = append(outcomes, fmt.Sprint(r["result"]))
			}
			got := strings.Join(outcomes, " ")
			if len(outcomes) == 1 && strings.HasPrefix(test.want, "error: ") {
				got = fmt.Sprintf("error: %s", resultsIn(report)[0]["message"])
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Who owns a Report and what it is called follows from what is known of the object.
func TestNames(t *testing.T) {
	for _, test := range []struct{ metadata, want string }{
		{`{"name": "a", "namespace": "n", "uid": "u"}`, `{"name":"vmrules-u","namespace":"n","ownerReferences":[{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","name":"a","uid":"u"}]}`},
		{`{"name": "a"}`, `{"name":"vmrules-virtualmachine-a"}`},
	} {
		about := object(t, `{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": `+test.metadata+`}`)
		metadata := openreports.New(about, openreports.Validation{Policy: "p", Err: errors.New("e")})["metadata"].(map[string]any)
		delete(metadata, "labels")
		delete(metadata, "annotations")
		if got, _ := json.Marshal(metadata); string(got) != test.want {
			t.Errorf("%s: %s", test.metadata, got)
		}
	}
}

// An author of rules and VMs cannot make a Report that is too large for an API server, or hide what is wrong.
func TestBounds(t *testing.T) {
	hostile := strings.Repeat(`<\u0000`, 5000)
	var all []string
	for i := range 1000 {
		most := 100
		if i >= 990 {
			most = 8
		}
		all = append(all, fmt.Sprintf(`{"name": "%d%s", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "max": %d}`, i, strings.Repeat("<", 100), most))
	}
	report := openreports.New(object(t, vm), openreports.Validation{Policy: hostile, Report: judged(t, "["+strings.Join(all, ",")+"]", vm)})
	results := resultsIn(report)
	if n := len(results); n != 201 {
		t.Fatalf("%d results", n)
	}
	if diff := cmp.Diff(map[string]any{"fail": int64(10), "error": int64(0), "warn": int64(0), "pass": int64(990), "skip": int64(0)}, report["summary"]); diff != "" {
		t.Error(diff)
	}
	for i, r := range results[:10] {
		if r["result"] != "fail" {
			t.Errorf("result %d is %v", i, r)
		}
	}
	if last := results[200]; last["message"] != "800 more results are left out" || last["result"] != "pass" {
		t.Error(last)
	}
	huge := openreports.New(object(t, vm), openreports.Validation{Policy: strings.Repeat("<", 9999), Err: errors.New(hostile + "\xff")})
	if n := len(asText(t, huge)); n > 10<<10 {
		t.Errorf("%d bytes for one result", n)
	}
}

// Kubernetes takes the names of all Reports, and no two objects share one.
func TestAllowedNames(t *testing.T) {
	valid := regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	known := map[any]string{}
	for _, metadata := range []string{
		`{"name": "reception"}`, `{"name": "a.b"}`, `{}`, `{"name": "-"}`, `{"name": "a.-b"}`, `{"name": "a..b"}`, `{"name": "a."}`, `{"name": "Reception"}`,
		`{"name": "a\nb"}`, `{"name": "a b"}`, `{"name": "a_b"}`, `{"name": "é"}`, `{"name": "ab", "uid": "a\n"}`, `{"uid": "-"}`, `{"uid": "1-2"}`,
		`{"name": "` + strings.Repeat("x", 300) + `"}`, `{"name": "` + strings.Repeat("x", 301) + `"}`, `{"name": "` + strings.Repeat("é", 150) + `"}`,
	} {
		report := openreports.New(object(t, `{"kind": "VirtualMachine", "metadata": `+metadata+`}`), openreports.Validation{Policy: "p", Err: errors.New("wrong")})
		name := report["metadata"].(map[string]any)["name"].(string)
		if !valid.MatchString(name) || len(name) > 253 || known[name] != "" {
			t.Errorf("%.80s has the name %q, of %d bytes, like %q", metadata, name, len(name), known[name])
		}
		known[name] = metadata
	}
	if known["vmrules-virtualmachine-reception"] == "" || known["vmrules-virtualmachine-a.b"] == "" || known["vmrules-1-2"] == "" {
		t.Errorf("allowed names are changed: %q", known)
	}
}

// A VirtualMachine that is judged by the annotation for the VMs of its template should have it itself.
func TestLostRules(t *testing.T) {
	const labels = `"labels": {"vm.kubevirt.io/template": "t", "vm.kubevirt.io/template.namespace": "n"}`
	const named = `{"kind": "VirtualMachine", "metadata": {"name": "a", ` + labels + `}, "spec": {"template": {"spec": {}}}}`
	inside := object(t, `{"kind": "VirtualMachineTemplate", "spec": {"virtualMachine": {"metadata": {"annotations": {"vm.kubevirt.io/validations": "[ ]"}}}}}`)
	outside := object(t, `{"kind": "Template", "metadata": {"annotations": {"validations": "[]"}}, "objects": [{"kind": "VirtualMachine"}]}`)
	for _, test := range []struct {
		name, vm string
		template map[string]any
		want     string
	}{
		{"lost", named, inside, "[ ]"},
		{"on the template itself", named, outside, ""},
		{"no rules for the VM inside", named, object(t, `{"kind": "Template", "objects": [{"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": " "}}}]}`), ""},
		{"no such template", named, nil, ""},
		{"an annotation of its own", strings.Replace(named, labels, labels+`, "annotations": {"vm.kubevirt.io/validations": "[]"}`, 1), inside, ""},
		{"exempt", strings.Replace(named, labels, labels+`, "annotations": {"vm.kubevirt.io/skip-validations": ""}`, 1), inside, ""},
		{"names none", strings.Replace(named, labels, `"labels": {}`, 1), inside, ""},
		{"an instance, which a VM makes anew", strings.Replace(named, "VirtualMachine", "VirtualMachineInstance", 1), inside, ""},
	} {
		about := object(t, test.vm)
		report := vmrules.ValidateOwn(about, vmrules.WithTemplates(func(vmrules.TemplateRef) (*vmrules.Template, error) {
			if test.template == nil {
				return nil, nil
			}
			return &vmrules.Template{Object: test.template}, nil
		}))
		if got := openreports.LostRules(about, test.template, report); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// A Report says it, and leaves all else as it is. It does not give a Report to a VM without rules.
func TestReportOfLostRules(t *testing.T) {
	about := object(t, strings.Replace(vm, `"namespace"`, `"labels": {"vm.kubevirt.io/template": "t"}, "namespace"`, 1))
	for text, want := range map[string]string{rules: "fail warn pass skip error skip warn", "[]": ""} {
		template := map[string]any{"kind": "Template", "objects": []any{map[string]any{
			"kind": "VirtualMachine", "metadata": map[string]any{"annotations": map[string]any{"vm.kubevirt.io/validations": text}},
		}}}
		report := vmrules.ValidateOwn(about, vmrules.WithTemplates(func(vmrules.TemplateRef) (*vmrules.Template, error) {
			return &vmrules.Template{Object: template}, nil
		}))
		var outcomes []string
		for _, r := range resultsIn(openreports.New(about, openreports.Validation{Policy: "t", Template: template, Report: report})) {
			outcomes = append(outcomes, fmt.Sprint(r["result"]))
		}
		if got := strings.Join(outcomes, " "); got != want {
			t.Errorf("%.20s: %s, want %s", text, got, want)
		}
	}
}
