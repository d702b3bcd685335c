package policy_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/seeds"
	"github.com/vmrules/vmrules/policy"
)

var windows = policy.Scope{Template: "windows", Namespace: "openshift", Annotation: `[{"name": "memory"}]` + "\n"}

// The rules of all vectors become one policy that denies and one that warns. Kubernetes' type checker
// has nothing to say about fields of KubeVirt's API.
func TestPolicies(t *testing.T) {
	var declared []any
	for i, vector := range readVectors(t) {
		if path := fmt.Sprint(vector["path"], vector["valid"]); !strings.Contains(path, "x-y") && !strings.Contains(path, "limits.") {
			rule := map[string]any{"name": fmt.Sprint("rule-", i), "message": "what is\nwrong"}
			maps.Copy(rule, vector)
			declared = append(declared, rule)
		}
	}
	policies, _ := policiesOf(t, parseAll(t, declared...), windows)
	got := map[string][]admissionv1.ValidationAction{}
	for _, p := range policies {
		got[p.Binding.Spec.PolicyName] = p.Binding.Spec.ValidationActions
		for _, w := range warnings(p.Policy) {
			t.Errorf("%s: %s", w.FieldRef, w.Warning)
		}
		checkObject(t, p.Policy)
	}
	want := map[string][]admissionv1.ValidationAction{"windows": {admissionv1.Deny}, "windows-warnings": {admissionv1.Warn}}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(policies[0].Policy.Spec.Validations) < 20 {
		t.Errorf("only %d validations", len(policies[0].Policy.Spec.Validations))
	}
}

// The type checker of the tests can find something: a field that KubeVirt does not have, and the
// comparison of a string with null.
func TestWarnings(t *testing.T) {
	rules := parseAll(t,
		map[string]any{"name": "a", "message": "m", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.corse"},
		map[string]any{"name": "b", "message": "m", "rule": "string", "path": "jsonpath::.spec.hostname"})
	policies, _ := policiesOf(t, rules, windows)
	policy := policies[0].Policy
	policy.Spec.Validations[1].Expression = "object.spec.template.spec.hostname == null"
	var got []string
	for _, w := range warnings(policy) {
		for _, wrong := range []string{"undefined field 'corse'", "no matching overload for '_==_' applied to '(string, null)'"} {
			if strings.Contains(w.Warning, wrong) {
				got = append(got, w.FieldRef+": "+wrong)
			}
		}
	}
	want := []string{
		"spec.validations[0].expression: undefined field 'corse'", "spec.validations[0].messageExpression: undefined field 'corse'",
		"spec.validations[1].expression: no matching overload for '_==_' applied to '(string, null)'",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// checkObject checks what the API server asks of a policy, as far as its code can be imported:
// that the names are valid, that messages are a line each, and that expressions compile.
func checkObject(t *testing.T, p *admissionv1.ValidatingAdmissionPolicy) {
	t.Helper()
	for _, c := range p.Spec.MatchConditions {
		if wrong := validation.IsQualifiedName(c.Name); wrong != nil {
			t.Error(c.Name, wrong)
		}
		compilePolicy(t, c.Expression)
	}
	for _, v := range p.Spec.Variables {
		compilePolicy(t, v.Expression)
	}
	for _, v := range p.Spec.Validations {
		compilePolicy(t, v.Expression)
		if strings.TrimSpace(v.Message) == "" || strings.ContainsAny(v.Message, "\r\n") {
			t.Errorf("message %q", v.Message)
		}
		if v.MessageExpression == "" {
			continue
		}
		if err := checkMessage(v.MessageExpression); err != nil {
			t.Error(err)
		}
	}
}

// The conditions select the VMs of a template that RulesFor judges by the template's rules, and
// those that only have the label with the template's name.
func TestScope(t *testing.T) {
	const own = vmrules.Annotation
	for _, c := range []struct {
		name                string
		labels, annotations map[string]any
		want                string // the first condition that is false; "" for none
	}{
		{name: "neither", want: "of-the-template"},
		{name: "by labels", labels: names("windows", "openshift")},
		{name: "by annotations", annotations: names("windows", "openshift")},
		{name: "by the older label", labels: map[string]any{vmrules.TemplateLabel: "windows", "vm.kubevirt.io/template-namespace": "openshift"}},
		{name: "another name", labels: names("linux", "openshift"), want: "of-the-template"},
		{name: "another namespace", labels: names("windows", "mine"), want: "of-the-template"},
		{name: "labels before annotations", labels: names("linux", "openshift"), annotations: names("windows", "openshift"), want: "of-the-template"},
		{name: "incomplete labels", labels: names("linux", ""), annotations: names("windows", "openshift")},
		{name: "the name alone", labels: map[string]any{vmrules.TemplateLabel: "windows"}},
		{name: "the name alone, as an annotation", annotations: map[string]any{vmrules.TemplateLabel: "windows"}, want: "of-the-template"},
		{name: "a copy of the rules", labels: names("windows", "openshift"), annotations: map[string]any{own: ` [{"name": "memory"}]`}},
		{name: "blank rules", labels: names("windows", "openshift"), annotations: map[string]any{own: " \n"}},
		{name: "other rules", labels: names("windows", "openshift"), annotations: map[string]any{own: "[]"}, want: "without-other-rules"},
		{name: "exempt", labels: names("windows", "openshift"), annotations: map[string]any{vmrules.SkipAnnotation: ""}, want: "not-exempt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			vm := vmWith(c.labels, c.annotations)
			if got := firstFalse(t, windows, vm); got != c.want {
				t.Errorf("%q is false, want %q", got, c.want)
			}
			vm["metadata"].(map[string]any)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
			if got := firstFalse(t, windows, vm); c.want == "" && got != "not-being-deleted" {
				t.Errorf("being deleted: %q is false", got)
			}
		})
	}
}

// A copy of the template's rules is recognized, whatever is in it. Without a template, only VMs with a copy
// are in the scope.
func TestScopeOfCopies(t *testing.T) {
	for _, text := range []string{
		"[]", "[\n  {\"name\": \"it's\"}\n]", `\`, `["\d\"", r"x"]`, "'''", "a'", "a\r\nb", "a\tb", "\x00\x7f\u2028\U000e0001é😀", `'"`, "${X}",
	} {
		s := policy.Scope{Annotation: " " + text + "\n"}
		for _, copied := range []string{text, "\n" + text} {
			if got := firstFalse(t, s, vmWith(nil, map[string]any{vmrules.Annotation: copied})); got != "" {
				t.Errorf("%q: %s is false", copied, got)
			}
		}
		for _, other := range []string{text + ".", "", " "} {
			vm := vmWith(nil, map[string]any{vmrules.Annotation: other})
			if got := firstFalse(t, s, vm); got != "with-the-rules" {
				t.Errorf("%q is taken for a copy of %q: %q is false", other, text, got)
			}
		}
		exempt := vmWith(nil, map[string]any{vmrules.Annotation: text, vmrules.SkipAnnotation: ""})
		if got := firstFalse(t, s, exempt); got != "not-exempt" {
			t.Errorf("exempt: %q is false", got)
		}
		if got := firstFalse(t, s, vmWith(names("windows", "openshift"), nil)); got != "with-the-rules" {
			t.Errorf("a VM without rules of its own: %q is false", got)
		}
	}
}

func names(name, namespace string) map[string]any {
	return map[string]any{vmrules.TemplateLabel: name, vmrules.TemplateNamespaceLabel: namespace}
}

func vmWith(labels, annotations map[string]any) map[string]any {
	metadata := map[string]any{"name": "vm"}
	if labels != nil {
		metadata["labels"] = labels
	}
	if annotations != nil {
		metadata["annotations"] = annotations
	}
	return map[string]any{"kind": "VirtualMachine", "metadata": metadata, "spec": map[string]any{}}
}

// firstFalse returns the name of the first condition that is false for a VM.
func firstFalse(t *testing.T, s policy.Scope, vm map[string]any) string {
	t.Helper()
	for _, c := range conditionsOf(t, s) {
		got, err := evalPolicy(compilePolicy(t, c.Expression), vm)
		if err != nil {
			t.Fatalf("%s\n%v", c.Expression, err)
		}
		if got == celFalse {
			return c.Name
		}
	}
	return ""
}

// If a VM names a template with its namespace, it is in the scope exactly if TemplateOf says so.
func TestScopeIsTemplateOf(t *testing.T) {
	t.Parallel()
	seed := seeds.Of(1)
	g := rand.New(rand.NewPCG(seed, 0))
	some := func() map[string]any {
		found := map[string]any{}
		for _, key := range []string{vmrules.TemplateLabel, vmrules.TemplateNamespaceLabel, "vm.kubevirt.io/template-namespace"} {
			if value := []any{nil, "", "windows", "openshift", "linux"}[g.IntN(5)]; value != nil {
				found[key] = value
			}
		}
		return found
	}
	program := compilePolicy(t, conditionsOf(t, windows)[0].Expression)
	anywhere := compilePolicy(t, conditionsOf(t, policy.Scope{Template: "windows"})[0].Expression)
	counts := map[string]int{}
	for range 5000 {
		vm := vmWith(some(), some())
		namespace, name, ok := vmrules.TemplateOf(vm)
		if !ok {
			continue
		}
		for scope, want := range map[string]bool{"openshift": name == "windows" && namespace == "openshift", "": name == "windows"} {
			p := program
			if scope == "" {
				p = anywhere
			}
			got, err := evalPolicy(p, vm)
			if want != (got == celTrue) || err != nil {
				t.Fatalf("%v: %s, %v; TemplateOf %s/%s", vm, got, err, namespace, name)
			}
			counts[fmt.Sprint(scope, got)]++
		}
	}
	for about, n := range counts {
		if n < 20 {
			t.Errorf("%s only %d times", about, n)
		}
	}
}

// A policy without a template and an annotation is about all VMs. None leaves it by what it says of itself.
func TestScopeOfAll(t *testing.T) {
	for _, annotations := range []map[string]any{nil, {vmrules.Annotation: "[]"}, {vmrules.SkipAnnotation: ""}} {
		vm := vmWith(nil, annotations)
		if got := firstFalse(t, policy.Scope{}, vm); got != "" {
			t.Errorf("%v: %s is false", annotations, got)
		}
		vm["metadata"].(map[string]any)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
		if got := firstFalse(t, policy.Scope{}, vm); got != "not-being-deleted" {
			t.Errorf("%v, being deleted: %q is false", annotations, got)
		}
	}
}

// With SkipInstancetypes, the expression of a rule is true for a VM that names what may set a field of the
// rule, and for others what it is without. So it is for updates.
func TestSkipInstancetypes(t *testing.T) {
	t.Parallel()
	seed := seeds.Of(1)
	for _, ratcheting := range []bool{false, true} {
		counts := map[string]int{}
		for n := range uint64(generatedRules) {
			g := generator{noNulls: true}.of(seed, n)
			rules := parseOne(t, g.rule())
			strict := expressionIn(t, rules, policy.Scope{WithoutRatcheting: !ratcheting})
			if strict == "" {
				continue
			}
			skipping := expressionIn(t, rules, policy.Scope{WithoutRatcheting: !ratcheting, SkipInstancetypes: true})
			deny, skip := compilePolicy(t, strict), compilePolicy(t, skipping)
			for range generatedVMs {
				old := g.vm()
				vm := g.updated(old)
				if !ratcheting {
					old = nil
				}
				skipped := slices.ContainsFunc(setters, func(s string) bool {
					_, isNamed := vm["spec"].(map[string]any)[s]
					return isNamed && strings.Contains(strict, "!has(object.spec."+s+")")
				})
				was, _ := evalUpdate(deny, old, vm)
				is, _ := evalUpdate(skip, old, vm)
				if skipped && is != celTrue || !skipped && is != was {
					t.Fatalf("seed %d, rule %d: %v, %v without it\n%v\n%v\n%s", seed, n, is, was, old, vm, skipping)
				}
				counts[fmt.Sprintf("skipped %t: %v", skipped, was == celTrue)]++
			}
		}
		t.Log(table(counts))
		for _, about := range []string{"skipped true: false", "skipped false: true", "skipped false: false"} {
			if counts[about] < 50 {
				t.Errorf("%s only %d times", about, counts[about])
			}
		}
	}
}

// A message has the value of the field, or why the field cannot be decided.
func TestMessageExpression(t *testing.T) {
	for _, c := range []struct {
		name, path string
		spec       string // of the VM, in YAML
		want       string
	}{
		{"a quantity", ".spec.domain.memory.guest", `{template: {spec: {domain: {memory: {guest: 1Gi}}}}}`, "m (spec.template.spec.domain.memory.guest: 1Gi)"},
		{"a number", ".spec.domain.cpu.cores", `{template: {spec: {domain: {cpu: {cores: 2}}}}}`, "m (spec.template.spec.domain.cpu.cores: 2)"},
		{"nothing", ".spec.domain.cpu.cores", `{template: {spec: {domain: {}}}}`, "m (spec.template.spec.domain.cpu.cores: not set)"},
		{"a list", ".spec.domain.devices.disks[*].serial", `{template: {spec: {domain: {devices: {disks: [{serial: sata}, {}]}}}}}`,
			"m (spec.template.spec.domain.devices.disks[*].serial: sata, not set)"},
		{"disks, not CD-ROMs", ".spec.domain.devices.disks[*].disk.bus", `{template: {spec: {domain: {devices: {disks: [{cdrom: {}}, {disk: {bus: sata}}]}}}}}`,
			"m (spec.template.spec.domain.devices.disks[*].disk.bus: sata)"},
		{"no disk", ".spec.domain.devices.disks[*].disk.bus", `{template: {spec: {domain: {devices: {disks: [{cdrom: {}}]}}}}}`,
			"m (spec.template.spec.domain.devices.disks[*].disk.bus: not set)"},
		{"an item", ".spec.networks[1].name", `{template: {spec: {networks: [{name: a}, {name: b}]}}}`, "m (spec.template.spec.networks[1].name: b)"},
		{"metadata", `.metadata.labels['a\.b/"']`, `{template: {metadata: {labels: {"a.b/\"": x}}, spec: {}}}`, `m (spec.template.metadata.labels['a\.b/"']: x)`},
		{"scalars", ".spec.dnsConfig.nameservers[*]", `{template: {spec: {dnsConfig: {nameservers: [b, a]}}}}`, "m (spec.template.spec.dnsConfig.nameservers[*]: b, a)"},
		{"an instance type", ".spec.domain.cpu.cores", `{instancetype: {name: a}, template: {spec: {domain: {cpu: {cores: 2}}}}}`,
			"m (this cannot be decided: the VM has spec.instancetype, which may set what the rule is about)"},
		{"items of items", ".spec.domain.devices.interfaces[*].ports[*].name", `{template: {spec: {}}}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := parseAll(t, map[string]any{"name": "r", "message": "m", "rule": "string", "path": "jsonpath::" + c.path})
			expression := validationsOf(t, rules, true)[0].MessageExpression
			if expression == "" {
				if c.want != "" {
					t.Error("there is no expression")
				}
				return
			}
			if got := said(t, expression, c.spec); got != c.want {
				t.Errorf("%s, want %s\n%s", got, c.want, expression)
			}
		})
	}
}

// said returns the value of a messageExpression for a VM with a spec in YAML.
func said(t *testing.T, expression, spec string) string {
	t.Helper()
	env, err := policyEnv()
	if err != nil {
		t.Fatal(err)
	}
	ast, issues := env.Compile(expression)
	if issues.Err() != nil {
		t.Fatal(issues.Err())
	}
	program, err := env.Program(ast)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := program.Eval(map[string]any{"object": fromYAML(t, "spec: "+spec)})
	if err != nil {
		t.Fatalf("%s\n%v", expression, err)
	}
	return fmt.Sprint(got.Value())
}

// The message for a VM that a rule cannot judge says why.
func TestMessageOfDoubts(t *testing.T) {
	memory := map[string]any{"name": "r", "message": "m", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "max": "4Gi"}
	limited := map[string]any{"name": "r", "message": "m", "rule": "integer", "path": "jsonpath::.spec.terminationGracePeriodSeconds", "max": "jsonpath::.spec.domain.cpu.maxSockets"}
	for _, c := range []struct {
		name string
		rule map[string]any
		spec string // in YAML
		want string
	}{
		{"large", memory, "{template: {spec: {domain: {memory: {guest: 8Ei}}}}}", "m (spec.template.spec.domain.memory.guest: 8Ei, which has more than 18 digits, too many for the API server)"},
		{"large, but exact", memory, "{template: {spec: {domain: {memory: {guest: 2Ei}}}}}", "m (spec.template.spec.domain.memory.guest: 2Ei)"},
		{"an instance type", memory, "{instancetype: {name: a}, template: {spec: {domain: {memory: {guest: 1Gi}}}}}",
			"m (this cannot be decided: the VM has spec.instancetype, which may set what the rule is about)"},
		{"either", limited, "{preference: {name: a}, template: {spec: {domain: {}, terminationGracePeriodSeconds: 5}}}",
			"m (this cannot be decided: the VM has spec.instancetype or spec.preference, which may set what the rule is about)"},
		{"no limit", limited, "{template: {spec: {domain: {}, terminationGracePeriodSeconds: 5}}}",
			"m (this cannot be decided: the VM has no jsonpath::.spec.domain.cpu.maxSockets, the max of the rule)"},
		{"beyond the limit", limited, "{template: {spec: {domain: {cpu: {maxSockets: 4}}, terminationGracePeriodSeconds: 5}}}", "m (spec.template.spec.terminationGracePeriodSeconds: 5)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := said(t, validationsOf(t, parseAll(t, c.rule), true)[0].MessageExpression, c.spec); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
