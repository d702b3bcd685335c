package command

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Many objects that break many rules have more to say than is kept; what was said
// until then is written, and the exit status is that of what cannot be used.
func TestReportsAreBounded(t *testing.T) {
	var rules []string
	for i := range 1_000 {
		rules = append(rules, fmt.Sprintf(`{\"name\": \"r%d\", \"rule\": \"string\", \"path\": \"jsonpath::.x\", \"message\": \"m\"}`, i))
	}
	vm := `{"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": "[` +
		strings.Join(rules, ",") + `]"}}, "spec": {"template": {"spec": {}}}}` + "\n"
	const enough = maxKeptWeight / (1_000 * 11)
	for n, want := range map[int]string{
		enough:     "",
		enough + 9: fmt.Sprintf("vmrules: <stdin>:%d:1: too many results", enough+1),
	} {
		var stdout, stderr bytes.Buffer
		status := Main([]string{"check", "-"}, strings.NewReader(strings.Repeat(vm, n)), &stdout, &stderr, Build{Name: "vmrules"})
		if !strings.HasPrefix(stderr.String(), want) || (want == "") != (status == int(exitFailed)) {
			t.Errorf("%d objects: status %d, %.200s", n, status, stderr.String())
		}
		if got := strings.Count(stdout.String(), ": invalid"); got != min(n, enough+1) {
			t.Errorf("%d of %d objects are reported", got, n)
		}
	}
}
