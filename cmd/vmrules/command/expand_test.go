package command

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/instancetype"
)

// What is written in YAML is the expanded VM, whatever its texts and the names of objects are.
func TestExpandedYAML(t *testing.T) {
	texts := []string{
		"", "yes", "null", "12", "1e3", "0x10", "~", "a: b", "# c", "- d", "l1\nl2\n", "\n", " x ", "é\u2028\u0085\u00a0", "\x00\x1b\r\t",
		"---", "...", "*a", "&a", "!t", "|", ">", "{}", "[]", "'", `"`, "@", "%", "<<", "=", "2001-01-01", "1:20", strings.Repeat("word ", 100),
	}
	for _, text := range texts {
		vm := map[string]any{
			"kind": "VirtualMachine", text: text,
			"list": []any{text, []any{text}, map[string]any{text: text}, json.Number("1e400"), int64(-7), 1.5, true, nil, []any{}, map[string]any{}},
			"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
				"domain": map[string]any{"devices": map[string]any{"disks": []any{map[string]any{"name": text}}}},
			}}},
		}
		preference := map[string]any{
			"metadata": map[string]any{"name": text},
			"spec": map[string]any{
				"annotations": map[string]any{text: text},
				"devices":     map[string]any{"preferredDiskBus": "sata\n" + text, "preferredPanicDeviceModel": text, "preferredRng": map[string]any{}},
			},
		}
		expanded, err := instancetype.Expand(vm, nil, preference)
		if err != nil {
			t.Fatal(err)
		}
		var written bytes.Buffer
		s := yamlStream{w: &written}
		for range 2 {
			s.begin()
			s.comment("result: " + text)
			s.document(withComments(expanded))
		}
		if s.err != nil {
			t.Fatal(s.err)
		}
		file, err := manifest.Parse("f", written.Bytes())
		if err != nil {
			t.Fatalf("%q: %v\n%s", text, err, written.String())
		}
		objects := file.Objects()
		if len(objects) != 2 {
			t.Fatalf("%q: %d objects in\n%s", text, len(objects), written.String())
		}
		want, _ := json.Marshal(expanded.VM)
		for _, o := range objects {
			got, _ := json.Marshal(o.Content())
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", text, diff)
			}
		}
		if n := strings.Count(written.String(), "# from preference"); n < 2*4 {
			t.Errorf("%q: %d comments in\n%s", text, n, written.String())
		}
	}
}
