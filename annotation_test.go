package vmrules_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
)

func TestSourceOf(t *testing.T) {
	const named = `"vm.kubevirt.io/template": "linux", "vm.kubevirt.io/template.namespace": "templates"`
	vm := func(labels, annotations string) string {
		return fmt.Sprintf(`{"kind": "VirtualMachine", "metadata": {"labels": {%s}, "annotations": {%s}}, "spec": {"template": {"spec": {}}}}`, labels, annotations)
	}
	const own, skip = `"vm.kubevirt.io/validations": "[]"`, `"vm.kubevirt.io/skip-validations": ""`
	const ownField = `metadata.annotations.vm\.kubevirt\.io/validations`
	for _, test := range []struct {
		name, object string
		want         vmrules.Source
	}{
		{"nothing", vm("", ""), vmrules.Source{}},
		{"no object", "null", vmrules.Source{}},
		{"exempt", vm(named, own+","+skip), vmrules.Source{
			From: vmrules.SourceExempt, Field: `metadata.annotations.vm\.kubevirt\.io/skip-validations`, Namespace: "templates", Name: "linux"}},
		{"not exempt by null", vm("", `"vm.kubevirt.io/skip-validations": null`), vmrules.Source{}},
		{"its own", vm(named, own), vmrules.Source{
			From: vmrules.SourceOwn, Field: ownField, Annotation: "[]", Namespace: "templates", Name: "linux"}},
		{"its own, and half a template", vm(`"vm.kubevirt.io/template": "linux"`, own), vmrules.Source{
			From: vmrules.SourceOwn, Field: ownField, Annotation: "[]", Name: "linux"}},
		{"a blank one", vm(named, `"vm.kubevirt.io/validations": " "`), vmrules.Source{
			From: vmrules.SourceTemplate, Field: `metadata.labels.vm\.kubevirt\.io/template`, Namespace: "templates", Name: "linux"}},
		{"one that is not a string", vm(named, `"vm.kubevirt.io/validations": [7]`), vmrules.Source{
			From: vmrules.SourceUnknown, Field: ownField, Namespace: "templates", Name: "linux"}},
		{"a template in annotations", vm(`"vm.kubevirt.io/template": "other"`, named), vmrules.Source{
			From: vmrules.SourceTemplate, Field: `metadata.annotations.vm\.kubevirt\.io/template`, Namespace: "templates", Name: "linux"}},
		{"half a template", vm(`"vm.kubevirt.io/template": "linux"`, ""), vmrules.Source{
			From: vmrules.SourceTemplate, Field: `metadata.labels.vm\.kubevirt\.io/template`, Name: "linux"}},
		{"a pool", `{"kind": "VirtualMachinePool", "metadata": {}, "spec": {"virtualMachineTemplate": ` + vm("", own) + `}}`, vmrules.Source{
			From: vmrules.SourceOwn, Field: "spec.virtualMachineTemplate." + ownField, Annotation: "[]"}},
		{"the template of a pool", `{"kind": "VirtualMachinePool", "spec": {"virtualMachineTemplate": ` + vm(named, "") + `}}`, vmrules.Source{
			From: vmrules.SourceTemplate, Field: `spec.virtualMachineTemplate.metadata.labels.vm\.kubevirt\.io/template`, Namespace: "templates", Name: "linux"}},
		{"VMs that differ", `{"kind": "List", "items": [` + vm("", own) + `, ` + vm("", skip) + `]}`, vmrules.Source{From: vmrules.SourceUnknown}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, vmrules.SourceOf(conformance.DecodeExactly(json.RawMessage(test.object)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	labels := map[string]any{vmrules.TemplateLabel: math.NaN()}
	unreadable := map[string]any{"kind": "VirtualMachine", "metadata": map[string]any{"labels": labels}, "spec": map[string]any{"template": map[string]any{}}}
	if got := vmrules.SourceOf(unreadable); got.From != vmrules.SourceUnknown {
		t.Errorf("a label that cannot be read: %+v", got)
	}
}

// TestOwnCheckersApart: no VM of a list is Undecided because of the others, whether they are
// large, spend much, or have a value that JSON does not have.
func TestOwnCheckersApart(t *testing.T) {
	kind := vmrules.WithKind("any", always(satisfied))
	const one = `{"name": "one", "rule": "any", "path": "jsonpath::.spec", "message": "m"}`
	hungry := ""
	for i := range 200 {
		hungry += fmt.Sprintf(`{"name": "%d", "rule": "integer", "path": "jsonpath::..x", "message": "m"}, `, i)
	}
	vm := func(rules string, size int) map[string]any {
		return map[string]any{
			"kind":     "VirtualMachine",
			"metadata": map[string]any{"annotations": map[string]any{vmrules.Annotation: "[" + rules + "]"}},
			"spec":     map[string]any{"template": map[string]any{"spec": map[string]any{"list": make([]bool, size)}}},
		}
	}
	odd := vm(one, 1)
	odd["odd"] = func() {}
	var many []map[string]any
	for range 300 {
		many = append(many, vm(one, 4000))
	}
	for name, test := range map[string]struct {
		vms  []map[string]any
		want map[vmrules.Outcome]int // of the rule "one"
	}{
		"many": {many, map[vmrules.Outcome]int{vmrules.Satisfied: 300}},
		"hungry": {[]map[string]any{vm(hungry+one, 9000), vm(one, 1)},
			map[vmrules.Outcome]int{vmrules.Undecided: 1, vmrules.Satisfied: 1}},
		"odd": {[]map[string]any{vm(one, 1), odd}, map[vmrules.Outcome]int{vmrules.Satisfied: 1, vmrules.Undecided: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			report := vmrules.ValidateOwn(map[string]any{"kind": "List", "items": test.vms}, vmrules.WithParseOptions(kind))
			got := map[vmrules.Outcome]int{}
			for _, result := range report.Results() {
				if result.Rule == "one" {
					got[result.Outcome]++
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTemplateOf(t *testing.T) {
	tests := []struct {
		name            string
		metadata        any
		wantNS, wantTpl string
	}{
		{"labels", map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "win", vmrules.TemplateNamespaceLabel: "openshift"}},
			"openshift",
			"win"},
		{"old key", map[string]any{"labels": map[string]string{vmrules.TemplateLabel: "win", vmrules.OldTemplateNamespaceLabel: "old"}},
			"old", "win"},
		{"new key before old",
			map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "win", vmrules.TemplateNamespaceLabel: "new",
				vmrules.OldTemplateNamespaceLabel: "old"}},
			"new", "win"},
		{"annotations", map[string]any{"annotations": map[string]any{vmrules.TemplateLabel: "win", vmrules.TemplateNamespaceLabel: "ns"}},
			"ns", "win"},
		{"annotations, old key",
			map[string]any{"annotations": map[string]any{vmrules.TemplateLabel: "win", vmrules.OldTemplateNamespaceLabel: "ns"}},
			"ns", "win"},
		{"labels before annotations",
			map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "a", vmrules.TemplateNamespaceLabel: "na"},
				"annotations": map[string]any{vmrules.TemplateLabel: "b", vmrules.TemplateNamespaceLabel: "nb"}},
			"na", "a"},
		{"labels without a namespace, complete annotations",
			map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "a"},
				"annotations": map[string]any{vmrules.TemplateLabel: "b", vmrules.TemplateNamespaceLabel: "ns"}},
			"ns", "b"},
		{"labels without a name, complete annotations",
			map[string]any{"labels": map[string]any{vmrules.TemplateNamespaceLabel: "na"},
				"annotations": map[string]any{vmrules.TemplateLabel: "b", vmrules.TemplateNamespaceLabel: "nb"}},
			"nb", "b"},
		{"an empty namespace, complete annotations",
			map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "a", vmrules.TemplateNamespaceLabel: ""},
				"annotations": map[string]any{vmrules.TemplateLabel: "b", vmrules.TemplateNamespaceLabel: "ns"}},
			"ns", "b"},
		{"an empty namespace, and the old key",
			map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "a", vmrules.TemplateNamespaceLabel: "",
				vmrules.OldTemplateNamespaceLabel: "old"}},
			"old", "a"},
		{"never mixed",
			map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "a"},
				"annotations": map[string]any{vmrules.TemplateNamespaceLabel: "ns"}},
			"",
			""},
		{"never mixed, the other way",
			map[string]any{"labels": map[string]any{vmrules.TemplateNamespaceLabel: "ns"},
				"annotations": map[string]any{vmrules.TemplateLabel: "a"}},
			"",
			""},
		{"a name alone",
			map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "a"},
				"annotations": map[string]any{vmrules.TemplateLabel: "a"}},
			"", ""},
		{"none", map[string]any{"labels": map[string]any{"app": "x"}}, "", ""},
		{"wrong types", map[string]any{"labels": []any{}, "annotations": map[string]any{vmrules.TemplateLabel: 7}}, "", ""},
		{"no metadata", nil, "", ""},
	}
	for _, test := range tests {
		ns, tpl, ok := vmrules.TemplateOf(map[string]any{"metadata": test.metadata})
		if ns != test.wantNS || tpl != test.wantTpl || ok != (test.wantTpl != "") {
			t.Errorf("%s: %q, %q, %v", test.name, ns, tpl, ok)
		}
	}
}

// TestRulesForNeedsTemplate: RulesFor does not take a template that is missing, or something else
// in its place, for one without rules.
func TestRulesForNeedsTemplate(t *testing.T) {
	rules := map[string]any{"annotations": map[string]any{vmrules.OldAnnotation: `[{"name": "r", "rule": "string", "path": "jsonpath::.a", "message": "m"}]`}}
	vm := map[string]any{"kind": "VirtualMachine", "spec": map[string]any{"template": map[string]any{}}}
	named := map[string]any{"kind": "VirtualMachine", "metadata": map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "a"}}}
	const missing, other = "template: the template that has the rules is not given", "template: this is no template"
	for _, test := range []struct {
		name         string
		vm, template map[string]any
		want         string // rules, or the error
	}{
		{"nothing", nil, nil, missing},
		{"a VM that names none", vm, nil, "0"},
		{"a VM that names one", named, nil, missing},
		{"a ConfigMap", nil, map[string]any{"kind": "ConfigMap", "metadata": rules}, other},
		{"a ConfigMap for a VM", vm, map[string]any{"kind": "ConfigMap", "metadata": rules}, other},
		{"a VM in the place of the template", nil, vm, other},
		{"another group", nil, map[string]any{"apiVersion": "example.com/v1", "kind": "Template", "metadata": rules}, other},
		{"a template without a VM", named, map[string]any{"kind": "Template", "metadata": rules}, "1"},
		{"a typed Template", nil, map[string]any{"metadata": rules, "objects": []any{vm}}, "1"},
		{"a typed VirtualMachineTemplate", nil, map[string]any{"metadata": rules, "spec": map[string]any{"virtualMachine": vm}}, "1"},
		{"a typed Template without rules", named, map[string]any{"objects": []any{vm}}, "0"},
		{"metadata of another shape", nil, map[string]any{"kind": "Template", "metadata": []any{}}, "template: metadata must be an object, not an array"},
	} {
		got, err := vmrules.RulesFor(test.vm, test.template)
		text := fmt.Sprint(got.Len())
		if err != nil {
			text = strings.TrimPrefix(err.Error(), "the validation rules cannot be used: ")
		}
		if !strings.HasPrefix(text, test.want) {
			t.Errorf("%s: %s; want %s", test.name, text, test.want)
		}
	}
}

// TestTargetsOfAnything: each VM has a Target with the Coverage that the table of ValidateOwn says,
// and Passed is true exactly if no VM is left out. The VMs are found by a walk of its own, their rules by
// the order that the documentation states, and what these make of a VM by Validate.
func TestTargetsOfAnything(t *testing.T) {
	kept := vmrules.KeepRules()
	seen := map[vmrules.Coverage]int{}
	for seed := range uint64(6000) {
		g := anyVMs{rand.New(rand.NewPCG(seed, 7))}
		object := g.object()
		templates, asked := g.templates(), map[vmrules.TemplateRef]int{}
		opts := []vmrules.ValidateOption{}
		if g.one(3) {
			opts = append(opts, vmrules.Partial())
		}
		isPartial := len(opts) > 0
		judging := slices.Clone(opts)
		if g.one(2) {
			opts = append(opts, kept)
		}
		looks := !g.one(4)
		if looks {
			opts = append(opts, vmrules.WithTemplates(func(ref vmrules.TemplateRef) (*vmrules.Template, error) {
				asked[ref]++
				return templates(ref)
			}))
		}
		report := vmrules.ValidateOwn(object, opts...)
		var want []string
		passed, valid := true, true
		needed := map[vmrules.TemplateRef]bool{}
		for _, vm := range vmsIn(object, "", nil) {
			coverage, isValid := vm.coverage(looks, isPartial, templates, needed, judging)
			want = append(want, fmt.Sprint(vm.name, " ", coverage, " ", isValid))
			seen[coverage]++
			valid = valid && isValid
			passed = passed && isValid && slices.Contains([]vmrules.Coverage{vmrules.CoverageJudged, vmrules.CoverageExempt, vmrules.CoverageNotApplicable}, coverage)
		}
		var got []string
		for _, target := range report.Targets() {
			got = append(got, fmt.Sprint(target.Name, " ", target.Coverage, " ", target.Valid))
		}
		if diff := cmp.Diff(want, got); diff != "" || report.Passed() != passed || report.Valid() != valid {
			text, _ := json.Marshal(object)
			t.Fatalf("seed %d: passed is %t, valid %t (-want +got):\n%s\n%s\n%s", seed, report.Passed(), report.Valid(), diff, text, report)
		}
		for ref, n := range asked {
			if n != 1 || !needed[ref] {
				t.Fatalf("seed %d: the template %v was asked for %d times", seed, ref, n)
			}
		}
	}
	for _, coverage := range []vmrules.Coverage{
		vmrules.CoverageJudged, vmrules.CoverageExempt, vmrules.CoverageNoRules, vmrules.CoverageNoTemplate, vmrules.CoverageNotApplicable,
		vmrules.CoverageIncomplete, vmrules.CoverageIgnored, vmrules.CoverageUndecided, vmrules.CoverageNotVM,
	} {
		if seen[coverage] < 100 {
			t.Errorf("only %d are %s", seen[coverage], coverage)
		}
	}
}

// A foundVM is a VM in an object, with the text of the rules around it.
type foundVM struct {
	name   string
	object map[string]any // nil: there is none
	around any
	isVM   bool
	holder map[string]any
}

// vmsIn finds the VMs in an object by its kind.
func vmsIn(object map[string]any, name string, around any) []foundVM {
	at := func(list string, i int) string {
		return strings.TrimPrefix(fmt.Sprintf("%s.%s[%d]", name, list, i), ".")
	}
	switch object["kind"] {
	case "VirtualMachine":
		return []foundVM{{name: name, object: object, around: around, isVM: true}}
	case "VirtualMachinePool":
		vm := object["spec"].(map[string]any)["virtualMachineTemplate"].(map[string]any)
		return []foundVM{{name: name, object: vm, around: around, isVM: true, holder: object}}
	case "List", "Template":
		list, all := "items", []foundVM(nil)
		if object["kind"] == "Template" {
			list, around = "objects", textAt(object, "annotations", vmrules.OldAnnotation)
		}
		for i, item := range object[list].([]any) {
			for _, vm := range vmsIn(item.(map[string]any), at(list, i), around) {
				if vm.isVM {
					all = append(all, vm)
				}
			}
		}
		if all != nil {
			return all
		}
	}
	return []foundVM{{name: name, object: object}}
}

func textAt(object map[string]any, in, key string) any {
	metadata, _ := object["metadata"].(map[string]any)
	values, _ := metadata[in].(map[string]any)
	return values[key]
}

// coverage returns what the table says of the VM.
func (vm foundVM) coverage(looks, isPartial bool, templates func(vmrules.TemplateRef) (*vmrules.Template, error),
	needed map[vmrules.TemplateRef]bool, opts []vmrules.ValidateOption) (vmrules.Coverage, bool) {
	if vm.object == nil {
		if isPartial {
			return vmrules.CoverageIncomplete, true
		}
		return vmrules.CoverageUndecided, false
	}
	own := textAt(vm.object, "annotations", vmrules.Annotation)
	text, isText := own.(string)
	isOwn := own != nil && !(isText && strings.TrimSpace(text) == "")
	switch {
	case !vm.isVM:
		return vmrules.CoverageNotVM, true
	case textAt(vm.object, "annotations", vmrules.SkipAnnotation) != nil:
		return vmrules.CoverageExempt, true
	case isOwn && !isText:
		return vmrules.CoverageUndecided, false
	case !isOwn && vm.around != nil && strings.TrimSpace(vm.around.(string)) != "":
		text, isOwn = vm.around.(string), true
	}
	var rules vmrules.Rules
	var err error
	if isOwn {
		if rules, err = vmrules.ParseRules(text); err != nil {
			return vmrules.CoverageUndecided, false
		}
	} else if name, _ := textAt(vm.object, "labels", vmrules.TemplateLabel).(string); name != "" {
		namespace, _ := textAt(vm.object, "labels", vmrules.TemplateNamespaceLabel).(string)
		if !looks {
			return vmrules.CoverageNoTemplate, true
		}
		ref := vmrules.TemplateRef{Namespace: namespace, Name: name}
		for _, o := range []map[string]any{vm.object, vm.holder} {
			metadata, _ := o["metadata"].(map[string]any)
			if in, _ := metadata["namespace"].(string); ref.VMNamespace == "" {
				ref.VMNamespace = in
			}
		}
		needed[ref] = true
		found, err := templates(ref)
		switch {
		case err != nil, found == nil && namespace != "":
			return vmrules.CoverageUndecided, false
		case found == nil:
			return vmrules.CoverageNoTemplate, true
		}
		rules = found.Rules
	}
	if rules.Len() == 0 {
		return vmrules.CoverageNoRules, true
	}
	whole := map[string]any{"kind": "VirtualMachine", "spec": vm.object["spec"]}
	return coverageOf(vmrules.Validate(rules, whole, opts...).Results())
}

// coverageOf returns what the results of one VM say.
func coverageOf(results []vmrules.Result) (vmrules.Coverage, bool) {
	isValid, says := true, map[string]bool{}
	for _, r := range results {
		for _, v := range r.Violations {
			isValid = isValid && v.Warning
			says["judged"] = says["judged"] || v.Reason != vmrules.ReasonInternal
		}
		says["judged"] = says["judged"] || r.Outcome == vmrules.Satisfied
		says[string(r.Outcome)] = true
		says["waits"] = says["waits"] || strings.Contains(r.Note, "not filled in yet")
	}
	switch {
	case says["waits"]:
		return vmrules.CoverageIncomplete, isValid
	case says["judged"]:
		return vmrules.CoverageJudged, isValid
	case says["Undecided"]:
		return vmrules.CoverageUndecided, isValid
	case says["Ignored"]:
		return vmrules.CoverageIgnored, isValid
	}
	return vmrules.CoverageNotApplicable, isValid
}

// anyVMs generates objects with VMs.
type anyVMs struct{ *rand.Rand }

func (g anyVMs) one(of int) bool { return g.IntN(of) == 0 }

func (g anyVMs) object() map[string]any {
	switch g.IntN(12) {
	case 0:
		return nil
	case 1:
		return map[string]any{"kind": "Pod", "metadata": g.metadata()}
	case 2:
		return map[string]any{"kind": "VirtualMachinePool", "metadata": map[string]any{"namespace": "pools"}, "spec": map[string]any{"virtualMachineTemplate": g.vm()}}
	case 3, 4:
		template := map[string]any{"kind": "Template", "objects": g.several()}
		if g.one(2) {
			template["metadata"] = map[string]any{"annotations": map[string]any{vmrules.OldAnnotation: g.text()}}
		}
		return template
	case 5, 6, 7:
		return map[string]any{"kind": "List", "items": g.several()}
	}
	return g.vm()
}

func (g anyVMs) several() []any {
	all := []any{}
	for range g.IntN(3) {
		if g.one(5) {
			all = append(all, map[string]any{"kind": "Pod"})
			continue
		}
		all = append(all, g.vm())
	}
	return all
}

func (g anyVMs) vm() map[string]any {
	spec := map[string]any{}
	if !g.one(8) {
		cpu := map[string]any{}
		if !g.one(3) {
			cpu["cores"] = []any{1, 12, ""}[g.IntN(3)]
		}
		spec["template"] = map[string]any{"spec": map[string]any{"domain": map[string]any{"cpu": cpu}}}
	}
	return map[string]any{"kind": "VirtualMachine", "metadata": g.metadata(), "spec": spec}
}

func (g anyVMs) metadata() map[string]any {
	annotations, labels := map[string]any{}, map[string]any{}
	if g.one(10) {
		annotations[vmrules.SkipAnnotation] = ""
	}
	if !g.one(3) {
		annotations[vmrules.Annotation] = g.text()
	}
	if g.one(2) {
		labels[vmrules.TemplateLabel] = []any{"good", "bad", "empty", "missing", "lost"}[g.IntN(5)]
		if g.one(2) {
			labels[vmrules.TemplateNamespaceLabel] = []any{"a", "b"}[g.IntN(2)]
		}
	}
	metadata := map[string]any{"annotations": annotations, "labels": labels}
	if g.one(2) {
		metadata["namespace"] = []any{"a", "b"}[g.IntN(2)]
	}
	return metadata
}

// text returns the value of an annotation.
func (g anyVMs) text() any {
	switch g.IntN(10) {
	case 0:
		return "["
	case 1:
		return " "
	case 2:
		return "[]"
	}
	rules := []string{
		`"rule": "integer", "max": 8`, `"rule": "integer", "max": 8, "justWarning": true`, `"rule": "odd"`, `"rule": "integer", "valid": "jsonpath::.spec.nothing"`,
		`"rule": "integer", "max": "jsonpath::.spec.nothing", "justWarning": true`, `"rule": "integer", "max": "jsonpath::.spec.nothing"`,
	}
	var text []string
	for i := range 1 + g.IntN(2) {
		text = append(text, fmt.Sprintf(`{"name": "r%d", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", %s}`, i, rules[g.IntN(len(rules))]))
	}
	return "[" + strings.Join(text, ", ") + "]"
}

// templates returns a function that finds templates by their names. Those with rules are in the
// namespace a, and in that of a VM.
func (g anyVMs) templates() func(vmrules.TemplateRef) (*vmrules.Template, error) {
	text := fmt.Sprint(g.text())
	return func(ref vmrules.TemplateRef) (*vmrules.Template, error) {
		namespace := ref.Namespace
		if namespace == "" {
			namespace = ref.VMNamespace
		}
		switch {
		case ref.Name == "lost":
			return nil, errors.New("no connection")
		case ref.Name == "missing" || namespace != "a":
			return nil, nil
		case ref.Name == "bad":
			_, err := vmrules.ParseRules("[")
			return nil, err
		case ref.Name == "empty":
			return &vmrules.Template{}, nil
		}
		rules, err := vmrules.ParseRules(text)
		if err != nil {
			return nil, err
		}
		return &vmrules.Template{Rules: rules}, nil
	}
}

// TestKeepRules: what is kept is read by its key and text, and only if it was read in full.
func TestKeepRules(t *testing.T) {
	const old = `[{"name": "r", "rule": "integer", "path": "spec.domain.cpu.cores", "message": "m", "max": 8}]`
	vm := func(text string) map[string]any {
		return map[string]any{"kind": "VirtualMachine", "metadata": map[string]any{"annotations": map[string]any{vmrules.Annotation: text}},
			"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"domain": map[string]any{"cpu": map[string]any{"cores": 2}}}}}}
	}
	template := map[string]any{"kind": "Template", "metadata": map[string]any{"annotations": map[string]any{vmrules.OldAnnotation: old}}, "objects": []any{vm("")}}
	tiny := vmrules.WithBudget(vmrules.Budget{Work: 20_000, Kept: 2000})
	kept := vmrules.KeepRules()
	odd := vmrules.KeepRules(vmrules.WithKind("odd", always(satisfied)))
	ofKind := strings.ReplaceAll(strings.ReplaceAll(old, `"integer"`, `"odd"`), `"spec`, `"jsonpath::.spec`)
	for i, test := range []struct {
		object map[string]any
		opts   []vmrules.ValidateOption
		want   vmrules.Coverage
	}{
		{template, []vmrules.ValidateOption{kept, tiny}, vmrules.CoverageUndecided},
		{template, []vmrules.ValidateOption{kept}, vmrules.CoverageJudged},
		{vm(old), []vmrules.ValidateOption{kept}, vmrules.CoverageUndecided},
		{template, []vmrules.ValidateOption{kept}, vmrules.CoverageJudged},
		{vm(ofKind), []vmrules.ValidateOption{kept}, vmrules.CoverageIgnored},
		{vm(ofKind), []vmrules.ValidateOption{kept, vmrules.WithBudget(vmrules.Budget{Work: 1})}, vmrules.CoverageUndecided},
		{vm(ofKind), []vmrules.ValidateOption{odd}, vmrules.CoverageJudged},
		{vm(ofKind), []vmrules.ValidateOption{odd, vmrules.WithParseOptions(vmrules.Strict())}, vmrules.CoverageJudged},
		{vm(ofKind), []vmrules.ValidateOption{odd, kept}, vmrules.CoverageIgnored},
	} {
		if got := vmrules.ValidateOwn(test.object, test.opts...).Targets()[0]; got.Coverage != test.want {
			t.Errorf("%d: %+v", i, got)
		}
	}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 300 { // together, they do not fit
				text := strings.ReplaceAll(ofKind, `"r"`, fmt.Sprintf(`"%d %s"`, (i+worker)%150, strings.Repeat("x", 100_000)))
				if report := vmrules.ValidateOwn(vm(text), odd); !report.Passed() {
					t.Error(report.Targets())
				}
			}
		})
	}
	group.Wait()
}
