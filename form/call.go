package form

import (
	"iter"
	"slices"
	"time"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/inside"
	"github.com/vmrules/vmrules/internal/meter"
)

// A call is one call of Limits or Schema. It has half of the Budget; Resolve has the
// other half.
type call struct {
	budget    meter.Budget
	isPartial bool
	expands   bool // the options give instance types
	resolved  iter.Seq[Resolved]
	rules     []rule // by their index
	paths     int    // how many different paths they have
}

// A rule holds what is the same for all targets of a rule.
type rule struct {
	vmrules.Rule
	path, valid []fieldpath.Step
	pathIndex   int // among the different paths, in the order of the first rule on each
}

// These are the costs of steps, in units of work and in bytes that are kept.
const (
	ruleWork = 50   // a rule, for each target
	sayWork  = 1000 // an entry of the result
	saySize  = 250  // the same, without its texts

	pathByteWork = 100 // a byte of a path, which may be a step
	pathByteSize = 40
)

func newCall(rules vmrules.Rules, object map[string]any, opts []vmrules.ValidateOption) *call {
	isPartial, expands, budget := inside.Vmrules.Settings(opts)
	half := share(budget.Half(), budget.Backtracking)
	c := &call{
		budget: budget, isPartial: isPartial, expands: expands,
		resolved: Resolve(rules, object, append(slices.Clone(opts), half)...),
	}
	known := map[string]int{} // the index of a path
	for i := range rules.Len() {
		r, _ := inside.Vmrules.Rule(rules, i)
		made, key := rule{Rule: r}, "" // the key is the same for Equal paths
		size := len(r.Path.String()) + len(r.Valid.String())
		if c.budget.Spend(meter.Times(size, pathByteWork), meter.Times(size, pathByteSize)) == nil {
			made.path, made.valid = fieldpath.Steps(r.Path), fieldpath.Steps(r.Valid)
			key = inside.Vmrules.Parsed(r.Path).Key()
		}
		if _, isKnown := known[key]; !isKnown {
			known[key] = len(known)
		}
		made.pathIndex = known[key]
		c.rules = append(c.rules, made)
	}
	c.paths = len(known)
	return c
}

// share returns a Budget with what is left of a Meter, for another call.
func share(m meter.Meter, backtracking time.Duration) vmrules.Option {
	work, kept := m.Left()
	// 0 would mean the default
	return vmrules.Budget{Time: time.Duration(max(work, 1)), Memory: int64(max(kept, 1)), Backtracking: backtracking}
}

func (c *call) isSpent() bool { return c.budget.Err() != nil }

// targets yields all rules of each target, in their order. The next target overwrites the
// slice. If the budget ends before the targets do, the last slice has just one element,
// with the Index -1. A target without all its rules is left out.
func (c *call) targets() iter.Seq[[]Resolved] {
	return func(yield func([]Resolved) bool) {
		all := make([]Resolved, 0, len(c.rules))
		for r := range c.resolved {
			if r.Index < 0 {
				yield([]Resolved{r})
				return
			}
			if all = append(all, r); len(all) < len(c.rules) {
				continue
			}
			_ = c.budget.Spend(meter.Times(len(all), ruleWork), 0)
			if !yield(all) {
				return
			}
			all = all[:0]
		}
	}
}

func (c *call) groups(target []Resolved) [][]*Resolved {
	all := make([][]*Resolved, c.paths)
	for i := range target {
		path := c.rules[i].pathIndex
		all[path] = append(all[path], &target[i])
	}
	return all
}
