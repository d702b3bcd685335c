package output

import (
	"github.com/vmrules/vmrules"
)

// Loud lists the outcomes that need attention.
var Loud = []vmrules.Outcome{vmrules.Violated, vmrules.Undecided, vmrules.Warned, vmrules.Ignored}
