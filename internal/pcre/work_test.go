package pcre

import (
	"errors"
	"strings"
	"testing"

	"github.com/vmrules/vmrules/internal/meter"
)

func TestWork(t *testing.T) {
	r := mustCompile(t, `^(?:a+)+$`)
	subject := strings.Repeat("a", 10_000) + "b"
	b := budgetOf(workOfCall, 0)
	for range 1000 {
		if matched, err := r.Match(subject, b); matched || err != nil {
			t.Fatalf("match is %v, %v; want no match", matched, err)
		}
	}
	if left := workLeft(b); left <= 0 || left >= workOfCall {
		t.Errorf("work left is %d of %d", left, workOfCall)
	}
}

func TestWorkSpent(t *testing.T) {
	r := mustCompile(t, strings.Repeat("a*", 2000)+"b")
	b := budgetOf(workOfCall, 0)
	if _, err := r.Match(strings.Repeat("a", 1<<20), b); !errors.Is(err, meter.ErrWork) {
		t.Errorf("error is %v, want %v", err, meter.ErrWork)
	}
	if _, err := r.Match("", b); !errors.Is(err, meter.ErrWork) {
		t.Errorf("then, error is %v, want %v", err, meter.ErrWork)
	}
	b = budgetOf(matchCallWork+20*matchByteWork+32*matchStepWork, 0)
	if matched, err := mustCompile(t, `a`).Match(strings.Repeat("a", 20), b); !matched || err != nil || workLeft(b) != 0 {
		t.Errorf("with just enough, match is %v, %v, and %d is left; want a match and nothing left", matched, err, workLeft(b))
	}
}

// Typical patterns cost little: they are anchored, and a subject is too short to reach a large
// count.
func TestWorkOfLengths(t *testing.T) {
	tests := []struct {
		pattern string
		length  int
		work    int
	}{
		{`a`, 0, 1},
		{`a`, 1, 2},
		{`a`, 20, 32},
		{`^a$`, 20, 66},
		{`^(ab|cd)e`, 20, 73},
		{`ab`, 3, 11},
		{`a^b`, 20, 95},
		{`^a{3}$`, 20, 69},
		{`^.{1,253}$`, 20, 256},
		{`^.{1,253}$`, 253, 2038},
		{`^a*$`, 31, 129},
		{`(?:a?){5}`, 0, 16},
		{`\pL`, 20, 64},
		{`a\pL`, 20, 126},
		{`[acegikmo]`, 20, 32},
		{`[acegikmoq]`, 20, 64},
		{`a{249}b`, 0, 3},
		{`a{249}bc`, 0, 6},
		{`a`, 1<<17 - 1, 1 << 17},
		{`a`, 1 << 17, 2 << 17},
		{`(?:aa){300}`, 1023, 2 * 870_724},
	}
	for _, test := range tests {
		r := mustCompile(t, test.pattern)
		if work := r.work.of(test.length, r.parts); work != test.work {
			t.Errorf("work of %s on %d characters is %d, want %d", test.pattern, test.length, work, test.work)
		}
	}
}

// TestManyValues: the default budget is enough to match 100 patterns with 10,000 short values
// each.
func TestManyValues(t *testing.T) {
	const matches = 100 * 10_000
	for pattern, subject := range map[string]string{
		`^(virtio|sata|scsi)$`: "virtio", `^[a-z0-9-]{1,63}$`: "my-vm-name-1", `^[a-z]+`: "rhel9.4", `[a-z]$`: "rhel9.4",
		`^\d+Gi$`: "16Gi", `^\pL+$`: "größe",
	} {
		if price := mustCompile(t, pattern).price(len(subject)); price*matches > workOfCall {
			t.Errorf("a match of %s costs %d", pattern, price)
		}
	}
}
