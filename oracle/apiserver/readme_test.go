package apiserver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The program in the page of package admission is a webhook as the deployed one is. It says what it
// does, and reads templates from its cache.
func TestReadme(t *testing.T) {
	d := deploy(t)
	d.add(t, templateOf(0, trial{template: "cores", text: `[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "max": 8}]`}))
	for name, run := range map[string]func(t *testing.T) *program{
		"the program in README.md": func(t *testing.T) *program { return d.runReadme(t) },
		"the webhook":              func(t *testing.T) *program { return d.run(t) },
	} {
		t.Run(name, func(t *testing.T) {
			p := run(t)
			d.ready(t, p)
			d.call(t, p.reviews)
			const reads = `resource="templates",.*verb="GET"`
			before, refusals := d.answered(t, reads), p.counted(t, `vmrules_admission_reviews_total\{outcome="refused"\}`)
			for range 50 {
				vm := (trial{template: "cores", space: templateSpace}).vm(validVM(t), "vm")
				if _, err := d.create(vm); err != nil {
					t.Fatal(err)
				}
				setCores(vm, 9)
				if _, err := d.create(vm); verdictOfWebhook(err) != refused || len(causesOf(err)) != 1 {
					t.Fatal(err)
				}
			}
			if n := d.answered(t, reads) - before; n > 0 {
				t.Errorf("100 reviews made %d reads", n)
			}
			if n := p.counted(t, `vmrules_admission_reviews_total\{outcome="refused"\}`) - refusals; n != 50 {
				t.Errorf("%d refusals are counted", n)
			}
			if n := strings.Count(p.log.String(), `"Refused"`); n < 50 {
				t.Errorf("%d refusals are in the log", n)
			}
		})
	}
}

// runReadme starts the program in the page, with other ports and another folder.
func (d *deployment) runReadme(t *testing.T) *program {
	t.Helper()
	const module = "../../admission"
	page, err := os.ReadFile(filepath.Join(module, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```go\n")
	text, _, _ = strings.Cut(text, "```")
	p := newProgram(t, d.by)
	for old, replacement := range map[string]string{
		`Host: "", Port: 9443`: fmt.Sprintf("Host: %q, Port: %d", "127.0.0.1", p.reviews),
		`"/certificate"`:       strconv.Quote(p.folder),
		`":8081"`:              strconv.Quote(fmt.Sprint("127.0.0.1:", p.health)),
	} {
		if strings.Count(text, old) != 1 {
			t.Fatalf("%s is not once in the program", old)
		}
		text = strings.Replace(text, old, replacement, 1)
	}
	source := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	metrics := fmt.Sprint("-X=sigs.k8s.io/controller-runtime/pkg/metrics/server.DefaultBindAddress=127.0.0.1:", p.metrics)
	p.start(t, d.kubeconfig(t), exec.Command(build(t, module, "-ldflags", metrics, source)))
	return p
}
