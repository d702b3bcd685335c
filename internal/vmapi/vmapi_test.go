package vmapi

import (
	"slices"
	"strings"
	"testing"
)

// TestFieldTable checks that each type is in the table once, and is the type of a field.
func TestFieldTable(t *testing.T) {
	all := read(table)
	used := map[string]bool{"VirtualMachineInstanceTemplateSpec": true}
	written := map[string]bool{}
	for line := range strings.Lines(table) {
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
				of, since, isMarked := strings.Cut(of, "@")
				if isMarked && since != "embedded" && !slices.Contains(Versions[1:], since) {
					t.Errorf("%s came with a version that is not one of Versions", word)
				}
				used[strings.TrimLeft(of, "[]{}*")] = true
			}
		}
	}
	for name := range used {
		if _, isScalar := sorts[name]; !isScalar && name != "any" && !written[name] {
			t.Errorf("the type %s is not in the table", name)
		}
	}
	for name := range written {
		if !used[name] {
			t.Errorf("no field has the type %s", name)
		}
	}
	below := map[*Field]bool{}
	for _, f := range OfVM().Below() {
		if below[f] {
			t.Errorf("%+v is twice below a VM", f)
		}
		below[f] = true
	}
	if len(written) < 100 || len(all) < len(written) || len(below) < 100 || all["#"] != nil {
		t.Errorf("%d types, %d of them read, %d fields of different types; # is %v", len(written), len(all), len(below), all["#"])
	}
}

// TestObjectTable checks that the types of objects.txt are those of one of the tables.
func TestObjectTable(t *testing.T) {
	for line := range strings.Lines(objects) {
		for _, word := range strings.Fields(line) {
			_, of, _ := strings.Cut(word, ":")
			of = strings.TrimLeft(of, "[]{}*")
			if _, isScalar := sorts[of]; line[0] == '\t' && !isScalar && of != "any" && len(OfKind(of).Members) == 0 {
				t.Errorf("the type %s is not in a table", of)
			}
		}
	}
}

// TestScalarTypes checks how the notation of the table is read.
func TestScalarTypes(t *testing.T) {
	tests := []struct {
		path    []string
		sort    Sort
		pointer bool
		values  string
	}{
		{[]string{"spec", "hostname"}, Text, false, ""},
		{[]string{"spec", "domain", "cpu", "cores"}, Integer, false, ""},
		{[]string{"spec", "terminationGracePeriodSeconds"}, Integer, true, ""},
		{[]string{"spec", "domain", "memory", "guest"}, Quantity, true, ""},
		{[]string{"spec", "domain", "resources", "requests", "memory"}, Quantity, false, ""},
		{[]string{"spec", "domain", "features", "acpi", "enabled"}, Boolean, true, ""},
		{[]string{"spec", "domain", "ioThreadsPolicy"}, Text, true, "shared auto supplementalPool"},
		{[]string{"metadata", "labels", "any"}, Text, false, ""},
		{[]string{"metadata", "creationTimestamp"}, Time, false, ""},
		{[]string{"spec", "readinessProbe", "httpGet", "port"}, IntegerOrText, false, ""},
	}
	for _, test := range tests {
		f := OfVM()
		for _, name := range test.path {
			f = f.Member(name)[0]
		}
		of := f.Type.Value()
		isPointer := f.Type.Pointee != nil
		if f.Shape != Scalar || of.Sort != test.sort || isPointer != test.pointer || strings.Join(of.Values, " ") != test.values {
			t.Errorf("%v: %+v", test.path, f.Type)
		}
	}
}
