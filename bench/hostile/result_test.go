package hostile

import (
	"fmt"
	"strings"
	"time"
)

// What the library promises of any one call.
const (
	promisedTime = 2 * time.Second
	promisedMB   = 256

	mostAnnotation = 256 << 10 // bytes
	mostObject     = 3 << 19   // bytes of JSON
)

// The outcomes of a call.
const (
	decided       = "decided"
	undecided     = "undecided"
	cut           = "cut"
	problem       = "problem"
	killedOutcome = "killed"
	crashed       = "crashed"
)

// A call is the measurement of one call of the library or of the command.
type call struct {
	Call    string  `json:"call"`
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu"`    // seconds on all cores
	Before  int     `json:"before"` // bytes that the process had before the call, input included
	Peak    int     `json:"peak"`   // bytes
	Outcome string  `json:"outcome"`
	Found   string  `json:"found"`
}

// kept reports whether the call kept the promise. It may take slack times the promised
// time.
func (c call) kept(slack float64) bool {
	return c.Outcome != killedOutcome && c.Outcome != crashed &&
		c.own() <= slack*promisedTime.Seconds() && c.Peak-c.Before <= promisedMB<<20
}

// own returns the seconds that the call takes on a machine that does nothing else. By the
// clock, it takes longer on a busy machine; on all cores together, where it uses several.
func (c call) own() float64 { return min(c.Seconds, c.CPU) }

// part returns how much of the promised time or memory the call used, whichever is
// more: 1 is all of it.
func (c call) part() float64 {
	return max(c.own()/promisedTime.Seconds(), float64(c.Peak-c.Before)/(promisedMB<<20))
}

// A result is the outcome of an attack.
type result struct {
	Attack string `json:"attack"`
	Kept   bool   `json:"kept"`
	Worst  call   `json:"worst"` // the one of Calls that used most of the promise
	Calls  []call `json:"calls"`
}

func newResult(a attack, calls []call, slack float64) result {
	r := result{Attack: a.name, Kept: true, Worst: calls[0], Calls: calls}
	for _, c := range calls {
		if c.part() > r.Worst.part() {
			r.Worst = c
		}
		if !c.kept(slack) || a.ordinary && c.Outcome != decided {
			r.Kept = false
		}
	}
	if last := calls[len(calls)-1]; last.Outcome == killedOutcome || last.Outcome == crashed {
		r.Worst = last
	}
	return r
}

const heading = "     seconds   CPU s  more MB  peak MB  attack (worst call): what all calls found"

func (r result) String() string {
	verdict := "ok  "
	if !r.Kept {
		verdict = "OVER"
	}
	var found []string
	for _, c := range r.Calls {
		found = append(found, c.Call+": "+c.Outcome+", "+c.Found)
	}
	w := r.Worst
	return fmt.Sprintf("%s %7.2f %7.2f %8d %8d  %s (%s): %s",
		verdict, w.Seconds, w.CPU, (w.Peak-w.Before)>>20, w.Peak>>20, r.Attack, w.Call, strings.Join(found, "; "))
}
