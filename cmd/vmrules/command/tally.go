package command

import (
	"fmt"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/unjudged"
)

// A tally counts objects. Those that are unjudged have rules.
type tally struct{ valid, notValid, unjudged, withoutRules, unusable int }

func (t tally) String() string {
	unjudged := ""
	if t.unjudged > 0 {
		unjudged = fmt.Sprintf(", %d not judged", t.unjudged)
	}
	return fmt.Sprintf("%s: %d valid, %d invalid%s, %d without rules, %d unreadable",
		counted(t.valid+t.notValid+t.unjudged+t.withoutRules+t.unusable, "object"), t.valid, t.notValid, unjudged, t.withoutRules, t.unusable)
}

// summary returns the last line of the results for people.
func (c *checker) summary() string {
	switch {
	case c.quiet, c.isUnjudged(), c.checked == nil && c.unusable != nil:
		return ""
	case c.checked == nil:
		return c.nothing() + "\n"
	}
	var t tally
	for _, o := range c.checked {
		switch {
		case o.isUnusable():
			t.unusable++
		case o.isRefusedBySSP():
			t.notValid++
		case o.Unjudged == unjudged.NoRules:
			t.withoutRules++
		case o.Unjudged != "":
			t.unjudged++
		case c.fails(o):
			t.notValid++
		default:
			t.valid++
		}
	}
	return t.String() + c.exclude.String() + "\n"
}

// shows reports whether people need to see an object.
func (c *checker) shows(o checked) bool {
	if c.verbose || o.isUnusable() || c.fails(o) {
		return true
	}
	return !c.quiet && len(o.details(false)) > 0
}
