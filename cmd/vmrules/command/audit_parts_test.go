package command

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
)

// checkParts checks that the parts of an object have the same result as the whole object, and
// reports whether parts were enough.
func checkParts(t *testing.T, a *auditor, object []byte) bool {
	t.Helper()
	type result struct {
		Audited [4]string
		Report  *vmrules.Report
		Error   string
	}
	shown := func(vm audited) result {
		return result{[4]string{vm.Kind, vm.Namespace, vm.Name, vm.Template}, vm.report, fmt.Sprint(vm.err)}
	}
	reader := newPartReader()
	want, got := a.judgeDecoded(decoded(t, object)), a.judge(reader, object)
	if diff := cmp.Diff(shown(want), shown(got)); diff != "" {
		t.Errorf("%s (-whole +parts):\n%s", object, diff)
	}
	return a.parts(reader, object) != nil
}

func decoded(t *testing.T, object []byte) map[string]any {
	t.Helper()
	whole, err := decode(object)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

// withRules returns an object that has rules, with its members in the order of kubectl.
func withRules(kind string, object map[string]any, rules string) []byte {
	annotations := map[string]any{vmrules.Annotation: rules}
	made := map[string]any{"apiVersion": "kubevirt.io/v1", "kind": kind, "metadata": map[string]any{"annotations": annotations}}
	for name, v := range object {
		if _, ok := made[name]; !ok {
			made[name] = v
		}
	}
	text, err := json.Marshal(made)
	if err != nil {
		panic(err)
	}
	return text
}

// TestPartsOfVectors judges the object of each conformance vector as a VM, as an instance, and
// as what the rules call $.
func TestPartsOfVectors(t *testing.T) {
	parts, all := 0, 0
	for _, vectors := range conformance.Read(t, "../../../testdata/conformance") {
		for _, v := range vectors {
			a, object, rules := newTestAuditor(t), conformance.DecodeExactly(v.Object), v.Text(t)
			for _, text := range [][]byte{
				withRules("VirtualMachine", object, rules),
				withRules("VirtualMachineInstance", object, rules),
				withRules("VirtualMachine", map[string]any{"spec": map[string]any{"template": object}}, rules),
			} {
				all++
				if checkParts(t, a, text) {
					parts++
				}
			}
		}
	}
	if parts < all/2 {
		t.Errorf("parts were enough for only %d of %d objects", parts, all)
	}
}

// partRules read every sort of part.
var partRules = []string{
	`"rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "min": 2`,
	`"rule": "integer", "path": "jsonpath::.spec.domain.cpu.sockets", "max": "jsonpath::.spec.domain.cpu.cores"`,
	`"rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "min": "4Gi", "valid": "jsonpath::.spec.domain.cpu"`,
	`"rule": "string", "path": "jsonpath::.spec.domain.machine.type", "minLength": 1`,
	`"rule": "string", "path": "jsonpath::.spec.domain.devices.disks[*].serial", "minLength": 1`,
	`"rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "values": ["virtio"]`,
	`"rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[-1].name", "values": ["jsonpath::.spec.volumes[*].name", "other"]`,
	`"rule": "string", "path": "jsonpath::.spec.domain.devices.disks[?(@.bootOrder<2)].cache", "maxLength": 0`,
	`"rule": "string", "path": "jsonpath::.spec.domain.devices.disks[?(@.disk.bus==\"virtio\")].name", "regex": "^r"`,
	`"rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[0:1].name", "values": "jsonpath::.spec.volumes[*].name"`,
	`"rule": "string", "path": "jsonpath::.spec.domain.devices.interfaces[0,1]['model','name']", "minLength": 7`,
	`"rule": "string", "path": "jsonpath::.spec.domain.devices.interfaces[*].ports[*].protocol", "minLength": 1`,
	`"rule": "string", "path": "jsonpath::.metadata.labels.*", "regex": "^d"`,
	`"rule": "string", "path": "jsonpath::.metadata.annotations.vm\\.kubevirt\\.io/os", "minLength": 9`,
	`"rule": "string", "path": "jsonpath::.spec..name", "maxLength": 4, "justWarning": true`,
	`"rule": "integer", "path": "jsonpath::.spec.domain.cpu", "valid": "jsonpath::.spec.domain.features.hyperv.vapic"`,
	`"rule": "integer", "path": "jsonpath::.spec.domain.devices.rng.x"`,
	`"rule": "unknown", "path": "jsonpath::.spec.domain.firmware"`,
	`"rule": "string", "path": "jsonpath::$", "valid": "jsonpath::.spec.networks[?(@.pod)]"`,
}

// TestPartsOfGeneratedVMs changes a VM and its rules in random ways.
func TestPartsOfGeneratedVMs(t *testing.T) {
	const runs = 4000
	parts := 0
	random := rand.New(rand.NewPCG(1, 2))
	for range runs {
		var rules []string
		for i := range 1 + random.IntN(4) {
			rules = append(rules, fmt.Sprintf(`{"name": "r%d", "message": "m", %s}`, i, partRules[random.IntN(len(partRules))]))
		}
		object := decoded(t, []byte(clusterVM(random.IntN(10), "["+strings.Join(rules, ",")+"]")))
		if random.IntN(4) == 0 {
			other := []any{nil, map[string]any{"name": "u1.small"}, "x"}[random.IntN(3)]
			object["spec"].(map[string]any)[[]string{"instancetype", "preference"}[random.IntN(2)]] = other
		}
		for range random.IntN(4) {
			change(random, object)
		}
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		if checkParts(t, newTestAuditor(t), text) {
			parts++
		}
	}
	if parts < runs/3 || parts == runs {
		t.Errorf("parts were enough for %d of %d VMs", parts, runs)
	}
}

// change replaces or removes a random value in an object.
func change(random *rand.Rand, in any) {
	switch in := in.(type) {
	case map[string]any:
		names := make([]string, 0, len(in))
		for name := range in {
			names = append(names, name)
		}
		slices.Sort(names)
		if len(names) == 0 {
			return
		}
		name := names[random.IntN(len(names))]
		switch random.IntN(5) {
		case 0:
			in[name] = oddValue(random, in[name])
		case 1:
			delete(in, name)
		default:
			change(random, in[name])
		}
	case []any:
		if len(in) == 0 {
			return
		}
		i := random.IntN(len(in))
		if random.IntN(3) == 0 {
			in[i] = oddValue(random, in[i])
		}
		change(random, in[i])
	}
}

func oddValue(random *rand.Rand, was any) any {
	return []any{
		nil, map[string]any{}, []any{}, "", "${P}", 0, -1.5, true, []any{was}, map[string]any{"name": was}, map[string]any{"a": 1, "b": was},
	}[random.IntN(11)]
}

// TestPartsAreEnough checks for which objects audit reads only parts.
func TestPartsAreEnough(t *testing.T) {
	const rule = `[{\"name\": \"r\", \"message\": \"m\", \"rule\": \"integer\", \"path\": \"jsonpath::.spec.domain.cpu.cores\"}]`
	const metadata = `"metadata": {"name": "n", "annotations": {"vm.kubevirt.io/validations": "` + rule + `"}}`
	const vm = `"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", `
	const instance = `"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance", `
	const template = `"template": {"spec": {"domain": {"cpu": {}}}}`
	for _, test := range []struct {
		object string
		want   bool
	}{
		{`{` + vm + metadata + `, "spec": {` + template + `}}`, true},
		{`{` + vm + metadata + `}`, true},
		{`{` + vm + `"metadata": {}, "spec": {` + template + `}}`, true},
		{`{` + vm + `"metadata": null, "spec": {` + template + `, "preference": {"name": "p"}}}`, true},
		{`{` + instance + metadata + `, "spec": {"domain": {"cpu": {}}}, "status": {}}`, true},
		{`{` + instance + strings.Replace(metadata, ".spec.domain", ".metadata.name", 1) + `}`, false},
		{`{` + instance + strings.Replace(metadata, ".spec.domain", ".*", 1) + `}`, false},
		{`{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachinePool", ` + metadata + `}`, false},
		{`{"apiVersion": "other.io/v1", "kind": "VirtualMachine", ` + metadata + `, "spec": {` + template + `}}`, false},
		{`{"kind": "VirtualMachine", ` + metadata + `, "apiVersion": "other.io/v1", "spec": {` + template + `}}`, false},
		{`{` + metadata + `, ` + vm + `"spec": {` + template + `}}`, false},
		{`{"spec": {` + template + `}, ` + vm + metadata + `}`, false},
		{`{` + vm + metadata + `, "spec": {` + template + `, "preference": {"name": "p"}}}`, false},
		{`{` + vm + strings.Replace(metadata, `"annotations": {`, `"annotations": {"vm.kubevirt.io/skip-validations": "", `, 1) + `}`, false},
		{`{` + vm + strings.Replace(metadata, "integer", "other", 1) + `, "spec": {` + template + `}}`, false},
		{`{}`, false},
	} {
		if got := checkParts(t, newTestAuditor(t), []byte(test.object)); got != test.want {
			t.Errorf("%s: parts are enough: %t, want %t", test.object, got, test.want)
		}
	}
}

// TestPartsOfRulebook checks the parts that the rules of --rules need.
func TestPartsOfRulebook(t *testing.T) {
	rules := func(about string, opts ...vmrules.ParseOption) chapter {
		read, err := vmrules.ParseRules(`[{"name": "r", "message": "m", `+about+`}]`, opts...)
		if err != nil {
			t.Fatal(err)
		}
		return chapter{rules: read, isWhole: len(opts) > 0}
	}
	ofVMs := []chapter{rules(partRules[0]), rules(partRules[5])}
	for _, test := range []struct {
		name     string
		chapters []chapter
		want     bool
	}{
		{"none", nil, true},
		{"of VMs", ofVMs, true},
		{"of objects", append(ofVMs, rules(`"rule": "string", "path": "jsonpath::.status.ready"`, vmrules.WholeObjects())), false},
	} {
		a := newTestAuditor(t)
		a.book = rulebook{files: []string{"rules.json"}, chapters: test.chapters}
		a.needs = a.book.needs()
		for i := range 10 {
			if got := checkParts(t, a, []byte(clusterVM(i, "not rules"))); got != test.want {
				t.Errorf("%s: parts are enough: %t, want %t", test.name, got, test.want)
			}
		}
	}
}
