package command

import "fmt"

// A tally counts objects.
type tally struct{ valid, notValid, withoutRules, unusable int }

func (t tally) String() string {
	return fmt.Sprintf("%s: %d valid, %d invalid, %d without rules, %d unreadable",
		counted(t.valid+t.notValid+t.withoutRules+t.unusable, "object"), t.valid, t.notValid, t.withoutRules, t.unusable)
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
		case o.hasNoRules && !o.isRefusedBySSP():
			t.withoutRules++
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
