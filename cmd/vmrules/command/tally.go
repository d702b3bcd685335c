package command

import (
	"fmt"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
)

// A tally counts objects by what became of their VMs.
type tally map[judged.Class]int

// all returns the number of objects.
func (t tally) all() int {
	all := 0
	for _, n := range t {
		all += n
	}
	return all
}

func (t tally) String() string {
	text := fmt.Sprintf("%s: %d valid, %d invalid", counted(t.all(), "object"), t[judged.Valid], t[judged.Invalid])
	for _, rare := range []struct {
		class judged.Class
		what  string
	}{{judged.Exempt, "exempt"}, {judged.NotApplicable, "without a rule that applies"}, {judged.NotJudged, "not judged"}} {
		if n := t[rare.class]; n > 0 {
			text += fmt.Sprintf(", %d %s", n, rare.what)
		}
	}
	return text + fmt.Sprintf(", %d without rules, %d unreadable", t[judged.NoRules], t[judged.Unreadable])
}

// summary returns the last line of the results for people.
func (c *checker) summary() string {
	switch {
	case c.quiet, c.isUnjudged(), c.checked == nil && c.unusable != nil:
		return ""
	case c.checked == nil:
		return c.nothing() + "\n"
	}
	t := tally{}
	for _, o := range c.checked {
		if o.class == judged.Valid && c.fails(o) || o.SSP.Refuses() && !o.isUnusable() {
			t[judged.Invalid]++
		} else {
			t[o.class]++
		}
	}
	return t.String() + c.exclude.String() + "\n"
}

// shows reports whether people need to see an object.
func (c *checker) shows(o checked) bool {
	if c.verbose || o.isUnusable() || c.fails(o) {
		return true
	}
	return !c.quiet && (len(o.gaps) > 0 || len(o.details(false)) > 0)
}
