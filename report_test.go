package vmrules_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/value"
)

var update = flag.Bool("update", false, "write testdata/report.json anew")

func rulesOf(t testing.TB, annotation string, opts ...vmrules.ParseOption) vmrules.Rules {
	t.Helper()
	rules, err := vmrules.ParseRules(annotation, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func vmOf(t testing.TB, domain string) map[string]any {
	t.Helper()
	vm, err := vmrules.ParseObject([]byte(`{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": ` + domain + `}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return vm
}

const mixedRules = `[
	{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "cpu cores must be limited", "max": 8},
	{"name": "memory", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "memory\nis needed"},
	{"name": "bus", "rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus",
		"message": "virtio is faster", "values": ["virtio"], "justWarning": true},
	{"name": "serial", "rule": "string", "path": "jsonpath::.spec.domain.devices.disks[*].serial",
		"message": "give serials", "minLength": 2, "regex": "^[a-z]"},
	{"name": "cdrom", "rule": "enum", "path": "jsonpath::.spec.domain.cdrom",
		"message": "m", "valid": "jsonpath::.spec.domain.cdrom", "values": ["sata"]},
	{"name": "limit", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "min": "jsonpath::.spec.domain.nothing"},
	{"name": "both", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores",
		"message": "m", "max": 10, "min": "jsonpath::.spec.domain.nothing", "justWarning": true},
	{"name": "newer", "rule": "newer", "path": "jsonpath::.spec", "message": "m"},
	{"name": "empty", "rule": "regex", "path": "jsonpath::.spec", "message": "m"},
	{"name": "threads", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.threads", "message": "m", "max": 1}
]`

func mixedReport(t testing.TB) *vmrules.Report {
	t.Helper()
	return vmrules.Validate(rulesOf(t, mixedRules), vmOf(t, `{
		"cpu": {"cores": 12}, "devices": {"disks": [{"disk": {"bus": "sata"}, "serial": "Ab\u0007"}, {"disk": {"bus": "virtio"}}]}}`))
}

func TestReportForPeople(t *testing.T) {
	report := mixedReport(t)
	want := `invalid: 3 violated, 1 undecided, 2 warned, 2 ignored, 1 skipped, 1 satisfied
Violated   cores: cpu cores must be limited
           spec.template.spec.domain.cpu.cores: 12 is more than max 8
Violated   memory: memory\nis needed
           spec.template.spec.domain.memory.guest: the field is not set
Violated   serial: give serials
           spec.template.spec.domain.devices.disks[0].serial: "Ab\a" does not match "^[a-z]"
           spec.template.spec.domain.devices.disks[1].serial: not set, counts as "": "" has 0 characters, fewer than minLength 2
           spec.template.spec.domain.devices.disks[1].serial: not set, counts as "": "" does not match "^[a-z]"
Undecided  limit: m
           min cannot be read: jsonpath::.spec.domain.nothing is not there
Warned     bus: virtio is faster
           spec.template.spec.domain.devices.disks[0].disk.bus: "sata" is not "virtio"
Warned     both: m
           spec.template.spec.domain.cpu.cores: 12 is more than max 10
           not decided: min cannot be read: jsonpath::.spec.domain.nothing is not there
Ignored    newer: the kind "newer" is not known
Ignored    empty: the kind regex without any argument enforces nothing
Skipped    cdrom: jsonpath::.spec.domain.cdrom is not there
Satisfied  threads`
	if diff := cmp.Diff(want, report.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReportForMachines(t *testing.T) {
	report := mixedReport(t)
	if report.Valid() {
		t.Error("valid")
	}
	names := func(violations []vmrules.Violation) (all []string) {
		for _, v := range violations {
			all = append(all, v.Rule)
		}
		return all
	}
	for _, test := range []struct {
		name      string
		got, want []string
	}{
		{"Violations", names(report.Violations()), []string{"cores", "memory", "serial", "serial", "serial", "limit"}},
		{"Warnings", names(report.Warnings()), []string{"bus", "both"}},
		{"Ignored", []string{report.Results(vmrules.OutcomeIgnored)[0].Rule, report.Results(vmrules.OutcomeIgnored)[1].Rule},
			[]string{"newer", "empty"}},
		{"AdmissionWarnings", report.AdmissionWarnings(), []string{
			`spec.template.spec.domain.devices.disks[0].disk.bus: Unsupported value: "sata": virtio is faster ("sata" is not "virtio")`,
			"spec.template.spec.domain.cpu.cores: Invalid value: 12: m (12 is more than max 10)",
			`Not decided: m (the kind "newer" is not known)`,
			"Not decided: m (the kind regex without any argument enforces nothing)",
		}},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	wantCauses := []vmrules.Cause{
		{vmrules.ReasonInvalid, "cpu cores must be limited (12 is more than max 8)", "spec.template.spec.domain.cpu.cores"},
		{vmrules.ReasonRequired, `memory\nis needed (the field is not set)`, "spec.template.spec.domain.memory.guest"},
	}
	if diff := cmp.Diff(wantCauses, report.Causes()[:2]); diff != "" {
		t.Errorf("Causes (-want +got):\n%s", diff)
	}
	var again vmrules.Report
	if text, err := json.Marshal(report); err != nil || json.Unmarshal(text, &again) != nil || again.String() != report.String() {
		t.Errorf("read from its JSON:\n%s", again.String())
	}
	wantJSON := `{"index":0,"rule":"cores","kind":"integer","path":"jsonpath::.spec.domain.cpu.cores","message":"cpu cores must be limited",` +
		`"outcome":"Violated","violations":[{"rule":"cores","message":"cpu cores must be limited","field":"spec.template.spec.domain.cpu.cores",` +
		`"pointer":"/spec/template/spec/domain/cpu/cores","value":12,"reason":"FieldValueInvalid","argument":"max","limit":8,"detail":"12 is more than max 8"}]}`
	text, err := json.Marshal(report.Results()[0])
	if diff := cmp.Diff(wantJSON, string(text)); diff != "" || err != nil {
		t.Errorf("JSON (-want +got):\n%s%v", diff, err)
	}
}

func TestErr(t *testing.T) {
	err := mixedReport(t).Err()
	var all *vmrules.InvalidError
	if !errors.As(err, &all) || len(all.Violations) != 6 {
		t.Fatalf("%T", err)
	}
	var first vmrules.Violation
	if !errors.As(err, &first) || first.Rule != "cores" {
		t.Errorf("the first violation is %v", first)
	}
	want := "the object is not valid: 6 problems\n- spec.template.spec.domain.cpu.cores: Invalid value: 12: cpu cores must be limited (12 is more than max 8)\n" +
		`- spec.template.spec.domain.memory.guest: Required value: memory\nis needed (the field is not set)`
	if got := err.Error(); !strings.HasPrefix(got,
		want) || !strings.HasSuffix(got, "\n- Not decided: m (min cannot be read: jsonpath::.spec.domain.nothing is not there)") {
		t.Errorf("%s", got)
	}
	_, parseErr := vmrules.ParseRules("{")
	if errors.As(parseErr, &all) {
		t.Error("a ParseError is an InvalidError")
	}
}

// TestGoldenReport compares the JSON of a report with a golden file. The report has every outcome
// and every Doubt.
func TestGoldenReport(t *testing.T) {
	const cores = `"rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores"`
	const vm = `{"spec": {"template": {"spec": {"domain": {"cpu": {"cores": 4}}}}}}`
	kind := vmrules.WithKind("silent", always(func(*vmrules.Input) vmrules.Verdict { return vmrules.Verdict{} }))
	var results []vmrules.Result
	for i, test := range []struct{ rule, object string }{
		{cores + `, "max": 4`, vm},
		{cores + `, "min": 5, "max": 3, "values": [1, "a", 2.50]`, vm},
		{`"rule": "string", "path": "jsonpath::.spec.domain.machine.type", "minLength": 1`, vm},
		{`"rule": "string", "path": "jsonpath::.spec.domain.machine.type", "minLength": 1`, `{"spec": {"domain": {"machine": {}}}}`},
		{cores + `, "regex": "^5", "justWarning": true`, vm},
		{cores + `, "max": 3, "min": "jsonpath::.none"`, vm},
		{cores + `, "valid": "jsonpath::.spec.domain.devices"`, vm},
		{`"rule": "newer", "path": "jsonpath::.spec"`, vm},
		{`"rule": "integer", "path": "jsonpath::.spec.domain.memory"`, `{"spec": {"domain": {"memory": 1e1001}}}`},
		{cores + `, "max": "jsonpath::.none"`, vm},
		{cores + `, "max": "jsonpath::.none", "justWarning": true`, vm},
		{cores,
			`{"kind": "Template", "objects": [{"kind": "VirtualMachine",
				"spec": {"template": {"spec": {"domain": {"cpu": {"cores": "${CORES}"}}}}}}]}`},
		{`"rule": "integer", "path": "jsonpath::.spec.domain.memory.guest"`,
			`{"spec": {"instancetype": {"name": "u1.small"}, "template": {"spec": {"domain": {}}}}}`},
		{`"rule": "string", "path": "jsonpath::.spec.domain.machine.type"`,
			`{"spec": {"preference": {"name": "linux"}, "template": {"spec": {"domain": {"machine": {}}}}}}`},
		{cores, `{"kind": "VirtualMachine", "spec": {}}`},
		{`"rule": "silent", "path": "jsonpath::.spec"`, vm},
	} {
		rules := rulesOf(t, fmt.Sprintf(`[{"name": "r%d", "message": "m", %s}]`, i, test.rule), kind)
		results = append(results, vmrules.Validate(rules, object(test.object)).Results()...)
	}
	report := vmrules.NewReport(results)
	got, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/report.json"
	if *update {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	var read vmrules.Report
	if err := json.Unmarshal(want, &read); err != nil || !read.Equal(report) {
		t.Errorf("read from the file, with %v: %s", err, &read)
	}
	checkComplete(t, results)
}

// checkComplete fails the test unless the report has every outcome and every Doubt.
func checkComplete(t *testing.T, results []vmrules.Result) {
	t.Helper()
	for _, o := range []vmrules.Outcome{vmrules.OutcomeSatisfied, vmrules.OutcomeViolated, vmrules.OutcomeWarned, vmrules.OutcomeSkipped, vmrules.OutcomeIgnored,
		vmrules.OutcomeUndecided} {
		if !slices.ContainsFunc(results, func(r vmrules.Result) bool { return r.Outcome == o }) {
			t.Errorf("no result is %s", o)
		}
	}
	for _, d := range []vmrules.Doubt{
		vmrules.DoubtBound, vmrules.DoubtArgument, vmrules.DoubtParameter, vmrules.DoubtInstancetype,
		vmrules.DoubtPreference, vmrules.DoubtNothing, vmrules.DoubtKind,
	} {
		if !slices.ContainsFunc(results, func(r vmrules.Result) bool { return r.Doubt == d }) {
			t.Errorf("no result is undecided for %s", d)
		}
	}
	for _, r := range results {
		if (r.Outcome == vmrules.OutcomeUndecided) != (r.Doubt != "") {
			t.Errorf("undecided for %q: %s", r.Doubt, r)
		}
	}
}

// TestNothingJudged: the zero Report and a nil Report are not valid.
func TestNothingJudged(t *testing.T) {
	const words = "nothing has been validated"
	for name, report := range map[string]*vmrules.Report{"zero": {}, "nil": nil} {
		if report.Valid() || report.Err() == nil || len(report.Violations()) != 1 || len(report.Causes()) != 1 {
			t.Errorf("%s passes: %v", name, report.Err())
		}
		if diff := cmp.Diff("invalid: "+words, report.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if want := "the object is not valid: Not decided: " + words; report.Err().Error() != want {
			t.Errorf("%s: %v", name, report.Err())
		}
		lists := []int{
			len(report.Results()), len(report.Warnings()), len(report.Results(vmrules.OutcomeIgnored)),
			len(report.Results(vmrules.OutcomeUndecided)), len(report.At("")), len(report.AdmissionWarnings()),
		}
		if diff := cmp.Diff(make([]int, 6), lists); diff != "" {
			t.Errorf("%s says something (-want +got):\n%s", name, diff)
		}
		if !report.Equal(nil) || report.Equal(vmrules.NewReport(nil)) {
			t.Errorf("%s equals another", name)
		}
	}
	text, err := json.Marshal(struct{ R vmrules.Report }{})
	if string(text) != `{"R":{"valid":false,"passed":false,"targets":[],"results":[]}}` || err != nil {
		t.Errorf("%s, %v", text, err)
	}
}

// TestNoRules: without rules, every object is valid.
func TestNoRules(t *testing.T) {
	for name, report := range map[string]*vmrules.Report{
		"Validate": vmrules.Validate(vmrules.Rules{}, vmOf(t, `{}`)), "ValidateOwn": vmrules.ValidateOwn(vmOf(t, `{}`)),
		"no object": vmrules.Validate(vmrules.Rules{}, nil), "NewReport": vmrules.NewReport(nil),
	} {
		if !report.Valid() || report.Err() != nil || report.String() != "valid: there are no rules" || !report.Equal(vmrules.NewReport(nil)) {
			t.Errorf("%s: %s, %v", name, report, report.Err())
		}
		if text, err := json.Marshal(report); err != nil || string(text) != `{"valid":true,"passed":false,"targets":[{"name":"","rules":0,"valid":true,"coverage":"NoRules","note":"there are no rules"}],"results":[]}` {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
}

// TestVerdictOfResults: a report is valid only if its results are known to be right. Otherwise it
// has a violation, even if the results have none.
func TestVerdictOfResults(t *testing.T) {
	warning := []vmrules.Violation{{Warned: true}}
	for _, test := range []struct {
		result vmrules.Result
		valid  bool
	}{
		{vmrules.Result{Outcome: vmrules.OutcomeSatisfied}, true},
		{vmrules.Result{Outcome: vmrules.OutcomeSkipped, Note: "n"}, true},
		{vmrules.Result{Outcome: vmrules.OutcomeIgnored}, true},
		{vmrules.Result{Outcome: vmrules.OutcomeWarned, Violations: warning}, true},
		{vmrules.Result{Outcome: vmrules.OutcomeWarned, Omitted: 2}, true},
		{vmrules.Result{Outcome: vmrules.OutcomeUndecided, Violations: warning}, true},
		{vmrules.Result{Outcome: vmrules.OutcomeUndecided}, false},
		{vmrules.Result{Outcome: vmrules.OutcomeUndecided, Violations: []vmrules.Violation{{}}}, false},
		{vmrules.Result{Outcome: vmrules.OutcomeViolated}, false},
		{vmrules.Result{Outcome: vmrules.OutcomeViolated, Omitted: 2}, false},
		{vmrules.Result{Outcome: vmrules.OutcomeViolated, Violations: warning}, false},
		{vmrules.Result{Outcome: vmrules.OutcomeSatisfied, Violations: []vmrules.Violation{{}}}, false},
		{vmrules.Result{Outcome: "Perhaps"}, false},
		{vmrules.Result{}, false},
	} {
		report := vmrules.NewReport([]vmrules.Result{{Outcome: vmrules.OutcomeSatisfied}, test.result})
		if got := report.Valid(); got != test.valid || got != (report.Err() == nil) || got != (len(report.Causes()) == 0) {
			t.Errorf("valid is %v, with %v: %s", got, report.Err(), report)
		}
	}
}

// TestReportIsItsOwn: a caller cannot change a report through what its methods return.
func TestReportIsItsOwn(t *testing.T) {
	rules := rulesOf(t, mixedRules)
	object := vmOf(t, `{"cpu": {"cores": 12}, "devices": {"disks": [{"disk": {"bus": "sata"}}]}}`)
	report := vmrules.Validate(rules, object)
	before, text := vmrules.NewReport(report.Results()), report.String()
	if !before.Equal(report) {
		t.Fatalf("made from its results, the report is different: %s", before)
	}

	domain := object["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)["domain"].(map[string]any)
	domain["cpu"].(map[string]any)["cores"] = 1
	domain["devices"].(map[string]any)["disks"].([]any)[0] = nil
	for _, list := range [][]vmrules.Result{report.Results(), report.Results(vmrules.OutcomeIgnored), report.Results(vmrules.OutcomeUndecided)} {
		for i := range list {
			list[i].Outcome, list[i].Note = "", "changed"
			for k := range list[i].Violations {
				list[i].Violations[k].Detail = "changed"
			}
		}
	}
	report.Violations()[0].Detail = "changed"
	results := before.Results()
	made := vmrules.NewReport(results)
	results[0].Violations[0].Detail, results[1].Outcome = "changed", vmrules.OutcomeSatisfied
	copied := *report
	if err := json.Unmarshal([]byte(`{"valid": true, "results": []}`), report); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]*vmrules.Report{"made": made, "a copy": &copied} {
		if !got.Equal(before) || got.String() != text {
			t.Errorf("%s is changed (-before +after):\n%s", name, cmp.Diff(text, got.String()))
		}
	}
}

// TestReportOfManyRules: the results are right however many rules there are.
func TestReportOfManyRules(t *testing.T) {
	for _, n := range []int{1, 23, 24, 25, 100} {
		var rules strings.Builder
		for i := range n {
			fmt.Fprintf(&rules,
				`, {"name": "r%d", "rule": "integer", "path": "jsonpath::.n%d", "message": "m", "max": 1, "valid": "jsonpath::.n%d"}`, i,
				i%3, i%5)
		}
		items := `{"n0": 1, "n1": 2, "n2": 1, "n3": 1}, {"n1": 1}`
		report := vmrules.Validate(rulesOf(t, "["+rules.String()[1:]+"]"), object(`{"kind": "List", "items": [`+items+`]}`))
		results := report.Results()
		if len(results) != 2*n {
			t.Fatalf("%d results of %d rules for two targets", len(results), n)
		}
		for i, r := range results {
			i, item := i%n, i/n
			present := [][]int{{0, 1, 2, 3}, {1}}[item]
			want := vmrules.OutcomeSatisfied
			switch {
			case !slices.Contains(present, i%5):
				want = vmrules.OutcomeSkipped
			case !slices.Contains(present, i%3), item == 0 && i%3 == 1:
				want = vmrules.OutcomeViolated
			}
			if r.Index != i || r.Rule != fmt.Sprint("r", i) || r.Target != fmt.Sprintf("items[%d]", item) || r.Outcome != want {
				t.Errorf("of %d rules, %d in item %d should be %s: %s", n, i, item, want, r)
			}
			if note := fmt.Sprintf("jsonpath::.n%d is not there", i%5); want == vmrules.OutcomeSkipped && r.Note != note {
				t.Errorf("the note is %q, want %q", r.Note, note)
			}
		}
	}
}

// TestReadersOfOneReport is for the race detector.
func TestReadersOfOneReport(t *testing.T) {
	report := mixedReport(t)
	want := report.String()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			text, err := json.Marshal(report)
			if report.String() != want || len(report.Results()) != 10 || !report.Equal(report) || err != nil || len(text) == 0 {
				t.Errorf("%s, %v", report, err)
			}
		})
	}
	group.Wait()
}

// TestSizeOfReport: a report is one small object.
func TestSizeOfReport(t *testing.T) {
	if size := unsafe.Sizeof(vmrules.Report{}); size > 128 {
		t.Errorf("%d bytes", size)
	}
}

func TestAt(t *testing.T) {
	report := mixedReport(t)
	for pointer, want := range map[string][]string{
		"/spec/template/spec/domain/cpu/cores":                      {"cores", "both"},
		"/spec/template/spec/domain/memory/guest":                   {"memory"},
		"/spec/template/spec/domain/devices/disks/1/serial":         {"serial", "serial"},
		"/spec/template/spec/domain/devices/disks/1":                nil,
		"/spec/template/spec/domain/devices/disks/1/serial/nothing": nil,
		"": {"limit"},
	} {
		var got []string
		for _, v := range report.At(pointer) {
			got = append(got, v.Rule)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("at %q (-want +got):\n%s", pointer, diff)
		}
	}
}

func TestEqualReports(t *testing.T) {
	base := mixedReport(t)
	for name, change := range map[string]func(*vmrules.Result){
		"Index": func(r *vmrules.Result) { r.Index++ }, "Rule": func(r *vmrules.Result) { r.Rule += "x" },
		"Kind": func(r *vmrules.Result) { r.Kind = "k" }, "Path": func(r *vmrules.Result) { r.Path = vmrules.Path{} },
		"Message": func(r *vmrules.Result) { r.Message = "" }, "Target": func(r *vmrules.Result) { r.Target = "items[0]" },
		"Outcome":    func(r *vmrules.Result) { r.Outcome = vmrules.OutcomeWarned },
		"Doubt":      func(r *vmrules.Result) { r.Doubt = vmrules.DoubtKind },
		"Note":       func(r *vmrules.Result) { r.Note = "n" },
		"Omitted":    func(r *vmrules.Result) { r.Omitted = 1 },
		"Violations": func(r *vmrules.Result) { r.Violations = nil },
		"Origin":     func(r *vmrules.Result) { r.Violations[0].Origin = vmrules.OriginDefault },
		"Limit":      func(r *vmrules.Result) { r.Violations[0].Limit = "8" },
	} {
		results := base.Results()
		change(&results[0])
		if changed := vmrules.NewReport(results); changed.Equal(base) || base.Equal(changed) {
			t.Errorf("another %s counts as equal", name)
		}
	}
	if fewer := vmrules.NewReport(base.Results()[1:]); fewer.Equal(base) || base.Equal(fewer) {
		t.Error("a report with fewer results counts as equal")
	}
	if !base.Equal(mixedReport(t)) || !cmp.Equal(base, mixedReport(t)) {
		t.Error("the same report is not equal")
	}
}

// TestReadingReports: a text that is not a report, or that contradicts itself, is an error, and
// leaves the report unchanged.
func TestReadingReports(t *testing.T) {
	const satisfied, violated = `{"outcome": "Satisfied"}`, `{"outcome": "Violated"}`
	const undecided, warned = `{"outcome": "Undecided"}`, `{"outcome": "Undecided", "violations": [{"warned": true}]}`
	for _, test := range []struct {
		text  string
		wrong string // a part of the error; "": none
		valid bool
	}{
		{`{"valid": true, "results": []}`, "", true},
		{`{"valid": true, "results": [], "omitted": 3}`, "", true},
		{`{"valid": true, "results": [` + satisfied + `], "later": {}}`, "", true},
		{`{"valid": true, "results": [` + warned + `]}`, "", true},
		{`{"valid": false, "results": []}`, "", false},
		{`{"valid": false, "results": [` + satisfied + `, ` + violated + `]}`, "", false},
		{`{"valid": false, "results": [` + undecided + `], "omitted": 3}`, "", false},
		{`null`, `it has no "valid"`, false},
		{`{}`, `it has no "valid"`, false},
		{`{"results": []}`, `it has no "valid"`, false},
		{`{"valid": null, "results": []}`, `it has no "valid"`, false},
		{`{"valid": true}`, `it has no "results"`, false},
		{`{"valid": true, "results": null}`, `it has no "results"`, false},
		{`{"valid": true, "results": [` + violated + `]}`, `"valid" is true, but results[0] is Violated, which fails the object`, false},
		{`{"valid": true, "results": [` + satisfied + `, ` + undecided + `]}`, `results[1] is Undecided`, false},
		{`{"valid": true, "results": [{"outcome": "Satisfied", "violations": [{}]}]}`, `results[0] is Satisfied, which fails`, false},
		{`{"valid": false, "results": [` + satisfied + `]}`, `"valid" is false, but no result fails the object`, false},
		{`{"valid": false, "results": [], "omitted": 1}`, `"valid" is false, but no result fails the object`, false},
		{`{"valid": true, "results": [null]}`, `results[0] has the outcome ""`, false},
		{`{"valid": true, "results": [{"outcome": "Perhaps"}]}`, `results[0] has the outcome "Perhaps": it must be one of ["Violated"`,
			false},
		{`{"valid": false, "results": [{"outcome": "violated"}]}`, `results[0] has the outcome "violated"`, false},
		{`{"valid": true, "results": [], "omitted": -1}`, `"omitted" is -1`, false},
		{`{"Valid": true, "Results": []}`, `the key "Valid" has to be written "valid"`, false},
		{`{"valid": false, "valid": true, "results": []}`, `the key "valid" is given twice`, false},
		{`{"valid": false, "results": [` + violated + `], "results": [], "valid": true}`, `the key "results" is given twice`, false},
		{`{"valid": true, "results": [{"outcome": "Satisfied", "OUTCOME": "Violated"}]}`, `the key "OUTCOME" has to be written "outcome"`, false},
		{`{"valid": true, "results": [{"outcome": "Undecided", "violations": [{"Warned": true}]}]}`, `the key "Warned" has to be written`,
			false},
		{`{"valid": true, "results": [], "later": [{"a": 1, "a": 2}]}`, `the key "a" is given twice`, false},
		{`{"valid": true, "results": [` + satisfied + `], "later": {"Valid": [{"OUTCOME": 1}], "valid": {}}}`, "", true},
		{`{"valid": "yes", "results": []}`, "cannot unmarshal string", false},
		{`[]`, "cannot unmarshal array", false},
		{`{"valid": true, "results": {}}`, "cannot unmarshal object", false},
	} {
		report := mixedReport(t)
		err := json.Unmarshal([]byte(test.text), report)
		switch {
		case test.wrong == "" && err != nil, test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)):
			t.Errorf("%s: %v; want %s", test.text, err, test.wrong)
		case err != nil && !report.Equal(mixedReport(t)):
			t.Errorf("%s changes the report: %s", test.text, report)
		case report.Valid() != test.valid:
			t.Errorf("%s: valid is %v", test.text, report.Valid())
		}
	}
}

// TestOmitted: a report that is read from JSON that was cut keeps its verdict, and says in each of
// its forms that something is left out.
func TestOmitted(t *testing.T) {
	var report vmrules.Report
	text := `{"valid": false, "passed": false, "targets": [{"name": "", "rules": 5, "valid": false, "coverage": "Judged"}], "omittedTargets": 3, "results": [{"index": 4, "rule": "r", "kind": "enum", "path": "jsonpath::.a", "message": "m", "outcome": "Violated", "omitted": 20}], "omitted": 7}`
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	if report.Valid() || report.Err() == nil {
		t.Errorf("it is valid: %s", &report)
	}
	want := []vmrules.Cause{{Reason: vmrules.ReasonInternal, Message: "m (the violations are left out)"}}
	if diff := cmp.Diff(want, report.Causes()); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
	again, err := json.Marshal(&report)
	if diff := cmp.Diff(strings.NewReplacer(`": `, `":`, `, "`, `,"`).Replace(text), string(again)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if report.Equal(vmrules.NewReport(report.Results())) {
		t.Error("what is left out makes no difference")
	}
}

// ruleOnN returns one rule about the field n of a domain.
func ruleOnN(t testing.TB, keys string) vmrules.Rules {
	t.Helper()
	return rulesOf(t, `[{"name": "r", "message": "m", "path": "jsonpath::.spec.domain.n", `+keys+`}]`)
}

func TestViolationLines(t *testing.T) {
	long := strings.Repeat("é", 200)
	tests := []struct{ domain, more, want string }{
		{`{"n": "x"}`, `"rule": "integer"`, `spec.template.spec.domain.n: Invalid type: "x": m ("x" is not an integer)`},
		{`{"n": 1e1001}`, `"rule": "string"`, `spec.template.spec.domain.n: Invalid type: m (a number beyond the bounds is not a string)`},
		{`{"n": {}}`, `"rule": "integer"`, `spec.template.spec.domain.n: Invalid type: m (an object is not an integer)`},
		{`{"n": [1]}`, `"rule": "enum", "values": [1]`,
			`spec.template.spec.domain.n: Invalid type: m (an array is not a string, number or boolean)`},
		{`{"n": 1}`, `"rule": "string"`, `spec.template.spec.domain.n: Invalid type: 1: m (1 is not a string)`},
		{`{"n": "abc"}`, `"rule": "string", "maxLength": 2`,
			`spec.template.spec.domain.n: Too long: "abc": m ("abc" has 3 characters, more than maxLength 2)`},
		{`{"n": "a"}`, `"rule": "string", "minLength": 2`,
			`spec.template.spec.domain.n: Invalid value: "a": m ("a" has 1 character, fewer than minLength 2)`},
		{`{"n": true}`, `"rule": "enum", "min": "1Gi"`,
			`spec.template.spec.domain.n: Invalid value: true: m (true is not a number, and min is 1Gi)`},
		{`{"n": true}`, `"rule": "enum", "values": []`, `spec.template.spec.domain.n: Unsupported value: true: m (no value is allowed)`},
		{`{"n": "c"}`, `"rule": "enum", "values": ["a", 1.50, true]`,
			`spec.template.spec.domain.n: Unsupported value: "c": m ("c" is not one of "a", "1.5", "true")`},
		{`{"n": 0}`, `"rule": "enum", "values": [1,2,3,4,5,6,7,8,9,10,11,12]`,
			`spec.template.spec.domain.n: Unsupported value: 0: m (0 is not one of "1", "2", "3", "4", "5", "6", "7", "8", "9", "10" and 2 more)`},
		{`{"n": "` + long[:200] + `"}`, `"rule": "integer"`,
			`spec.template.spec.domain.n: Invalid type: "` + long[:200] + `": m ("` + long[:200] + `" is not an integer)`},
		{`{"n": "` + long[:120] + `"}`, `"rule": "integer"`,
			`spec.template.spec.domain.n: Invalid type: "` + long[:120] + `": m ("` + long[:120] + `" is not an integer)`},
		{`{"n": "` + long + `"}`, `"rule": "integer"`,
			`spec.template.spec.domain.n: Invalid type: "` + long[:200] + `…": m ("` + long[:200] + `…" is not an integer)`},
		{`{"n": 3, "m": 2}`, `"rule": "integer", "max": "jsonpath::.spec.domain.m"`,
			`spec.template.spec.domain.n: Invalid value: 3: m (3 is more than max 2, read from jsonpath::.spec.domain.m)`},
	}
	for _, test := range tests {
		result := vmrules.Validate(ruleOnN(t, test.more), vmOf(t, test.domain)).Results()[0]
		if len(result.Violations) == 0 {
			t.Errorf("%s: %s", test.more, result)
			continue
		}
		if diff := cmp.Diff(test.want, result.Violations[0].Error()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.more, diff)
		}
	}
	object := map[string]any{"spec": map[string]any{"domain": map[string]any{"n": make(chan int)}}}
	result := vmrules.Validate(ruleOnN(t, `"rule": "integer"`), object).Results()[0]
	if want := "Not decided: m (spec.domain.n cannot be read: it is a chan int without a JSON form)"; result.Violations[0].Error() != want {
		t.Errorf("%s; want %s", result.Violations[0], want)
	}
}

// TestAdmissionWarnings: long warnings are cut between characters, and a warning is listed only
// once.
func TestAdmissionWarnings(t *testing.T) {
	const most = 256 // bytes of a warning that API servers pass on
	rules := rulesOf(t, `[{"name": "r", "rule": "integer", "message": "`+strings.Repeat("é",
		200)+`", "path": "jsonpath::.n", "justWarning": true},
		{"name": "s", "rule": "integer", "message": "`+strings.Repeat("é", 200)+`", "path": "jsonpath::.n", "justWarning": true}]`)
	warnings := vmrules.Validate(rules, map[string]any{"n": "x"}).AdmissionWarnings()
	if len(warnings) != 1 || len(warnings[0]) > most || !utf8.ValidString(warnings[0]) || !strings.HasSuffix(warnings[0], "é…") {
		t.Errorf("%q", warnings)
	}
	for length, cut := range map[int]bool{most: false, most + 1: true} {
		const around = `n: Invalid type: "x":  ("x" is not an integer)`
		rules := rulesOf(t,
			`[{"name": "r", "rule": "integer", "message": "`+strings.Repeat("m",
				length-len(around))+`", "path": "jsonpath::.n", "justWarning": true}]`)
		warnings := vmrules.Validate(rules, map[string]any{"n": "x"}).AdmissionWarnings()
		if len(warnings) != 1 || len(warnings[0]) != most || strings.HasSuffix(warnings[0], "…") != cut {
			t.Errorf("a line of %d bytes: %q", length, warnings)
		}
	}
}

// TestControlCharacters: texts for people never have control characters, even if rules or objects do.
func TestControlCharacters(t *testing.T) {
	for _, control := range []string{"\x1b", "\n", "\x7f", "\u202e", "\u2028"} {
		for _, text := range []string{control + "a", "a" + control + "a", "a" + control, control} {
			v := vmrules.Violation{Rule: "r", Message: text, Field: text, Detail: text, Value: text, Reason: vmrules.ReasonInvalid}
			r := vmrules.Result{Rule: text, Message: text, Note: text, Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{v}}
			p := vmrules.Problem{Rule: text, Key: text, Message: text, Reason: vmrules.ReasonInvalid}
			lines := strings.Split(r.String(), "\n")
			if len(lines) != 3 { // the rule, its violation, the note
				t.Errorf("%q has %d lines", r.String(), len(lines))
			}
			for _, line := range append(lines, v.Error(), p.Error()) {
				if strings.Contains(line, control) {
					t.Errorf("%q has %q", line, control)
				}
			}
		}
	}
}

// TestLongTexts: texts for people are cut, and texts for programs are not.
func TestLongTexts(t *testing.T) {
	message := strings.Repeat("m", 10_000)
	rules := rulesOf(t, `[{"name": "r", "rule": "string", "path": "jsonpath::.l[*]", "message": "`+message+`"}]`)
	report := vmrules.Validate(rules, map[string]any{"l": make([]int, 150)})
	for name, text := range map[string]string{"Err": report.Err().Error(), "String": report.String()} {
		if len(text) > 150*(value.MaxLine+200) || !strings.HasSuffix(text, "and 50 more") {
			t.Errorf("%s has %d bytes and ends in %q", name, len(text), text[len(text)-20:])
		}
	}
	if report.Violations()[0].Message != message {
		t.Error("the message itself is cut")
	}
}

// The error of Report.Err has the violations of the report. errors.As finds its violations, and
// errors.Is does not panic on it, even if a Limit is a list.
func TestInvalidErrorOfLists(t *testing.T) {
	rules := rulesOf(t, `[{"name": "r", "message": "m", "rule": "enum", "path": "jsonpath::.spec.a", "values": ["x"]}]`)
	report := vmrules.Validate(rules, object(`{"kind": "VirtualMachine", "spec": {"template": {"spec": {"a": "y"}}}}`))
	var invalid *vmrules.InvalidError
	if err := report.Err(); !errors.As(err, &invalid) || errors.Is(err, report.Violations()[0]) {
		t.Fatalf("%v: its violations are found by errors.As alone", err)
	}
	if diff := cmp.Diff(report.Violations(), invalid.Violations); diff != "" {
		t.Errorf("(-report +error):\n%s", diff)
	}
}

// TestTexts: what people read of a violation has sizes as people write them; the Detail is exact.
func TestTexts(t *testing.T) {
	const memory, cores = "memory.guest", "cpu.cores"
	for _, test := range []struct{ path, arguments, value, detail, text string }{
		{memory, `"min": 1610612736`, `"1Gi"`, `"1Gi" is less than min 1610612736`, "1 GiB is less than min 1.5 GiB"},
		{memory, `"min": "1.5Gi"`, `1073741824`, `1073741824 is less than min 1.5Gi`, "1 GiB is less than min 1.5 GiB"},
		{memory, `"min": 1610612736`, `1073741824`, `1073741824 is less than min 1610612736`, "1 GiB is less than min 1.5 GiB"},
		{memory, `"max": "2Gi"`, `"2049Mi"`, `"2049Mi" is more than max 2Gi`, "2049 MiB is more than max 2 GiB"},
		{memory, `"max": "1G"`, `"1Gi"`, `"1Gi" is more than max 1G`, "1 GiB is more than max 1 GB"},
		{memory, `"min": "512M"`, `4`, `4 is less than min 512M`, "4 B is less than min 512 MB"},
		{memory, `"min": "1Gi"`, `1073741823`, `1073741823 is less than min 1Gi`, "1073741823 B is less than min 1 GiB"},
		{memory, `"min": "5000Gi"`, `"1Ti"`, `"1Ti" is less than min 5000Gi`, "1 TiB is less than min 5000 GiB"},
		{memory, `"max": "16Ei"`, `"17Ei"`, `"17Ei" is more than max 16Ei`, ""}, // more than 64 bits
		{memory, `"max": "jsonpath::.spec.domain.memory.maxGuest"`, `"2Gi"`,
			`"2Gi" is more than max 1Gi, read from jsonpath::.spec.domain.memory.maxGuest`, "2 GiB is more than max 1 GiB"},
		{memory, ``, `"1GB"`, `"1GB" is not an integer`, `write a size such as 2Gi, not "1GB": perhaps 1Gi`},
		{memory, ``, `"2gi"`, `"2gi" is not an integer`, `write a size such as 2Gi, not "2gi": perhaps 2Gi`},
		{memory, ``, `"1.5 Gi"`, `"1.5 Gi" is not an integer`, `write a size such as 2Gi, not "1.5 Gi": perhaps 1.5Gi`},
		{memory, ``, `"much"`, `"much" is not an integer`, ""},
		{cores, `"max": 8`, `12`, "12 is more than max 8", ""},
		{cores, `"max": 1048576`, `2097152`, "2097152 is more than max 1048576", ""},
		{cores, ``, `"4GB"`, `"4GB" is not an integer`, ""},
		{"other", `"min": "1Gi"`, `"1Mi"`, `"1Mi" is less than min 1Gi`, "1 MiB is less than min 1 GiB"},
		{"other", `"min": 2097152`, `1048576`, "1048576 is less than min 2097152", ""},
		{"other", `"minLength": 4096`, `"1Gi"`, `"1Gi" has 3 characters, fewer than minLength 4096`, ""},
	} {
		if test.arguments != "" {
			test.arguments = ", " + test.arguments
		}
		rules := rulesOf(t, fmt.Sprintf(`[{"name": "r", "rule": "integer", "path": "jsonpath::.spec.domain.%s", "message": "m"%s}]`, test.path, test.arguments))
		text := fmt.Sprintf(`{"%s": %s}`, test.path, test.value)
		if of, name, ok := strings.Cut(test.path, "."); ok {
			text = fmt.Sprintf(`{"%s": {"%s": %s, "maxGuest": "1Gi"}}`, of, name, test.value)
		}
		vm, err := vmrules.ParseObject(fmt.Appendf(nil, `{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": %s}}}}`, text))
		if err != nil {
			t.Fatal(err)
		}
		all := vmrules.Validate(rules, vm).Violations()
		if len(all) != 1 {
			t.Errorf("%s: %v", text, all)
			continue
		}
		if diff := cmp.Diff([]string{test.detail, test.text}, []string{all[0].Detail, all[0].Text}); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", test.path, test.value, diff)
		}
		again, _ := json.Marshal(all[0])
		var read vmrules.Violation
		if err := json.Unmarshal(again, &read); err != nil || read.Text != test.text {
			t.Errorf("%s is read as %q, %v", again, read.Text, err)
		}
	}
}

// TestTextsOfOrigins: where the value is from is said to people, too.
func TestTextsOfOrigins(t *testing.T) {
	rules := rulesOf(t, `[{"name": "r", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "m", "min": "1Gi"}]`)
	vm := object(`{"kind": "VirtualMachine", "spec": {"instancetype": {"name": "u1"}, "template": {"spec": {"domain": {}}}}}`)
	small := object(`{"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "u1"}, "spec": {"cpu": {"guest": 1}, "memory": {"guest": "512Mi"}}}`)
	all := vmrules.Validate(rules, vm, vmrules.WithInstancetype(small, nil)).Violations()
	if len(all) != 1 {
		t.Fatal(all)
	}
	want := []string{`"512Mi", from instance type u1, is less than min 1Gi`, "512 MiB, from instance type u1, is less than min 1 GiB"}
	if diff := cmp.Diff(want, []string{all[0].Detail, all[0].Text}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want := "m (" + want[1] + ")"; all[0].Error() != "spec.template.spec.domain.memory.guest: Invalid value: \"512Mi\": "+want {
		t.Errorf("the error is %v", all[0])
	}
}
