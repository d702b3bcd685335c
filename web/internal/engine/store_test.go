package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rules are read once from the same texts by the same options, and forgotten when there is no room.
func TestKept(t *testing.T) {
	const rules, other = `[]`, `[ ]`
	long := strings.Repeat(" ", maxKept)
	template := `{"kind": "Template", "metadata": {"name": "t"}, "objects": []}`
	e := New()
	var got []int
	for _, call := range []struct{ header, text string }{
		{"countRules\nannotation %d", rules},
		{"countRules\nannotation %d", rules},
		{"countRules\nannotation %d", other},
		{"countRules\nstrict 4\nannotation %d", "true" + rules},
		{"countRules\ntemplate %d", template},
		{"validateOwn\nlookUp 4\ntemplates %d", "true" + template},
		{"countRules\nannotation %d", long},
		{"countRules\nannotation %d", rules},
		{"countRules\nannotation %d", rules},
	} {
		e.Call(fmt.Sprintf(call.header, len(strings.TrimPrefix(call.text, "true"))), call.text)
		got = append(got, len(e.kept.read))
	}
	if diff := cmp.Diff([]int{1, 1, 2, 3, 4, 4, 1, 1, 1}, got); diff != "" {
		t.Errorf("how many are kept (-want +got):\n%s", diff)
	}
}

// The rules of VMs' own are kept by the library as long as they are read by the same options.
func TestKeptOwn(t *testing.T) {
	e := New()
	var got []string
	for _, strict := range []string{"true", "true", "", ""} {
		before := e.own
		e.Call(fmt.Sprint("validateOwn\nstrict ", len(strict)), strict)
		got = append(got, fmt.Sprintf("%q %t", e.own.options, before == e.own))
	}
	if diff := cmp.Diff([]string{`"  true" false`, `"  true" true`, `"  " false`, `"  " true`}, got); diff != "" {
		t.Errorf("the options, and whether they are those of before (-want +got):\n%s", diff)
	}
}
