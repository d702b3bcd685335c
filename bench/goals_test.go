package bench

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vmrules/vmrules"
)

var goalRuns = flag.Int("goals", 0, "measure in this many `runs` whether the goals are met; 0: do not measure")

// A goal limits the time of one way to judge VMs to a multiple of that of another way.
type goal struct {
	set, vms string // what the names of the VMs end in
	way      string
	most     float64 // 0: no goal, but good to know
	other    string
}

var goals = []goal{
	{"argument", "pass", "vmrules", 4, "hand-written"}, {"argument", "fail", "vmrules", 2.5, "hand-written"},
	{"argument-index", "pass", "vmrules", 4, "hand-written"}, {"argument-index", "fail", "vmrules", 2.5, "hand-written"},
	{"missing", "", "vmrules", 2.5, "hand-written"}, {"missing-alone", "", "vmrules", 2.5, "hand-written"},
	{"filter", "pass", "vmrules", 8, "hand-written"}, {"filter", "fail", "vmrules", 3, "hand-written"},
	{"descent", "", "vmrules", 6, "hand-written"}, {"yaml", "", "vmrules", 2.5, "map[string]any"},
	{"windows", "", "Partial", 1.3, "no options"}, {"partial", "", "Partial", 1.3, "no options"},
	{"windows", "pass", "Ratcheting", 2.2, "no options"}, {"windows", "fail", "Ratcheting", 3, "no options"},
	{"to-object", "", "ToObject", 1.1, "Marshal and ParseObject"},
}

// callOf returns a call of a way to judge a VM; nil if a peer cannot express the set.
func callOf(way string, set ruleSet, v *vm) func() {
	usual, by := newUsualVMs(), peers[0]
	same := &usual[slices.IndexFunc(usual, func(u vm) bool { return u.name == v.name })]
	switch way {
	case "ToObject":
		return func() { _, _ = vmrules.ToObject(v.typed) }
	case "Marshal and ParseObject":
		return func() {
			text, _ := json.Marshal(v.typed)
			_, _ = vmrules.ParseObject(text)
		}
	case "map[string]any":
		v = same
	case "no options":
		set.validate = nil
	case "Partial":
		set.validate = validatePartly
	case "Ratcheting":
		set.validate, set.forgives = validateUpdate, true
		v = &vm{object: v.object, old: same.object}
	default:
		by = peers[slices.IndexFunc(peers, func(p peer) bool { return p.name == way })]
	}
	if judge, err := by.prepare(set); err == nil {
		return func() { judge.judge(v) }
	}
	return nil
}

type cell struct {
	goal
	vm     string
	calls  [2]func()
	ratios []float64
}

// TestGoals calls both ways of each goal, and compares each set with the hand-written peer. With -goals it
// prints the median, lowest and highest ratio of the runs, and fails if a median misses its goal.
func TestGoals(t *testing.T) {
	sets, all := map[string]ruleSet{}, goals
	for _, set := range allSets {
		sets[set.name] = set
		all = append(all, goal{set.name, "", "vmrules-verdict", 1, "cel-go"})
		if !slices.ContainsFunc(goals, func(g goal) bool { return g.set == set.name && g.other == "hand-written" }) {
			all = append(all, goal{set.name, "", "vmrules", 0, "hand-written"})
		}
	}
	var cells []cell
	for _, g := range all {
		for _, v := range sets[g.set].vms() {
			c := cell{g, v.name, [2]func(){callOf(g.way, sets[g.set], &v), callOf(g.other, sets[g.set], &v)}, nil}
			if strings.HasSuffix(v.name, g.vms) && c.calls[1] != nil { // CEL cannot express all sets
				c.measure(0)
				cells = append(cells, c)
			}
		}
	}
	for i := range len(cells) * *goalRuns {
		cells[i%len(cells)].measure(500 * time.Microsecond)
	}
	for _, c := range cells[:len(cells)*min(*goalRuns, 1)] {
		ratios, verdict := slices.Sorted(slices.Values(c.ratios[1:])), ""
		if c.most > 0 {
			verdict = fmt.Sprintf(", at most %v", c.most)
		}
		if ratios[*goalRuns/2] > c.most && c.most > 0 {
			t.Fail()
			verdict += " MISSED"
		}
		fmt.Printf("%-22s%-15s%-16s/ %-24s%6.3g (%.3g–%.3g)%s\n",
			c.set, c.vm, c.way, c.other, ratios[*goalRuns/2], ratios[0], slices.Max(ratios), verdict)
	}
}

// measure alternates between both ways in short passes, so that both suffer alike from what else the
// machine does, and keeps the ratio of their medians.
func (c *cell) measure(pass time.Duration) {
	var times [2][21]float64
	for i := range 2 * len(times[0]) {
		start, calls := time.Now(), 0
		for ; calls == 0 || calls&(calls-1) != 0 || time.Since(start) < pass; calls++ { // the clock takes long
			c.calls[i%2]()
		}
		times[i%2][i/2] = float64(time.Since(start)) / float64(calls)
	}
	slices.Sort(times[0][:])
	slices.Sort(times[1][:])
	c.ratios = append(c.ratios, times[0][10]/times[1][10])
}
