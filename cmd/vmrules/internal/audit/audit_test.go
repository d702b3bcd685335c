package audit

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
)

func newTestAuditor(t testing.TB) *auditor {
	t.Helper()
	return &auditor{Judging: judging.New(build.Build{}, judging.Options{})}
}

// vms is a stream of so many VMs, each with its number for name.
func vms(n int) io.Reader {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, `{"kind": "VirtualMachine", "metadata": {"name": "%d", "annotations": {"vm.kubevirt.io/validations": "[{\"name\": \"r%d\", \"rule\": \"string\", \"path\": \"jsonpath::.x\", \"message\": \"m\"}]"}}}`, i, i%7)
	}
	return strings.NewReader(s.String())
}

func TestAuditOrder(t *testing.T) {
	const all = 1000
	next := 0
	err := newTestAuditor(t).stream(vms(all), func(vm audited) error {
		if vm.Name != fmt.Sprint(next) {
			t.Fatalf("VM %s comes after %d others", vm.Name, next)
		}
		if got, want := vm.report.Results()[0].Rule, fmt.Sprintf("r%d", next%7); got != want {
			t.Fatalf("VM %s is judged by %s, want %s", vm.Name, got, want)
		}
		next++
		return nil
	})
	if err != nil || next != all {
		t.Errorf("%d VMs, want %d; error %v", next, all, err)
	}
}

// What cannot be written ends the audit.
func TestAuditStops(t *testing.T) {
	full := errors.New("the disk is full")
	n := 0
	err := newTestAuditor(t).stream(vms(1000), func(audited) error {
		n++
		return full
	})
	if err != full || n != 1 {
		t.Errorf("error %v after %d VMs, want %v after 1", err, n, full)
	}
}

// repeated reads as a text over and over again, and never ends.
type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.text[r.at]
		r.at = (r.at + 1) % len(r.text)
	}
	return len(p), nil
}

// What never ends is refused, and not read into memory.
func TestAuditOfEndlessObjects(t *testing.T) {
	tests := []struct{ name, begin, repeat string }{
		{"a string", `{"kind": "`, "x"},
		{"an array", `{"kind": "VirtualMachine", "spec": [`, "0,"},
		{"keys", `{"kind": "VirtualMachine"`, `, "a": 1`},
		{"an item", `{"kind": "List", "items": [{}, {"a": "`, "x"},
		{"what a list says of itself", `{"items": [{}], "metadata": "`, "x"},
		{"keys of a list", `{"items": [{}]`, `, "a": 1`},
		{"blanks", `{"items": [{}`, " "},
		{"between objects", `{}`, " "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			input := io.MultiReader(strings.NewReader(test.begin), &repeated{text: test.repeat})
			err := newTestAuditor(t).stream(input, func(audited) error { return nil })
			if !errors.Is(err, errTooLong) {
				t.Errorf("got error %v, want %v", err, errTooLong)
			}
		})
	}
}

// However much there is in front of them, all objects are judged.
func TestAuditOfLongObjects(t *testing.T) {
	long := `{"kind": "VirtualMachine", "a": "` + strings.Repeat("x", maxObject-100) + `"}`
	list := `{"items": [` + long + "," + long + `], "a": "` + strings.Repeat("x", maxObject-100) + `"}`
	n := 0
	err := newTestAuditor(t).stream(strings.NewReader(long+list+long+list), func(vm audited) error {
		n++
		return vm.err
	})
	if err != nil || n != 6 {
		t.Errorf("%d objects, want 6; error %v", n, err)
	}
}

// An object that is nested too deeply is unusable, and the others are judged.
func TestAuditOfDeepObjects(t *testing.T) {
	const levels = 20_000
	deep := `{"kind": "VirtualMachine", "spec": ` + strings.Repeat(`[`, levels) + strings.Repeat(`]`, levels) + `}`
	got := auditStream(`{"items": [` + fmt.Sprintf(vmWithInstancetype, 1, 1) + `]}` + deep)
	for _, want := range []string{"exceeded max depth", "exit status 2"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestSummaryIsBounded(t *testing.T) {
	s := newSummary()
	for i := range maxRows + 5 {
		name := fmt.Sprint(i)
		results := []vmrules.Result{{Rule: name, Outcome: vmrules.OutcomeViolated, Violations: []vmrules.Violation{{}}}}
		_ = s.add(audited{Template: name, report: vmrules.NewReport(results), results: results, class: judged.Invalid})
	}
	if len(s.Rules) != maxRows+1 || s.Rules[others].Violated != 5 {
		t.Errorf("%d rules, %+v others", len(s.Rules), s.Rules[others])
	}
	if len(s.Templates) != maxRows+1 || s.Templates[others].NotValid != 5 {
		t.Errorf("%d templates, %+v others", len(s.Templates), s.Templates[others])
	}
}
