package engine_test

import (
	"os"
	"testing"

	"github.com/vmrules/vmrules/web/internal/engine"
)

// BenchmarkValidate makes the call that speed.mjs measures in Node.
func BenchmarkValidate(b *testing.B) {
	template, vm := read(b, "template.json"), read(b, "vm.json")
	e := engine.New()
	ask(b, e, "rulesFor", nil, map[string]string{"vm": vm, "template": template}, nil, "vm", "template")
	settings := map[string]any{"rules": 1}
	for b.Loop() {
		if result, failure := ask(b, e, "validate", settings, map[string]string{"object": vm}, nil, "object"); result == "" {
			b.Fatal(failure)
		}
	}
}

func read(b *testing.B, name string) string {
	text, err := os.ReadFile("../../../testdata/quickstart/" + name)
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}
