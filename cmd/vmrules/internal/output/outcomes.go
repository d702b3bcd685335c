package output

import (
	"github.com/vmrules/vmrules"
)

// Loud lists the outcomes that need attention.
var Loud = []vmrules.Outcome{vmrules.OutcomeViolated, vmrules.OutcomeUndecided, vmrules.OutcomeWarned, vmrules.OutcomeIgnored}
