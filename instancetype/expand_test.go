package instancetype_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/instancetype"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// A testCase is one expansion. An instance type without cpu or memory gets 1 vCPU and 1Gi, and
// the changes that these make are not listed.
type testCase struct {
	Name         string
	Template     map[string]any // the spec.template of the VM
	Instancetype map[string]any // its spec
	Preference   map[string]any // its spec

	Changes   map[string]any // the fields that are set, below spec.template; null if removed
	Conflicts []string
	Error     string   // a part of it
	Fields    []string // that CheckRequirements reports
}

func readCases(t testing.TB, names ...string) []testCase {
	t.Helper()
	var all []testCase
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		var cases []testCase
		if err := json.Unmarshal(text, &cases); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, cases...)
	}
	return all
}

func expansions(t testing.TB) []testCase {
	return readCases(t, "instancetype.json", "preference.json", "size.json")
}

// objects returns the objects of the case, and adds what it leaves out.
func (c *testCase) objects() (vm, it, preference map[string]any) {
	if c.Template == nil {
		c.Template = map[string]any{"spec": map[string]any{}}
	}
	vm = map[string]any{"kind": "VirtualMachine", "spec": map[string]any{"template": c.Template}}
	if c.Preference != nil {
		preference = named("VirtualMachineClusterPreference", "p", c.Preference)
	}
	if c.Instancetype == nil {
		return vm, nil, preference
	}
	spec, changes := maps.Clone(c.Instancetype), map[string]any{}
	if spec["cpu"] == nil {
		spec["cpu"] = map[string]any{"guest": 1}
		for _, level := range []string{"sockets", "cores", "threads"} {
			changes["spec.domain.cpu."+level] = 1.0
		}
	}
	if spec["memory"] == nil {
		spec["memory"] = map[string]any{"guest": "1Gi"}
		changes["spec.domain.memory.guest"] = "1Gi"
	}
	if c.Changes != nil {
		maps.Copy(changes, c.Changes)
		c.Changes = changes
	}
	return vm, named("VirtualMachineClusterInstancetype", "i", spec), preference
}

func named(kind, name string, spec map[string]any) map[string]any {
	return map[string]any{"kind": kind, "metadata": map[string]any{"name": name}, "spec": spec}
}

func TestExpand(t *testing.T) {
	for _, c := range expansions(t) {
		t.Run(c.Name, func(t *testing.T) {
			vm, it, preference := c.objects()
			got, err := instancetype.Expand(vm, it, preference)
			if c.Error != "" {
				if err == nil || !strings.Contains(err.Error(), c.Error) {
					t.Fatalf("got the error %v, want one with %q", err, c.Error)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.Conflicts, fieldsOf(got.Conflicts)); diff != "" {
				t.Errorf("the conflicts (-want +got):\n%s", diff)
			}
			if len(c.Conflicts) > 0 {
				if got.VM != nil || got.Origins != nil {
					t.Errorf("there are conflicts, and yet a VM")
				}
				return
			}
			want := decoded(t, vm)
			for _, path := range slices.Sorted(maps.Keys(c.Changes)) {
				set(want, stepsOf("spec.template."+path), c.Changes[path])
			}
			if diff := cmp.Diff(want, decoded(t, got.VM)); diff != "" {
				t.Errorf("the VM (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(wantedOrigins(c), origins(got.Origins)); diff != "" {
				t.Errorf("what is set, and whether it is removed (-want +got):\n%s", diff)
			}
		})
	}
}

func fieldsOf(conflicts []instancetype.Conflict) []string {
	var fields []string
	for _, c := range conflicts {
		fields = append(fields, c.Field)
	}
	return fields
}

func wantedOrigins(c testCase) map[string]bool {
	removed := map[string]bool{}
	for path, v := range c.Changes {
		removed["spec.template."+path] = v == nil
	}
	return removed
}

func origins(set []instancetype.Origin) map[string]bool {
	removed := map[string]bool{}
	for _, o := range set {
		removed[o.Field] = o.Removed
	}
	return removed
}

// decoded returns an object as its JSON says.
func decoded(t *testing.T, v any) map[string]any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	return object
}

var step = regexp.MustCompile(`\[\d+\]|(\\.|[^.[\\])+`)

func stepsOf(path string) []string { return step.FindAllString(path, -1) }

// set sets a field of an object of maps and lists; nil removes it.
func set(in any, steps []string, v any) any {
	if len(steps) == 0 {
		return v
	}
	if list, ok := in.([]any); ok || steps[0][0] == '[' {
		i, _ := strconv.Atoi(strings.Trim(steps[0], "[]"))
		if i == len(list) {
			list = append(list, nil)
		}
		list[i] = set(list[i], steps[1:], v)
		return list
	}
	object, _ := in.(map[string]any)
	if object == nil {
		object = map[string]any{}
	}
	name := strings.ReplaceAll(steps[0], `\`, "")
	if object[name] = set(object[name], steps[1:], v); object[name] == nil {
		delete(object, name)
	}
	return object
}

// TestEveryField checks that the cases contain each row of the tables twice: once where KubeVirt
// sets the field, and once where it does not although the object has it.
func TestEveryField(t *testing.T) {
	isSet, isNot := map[string]bool{}, map[string]bool{}
	for _, c := range expansions(t) {
		vm, it, preference := c.objects()
		got, err := instancetype.Expand(vm, it, preference)
		if err != nil {
			continue
		}
		for _, conflict := range got.Conflicts {
			isNot[row("instancetype i", conflict.Field)] = true
		}
		now := map[string]bool{}
		for _, o := range got.Origins {
			now[row(o.From, o.Field)] = true
		}
		maps.Copy(isSet, now)
		for _, f := range vmfields.Preference {
			from := append([]string{"spec"}, strings.Split(f.From, ".")...)
			if to := row("preference p", "spec.template."+f.To); value.At(preference, from...) != nil && !now[to] {
				isNot[to] = true
			}
		}
	}
	check := func(from string, fields []vmfields.Field) {
		for _, f := range fields {
			to := row(from, "spec.template."+f.To)
			if f.To != "" && f.How != vmfields.NotAllowed && !isSet[to] {
				t.Errorf("there is no case in which KubeVirt sets %s", to)
			}
			if f.To != "" && f.When != jsonpath.Overwritten && !isNot[to] {
				t.Errorf("there is no case in which KubeVirt does not set %s", to)
			}
		}
	}
	check("instancetype i", vmfields.Instancetype)
	check("preference p", vmfields.Preference)
}

var (
	item       = regexp.MustCompile(`\[\d+\]`)
	annotation = regexp.MustCompile(`^(spec\.template\.metadata\.)?annotations\..*`)
)

// row names the row of the tables for a field of the VM or of a conflict.
func row(from, field string) string {
	field = item.ReplaceAllString(field, "[*]")
	field = annotation.ReplaceAllString(field, "spec.template.metadata.annotations.*")
	field = strings.Replace(field, "cpu.features[*]", "cpu.features", 1)
	return from + ": " + strings.Replace(field, "dedicatedCPU", "dedicatedCpu", 1)
}

func TestCheckRequirements(t *testing.T) {
	for _, c := range readCases(t, "requirements.json") {
		vm, it, preference := c.objects()
		got := fieldsOf(instancetype.CheckRequirements(vm, it, preference))
		if diff := cmp.Diff(c.Fields, append([]string{}, got...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.Name, diff)
		}
	}
	if got := instancetype.CheckRequirements(nil, nil, nil); got != nil {
		t.Errorf("without a preference: %v, want nothing", got)
	}
}
