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
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/seeds"
)

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
		"many": {many, map[vmrules.Outcome]int{vmrules.OutcomeSatisfied: 300}},
		"hungry": {[]map[string]any{vm(hungry+one, 9000), vm(one, 1)},
			map[vmrules.Outcome]int{vmrules.OutcomeUndecided: 1, vmrules.OutcomeSatisfied: 1}},
		"odd": {[]map[string]any{vm(one, 1), odd}, map[vmrules.Outcome]int{vmrules.OutcomeSatisfied: 1, vmrules.OutcomeUndecided: 1}},
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
		{"old key", map[string]any{"labels": map[string]string{vmrules.TemplateLabel: "win", "vm.kubevirt.io/template-namespace": "old"}},
			"old", "win"},
		{"new key before old",
			map[string]any{"labels": map[string]any{vmrules.TemplateLabel: "win", vmrules.TemplateNamespaceLabel: "new",
				"vm.kubevirt.io/template-namespace": "old"}},
			"new", "win"},
		{"annotations", map[string]any{"annotations": map[string]any{vmrules.TemplateLabel: "win", vmrules.TemplateNamespaceLabel: "ns"}},
			"ns", "win"},
		{"annotations, old key",
			map[string]any{"annotations": map[string]any{vmrules.TemplateLabel: "win", "vm.kubevirt.io/template-namespace": "ns"}},
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
				"vm.kubevirt.io/template-namespace": "old"}},
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
	const missing, other = "template: the template that has the rules is not given", "template: this is not a template"
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
	for n := range uint64(6000) {
		g := anyVMs{rand.New(rand.NewPCG(n, seeds.Of(7)))}
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
		warns := g.one(3)
		if warns {
			opts = append(opts, vmrules.WarnIfUndecided(vmrules.DoubtTemplate, vmrules.DoubtLookup, vmrules.DoubtRules))
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
			coverage, isValid := vm.coverage(looks, isPartial, warns, templates, needed, judging)
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
			t.Fatalf("case %d: passed is %t, valid %t (-want +got):\n%s\n%s\n%s", n, report.Passed(), report.Valid(), diff, text, report)
		}
		var read vmrules.Report
		written, err := json.Marshal(report)
		if err == nil {
			err = json.Unmarshal(written, &read)
		}
		if err != nil || !read.Equal(report) || read.Passed() != passed {
			t.Fatalf("case %d: read again: %v\n%s\n%s", n, err, written, cmp.Diff(report, &read))
		}
		for ref, times := range asked {
			if times != 1 || !needed[ref] {
				t.Fatalf("case %d: the template %v was asked for %d times", n, ref, times)
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
func (vm foundVM) coverage(looks, isPartial, warns bool, templates func(vmrules.TemplateRef) (*vmrules.Template, error),
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
		case err != nil:
			return vmrules.CoverageUndecided, false
		case found == nil && namespace != "":
			return vmrules.CoverageUndecided, warns
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
			isValid = isValid && v.Warned
			says["judged"] = says["judged"] || v.Reason != vmrules.ReasonInternal
		}
		says["judged"] = says["judged"] || r.Outcome == vmrules.OutcomeSatisfied
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
	tiny := vmrules.WithBudget(vmrules.Budget{Time: 2 * time.Microsecond, Memory: 2000})
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
		{vm(ofKind), []vmrules.ValidateOption{kept, vmrules.WithBudget(vmrules.Budget{Time: 1})}, vmrules.CoverageUndecided},
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

type brittle struct{}

func (brittle) MarshalJSON() ([]byte, error) { panic("brittle") }

type brittleError struct{ text string }

func (e *brittleError) Error() string { return e.text }

// TestOwnOfOddObjects: whatever the object, the old one and the caller's functions are, each report has
// targets, can be read from its JSON, and does not say that something passed that no rule judged.
// leftOut has a rule that can be used between two that cannot, and one whose name is given twice.
const usable = `{"name": "max", "rule": "integer", "path": "jsonpath::.spec.n", "message": "too many", "max": "2Gi"}`

const leftOut = `[
	{"name": "min", "rule": "integer", "path": "jsonpath::.spec.n", "message": "too few", "min": "1 Gi", "justWarning": true},
	` + usable + `,
	{"name": "path", "rule": "string", "path": "spec.n", "message": 1},
	{"name": "max", "rule": "integer", "path": "jsonpath::.spec.m", "message": "a second max", "max": 1}
]`

func TestLeaveOutUnusable(t *testing.T) {
	rules, err := vmrules.ParseRules(leftOut, vmrules.LeaveOutUnusable())
	if _, strictly := vmrules.ParseRules(leftOut); strictly == nil || err == nil || err.Error() != strictly.Error() {
		t.Errorf("got the error %v, want %v", err, strictly)
	}
	var names []string
	for i, r := range rules.All() {
		names = append(names, fmt.Sprint(i, r.Name))
	}
	if diff := cmp.Diff([]string{"1max"}, names); diff != "" || rules.Len() != 4 {
		t.Errorf("Len is %d, All yields (-want +got):\n%s", rules.Len(), diff)
	}
	if r, ok := rules.ByName("max"); !ok || r.Message != "too many" {
		t.Errorf("max: %v, %v", r, ok)
	}
	if r, ok := rules.ByName("min"); ok {
		t.Errorf("min: %v", r)
	}
	if text, err := rules.MarshalJSON(); err == nil || !strings.Contains(err.Error(), `rule "min"`) {
		t.Errorf("as JSON: %s, %v", text, err)
	}
	if again, _ := vmrules.ParseRules(leftOut, vmrules.LeaveOutUnusable()); !again.Equal(rules) || rules.Equal(rulesOf(t, "["+usable+"]")) {
		t.Error("the rules do not equal themselves, or equal the rule that can be used alone")
	}
	for _, opts := range [][]vmrules.ValidateOption{
		nil, {vmrules.Partial()}, {vmrules.Ratcheting(), vmrules.WithOldObject(object(`{"spec": {"template": {"spec": {"n": 1}}}}`))},
		{vmrules.WarnIfUndecided(vmrules.DoubtRules, vmrules.DoubtParameter)},
	} {
		report := vmrules.Validate(rules, object(`{"spec": {"template": {"spec": {"n": 1}}}}`), opts...)
		var got []string
		for _, r := range report.Results() {
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Rule, r.Outcome, r.Doubt)))
		}
		want := []string{"min Undecided Rules", "max Satisfied", "path Undecided Rules", "max Undecided Rules"}
		if diff := cmp.Diff(want, got); diff != "" || report.Valid() || report.Passed() {
			t.Errorf("valid: %v (-want +got):\n%s", report.Valid(), diff)
		}
		detail := report.Results(vmrules.OutcomeUndecided)[1].Violations[0].Detail
		if want := `the rule cannot be used: line 4, column `; !strings.HasPrefix(detail, want) || !strings.HasSuffix(detail, "; and 1 more") {
			t.Errorf("the detail is %q", detail)
		}
	}
}

// Annotations that cannot be read at all leave one rule, so that nothing is valid by them.
func TestLeaveOutAll(t *testing.T) {
	vm := object(`{"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": 1}}, "spec": {"template": {"spec": {}}}}`)
	for name, read := range map[string]func(vmrules.ParseOption) (vmrules.Rules, error){
		"no JSON":       func(o vmrules.ParseOption) (vmrules.Rules, error) { return vmrules.ParseRules(`[{"name": "a"`, o) },
		"an error late": func(o vmrules.ParseOption) (vmrules.Rules, error) { return vmrules.ParseRules(leftOut+"]", o) },
		"no array":      func(o vmrules.ParseOption) (vmrules.Rules, error) { return vmrules.ParseRules(`{}`, o) },
		"a budget": func(o vmrules.ParseOption) (vmrules.Rules, error) {
			return vmrules.ParseRules(leftOut, o, vmrules.WithBudget(vmrules.Budget{Time: 2 * time.Microsecond}))
		},
		"no text":     func(o vmrules.ParseOption) (vmrules.Rules, error) { return vmrules.RulesFor(vm, nil, o) },
		"no template": func(o vmrules.ParseOption) (vmrules.Rules, error) { return vmrules.RulesFor(nil, vm, o) },
		"built in Go": func(o vmrules.ParseOption) (vmrules.Rules, error) {
			return vmrules.NewRules([]vmrules.Rule{{Name: "\xff"}}, o)
		},
	} {
		rules, err := read(vmrules.LeaveOutUnusable())
		if err == nil || rules.Len() != 1 {
			t.Fatalf("%s: %d rules, %v", name, rules.Len(), err)
		}
		results := vmrules.Validate(rules, vm).Results()
		if results[0].Doubt != vmrules.DoubtRules || vmrules.Validate(rules, vm).Valid() {
			t.Errorf("%s: %v", name, results)
		}
		if rules, err := read(vmrules.Strict()); err == nil || rules.Len() != 0 {
			t.Errorf("%s, without the option: %d rules, %v", name, rules.Len(), err)
		}
	}
	if rules, err := vmrules.ParseRules(" ", vmrules.LeaveOutUnusable()); err != nil || rules.Len() != 0 {
		t.Errorf("a blank text: %v, %v", rules, err)
	}
}

// ValidateOwn judges no VM by half of its rules; but rules that are given for a template may be.
func TestOwnLeavesOutNothing(t *testing.T) {
	vm := func(meta string) map[string]any {
		return object(`{"kind": "VirtualMachine", "metadata": {` + meta + `}, "spec": {"template": {"spec": {}}}}`)
	}
	text, _ := json.Marshal(leftOut)
	for name, option := range map[string]vmrules.ValidateOption{
		"WithParseOptions": vmrules.WithParseOptions(vmrules.LeaveOutUnusable()), "KeepRules": vmrules.KeepRules(vmrules.LeaveOutUnusable()),
	} {
		for range 2 {
			target := vmrules.ValidateOwn(vm(`"annotations": {"`+vmrules.Annotation+`": `+string(text)+`}`), option).Targets()[0]
			if target.Valid || target.Doubt != vmrules.DoubtRules || target.Rules != 0 || len(target.Problems) == 0 {
				t.Errorf("%s: %+v", name, target)
			}
		}
	}
	rules, _ := vmrules.ParseRules(leftOut, vmrules.LeaveOutUnusable())
	find := func(vmrules.TemplateRef) (*vmrules.Template, error) { return &vmrules.Template{Rules: rules}, nil }
	report := vmrules.ValidateOwn(vm(`"labels": {"`+vmrules.TemplateLabel+`": "t", "`+vmrules.TemplateNamespaceLabel+`": "n"}`), vmrules.WithTemplates(find))
	if got := len(report.Results(vmrules.OutcomeUndecided)); got != 3 || report.Valid() {
		t.Errorf("%d rules are undecided: %v", got, report)
	}
}

func TestOwnOfOddObjects(t *testing.T) {
	cyclic := map[string]any{"kind": "List"}
	cyclic["items"] = []any{cyclic, map[string]any{"kind": "VirtualMachine"}}
	self := map[string]any{"kind": "VirtualMachine"}
	self["metadata"] = self
	self["spec"] = self
	objs := []map[string]any{nil, {}, {"kind": nil}, {"kind": 7}, cyclic, self,
		{"kind": "VirtualMachine", "metadata": brittle{}},
		{"kind": "VirtualMachine", "metadata": map[string]any{"labels": brittle{}}},
		{"kind": "VirtualMachine", "metadata": map[string]any{"annotations": brittle{}}},
		{"kind": "VirtualMachine", "metadata": map[string]any{"namespace": brittle{}, "labels": map[string]string{vmrules.TemplateLabel: "x"}}},
		{"kind": "VirtualMachine", "metadata": map[string]any{"namespace": math.NaN(), "labels": map[any]any{vmrules.TemplateLabel: "x", 7: 8}}},
		{"kind": "VirtualMachine", "metadata": map[string]any{"labels": map[string]string{vmrules.TemplateLabel: "x"}}, "spec": brittle{}},
		{"kind": "Template", "metadata": brittle{}, "objects": []any{map[string]any{"kind": "VirtualMachine", "spec": map[string]any{"template": map[string]any{}}}}},
		{"kind": "List", "items": brittle{}}, {"kind": "List", "items": []any{brittle{}, nil, 7}},
		{"kind": "VirtualMachine", "metadata": map[string]any{"annotations": map[string]any{vmrules.Annotation: []byte("[]")}}},
		{"kind": "VirtualMachine", "metadata": map[string]any{"annotations": map[string]any{vmrules.Annotation: map[string]any{}}}},
		{"kind": "VirtualMachine", "metadata": map[string]any{"annotations": map[string]any{vmrules.SkipAnnotation: brittle{}}}},
	}
	finds := []func(vmrules.TemplateRef) (*vmrules.Template, error){
		nil,
		func(vmrules.TemplateRef) (*vmrules.Template, error) { panic(nil) },
		func(vmrules.TemplateRef) (*vmrules.Template, error) { panic(errors.New("x")) },
		func(vmrules.TemplateRef) (*vmrules.Template, error) { return nil, &vmrules.ParseError{} },
		func(vmrules.TemplateRef) (*vmrules.Template, error) { return nil, (*vmrules.ParseError)(nil) },
		func(vmrules.TemplateRef) (*vmrules.Template, error) { return nil, (*brittleError)(nil) },
		func(vmrules.TemplateRef) (*vmrules.Template, error) {
			return &vmrules.Template{}, errors.New("\x00\xff")
		},
		func(vmrules.TemplateRef) (*vmrules.Template, error) { return &vmrules.Template{Namespace: "\n"}, nil },
	}
	keep := vmrules.KeepRules(nil)
	var wg sync.WaitGroup
	for _, o := range objs {
		for _, f := range finds {
			for _, old := range objs {
				wg.Go(func() {
					r := vmrules.ValidateOwn(o, nil, keep, vmrules.WithTemplates(f), vmrules.WarnIfUndecided("Nonsense", vmrules.DoubtTemplate), vmrules.WithOldObject(old), vmrules.Ratcheting(), vmrules.WithInstancetypes(nil))
					if len(r.Targets()) == 0 {
						t.Error("no targets")
					}
					for _, x := range r.Targets() {
						if x.Coverage == "" {
							t.Error(x)
						}
					}
					text, err := r.MarshalJSON()
					var q vmrules.Report
					if err == nil {
						err = q.UnmarshalJSON(text)
					}
					if err != nil || q.Passed() != r.Passed() || q.Valid() != r.Valid() {
						t.Errorf("%v %s", err, text)
					}
					if r.Passed() && r.Targets()[0].Coverage != vmrules.CoverageExempt {
						t.Errorf("passed %s", text)
					}
					_ = r.String()
				})
			}
		}
	}
	wg.Wait()
}
