package output

import (
	"fmt"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
)

// Loud lists the outcomes that need attention.
var Loud = []vmrules.Outcome{vmrules.OutcomeViolated, vmrules.OutcomeUndecided, vmrules.OutcomeWarned, vmrules.OutcomeIgnored}

// Verdicts has the words for what became of VMs.
var Verdicts = map[judged.Class]string{
	judged.Valid: "valid", judged.Invalid: "invalid", judged.Exempt: "exempt", judged.NotApplicable: "no rule applies",
	judged.NotJudged: "not validated", judged.NoRules: "no rules", judged.Unreadable: "unreadable",
}

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
func (t *Tally) Add(c judged.Class) {
	t.Objects++
	*map[judged.Class]*int{
		judged.Valid: &t.Valid, judged.Invalid: &t.NotValid, judged.Exempt: &t.Exempt, judged.NotApplicable: &t.NotApplicable,
		judged.NotJudged: &t.Unjudged, judged.NoRules: &t.WithoutRules, judged.Unreadable: &t.Unusable,
	}[c]++
}

// String returns the counts in a line.
func (t *Tally) String() string {
	text := fmt.Sprintf("%s: %d valid, %d invalid", Counted(t.Objects, "object"), t.Valid, t.NotValid)
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
