package instancetype_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/instancetype"
	"github.com/vmrules/vmrules/internal/seeds"
)

// TestDecidedWithout: a rule that is decided without the objects that a VM names has the same outcome with them.
// Otherwise it is Undecided without them; with them, it has the outcome for the expanded VM.
func TestDecidedWithout(t *testing.T) {
	r := rand.New(rand.NewPCG(seeds.Of(1), 1))
	counts := map[string]int{}
	for _, c := range expansions(t) {
		vm, it, preference := c.objects()
		spec := vm["spec"].(object)
		if it != nil {
			spec["instancetype"] = object{"name": "i"}
		}
		if preference != nil {
			spec["preference"] = object{"name": "p"}
		}
		expanded, err := instancetype.Expand(vm, it, preference)
		if err != nil || expanded.VM == nil {
			continue
		}
		rules := rulesAbout(t, r, vm, expanded.VM)
		without, with := vmrules.Validate(rules, vm).Results(), vmrules.Validate(rules, vm, vmrules.WithInstancetype(it, preference)).Results()
		plain := vmrules.Validate(rules, expanded.VM, vmrules.WithoutInstancetypes()).Results()
		for i := range without {
			was, is, want := without[i].Outcome, with[i].Outcome, plain[i].Outcome
			counts[fmt.Sprint(was)]++
			if was != vmrules.OutcomeUndecided && was != is || is != want {
				t.Errorf("%s: %s without the objects, %s with them, %s by the expanded VM: %s", c.Name, was, is, want, without[i].Path)
			}
		}
	}
	t.Log(counts)
	for _, outcome := range []vmrules.Outcome{vmrules.OutcomeSatisfied, vmrules.OutcomeViolated, vmrules.OutcomeSkipped, vmrules.OutcomeUndecided} {
		if counts[fmt.Sprint(outcome)] < 50 {
			t.Errorf("%s only %d times", outcome, counts[fmt.Sprint(outcome)])
		}
	}
}

// rulesAbout returns rules about fields that some of the VMs have.
func rulesAbout(t *testing.T, r *rand.Rand, vms ...object) vmrules.Rules {
	t.Helper()
	fields := map[string]any{".spec.domain.cpu.cores": 1, ".spec.hostname": "h"}
	for _, vm := range vms {
		collect(fields, "", vm["spec"].(object)["template"])
	}
	paths := slices.Sorted(maps.Keys(fields))
	var rules []any
	for i := range 30 {
		path := "jsonpath::" + paths[r.IntN(len(paths))]
		value := fields[strings.TrimPrefix(path, "jsonpath::")]
		rule := object{"name": fmt.Sprint("r", i), "path": path, "message": "m", "rule": "enum", "values": []any{fmt.Sprint(value), "virtio"}[r.IntN(2):]}
		if r.IntN(3) == 0 {
			rule["valid"] = "jsonpath::" + paths[r.IntN(len(paths))]
		}
		rules = append(rules, rule)
	}
	text, err := json.Marshal(rules)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := vmrules.ParseRules(string(text))
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return parsed
}

var escaper = strings.NewReplacer(".", `\.`, "/", `\/`)

// collect adds the scalars in a value, by their paths.
func collect(fields map[string]any, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, next := range v {
			collect(fields, at+"."+escaper.Replace(name), next)
		}
	case []any:
		for _, next := range v {
			collect(fields, at+"[*]", next)
		}
	default:
		fields[at] = v
	}
}
