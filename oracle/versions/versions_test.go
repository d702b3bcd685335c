package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestComparison demands that the comparison finds mistakes, and nothing where there are none.
func TestComparison(t *testing.T) {
	mistakes := plant(t, map[string][2]string{
		"internal/jsonpath/step.go": {"return i + length\n", "return i + length - 1\n"},
		"ratchet.go":                {"not changed by this update", "not changed"},
	})
	for _, test := range []struct {
		name  string
		flags []string
		wrong bool
	}{
		{"none", nil, false},
		{"mistakes", []string{"-overlay", mistakes}, true},
	} {
		var out bytes.Buffer
		c := comparison{out: &out, outcomes: map[string]int{}}
		if err := c.run("../..", "../..", batch, 1, []string{"../../testdata/quickstart"}, test.flags...); err != nil {
			t.Fatal(err)
		}
		if c.asked != batch+6 || (c.different > 0) != test.wrong || strings.Contains(out.String(), "  new Validate") != test.wrong {
			t.Errorf("%s: %s", test.name, out.String())
		}
	}
}

// plant returns an overlay of the library with a mistake in each of the files.
func plant(t *testing.T, mistakes map[string][2]string) string {
	folder, replaced := t.TempDir(), map[string]string{}
	for file, mistake := range mistakes {
		file, err := filepath.Abs(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), mistake[0], mistake[1], 1)
		if changed == string(text) {
			t.Fatalf("%s has no %q", file, mistake[0])
		}
		replaced[file] = filepath.Join(folder, filepath.Base(file))
		if err := os.WriteFile(replaced[file], []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(name, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
