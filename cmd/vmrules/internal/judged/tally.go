package judged

import (
	"fmt"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
)

// A Tally counts objects by what became of their VMs.
type Tally struct {
	Objects       int `json:"objects"`
	Valid         int `json:"valid"`
	NotValid      int `json:"notValid"`
	Exempt        int `json:"exempt,omitempty"`
	NotApplicable int `json:"notApplicable,omitempty"` // those to which none of their rules applies
	Unjudged      int `json:"unjudged,omitempty"`      // by any of the rules that they have, or those of a missing template
	WithoutRules  int `json:"withoutRules"`
	Unusable      int `json:"unusable"` // VMs that cannot be used, or their rules
}

// Add counts an object.
func (t *Tally) Add(c Class) {
	t.Objects++
	*map[Class]*int{
		Valid: &t.Valid, Invalid: &t.NotValid, Exempt: &t.Exempt, NotApplicable: &t.NotApplicable,
		NotJudged: &t.Unjudged, NoRules: &t.WithoutRules, Unreadable: &t.Unusable,
	}[c]++
}

// String returns the counts in a line.
func (t *Tally) String() string {
	text := fmt.Sprintf("%s: %d valid, %d invalid", output.Counted(t.Objects, "object"), t.Valid, t.NotValid)
	for _, rare := range []struct {
		n    int
		what string
	}{{t.Exempt, "exempt"}, {t.NotApplicable, "without a rule that applies"}, {t.Unjudged, "not validated"}} {
		if rare.n > 0 {
			text += fmt.Sprintf(", %d %s", rare.n, rare.what)
		}
	}
	return text + fmt.Sprintf(", %d without rules, %d unreadable", t.WithoutRules, t.Unusable)
}
