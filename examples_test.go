package vmrules_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/vmrules/vmrules"
)

func Example() {
	rules, err := vmrules.ParseRules(`[{
		"name": "core-limits",
		"rule": "integer",
		"path": "jsonpath::.spec.domain.cpu.cores",
		"message": "cpu cores must be limited",
		"min": 1,
		"max": 8
	}]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	vm := object(`{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {"cpu": {"cores": 12}}}}}}`)

	report := vmrules.Validate(rules, vm)
	fmt.Println(report.Valid())
	for _, v := range report.Violations() {
		fmt.Println(v.Field, v.Value, v.Argument, v.Limit)
	}
	fmt.Println(report.Err())
	// Output:
	// false
	// spec.template.spec.domain.cpu.cores 12 max 8
	// the object is not valid: spec.template.spec.domain.cpu.cores: Invalid value: 12: cpu cores must be limited (12 is more than max 8)
}

// A webhook finds the template of a VM with [vmrules.TemplateOf], the rules
// with [vmrules.RulesFor], and answers with causes and warnings.
func Example_webhook() {
	// The parts of k8s.io/api/admission/v1 that the example needs.
	type (
		request struct {
			UID    string          `json:"uid"`
			Object json.RawMessage `json:"object"`
		}
		details struct {
			Causes []vmrules.Cause `json:"causes"`
		}
		status struct {
			Code    int     `json:"code"`
			Reason  string  `json:"reason"`
			Message string  `json:"message"`
			Details details `json:"details"`
		}
		response struct {
			UID      string   `json:"uid"`
			Allowed  bool     `json:"allowed"`
			Status   *status  `json:"status,omitempty"`
			Warnings []string `json:"warnings,omitempty"`
		}
		review struct {
			APIVersion string    `json:"apiVersion"`
			Kind       string    `json:"kind"`
			Request    *request  `json:"request,omitempty"`
			Response   *response `json:"response,omitempty"`
		}
	)
	// getTemplate would use a client of the cluster or, better, a cache.
	getTemplate := func(namespace, name string) map[string]any {
		return templateOf(object(`{"kind": "VirtualMachine"}`), `[
			{"name": "bus", "rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "message": "virtio is faster", "values": ["virtio"], "justWarning": true},
			{"name": "memory", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "too little memory", "min": "1Gi"}
		]`)
	}

	admit := func(body []byte) ([]byte, error) {
		var asked review
		if err := json.Unmarshal(body, &asked); err != nil {
			return nil, err
		}
		if asked.Request == nil {
			return nil, errors.New("the review has no request")
		}
		vm, err := vmrules.ToObject(asked.Request.Object)
		if err != nil {
			return nil, err
		}
		var template map[string]any
		if namespace, name, ok := vmrules.TemplateOf(vm); ok {
			template = getTemplate(namespace, name)
		}
		answer := &response{UID: asked.Request.UID, Allowed: true}
		deny := func(err error, causes []vmrules.Cause) {
			answer.Allowed = false
			answer.Status = &status{422, "Invalid", err.Error(), details{causes}}
		}

		rules, err := vmrules.RulesFor(vm, template)
		if parse := (*vmrules.ParseError)(nil); errors.As(err, &parse) {
			deny(err, parse.Causes())
		} else {
			report := vmrules.Validate(rules, vm)
			answer.Warnings = report.AdmissionWarnings()
			if err := report.Err(); err != nil {
				deny(err, report.Causes())
			}
		}
		return json.MarshalIndent(review{asked.APIVersion, asked.Kind, nil, answer}, "", "  ")
	}

	answer, err := admit([]byte(`{
		"apiVersion": "admission.k8s.io/v1",
		"kind": "AdmissionReview",
		"request": {
			"uid": "7f0a",
			"object": {
				"kind": "VirtualMachine",
				"metadata": {"labels": {"vm.kubevirt.io/template": "linux", "vm.kubevirt.io/template.namespace": "templates"}},
				"spec": {"template": {"spec": {"domain": {
					"memory": {"guest": "512Mi"},
					"devices": {"disks": [{"name": "root", "disk": {"bus": "sata"}}]}
				}}}}
			}
		}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(answer))
	// Output:
	// {
	//   "apiVersion": "admission.k8s.io/v1",
	//   "kind": "AdmissionReview",
	//   "response": {
	//     "uid": "7f0a",
	//     "allowed": false,
	//     "status": {
	//       "code": 422,
	//       "reason": "Invalid",
	//       "message": "the object is not valid: spec.template.spec.domain.memory.guest: Invalid value: \"512Mi\": too little memory (512 MiB is less than min 1 GiB)",
	//       "details": {
	//         "causes": [
	//           {
	//             "reason": "FieldValueInvalid",
	//             "message": "too little memory (512 MiB is less than min 1 GiB)",
	//             "field": "spec.template.spec.domain.memory.guest"
	//           }
	//         ]
	//       }
	//     },
	//     "warnings": [
	//       "spec.template.spec.domain.devices.disks[0].disk.bus: Unsupported value: \"sata\": virtio is faster (\"sata\" is not \"virtio\")"
	//     ]
	//   }
	// }
}

// A UI backend judges a form while the user fills it in, and again when the user submits
// it.
func Example_form() {
	rules, err := vmrules.ParseRules(`[
		{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "2 to 8 cores", "min": 2, "max": 8},
		{"name": "memory", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "at least 2Gi of memory", "min": "2Gi"}
	]`)
	if err != nil {
		fmt.Println(err)
		return
	}

	// What may a field hold?
	cores := vmrules.MustParsePath("jsonpath::.spec.domain.cpu.cores")
	for _, rule := range rules.All() {
		if rule.Path.Equal(cores) {
			fmt.Println("cores: from", rule.Min, "to", rule.Max)
		}
	}

	form := object(`{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {"cpu": {"cores": 12}}}}}}`)

	// While the user types, a missing value is not a mistake yet.
	report := vmrules.Validate(rules, form, vmrules.Partial())
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(text))

	// On submit, a missing value is a mistake. Its reason says so.
	report = vmrules.Validate(rules, form)
	fmt.Println(len(report.Violations()), "to correct, of which these are missing:")
	for _, v := range report.Violations() {
		if v.Reason == vmrules.ReasonRequired {
			fmt.Println(v.Pointer, "-", v.Message)
		}
	}
	// Output:
	// cores: from 2 to 8
	// {
	//   "valid": false,
	//   "passed": false,
	//   "targets": [
	//     {
	//       "name": "",
	//       "from": "given",
	//       "rules": 2,
	//       "valid": false,
	//       "coverage": "Incomplete",
	//       "note": "not filled in yet"
	//     }
	//   ],
	//   "results": [
	//     {
	//       "index": 0,
	//       "rule": "cores",
	//       "kind": "integer",
	//       "path": "jsonpath::.spec.domain.cpu.cores",
	//       "message": "2 to 8 cores",
	//       "outcome": "Violated",
	//       "violations": [
	//         {
	//           "rule": "cores",
	//           "message": "2 to 8 cores",
	//           "field": "spec.template.spec.domain.cpu.cores",
	//           "pointer": "/spec/template/spec/domain/cpu/cores",
	//           "value": 12,
	//           "reason": "FieldValueInvalid",
	//           "argument": "max",
	//           "limit": 8,
	//           "detail": "12 is more than max 8"
	//         }
	//       ]
	//     },
	//     {
	//       "index": 1,
	//       "rule": "memory",
	//       "kind": "integer",
	//       "path": "jsonpath::.spec.domain.memory.guest",
	//       "message": "at least 2Gi of memory",
	//       "outcome": "Skipped",
	//       "note": "not filled in yet",
	//       "waits": true
	//     }
	//   ]
	// }
	// 2 to correct, of which these are missing:
	// /spec/template/spec/domain/memory/guest - at least 2Gi of memory
}

// A unit test in a template repository checks that the rules of each template can be read
// and have no typing mistakes, and that the template's own VM satisfies them. For templates
// in YAML, use the Unmarshal of a YAML package.
func Example_templates() {
	check := func(text []byte, decode func([]byte, any) error) error {
		var template map[string]any
		if err := decode(text, &template); err != nil {
			return err
		}
		// Strict finds what other programs would silently ignore.
		if _, err := vmrules.RulesFor(nil, template, vmrules.Strict()); err != nil {
			return err
		}
		return vmrules.ValidateOwn(template).Err()
	}
	checkAll := func(templates fs.FS, decode func([]byte, any) error) {
		files, _ := fs.Glob(templates, "*")
		for _, file := range files {
			text, err := fs.ReadFile(templates, file)
			if err == nil {
				err = check(text, decode)
			}
			fmt.Printf("%s: %v\n", file, err)
		}
	}

	template := func(cores int, rule string) *fstest.MapFile {
		vm := fmt.Sprintf(`{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {"cpu": {"cores": %d}}}}}}`, cores)
		text, _ := json.Marshal(templateOf(object(vm), "[\n  "+rule+"\n]"))
		return &fstest.MapFile{Data: text}
	}
	const rule = `{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "2 to 8 cores", "min": 2, "max": 8}`
	checkAll(fstest.MapFS{
		"good.json":       template(4, rule),
		"no-prefix.json":  template(4, strings.Replace(rule, "jsonpath::", "", 1)),
		"too-small.json":  template(1, rule),
		"wrong-case.json": template(4, strings.Replace(rule, `"max"`, `"Max"`, 1)),
	}, json.Unmarshal)
	// Output:
	// good.json: <nil>
	// no-prefix.json: the validation rules cannot be used: template: line 2, column 48: rule "cores": path: a JSONPath begins with "jsonpath::": write "jsonpath::.spec.domain.cpu.cores"
	// too-small.json: the object is not valid: objects[0].spec.template.spec.domain.cpu.cores: Invalid value: 1: 2 to 8 cores (1 is less than min 2)
	// wrong-case.json: the validation rules cannot be used: template: line 2, column 121: rule "cores": unknown key "Max": did you mean "max"?
}

// The error lists all problems of all rules, each with its line and column.
func ExampleParseRules() {
	_, err := vmrules.ParseRules(`[
  {"name": "cores", "rule": "integer", "path": ".spec.domain.cpu.cores", "message": "few cores", "max": "many"},
  {"name": "cores", "rule": "enum", "path": "jsonpath::.spec.domain.machine.type", "values": ["q35"]}
]`)
	var parse *vmrules.ParseError
	if errors.As(err, &parse) {
		for _, p := range parse.Problems {
			fmt.Printf("%d:%d %s %s: %s\n", p.Line, p.Column, p.Key, p.Reason, p.Message)
		}
	}
	// Output:
	// 2:48 path FieldValueInvalid: a JSONPath begins with "jsonpath::": write "jsonpath::.spec.domain.cpu.cores"
	// 2:105 max FieldValueInvalid: "max" must be a number, a quantity such as "2Gi", or a JSONPath, not "many"
	// 3:3 message FieldValueRequired: the rule has no "message": add the text that users see if the rule is violated
	// 3:12 name FieldValueDuplicate: rules[0] already has this name: names must be unique
}

// Rules can be built in Go, and written as an annotation.
func ExampleNewRules() {
	rules, err := vmrules.NewRules([]vmrules.Rule{{
		Name:    "memory",
		Kind:    vmrules.KindInteger,
		Path:    vmrules.MustParsePath("jsonpath::.spec.domain.memory.guest"),
		Message: "at least 2Gi, at most what can be plugged in",
		Min:     vmrules.MustNewArgument("2Gi"),
		Max:     vmrules.MustNewArgument("jsonpath::.spec.domain.memory.maxGuest"),
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	annotation, err := json.MarshalIndent(rules, "", "  ")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(annotation))

	// NewRules makes the checks of ParseRules.
	_, err = vmrules.NewRules([]vmrules.Rule{{Name: "memory", Kind: vmrules.KindInteger}})
	fmt.Println(err)
	// Output:
	// [
	//   {
	//     "name": "memory",
	//     "rule": "integer",
	//     "path": "jsonpath::.spec.domain.memory.guest",
	//     "message": "at least 2Gi, at most what can be plugged in",
	//     "min": "2Gi",
	//     "max": "jsonpath::.spec.domain.memory.maxGuest"
	//   }
	// ]
	// the validation rules cannot be used: 2 problems
	// - rule "memory": the rule has no "path": add the JSONPath of the field to validate
	// - rule "memory": "message" is empty: it must be the text that users see if the rule is violated
}

// The Field of a match is a path that selects exactly this value.
func ExamplePath_Find() {
	path, err := vmrules.ParsePath(`jsonpath::.disks[?(@.disk.bus=="sata")].name`)
	if err != nil {
		fmt.Println(err)
		return
	}
	spec := object(`{"disks": [
		{"name": "root", "disk": {"bus": "sata"}},
		{"name": "data", "disk": {"bus": "virtio"}},
		{"name": "old", "disk": {"bus": "sata"}}
	]}`)
	matches, err := path.Find(spec)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, match := range matches {
		fmt.Println(match.Field, match.Value)
	}
	// Output:
	// disks[0].name root
	// disks[2].name old
}

// ParsePath refuses paths that kubectl and others read differently, and says what to write
// instead.
func ExampleParsePath() {
	for _, s := range []string{
		".spec.domain",
		"jsonpath::.metadata.labels['kubevirt.io/size']",
		`jsonpath::.metadata.labels['kubevirt\.io/size']`,
		`jsonpath::.metadata.labels.kubevirt\.io/size`,
	} {
		path, err := vmrules.ParsePath(s)
		if err != nil {
			fmt.Println("error:", err)
			continue
		}
		fmt.Println(path)
	}
	// Output:
	// error: a JSONPath begins with "jsonpath::": write "jsonpath::.spec.domain"
	// error: some read a bare dot inside quotes as a step, others as part of the name: write ['kubevirt\.io/size'] for the name, .kubevirt.io/size for the steps
	// jsonpath::.metadata.labels['kubevirt\.io/size']
	// jsonpath::.metadata.labels.kubevirt\.io/size
}

// In the format, the default of the machine type is "". A caller who knows which value the
// cluster would set can use that as the default.
func ExampleWithDefaults() {
	rules, err := vmrules.ParseRules(`[{
		"name": "machine-type",
		"rule": "regex",
		"path": "jsonpath::.spec.domain.machine.type",
		"message": "only q35 machines",
		"regex": "^(pc-)?q35"
	}]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	vm := object(`{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {"machine": {}}}}}}`)
	machine, err := vmrules.NewDefault(vmrules.MustParsePath("jsonpath::.spec.domain.machine.type"), "q35")
	if err != nil {
		fmt.Println(err)
		return
	}

	fmt.Println(vmrules.Validate(rules, vm))
	fmt.Println()
	fmt.Println(vmrules.Validate(rules, vm, vmrules.WithDefaults(machine)))
	// Output:
	// invalid: 1 violated
	// Violated   machine-type: only q35 machines
	//            spec.template.spec.domain.machine.type: not set, counts as "": "" does not match "^(pc-)?q35"
	//
	// valid: 1 satisfied
	// Satisfied  machine-type
}

func ExampleTemplateOf() {
	vm := object(`{"metadata": {"labels": {
		"vm.kubevirt.io/template": "windows-desktop",
		"vm.kubevirt.io/template.namespace": "templates"
	}}}`)
	namespace, name, ok := vmrules.TemplateOf(vm)
	fmt.Println(namespace, name, ok)
	// Output:
	// templates windows-desktop true
}

// ToObject keeps every digit of the numbers in a typed VM. A float64 would lose some.
func ExampleToObject() {
	type domain struct {
		Serial int64 `json:"serial"`
	}
	vm, err := vmrules.ToObject(struct {
		Kind string `json:"kind"`
		Spec domain `json:"spec"`
	}{"VirtualMachineInstance", domain{9007199254740993}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(vm)
	// Output:
	// map[kind:VirtualMachineInstance spec:map[serial:9007199254740993]]
}

// The VM leaves its memory to an instance type, so the rule is judged by that.
func ExampleWithInstancetype() {
	rules, err := vmrules.ParseRules(`[{"name": "memory", "rule": "integer", "min": "2Gi",
		"path": "jsonpath::.spec.domain.memory.guest", "message": "Windows needs 2 GiB of memory"}]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	vm := object(`{"kind": "VirtualMachine", "spec": {"instancetype": {"name": "u1.micro"},
		"template": {"spec": {"domain": {}}}}}`)
	micro := object(`{"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "u1.micro"},
		"spec": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}}`)

	for _, v := range vmrules.Validate(rules, vm, vmrules.WithInstancetype(micro, nil)).Violations() {
		fmt.Println(v.Origin)
		fmt.Println(v.Error())
	}
	// Output:
	// instancetype u1.micro
	// spec.template.spec.domain.memory.guest: Invalid value: "1Gi": Windows needs 2 GiB of memory (1 GiB, from instance type u1.micro, is less than min 2 GiB)
}

// The VM had too many cores before the rule was written. Somebody who edits its memory may
// do so, and sees a warning.
func ExampleRatcheting() {
	rules, err := vmrules.ParseRules(`[{"name": "cores", "rule": "integer", "max": 8,
		"path": "jsonpath::.spec.domain.cpu.cores", "message": "at most 8 cores"}]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	vm := func(memory string, cores int) map[string]any {
		return object(fmt.Sprintf(`{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain":
			{"memory": {"guest": %q}, "cpu": {"cores": %d}}}}}}`, memory, cores))
	}

	old := vm("4Gi", 12)
	for _, updated := range []map[string]any{vm("8Gi", 12), vm("4Gi", 16)} {
		fmt.Println(vmrules.Validate(rules, updated, vmrules.WithOldObject(old), vmrules.Ratcheting()))
	}
	// Output:
	// valid: 1 warned
	// Warned     cores: at most 8 cores
	//            spec.template.spec.domain.cpu.cores: 12 is more than max 8
	//            not changed by this update
	// invalid: 1 violated
	// Violated   cores: at most 8 cores
	//            spec.template.spec.domain.cpu.cores: 16 is more than max 8
}

// object returns the decoded JSON of an example.
func object(text string) map[string]any {
	o, err := vmrules.ParseObject([]byte(text))
	if err != nil {
		panic(err)
	}
	return o
}

// templateOf wraps a VM and its rules in an OpenShift template.
func templateOf(vm map[string]any, annotation string) map[string]any {
	vm["metadata"] = map[string]any{"annotations": map[string]any{vmrules.Annotation: annotation}}
	return map[string]any{
		"apiVersion": "template.openshift.io/v1",
		"kind":       "Template",
		"objects":    []any{vm},
	}
}

// A product rule limits the product of some members of an object:
//
//	{ "rule": "product", "of": ["sockets", "cores"], "atMost": 16, ... }
type product struct {
	of     []string
	atMost int64
}

func compileProduct(s vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) {
	var p product
	var problems []vmrules.Problem
	if of, _ := s.Value("of"); json.Unmarshal(of, &p.of) != nil {
		problems = append(problems, s.Problem("of", vmrules.ReasonTypeInvalid, `"of" must be an array of names`))
	}
	if atMost, _ := s.Value("atMost"); json.Unmarshal(atMost, &p.atMost) != nil {
		problems = append(problems, s.Problem("atMost", vmrules.ReasonTypeInvalid, `"atMost" must be a whole number`))
	}
	return p, problems
}

func (p product) Check(in *vmrules.Input) vmrules.Verdict {
	verdict := vmrules.Verdict{Outcome: vmrules.OutcomeSatisfied}
	for i, m := range in.Values {
		members, _ := m.Value.(map[string]any)
		product := 1.0 // which cannot overflow
		for _, name := range p.of {
			if n, ok := members[name].(int64); ok {
				product *= float64(n)
			}
		}
		if product > float64(p.atMost) {
			v := in.Violation(i)
			v.Detail = fmt.Sprintf("the product of %v is %v, more than %d", p.of, product, p.atMost)
			verdict.Outcome = vmrules.OutcomeViolated
			verdict.Violations = append(verdict.Violations, v)
		}
	}
	return verdict
}

func ExampleWithKind() {
	annotation := `[{
		"name": "vcpus", "rule": "product", "path": "jsonpath::.spec.domain.cpu",
		"of": ["sockets", "cores", "threads"], "atMost": 16,
		"message": "a VM can have at most 16 vCPUs"
	}]`
	rules, err := vmrules.ParseRules(annotation, vmrules.WithKind("product", compileProduct))
	if err != nil {
		fmt.Println(err)
		return
	}
	vm := map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
		"domain": map[string]any{"cpu": map[string]any{"sockets": 2, "cores": 12}},
	}}}}
	fmt.Println(vmrules.Validate(rules, vm))

	_, err = vmrules.ParseRules(`[{"name": "vcpus", "rule": "product", "path": "jsonpath::.spec.domain.cpu",
		"of": "cores", "atMost": 16, "message": "a VM can have at most 16 vCPUs"}]`, vmrules.WithKind("product", compileProduct))
	fmt.Println(err)
	// Output:
	// invalid: 1 violated
	// Violated   vcpus: a VM can have at most 16 vCPUs
	//            spec.template.spec.domain.cpu: the product of [sockets cores threads] is 24, more than 16
	// the validation rules cannot be used: line 2, column 9: rule "vcpus": "of" must be an array of names
}

// A program that makes rules of its own settings passes their values, whatever their Go types.
func ExampleNewArgument() {
	for _, setting := range []any{8, "2Gi", "jsonpath::.spec.domain.memory.maxGuest", []string{"virtio", "sata"}, struct{}{}} {
		argument, err := vmrules.NewArgument(setting)
		if err != nil {
			fmt.Println("error:", err)
			continue
		}
		if path, ok := argument.Path(); ok {
			fmt.Println("read from", path)
		} else if number, ok := argument.Number(); ok {
			fmt.Println("the number", number)
		} else {
			fmt.Println("the list", argument)
		}
	}
	// Output:
	// the number 8
	// the number 2147483648
	// read from jsonpath::.spec.domain.memory.maxGuest
	// the list ["virtio","sata"]
	// error: an argument must be a string, a number, a boolean or a JSONPath, or a list of these, not an object
}

// Old templates have rules of version 201901-1, whose paths have no prefix.
func ExampleV201901() {
	const old = `[{"name": "cores", "rule": "integer", "path": "/spec.domain.cpu.cores", "message": "at most 8 cores", "max": 8}]`

	_, err := vmrules.ParseRules(old)
	fmt.Println(err)
	for _, version := range []vmrules.ParseOption{vmrules.V201901(), vmrules.DetectVersion()} {
		rules, err := vmrules.ParseRules(old, version)
		if err != nil {
			fmt.Println(err)
			return
		}
		text, err := rules.MarshalJSON()
		fmt.Println(string(text), err)
	}
	// Output:
	// the validation rules cannot be used: line 1, column 47: rule "cores": path: a JSONPath begins with "jsonpath::": write "jsonpath::.spec.domain.cpu.cores"
	// [{"name":"cores","rule":"integer","path":"jsonpath::.spec.domain.cpu.cores","message":"at most 8 cores","max":8}] <nil>
	// [{"name":"cores","rule":"integer","path":"jsonpath::.spec.domain.cpu.cores","message":"at most 8 cores","max":8}] <nil>
}

// Rules can be about other objects than VMs, such as the DataVolumes that VMs use.
func ExampleWholeObjects() {
	rules, err := vmrules.ParseRules(`[{"name": "size", "rule": "integer", "min": "10Gi",
		"path": "jsonpath::.spec.storage.resources.requests.storage", "message": "a disk has 10 GiB or more"}]`, vmrules.WholeObjects())
	if err != nil {
		fmt.Println(err)
		return
	}
	volume := object(`{"kind": "DataVolume", "spec": {"storage": {"resources": {"requests": {"storage": "5Gi"}}}}}`)
	fmt.Println(vmrules.Validate(rules, volume).Err())
	// Output:
	// the object is not valid: spec.storage.resources.requests.storage: Invalid value: "5Gi": a disk has 10 GiB or more (5 GiB is less than min 10 GiB)
}

// An import tool needs one rule of an annotation, and can use it although another is wrong.
func ExampleLeaveOutUnusable() {
	rules, err := vmrules.ParseRules(`[
  {"name": "memory", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "at least 2Gi", "min": "2Gi"},
  {"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "few cores", "max": "few"}
]`, vmrules.LeaveOutUnusable())
	fmt.Println(err)
	if memory, ok := rules.ByName("memory"); ok {
		fmt.Println("at least", memory.Min)
	}

	// Nothing is valid by rules of which some are left out.
	vm := object(`{"kind": "VirtualMachineInstance", "spec": {"domain": {"memory": {"guest": "4Gi"}}}}`)
	fmt.Println(vmrules.Validate(rules, vm).Valid())
	// Output:
	// the validation rules cannot be used: line 3, column 115: rule "cores": "max" must be a number, a quantity such as "2Gi", or a JSONPath, not "few"
	// at least 2Gi
	// false
}

// A controller judges each VM by the template that it names. It keeps the rules that it has read, finds the
// instance types, and is told of a template that is missing without refusing the VM.
func ExampleValidateOwn() {
	templates := map[string]map[string]any{
		"openshift/linux": templateOf(object(`{"kind": "VirtualMachine"}`), `[
			{"name": "memory", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "at least 2 GiB of memory", "min": "2Gi"}
		]`),
	}
	small := object(`{"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "small"},
		"spec": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}}`)
	options := []vmrules.ValidateOption{
		vmrules.KeepRules(),
		vmrules.WithTemplates(func(ref vmrules.TemplateRef) (*vmrules.Template, error) {
			template, ok := templates[ref.Namespace+"/"+ref.Name]
			if !ok {
				return nil, nil // an error would say that nobody knows
			}
			return &vmrules.Template{Object: template}, nil
		}),
		vmrules.WithInstancetypes(func(vm map[string]any) (instancetype, preference map[string]any, err error) {
			return small, nil, nil // package instancetype says what the VM names
		}),
		vmrules.WarnIfUndecided(vmrules.DoubtTemplate),
	}

	for _, template := range []string{"linux", "windows"} {
		vm := object(`{"kind": "VirtualMachine",
			"metadata": {"labels": {"vm.kubevirt.io/template": "` + template + `", "vm.kubevirt.io/template.namespace": "openshift"}},
			"spec": {"instancetype": {"name": "small"}, "template": {"spec": {"domain": {}}}}}`)
		report := vmrules.ValidateOwn(vm, options...)
		for _, target := range report.Targets() {
			fmt.Println(target.Template, target.Rules, target.Coverage)
		}
		fmt.Println(report.Err())
		fmt.Println(report.AdmissionWarnings())
	}
	// Output:
	// openshift/linux 1 Judged
	// the object is not valid: spec.template.spec.domain.memory.guest: Invalid value: "1Gi": at least 2 GiB of memory (1 GiB, from instance type small, is less than min 2 GiB)
	// []
	// openshift/windows 0 Undecided
	// <nil>
	// [Not decided: the template openshift/windows, which the VM names, is not there]
}

// A test of templates reads their annotations strictly.
func ExampleWithParseOptions() {
	template := templateOf(object(`{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {"cpu": {"cores": 4}}}}}}`),
		`[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "at most 8 cores", "max": 8, "owner": "desktop"}]`)
	fmt.Println(vmrules.ValidateOwn(template).Valid())
	for _, target := range vmrules.ValidateOwn(template, vmrules.WithParseOptions(vmrules.Strict())).Targets() {
		for _, p := range target.Problems {
			fmt.Println(target.Name, p.Code, p.Key)
		}
	}
	// Output:
	// true
	// objects[0] unknown-key owner
}

// A scheduler only asks whether each VM is valid.
func ExampleFirstViolation() {
	rules, err := vmrules.ParseRules(`[{"name": "bus", "rule": "enum", "values": ["virtio"],
		"path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "message": "disks are on virtio"}]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	vm := object(`{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {"devices": {"disks":
		[{"disk": {"bus": "sata"}}, {"disk": {"bus": "ide"}}]}}}}}}`)
	for _, opts := range [][]vmrules.ValidateOption{nil, {vmrules.FirstViolation()}} {
		report := vmrules.Validate(rules, vm, opts...)
		fmt.Println(report.Valid(), len(report.Violations()))
	}
	// Output:
	// false 2
	// false 1
}

// A VM leaves its memory to an instance type that the program cannot read.
func ExampleWithoutInstancetypes() {
	rules, err := vmrules.ParseRules(`[{"name": "memory", "rule": "integer", "min": "2Gi",
		"path": "jsonpath::.spec.domain.memory.guest", "message": "at least 2 GiB of memory"}]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	vm := object(`{"kind": "VirtualMachine", "spec": {"instancetype": {"name": "u1.micro"}, "template": {"spec": {"domain": {}}}}}`)
	for _, opts := range [][]vmrules.ValidateOption{
		nil,
		{vmrules.WarnIfUndecided(vmrules.DoubtInstancetype)},
		{vmrules.WithoutInstancetypes()},
	} {
		report := vmrules.Validate(rules, vm, opts...)
		for _, result := range report.Results() {
			fmt.Println(report.Valid(), result.Outcome, result.Violations[0].Detail)
		}
	}
	// Output:
	// false Undecided spec.template.spec.domain.memory.guest may be set by the instance type
	// true Undecided spec.template.spec.domain.memory.guest may be set by the instance type
	// false Violated the field is not set
}

// A service that judges the VMs of many users gives each call less than the default.
func ExampleWithBudget() {
	rules, err := vmrules.ParseRules(`[{"name": "serial", "rule": "regex", "regex": "^[A-Z0-9]+$",
		"path": "jsonpath::..serial", "message": "capitals and digits"}]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	disks := make([]any, 5000)
	for i := range disks {
		disks[i] = map[string]any{"serial": fmt.Sprint("D", i)}
	}
	vm := map[string]any{"kind": "VirtualMachineInstance", "spec": map[string]any{"domain": map[string]any{"devices": map[string]any{"disks": disks}}}}

	fmt.Println(vmrules.Validate(rules, vm).Valid())
	report := vmrules.Validate(rules, vm, vmrules.WithBudget(vmrules.Budget{Time: 100_000}))
	for _, result := range report.Results() {
		fmt.Println(result.Outcome, result.Doubt, result.Violations[0].Detail)
	}
	// Output:
	// true
	// Undecided Bound the budget for time is used up
}

// A team sees only what its own rules found.
func ExampleNewReport() {
	rules, err := vmrules.ParseRules(`[
		{"name": "network/model", "rule": "enum", "path": "jsonpath::.spec.domain.devices.interfaces[*].model", "message": "virtio", "values": ["virtio"]},
		{"name": "storage/bus", "rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "message": "virtio or scsi", "values": ["virtio", "scsi"]}
	]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	vm := object(`{"kind": "VirtualMachineInstance", "spec": {"domain": {"devices": {
		"interfaces": [{"name": "default", "model": "e1000"}], "disks": [{"name": "root", "disk": {"bus": "sata"}}]}}}}`)

	results := vmrules.Validate(rules, vm).Results()
	ofStorage := slices.DeleteFunc(results, func(r vmrules.Result) bool { return !strings.HasPrefix(r.Rule, "storage/") })
	fmt.Println(vmrules.NewReport(ofStorage))
	// Output:
	// invalid: 1 violated
	// Violated   storage/bus: virtio or scsi
	//            spec.domain.devices.disks[0].disk.bus: "sata" is not one of "virtio", "scsi"
}

// ParseObject refuses a text that decoders read differently: some would see 2 cores, and others 64.
func ExampleParseObject() {
	_, err := vmrules.ParseObject([]byte(`{"kind": "VirtualMachineInstance", "spec": {"domain": {"cpu": {"cores": 2, "cores": 64}}}}`))
	fmt.Println(err)
	vm, err := vmrules.ParseObject([]byte(`{"kind": "VirtualMachineInstance", "spec": {"domain": {"cpu": {"cores": 2}}}}`))
	fmt.Println(vm, err)
	// Output:
	// the text cannot be used as an object: line 1, column 76: the key "cores" is given twice in one object: keep one of them
	// map[kind:VirtualMachineInstance spec:map[domain:map[cpu:map[cores:2]]]] <nil>
}
