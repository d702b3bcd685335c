package form_test

import (
	"encoding/json"
	"fmt"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
)

// A backend tells a form what each field may hold, before anything is wrong.
func ExampleLimits() {
	rules, err := vmrules.ParseRules(`[
		{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "too many cores", "min": 1, "max": "jsonpath::.metadata.labels.licensed-cores"},
		{"name": "even", "rule": "enum", "path": "jsonpath::.spec.domain.cpu.cores", "message": "an even number is faster", "values": [2, 4, 6, 8], "justWarning": true},
		{"name": "memory", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "too little memory", "min": "1Gi"}
	]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	vm := object(`{"kind": "VirtualMachine", "spec": {"template": {"metadata": {"labels": {"licensed-cores": "8"}}, "spec": {"domain": {"cpu": {}}}}}}`)
	for _, limit := range form.Limits(rules, vm) {
		fmt.Println(limit.Field)
		fmt.Println("  must:", limit.Must.Type, limit.Must.Min, limit.Must.Max, "required:", limit.Must.Required, "default:",
			limit.Default)
		if limit.Should.Values != nil {
			fmt.Println("  should:", limit.Should.Values)
		}
	}
	// Output:
	// spec.template.spec.domain.cpu.cores
	//   must: integer 1 8 required: false default: 1
	//   should: [2 4 6 8]
	// spec.template.spec.domain.memory.guest
	//   must: integer 1073741824  required: true default: <nil>
}

// An editor or a validator can use a JSON Schema for the whole object.
func ExampleSchema() {
	rules, err := vmrules.ParseRules(`[
		{"name": "name", "rule": "string", "path": "jsonpath::.spec.hostname", "message": "letters and digits", "regex": "^[a-z0-9]+$", "maxLength": 15}
	]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.MarshalIndent(form.Schema(rules, object(`{"kind": "VirtualMachineInstance"}`)), "", "  ")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(text))
	// Output:
	// {
	//   "$schema": "https://json-schema.org/draft/2020-12/schema",
	//   "properties": {
	//     "spec": {
	//       "properties": {
	//         "hostname": {
	//           "maxLength": 15,
	//           "pattern": "^[0-9a-z]+(?=\\n?$)",
	//           "type": "string",
	//           "x-vmrules-rules": [
	//             {
	//               "message": "letters and digits",
	//               "rule": "name"
	//             }
	//           ]
	//         }
	//       },
	//       "required": [
	//         "hostname"
	//       ],
	//       "type": "object"
	//     }
	//   },
	//   "required": [
	//     "spec"
	//   ],
	//   "type": "object",
	//   "x-vmrules-unexpressed": []
	// }
}

// A form for a template has an input for each of its parameters.
func ExampleParameters() {
	rules := `[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "too many cores", "min": 1, "max": 8}]`
	parameters, err := form.Parameters(map[string]any{
		"kind":       "Template",
		"parameters": []any{map[string]any{"name": "CORES", "value": "2"}},
		"objects": []any{map[string]any{
			"kind":     "VirtualMachine",
			"metadata": map[string]any{"annotations": map[string]any{vmrules.Annotation: rules}},
			"spec":     object(`{"template": {"spec": {"domain": {"cpu": {"cores": "${CORES}"}}}}}`),
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range parameters {
		fmt.Println(p.Name, p.Value, p.Must.Type, p.Must.Min, p.Must.Max)
		for _, use := range p.Uses {
			fmt.Println("  ", use.As, use.Field)
		}
	}
	// Output:
	// CORES 2 integer 1 8
	//    whole objects[0].spec.template.spec.domain.cpu.cores
}

// object decodes the JSON of an example.
func object(text string) map[string]any {
	o, err := vmrules.ToObject(json.RawMessage(text))
	if err != nil {
		panic(err)
	}
	return o
}

// A form for a template asks for the values of its parameters, and judges them filled in.
func ExampleFill() {
	template := object(`{"kind": "Template", "parameters": [{"name": "CORES", "value": "2"}], "objects": [{"kind": "VirtualMachine",
		"metadata": {"annotations": {"vm.kubevirt.io/validations":
			"[{\"name\": \"cores\", \"rule\": \"integer\", \"path\": \"jsonpath::.spec.domain.cpu.cores\", \"message\": \"at most 8 cores\", \"max\": 8}]"}},
		"spec": {"template": {"spec": {"domain": {"cpu": {"cores": "${{CORES}}"}}}}}}]}`)
	filled, err := form.Fill(template, map[string]any{"CORES": 12})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(vmrules.ValidateOwn(filled))
	// Output:
	// invalid: 1 violated
	// Violated   cores in objects[0]: at most 8 cores
	//            objects[0].spec.template.spec.domain.cpu.cores: 12 is more than max 8
}

// A form checks what a user types into an input by the rules of its field. Each rule has its argument from
// the object.
func ExampleResolve() {
	rules, err := vmrules.ParseRules(`[
		{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "no more than the license has", "max": "jsonpath::.metadata.labels.licensed-cores"}
	]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	vm := object(`{"kind": "VirtualMachine", "spec": {"template": {"metadata": {"labels": {"licensed-cores": "8"}}, "spec": {"domain": {"cpu": {"cores": 4}}}}}}`)
	for resolved := range form.Resolve(rules, vm) {
		fmt.Println(resolved.Field, resolved.Values[0].Value)
		checker, err := resolved.Checker()
		if err != nil {
			fmt.Println(err) // Outcome and Unread say the same to a program
			continue
		}
		for _, v := range checker.Check(12) {
			fmt.Println(v.Reason, v.Argument, v.Detail)
		}
	}
	// Output:
	// spec.template.spec.domain.cpu.cores 4
	// FieldValueInvalid max 12 is more than max 8
}

// A program that makes a rule checks values by it, without any object.
func ExampleNewValueChecker() {
	checker, err := form.NewValueChecker(vmrules.Rule{
		Name:    "hostname",
		Kind:    vmrules.KindRegex,
		Path:    vmrules.MustParsePath("jsonpath::.spec.hostname"),
		Message: "lower case letters and digits",
		Regex:   vmrules.MustNewArgument("^[a-z0-9]+$"),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, typed := range []string{"web1", "Web 1"} {
		fmt.Println(typed, len(checker.Check(typed)) == 0)
	}
	// Output:
	// web1 true
	// Web 1 false
}

// An editor shows a template, which it has as text, with the values of its parameters.
func ExampleNewFiller() {
	filler, err := form.NewFiller([]form.Parameter{
		{Name: "NAME", Required: true},
		{Name: "CORES", Value: "2"},
		{Name: "PASSWORD", Generate: "expression", From: "[a-z]{4}"},
	}, map[string]string{"CORES": "4"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("still needed:", filler.Missing())
	for _, value := range []string{"${NAME}-${PASSWORD}", "${{CORES}}"} {
		for r := range form.References(value) {
			text, ok := filler.Value(r.Name)
			fmt.Printf("%s %s %q %t\n", value[r.Start:r.End], r.As, text, ok)
		}
	}
	// Output:
	// still needed: [NAME]
	// ${NAME} part "" false
	// ${PASSWORD} part "xply" true
	// ${{CORES}} json "4" true
}
