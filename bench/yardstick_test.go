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
	for _, set := range ruleSets {
		rules, err := vmrules.ParseRules(set.annotation())
		if err != nil {
			t.Fatal(err)
		}
		check := handWrittenChecks[set.name]
		for _, place := range placesOf(set) {
			for _, v := range odd {
				vm := newVM(3)
				put(vm, strings.Split(place, "."), v)
				want, got := linesOfReport(vmrules.Validate(rules, vm)), linesOf(check(vm))
				if !slices.Equal(want, got) {
					t.Errorf("%s: with %#v at %s\n%q, and by vmrules\n%q", set.name, v, place, got, want)
				}
				compared++
			}
		}
	}
	t.Logf("%d VMs compared", compared)
}

// placesOf returns the paths of a set, from the VM's root, and all their parents.
func placesOf(set ruleSet) []string {
	var places []string
	for _, r := range set.rules {
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
		lines = append(lines, fmt.Sprintf("%s: %s: %s", v.Rule, v.Field, v.Message))
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func linesOf(found violations) []string {
	var lines []string
	for _, v := range found {
		lines = append(lines, fmt.Sprintf("%s: %s: %s", v.Rule, v.Field, v.Message))
	}
	slices.Sort(lines)
	return lines
}
