package hostile

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// trials are what a runner has to survive and report.
func trials() []attack {
	return []attack{
		{name: "trial/well", calls: func(p *probe) { p.text("first", size(1)); p.text("second", size(2)) }},
		{name: "trial/slow", calls: func(p *probe) { p.text("first", size(1)); p.text("endless", endless) }},
		{name: "trial/large", calls: func(p *probe) { p.text("growing", growing) }},
		{name: "trial/panic", calls: func(p *probe) { p.text("panicking", panicking) }},
		{name: "trial/panic after a call", calls: func(p *probe) { p.text("first", size(1)); panic("no more input") }},
		{name: "trial/panic before any call", calls: func(*probe) { panic("no input") }},
		{name: "trial/exit", calls: func(*probe) { os.Exit(0) }},
		{name: "trial/too long an annotation", calls: func(p *probe) { p.parse(strings.Repeat(" ", 256<<10+1)) }},
		{name: "trial/refused", calls: func(p *probe) { p.parse("[1]") }},
		{name: "trial/refused, and ordinary", ordinary: true, calls: func(p *probe) { p.parse("[1]") }},
		{name: "trial/a goroutine left behind", calls: func(p *probe) { go endless(); p.text("first", size(1)) }},
		{name: "trial/undecided", calls: func(p *probe) { p.judge(annotation(2, `"rule":"integer","path":"jsonpath::.a"`), nil) }},
	}
}

const trialResults = `trial/well: kept true; first: decided, 1.0 MB; second: decided, 2.0 MB
trial/slow: kept false; first: decided, 1.0 MB; endless: killed, after 2s
trial/large: kept false; growing: killed, at 300 MB
trial/panic: kept false; panicking: crashed, panic: as it must
trial/panic after a call: kept false; first: decided, 1.0 MB; (input): crashed, panic: no more input
trial/panic before any call: kept false; (input): crashed, panic: no input
trial/exit: kept false; (input): crashed, it ended without a word
trial/too long an annotation: kept false; (input): crashed, panic: the attack is beyond the promise: its annotation has 262145 bytes, more than 262144
trial/refused: kept true; ParseRules: problem, 1 problems: a rule must be an object: { "name": …, "rule": …, "path": …, "message": … }
trial/refused, and ordinary: kept false; ParseRules: problem, 1 problems: a rule must be an object: { "name": …, "rule": …, "path": …, "message": … }
trial/a goroutine left behind: kept true; first: decided, 1.0 MB
trial/undecided: kept true; ParseRules: decided, 2 rules; Validate: undecided, 2 Undecided: nothing to validate: there is no object
`

func size(mb int) func() (int, error) {
	return func() (int, error) { return mb << 20, nil }
}

func endless() (int, error) {
	for n := 0; ; n++ {
	}
}

func growing() (int, error) {
	var kept [][]byte
	for {
		b := make([]byte, 1<<20)
		for i := range b {
			b[i] = 1
		}
		kept = append(kept, b)
		if len(kept) == 8<<10 {
			return 0, fmt.Errorf("%d MB are allocated, and the process still runs", len(kept))
		}
	}
}

func panicking() (int, error) { panic("as it must") }

func TestRunner(t *testing.T) {
	var got, processes strings.Builder
	r := runner{memory: 300, slack: 1}
	r.prepare(t, false)
	defer r.stop()
	for _, a := range trials() {
		r.timeout = time.Minute
		if a.name == "trial/slow" {
			r.timeout = 2 * time.Second
		}
		result := r.run(a)
		if r.child != nil {
			fmt.Fprintf(&processes, "%s; ", a.name)
		}
		fmt.Fprintf(&got, "%s: kept %t", result.Attack, result.Kept)
		for _, c := range result.Calls {
			fmt.Fprintf(&got, "; %s: %s, %s", c.Call, c.Outcome, c.Found)
		}
		got.WriteString("\n")
	}
	if got.String() != trialResults {
		t.Errorf("got\n%s\nwant\n%s", &got, trialResults)
	}
	if want := "trial/well; trial/refused; trial/refused, and ordinary; trial/undecided; "; processes.String() != want {
		t.Errorf("these leave a process for another attack: %s\nwant %s", &processes, want)
	}
}

func TestKept(t *testing.T) {
	for _, test := range []struct {
		call call
		want bool
	}{
		{call{Seconds: 2, CPU: 3, Before: 100 << 20, Peak: 356 << 20, Outcome: undecided}, true},
		{call{Seconds: 9, CPU: 2, Outcome: decided}, true}, // on a busy machine
		{call{Seconds: 2.01, CPU: 2.01, Outcome: decided}, false},
		{call{Before: 100 << 20, Peak: 356<<20 + 1, Outcome: decided}, false},
		{call{Outcome: killedOutcome}, false},
		{call{Outcome: crashed}, false},
	} {
		if got := test.call.kept(1); got != test.want {
			t.Errorf("%+v: got %t", test.call, got)
		}
	}
}

// TestNames checks names and the sizes of files. Annotations and objects are measured
// where an attack makes them.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range matching(regexp.MustCompile("")) {
		if seen[a.name] {
			t.Errorf("two attacks have the name %q", a.name)
		}
		seen[a.name] = true
		if !slices.ContainsFunc(topics, func(t topic) bool { return strings.HasPrefix(a.name, t.name+"/") }) {
			t.Errorf("%q does not begin with a topic", a.name)
		}
		if a.files == nil {
			continue
		}
		for name, text := range a.files() {
			if len(text) > mostObject {
				t.Errorf("%s: %s has %d bytes, more than %d", a.name, name, len(text), mostObject)
			}
		}
	}
}
