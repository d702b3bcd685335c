package lint

import (
	"strings"
	"testing"
)

// TestFieldTable checks that each type is in the table once, is the type of a field, and has
// fields.
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
				used[strings.TrimPrefix(of, "[]")] = true
			}
		}
	}
	for name, f := range types {
		if !written[name] || !used[name] || (len(f.members) == 0) != (name == "Empty") {
			t.Errorf("%s: written %v, used %v, %d fields", name, written[name], used[name], len(f.members))
		}
	}
	if len(types) < 100 || len(vmFields().below()) < 100 {
		t.Errorf("%d types, %d fields of different types", len(types), len(vmFields().below()))
	}
}
