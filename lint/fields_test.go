package lint

import (
	"strings"
	"testing"
)

// TestFieldTable checks that each type is in the table once, and is the type of a field.
func TestFieldTable(t *testing.T) {
	types := readFields(fieldTable)
	used := map[string]bool{"VirtualMachineInstanceTemplateSpec": true}
	written := map[string]bool{}
	for line := range strings.Lines(fieldTable) {
		if line[0] == '#' || strings.TrimSpace(line) == "" {
			continue
		}
		if line[0] != '\t' {
			name := strings.TrimSpace(line)
			if written[name] {
				t.Errorf("the type %s appears twice", name)
			}
			written[name] = true
			continue
		}
		for _, word := range strings.Fields(line) {
			if _, of, ok := strings.Cut(word, ":"); ok {
				used[strings.TrimLeft(of, "[]{}*")] = true
			}
		}
	}
	for name := range used {
		if _, isScalar := scalarSorts[name]; !isScalar && name != "any" && !written[name] {
			t.Errorf("the type %s is not in the table", name)
		}
	}
	for name := range written {
		if !used[name] {
			t.Errorf("no field has the type %s", name)
		}
	}
	if len(written) < 100 || len(types) < len(written) || len(vmFields().below()) < 100 {
		t.Errorf("%d types, %d of them read, %d fields of different types", len(written), len(types), len(vmFields().below()))
	}
}

// TestScalarTypes checks how the notation of the table is read.
func TestScalarTypes(t *testing.T) {
	tests := []struct {
		path    []string
		sort    scalarSort
		pointer bool
		values  string
	}{
		{[]string{"spec", "hostname"}, textScalar, false, ""},
		{[]string{"spec", "domain", "cpu", "cores"}, integerScalar, false, ""},
		{[]string{"spec", "terminationGracePeriodSeconds"}, integerScalar, true, ""},
		{[]string{"spec", "domain", "memory", "guest"}, quantityScalar, true, ""},
		{[]string{"spec", "domain", "resources", "requests", "memory"}, quantityScalar, false, ""},
		{[]string{"spec", "domain", "features", "acpi", "enabled"}, booleanScalar, true, ""},
		{[]string{"spec", "domain", "ioThreadsPolicy"}, textScalar, true, "shared auto supplementalPool"},
		{[]string{"metadata", "labels", "any"}, textScalar, false, ""},
		{[]string{"metadata", "creationTimestamp"}, timeScalar, false, ""},
		{[]string{"spec", "readinessProbe", "httpGet", "port"}, integerOrTextScalar, false, ""},
	}
	for _, test := range tests {
		f := vmFields()
		for _, name := range test.path {
			f = f.member(name)[0]
		}
		of := f.scalar.valueType()
		isPointer := f.scalar.pointee != nil
		if f.shape != scalarField || of.sort != test.sort || isPointer != test.pointer || strings.Join(of.values, " ") != test.values {
			t.Errorf("%v: %+v", test.path, f.scalar)
		}
	}
}
