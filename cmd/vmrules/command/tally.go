package command

import (
	"fmt"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
)

// A tally counts objects by what became of their VMs.
type tally struct {
	Objects       int `json:"objects"`
	Valid         int `json:"valid"`
	NotValid      int `json:"notValid"`
	Exempt        int `json:"exempt,omitempty"`
	NotApplicable int `json:"notApplicable,omitempty"` // those to which none of their rules applies
	Unjudged      int `json:"unjudged,omitempty"`      // by any of the rules that they have, or those of a missing template
	WithoutRules  int `json:"withoutRules"`
	Unusable      int `json:"unusable"` // VMs that cannot be used, or their rules
}

func (t *tally) add(c judged.Class) {
	t.Objects++
	*map[judged.Class]*int{
		judged.Valid: &t.Valid, judged.Invalid: &t.NotValid, judged.Exempt: &t.Exempt, judged.NotApplicable: &t.NotApplicable,
		judged.NotJudged: &t.Unjudged, judged.NoRules: &t.WithoutRules, judged.Unreadable: &t.Unusable,
	}[c]++
}

func (t *tally) String() string {
	text := fmt.Sprintf("%s: %d valid, %d invalid", counted(t.Objects, "object"), t.Valid, t.NotValid)
	for _, rare := range []struct {
		n    int
		what string
	}{{t.Exempt, "exempt"}, {t.NotApplicable, "without a rule that applies"}, {t.Unjudged, "not judged"}} {
		if rare.n > 0 {
			text += fmt.Sprintf(", %d %s", rare.n, rare.what)
		}
	}
	return text + fmt.Sprintf(", %d without rules, %d unreadable", t.WithoutRules, t.Unusable)
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
			t.add(judged.Invalid)
		} else {
			t.add(o.class)
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
