package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vmrules/vmrules"
)

// TestYardstick compares the hand-written checks with vmrules on values that no VM of the
// benchmarks has, field by field. Checks that leave something out would be a wrong
// yardstick.
func TestYardstick(t *testing.T) {
	odd := []any{
		nil, true, "", "0", "1", "2.0", "-3", "+4", "3k", "5M", "1536Mi", "2Gi", "0.5Gi", "2.5Gi", "16Ei", "1e3", "1E", "2000m", "500m", "10Zi", "two",
		int64(0), int64(-1), int64(8), int64(9), int64(3605), int64(1 << 40), 0.0, 4.0, 2.5, 1e10, 1e300, math.SmallestNonzeroFloat64,
		"virtio", "Virtio", "other-0", "other-3", "label-1", "label\n", "-label", "12345", "ärger", "sixteen-and-more", "q35",
		[]any{}, []any{"virtio"}, map[string]any{}, map[string]any{"bus": "sata"},
	}
	compared := 0
	for _, set := range allSets {
		rules, err := newVMRules(set)
		if err != nil {
			t.Fatal(err)
		}
		byHand, err := prepareHandWritten(set)
		if err != nil {
			t.Fatal(err)
		}
		compare := func(vm vm, where string, v any) {
			rules.validate(&vm)
			byHand.judge(&vm)
			want, got := linesOfReport(rules.report), linesOf(byHand.(*handWritten).found)
			if !slices.Equal(want, got) {
				t.Errorf("%s, %s: with %#v at %s\n%q, and by vmrules\n%q", set.name, vm.name, v, where, got, want)
			}
			compared++
		}
		for _, vm := range set.vms() {
			compare(vm, "", nil)
		}
		if slices.Contains([]string{"go-maps", "struct", "to-object"}, set.name) {
			continue // odd values do not fit
		}
		for _, place := range placesOf(set) {
			for _, v := range odd {
				object, steps := newVM(3), strings.Split(place, ".")
				put(object, steps, v)
				if set.name == "yaml" {
					object = yamlOf(object)
				}
				compare(vm{name: "odd", object: object}, place, v)
				if set.forgives {
					before, after := failing(newVM(3)), failing(newVM(3))
					put(after, steps, v)
					compare(vm{name: "changed", object: after, old: before}, place, v)
					put(before, steps, v)
					compare(vm{name: "unchanged", object: after, old: before}, place, v)
				}
			}
		}
	}
	t.Logf("%d VMs compared", compared)
}

// placesOf returns the paths of a set, from the VM's root, and all their parents.
func placesOf(set ruleSet) []string {
	rules := set.rules
	if generalChecks[set.name] != nil {
		rules = slices.Concat(windows.rules, []rule{
			{Path: requestPath}, {Path: "jsonpath::.spec.domain.devices.disks[*].name"}, {Path: "jsonpath::.spec.domain.devices.interfaces[*].model"},
		})
	}
	var places []string
	for _, r := range rules {
		place := "spec.template"
		for _, step := range r.steps() {
			place += "." + step
			places = append(places, place)
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// put sets the value at the steps, in each item of a list.
func put(v any, steps []string, value any) {
	step, rest := steps[0], steps[1:]
	switch v := v.(type) {
	case []any:
		for i := range v {
			if len(rest) > 0 {
				put(v[i], rest, value)
			} else {
				v[i] = value
			}
		}
	case map[string]any:
		if len(rest) > 0 {
			put(v[step], rest, value)
		} else {
			v[step] = value
		}
	}
}

// linesOfReport returns one line for each value and rule, even if the value violates
// several arguments of the rule.
func linesOfReport(r *vmrules.Report) []string {
	var lines []string
	for _, v := range append(r.Violations(), r.Warnings()...) {
		lines = append(lines, fmt.Sprintf("%s: %s: %s (warning: %t)", v.Rule, v.Field, v.Message, v.Warned))
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func linesOf(found violations) []string {
	var lines []string
	for _, v := range found {
		lines = append(lines, fmt.Sprintf("%s: %s: %s (warning: %t)", v.Rule, v.Field, v.Message, v.Warning))
	}
	slices.Sort(lines)
	return lines
}
