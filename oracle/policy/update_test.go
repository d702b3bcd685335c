package policy_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/internal/seeds"
)

func evalUpdate(program cel.Program, old, object map[string]any) (celResult, error) {
	given := map[string]any{"object": object, "oldObject": nil}
	if old != nil {
		given["oldObject"] = old
	}
	v, _, err := program.Eval(given)
	if err != nil {
		return celError, err
	}
	return celResult(fmt.Sprint(v.Value())), nil
}

// passes reports whether a rule passes an update by vmrules.Ratcheting.
func passes(rules vmrules.Rules, old, object map[string]any) (bool, vmrules.Result) {
	result := vmrules.Validate(rules, object, vmrules.WithOldObject(old), vmrules.Ratcheting()).Results()[0]
	return result.Outcome == vmrules.OutcomeSatisfied || result.Outcome == vmrules.OutcomeSkipped || result.Outcome == vmrules.OutcomeWarned, result
}

// updated returns a VM as an update may leave it: some places have other values, and some items of
// lists are gone, are new, have another name or another index.
func (g *generator) updated(vm map[string]any) map[string]any {
	next := decoded(vm)
	spec := next["spec"].(map[string]any)
	if g.chance(20) {
		spec["runStrategy"] = "Always"
	}
	template, ok := spec["template"].(map[string]any)
	if !ok {
		return next
	}
	for _, p := range g.plants {
		if g.chance(20) {
			put(g, template, p.at.steps, func() any { return g.value(p) })
		}
	}
	if g.chance(30) {
		p := pick(g, g.among(vmPlaces)...)
		put(g, template, p.steps, func() any { return g.value(plant{at: p}) })
	}
	for _, p := range beside {
		switch g.IntN(8) {
		case 0:
			put(g, template, p.steps, func() any { return g.value(plant{at: p}) })
		case 1:
			remove(template, p.steps[:len(p.steps)-1])
		}
	}
	g.rearrange(template)
	for _, s := range setters {
		if g.chance(12) {
			spec[s] = map[string]any{"name": "other"}
		}
		if g.chance(5) {
			delete(spec, s)
		}
	}
	return decoded(next)
}

// addedTo returns a new item, of the type of the items of a list; none for an empty list, whose type nothing says.
func addedTo(list []any) []any {
	if len(list) == 0 {
		return nil
	}
	if _, isObject := list[0].(map[string]any); isObject {
		return []any{map[string]any{"name": "new"}}
	}
	return []any{list[0]}
}

// rearrange sometimes changes the items of lists.
func (g *generator) rearrange(v any) {
	object, ok := v.(map[string]any)
	if !ok {
		return
	}
	for _, name := range sortedKeys(object) {
		list, isList := object[name].([]any)
		if !isList {
			g.rearrange(object[name])
			continue
		}
		for _, item := range list {
			g.rearrange(item)
		}
		switch added := addedTo(list); g.IntN(14) {
		case 0:
			list = append(added, list...)
		case 1:
			list = append(list, added...)
		case 2:
			list = list[min(1, len(list)):]
		case 3:
			g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		case 4:
			if item, ok := pick(g, append(list, nil)...).(map[string]any); ok {
				item["name"] = "renamed"
			}
		case 5: // two items of the same name
			if item, ok := pick(g, append(list, nil)...).(map[string]any); ok {
				item["name"] = "item0"
			}
		case 6: // an item without its fields
			if len(list) > 0 {
				list[g.IntN(len(list))] = map[string]any{}
			}
		}
		object[name] = list
	}
}

// remove deletes what is at a path of names and *.
func remove(v any, steps []string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			remove(item, steps[1:])
		}
	case map[string]any:
		if len(steps) == 1 {
			delete(v, steps[0])
			return
		}
		remove(v[steps[0]], steps[1:])
	}
}

// named gives a name to each item of the lists that have named items, as KubeVirt's API requires.
func named(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range sortedKeys(v) {
			list, _ := v[key].([]any)
			for i := range list {
				if item, ok := list[i].(map[string]any); ok && item["name"] == nil && slices.Contains(namedItems, key) {
					item["name"] = fmt.Sprint("item", i)
				}
			}
			named(v[key])
		}
	case []any:
		for _, item := range v {
			named(item)
		}
	}
}

// compareUpdates compares the expression for one rule with vmrules.Ratcheting, for some updates, and
// counts the results. It returns a description of a difference.
func (g *generator) compareUpdates(rules vmrules.Rules, program cel.Program, counts map[string]int) string {
	for range generatedVMs {
		old := g.vm()
		named(old)
		object := g.updated(old)
		isSame := g.chance(25)
		if isSame {
			object = decoded(old)
		}
		named(object)
		passed, result := passes(rules, old, object)
		before, _ := evalUpdate(program, nil, old)
		alone, _ := evalUpdate(program, nil, object)
		got, err := evalUpdate(program, old, object)
		counts[fmt.Sprintf("%s: %s", result.Outcome, got)]++
		wrong := ""
		switch {
		case alone == celTrue && got != celTrue:
			wrong = "refused although the VM satisfies the rule"
		case alone != celTrue && before == celTrue && got == celTrue:
			wrong = "forgiven although the old VM satisfied the rule"
		case !passed && got == celTrue:
			wrong = "forgiven although vmrules refuses it"
		case isSame && before == celFalse && got != celTrue && !hasNull(old):
			wrong = "refused although it changes nothing"
		}
		if wrong != "" {
			was, _ := json.Marshal(old)
			is, _ := json.Marshal(object)
			return fmt.Sprintf("%s (vmrules %s, CEL %s, %v)\nrules %s\nold %s\nnew %s", wrong, result.Outcome, got, err, rules, was, is)
		}
	}
	return ""
}

// A policy forgives an update only if vmrules.Ratcheting does, and only if the VM failed before. It
// forgives all updates that change nothing.
func TestUpdates(t *testing.T) {
	t.Parallel()
	seed := seeds.Of(1)
	for name, source := range map[string]generator{"without null": {noNulls: true}, "with null": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			counts := map[string]int{}
			for n := range uint64(generatedRules) {
				g := source.of(seed, n)
				rules := parseOne(t, g.rule())
				forgiving := expressionOf(t, rules, true)
				if forgiving == "" {
					continue
				}
				if !strings.Contains(forgiving, wasInScope) {
					counts["not forgiving"]++
				}
				if wrong := g.compareUpdates(rules, compilePolicy(t, forgiving), counts); wrong != "" {
					t.Fatalf("%s\n%s", wrong, forgiving)
				}
			}
			t.Log(table(counts))
			for _, result := range []string{"Warned: true", "Warned: false", "Violated: false", "Undecided: false", "Satisfied: true", "Skipped: true"} {
				if counts[result] < 50 {
					t.Errorf("%s only %d times", result, counts[result])
				}
			}
			if counts["not forgiving"] > 10 {
				t.Errorf("%d rules are judged in full", counts["not forgiving"])
			}
		})
	}
}

func replacing(old, mistaken string) func(string) string {
	pattern := regexp.MustCompile(old)
	return func(s string) string { return pattern.ReplaceAllString(s, mistaken) }
}

// TestUpdates can fail: it finds mistakes that are made in the expressions on purpose.
func TestUpdatesFindsMistakes(t *testing.T) {
	t.Parallel()
	seed := seeds.Of(1)
	left := map[string]func(string) string{
		"the values are not compared":  replacing(`variables\.wasInScope && .* && !\(`, "variables.wasInScope && !("),
		"only the lengths of lists":    replacing(`(\.\?(disks|interfaces|networks|nameservers))( == |\)? &&)`, "$1.optMap(l, size(l))$3"),
		"another instance type":        replacing(`oldObject(\.spec\.\?instancetype &&)`, "object$1"),
		"another preference":           replacing(`oldObject(\.spec\.\?preference &&)`, "object$1"),
		"what else is in the template": replacing(`oldObject\.spec\.template\) &&`, "object.spec.template) &&"),
		"the parent of a default":      replacing(`(\.\?cpu)( == .*?\.\?cpu)( &&)`, "$1.?cores$2.?cores$3"),
		"nothing is forgiven":          replacing(`variables\.wasInScope`, "false"),
	}
	for n := uint64(0); n < 50*generatedRules && len(left) > 0; n++ {
		g := generator{noNulls: true}.of(seed, n)
		rules := parseOne(t, g.rule())
		forgiving := expressionOf(t, rules, true)
		maps.DeleteFunc(left, func(_ string, mistaken func(string) string) bool {
			wrong := mistaken(forgiving)
			return wrong != forgiving && checkPolicy(wrong) == nil && g.compareUpdates(rules, compilePolicy(t, wrong), map[string]int{}) != ""
		})
	}
	for name := range left {
		t.Errorf("the mistake was not found: %s", name)
	}
}

// A whole policy on updates, as the API server evaluates it: its conditions, its variables, and then
// its validations. Each case but the last ones is an update of a VM that violates a rule.
func TestPolicyUpdates(t *testing.T) {
	rules := parseAll(t,
		map[string]any{"name": "memory-hotplug", "message": "m", "rule": "integer", "path": "jsonpath::.spec.domain.memory.maxGuest", "min": "jsonpath::.spec.domain.memory.guest", "valid": "jsonpath::.spec.domain.memory.maxGuest"},
		map[string]any{"name": "memory", "message": "m", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "valid": "jsonpath::.spec.domain.memory.guest", "min": "2Gi"},
		map[string]any{"name": "cdrom-bus", "message": "m", "rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].cdrom.bus", "valid": "jsonpath::.spec.domain.devices.disks[*].cdrom", "values": []any{"sata"}},
		map[string]any{"name": "cores", "message": "m", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "valid": "jsonpath::.spec.domain.cpu.dedicatedCpuPlacement", "min": 4},
		map[string]any{"name": "limit", "message": "m", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.sockets", "max": "jsonpath::.metadata.labels.sockets", "valid": "jsonpath::.spec.domain.cpu.sockets"},
	)
	const scope = `metadata: {labels: {vm.kubevirt.io/template: windows, vm.kubevirt.io/template.namespace: openshift}%s}, spec: %s`
	vm := func(spec string) string { return fmt.Sprintf(scope, "", spec) }
	template := func(domain string) string { return vm("{template: {spec: {domain: " + domain + "}}}") }
	bad := template("{memory: {guest: 1Gi}}")
	for _, c := range []struct {
		name, old, object string // in YAML; old is "" for a new VM
		want              string
	}{
		{"a new VM", "", bad, "refused"},
		{"nothing changes", bad, bad, "admitted"},
		{"it is started", bad, vm("{runStrategy: Always, template: {spec: {domain: {memory: {guest: 1Gi}}}}}"), "admitted"},
		{"a label of its pods", bad, vm("{template: {metadata: {labels: {a: b}}, spec: {domain: {memory: {guest: 1Gi}}}}}"), "admitted"},
		{"memory raised halfway", bad, template("{memory: {guest: 1536Mi}}"), "refused"},
		{"memory raised", bad, template("{memory: {guest: 2Gi}}"), "admitted"},
		{"another rule is violated", bad, template("{memory: {guest: 1Gi, maxGuest: 512Mi}}"), "refused"},
		{"memory behind its maximum", template("{memory: {guest: 4Gi, maxGuest: 2Gi}}"), template("{memory: {guest: 64Gi, maxGuest: 2Gi}}"), "refused"},
		{"memory above a maximum that allowed it", template("{memory: {guest: 4Gi, maxGuest: 8Gi}}"), template("{memory: {guest: 64Gi, maxGuest: 8Gi}}"), "refused"},
		{"a CD-ROM without a bus", template("{devices: {disks: [{name: a, disk: {}}]}}"), template("{devices: {disks: [{name: a, disk: {}, cdrom: {}}]}}"), "refused"},
		{"one more such CD-ROM", template("{devices: {disks: [{name: a, cdrom: {}}]}}"), template("{devices: {disks: [{name: a, cdrom: {}}, {name: b, cdrom: {}}]}}"), "refused"},
		{"a disk beside such a CD-ROM", template("{devices: {disks: [{name: a, cdrom: {}}]}}"), template("{devices: {disks: [{name: a, cdrom: {}}, {name: b, disk: {}}]}}"), "refused"},
		{"something else beside such a CD-ROM", template("{devices: {disks: [{name: a, cdrom: {}}]}}"), template("{devices: {disks: [{name: a, cdrom: {}}], rng: {}}}"), "admitted"},
		{"another CD-ROM of its kind", template("{devices: {disks: [{name: a, cdrom: {}}]}}"), template("{devices: {disks: [{name: b, cdrom: {}}]}}"), "refused"},
		{"the rule is in force now", template("{cpu: {cores: 2}}"), template("{cpu: {cores: 2, dedicatedCpuPlacement: true}}"), "refused"},
		{"the rule was in force", template("{cpu: {cores: 2, dedicatedCpuPlacement: true}}"), vm("{runStrategy: Always, template: {spec: {domain: {cpu: {cores: 2, dedicatedCpuPlacement: true}}}}}"), "admitted"},
		{"its value is switched on", template("{cpu: {cores: 2, dedicatedCpuPlacement: false}}"), template("{cpu: {cores: 2, dedicatedCpuPlacement: true}}"), "refused"},
		{"an instance type that may set it", template("{memory: {guest: 2Gi}}"), vm("{instancetype: {name: a}, template: {spec: {domain: {memory: {guest: 2Gi}}}}}"), "refused"},
		{"the limit is missing in both", template("{cpu: {sockets: 2}}"), vm("{runStrategy: Always, template: {spec: {domain: {cpu: {sockets: 2}}}}}"), "admitted"},
		{"the limit appears and is violated", template("{cpu: {sockets: 2}}"), vm("{template: {metadata: {labels: {sockets: '1'}}, spec: {domain: {cpu: {sockets: 2}}}}}"), "refused"},
		{"a label is added", "metadata: {}, spec: {template: {spec: {domain: {memory: {guest: 1Gi}}}}}", bad, "refused"},
		{"another template's label before", strings.Replace(bad, "windows", "linux", 1), bad, "refused"},
		{"an exemption is taken away", fmt.Sprintf(scope, `, annotations: {vm.kubevirt.io/skip-validations: ""}`, "{template: {spec: {domain: {memory: {guest: 1Gi}}}}}"), bad, "refused"},
		{"own rules are taken away", fmt.Sprintf(scope, `, annotations: {vm.kubevirt.io/validations: "[]"}`, "{template: {spec: {domain: {memory: {guest: 1Gi}}}}}"), bad, "refused"},
		{"the label is taken away", bad, "metadata: {}, spec: {template: {spec: {domain: {memory: {guest: 1Gi}}}}}", "not validated"},
		{"it becomes exempt", bad, fmt.Sprintf(scope, `, annotations: {vm.kubevirt.io/skip-validations: ""}`, "{template: {spec: {domain: {memory: {guest: 1Gi}}}}}"), "not validated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			policies, _ := policiesOf(t, rules, windows)
			got := judgeBy(t, policies[0].Policy, fromYAML(t, c.old), fromYAML(t, c.object))
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			s := windows
			s.WithoutRatcheting = true
			strict, _ := policiesOf(t, rules, s)
			if alone := judgeBy(t, policies[0].Policy, nil, fromYAML(t, c.object)); judgeBy(t, strict[0].Policy, fromYAML(t, c.old), fromYAML(t, c.object)) != alone {
				t.Errorf("without ratcheting: not %s, as for a new VM", alone)
			}
		})
	}
}

func fromYAML(t *testing.T, text string) map[string]any {
	t.Helper()
	if text == "" {
		return nil
	}
	var object map[string]any
	if err := yaml.Unmarshal([]byte("{"+text+"}"), &object); err != nil {
		t.Fatal(err)
	}
	return decoded(object)
}

// judgeBy returns what a policy decides: admitted, refused, or not validated.
func judgeBy(t *testing.T, policy *admissionv1.ValidatingAdmissionPolicy, old, object map[string]any) string {
	t.Helper()
	env, err := policyEnv()
	if err != nil {
		t.Fatal(err)
	}
	variables := map[string]any{}
	given := map[string]any{"object": object, "oldObject": nil, "variables": variables}
	if old != nil {
		given["oldObject"] = old
	}
	eval := func(expression string) (any, error) {
		ast, issues := env.Compile(expression)
		if issues.Err() != nil {
			t.Fatal(issues.Err())
		}
		program, err := env.Program(ast)
		if err != nil {
			t.Fatal(err)
		}
		v, _, err := program.Eval(given)
		if err != nil {
			return nil, err
		}
		return v.Value(), nil
	}
	for _, c := range policy.Spec.MatchConditions {
		if got, err := eval(c.Expression); err != nil {
			t.Fatal(err)
		} else if got == false {
			return "not validated"
		}
	}
	for _, v := range policy.Spec.Variables {
		got, err := eval(v.Expression)
		if err != nil {
			t.Fatal(err)
		}
		variables[v.Name] = got
	}
	for _, v := range policy.Spec.Validations {
		if got, err := eval(v.Expression); err != nil || got != true {
			return "refused"
		}
	}
	return "admitted"
}

// stricter has the updates of the conformance vectors that a policy refuses although
// vmrules.Ratcheting forgives them, and why.
var stricter = map[string]string{
	"an interface moves":                                         "the order differs",
	"a disk moves":                                               "the order differs",
	"two disks change places":                                    "the order differs",
	"a volume moves":                                             "the order differs",
	"a network moves":                                            "the order differs",
	"a list in an interface that moves":                          "the order differs",
	"a preference sets the bus of a disk that moves":             "the order differs",
	"a disk is inserted before":                                  "the path selects one more value",
	"a disk is added whose bus the same preference may set":      "the path may select one more value",
	"a disk is removed":                                          "the path selects one value less",
	"a violation as before, beside an argument that can be read": "an argument selects another value",
	"another instance type with the same value":                  "the VM names another instance type",
	"another instance type, and a field that neither sets":       "the VM names another instance type",
	"an instance type instead of fields of the VM":               "the VM names another instance type",
	"an item of another list has another name":                   "the list differs",
	"missing in both, although its list was added":               "the list differs",
	"a value of 1, which was the default":                        "the field is set now",
	"null instead of missing":                                    "KubeVirt denies null",
}

// The updates of the conformance vectors: all differences between a policy and vmrules.Ratcheting are
// in the lists, and no others.
func TestUpdateVectors(t *testing.T) {
	differ := map[bool][]string{}
	judged := 0
	for _, u := range conformance.Read(t, "../../testdata/conformance")["updates"] {
		old, object := decodeJSON(u.Old), decodeJSON(u.Object)
		rules, err := vmrules.ParseRules(u.Text())
		isUpdate := old["kind"] == "VirtualMachine" && object["kind"] == "VirtualMachine" && old["apiVersion"] == object["apiVersion"]
		if u.Call != "" || u.Options.Root != "" || u.Options.Partial || !u.Options.Ratcheting || !isUpdate || err != nil {
			continue
		}
		for i, v := range validationsOf(t, rules, true) {
			judged++
			passes := slices.Contains([]string{"Warned", "Satisfied", "Skipped"}, u.Want.Outcomes[i])
			got, _ := evalUpdate(compilePolicy(t, v.Expression), old, object)
			if passes != (got == celTrue) {
				differ[passes] = append(differ[passes], u.Name)
			}
		}
	}
	if judged < 60 {
		t.Errorf("only %d updates", judged)
	}
	want := map[bool][]string{true: slices.Collect(maps.Keys(stricter))}
	if diff := gocmp.Diff(want, differ, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("vmrules.Ratcheting forgives (-listed +seen):\n%s", diff)
	}
}

// A hostile VM or update is refused by vmrules. A policy once admitted most of them.
type hostile struct {
	Name   string
	Rule   map[string]any
	Old    map[string]any // the VM's spec before the update; nil for a new VM
	Object map[string]any // the VM's spec
}

func vmOf(spec map[string]any) map[string]any {
	if spec == nil {
		return nil
	}
	return decoded(map[string]any{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": map[string]any{"name": "vm"}, "spec": spec})
}

func TestHostile(t *testing.T) {
	for _, h := range readJSON[hostile](t, "testdata/hostile.json") {
		t.Run(h.Name, func(t *testing.T) {
			maps.Copy(h.Rule, map[string]any{"name": "r", "message": "m"})
			rules, old, object := parseAll(t, h.Rule), vmOf(h.Old), vmOf(h.Object)
			if passed, result := passes(rules, old, object); passed {
				t.Errorf("vmrules admits it: %s", result.Outcome)
			}
			for _, v := range validationsOf(t, rules, true) {
				if got, _ := evalUpdate(compilePolicy(t, v.Expression), old, object); got == celTrue {
					t.Errorf("a policy admits it: %s", v.Expression)
				}
			}
		})
	}
}

// decodeJSON returns an object as the API server decodes it; nil if it does not.
func decodeJSON(text []byte) map[string]any {
	var object map[string]any
	if json.Unmarshal(text, &object) != nil {
		return nil
	}
	return decoded(object)
}
