package crd

import (
	"testing"
	"time"

	"github.com/vmrules/vmrules"
)

// The tests run on busy machines, too: what bounds expressions there is their cost, and not the
// clock.
func init() { maxEvaluation = 10 * time.Minute }

// Expressions that are interrupted are Undecided.
func TestInterrupted(t *testing.T) {
	defer func(usual time.Duration) { maxEvaluation = usual }(maxEvaluation)
	for _, kind := range []string{
		`"rule": "cel", "expression": "self == 1"`,
		`"rule": "schema", "schema": {"type": "integer", "x-kubernetes-validations": [{"rule": "self == 1"}]}`,
	} {
		rules, err := vmrules.ParseRules(`[{"name": "r", "path": "jsonpath::.spec.x", "message": "m", `+kind+`}]`, Kinds()...)
		if err != nil {
			t.Fatal(err)
		}
		for limit, want := range map[time.Duration]vmrules.Outcome{time.Minute: vmrules.OutcomeSatisfied, 0: vmrules.OutcomeUndecided} {
			maxEvaluation = limit
			report := vmrules.Validate(rules, map[string]any{"kind": "VirtualMachineInstance", "spec": map[string]any{"x": int64(1)}})
			if got := report.Results()[0].Outcome; got != want {
				t.Errorf("within %v, %s is %s, want %s", limit, kind, got, want)
			}
		}
	}
}
