package vmrules

import (
	"cmp"
	"time"

	"github.com/vmrules/vmrules/internal/meter"
)

// Anybody who can write a VM can write its annotation and its fields, so both
// are hostile input. Some limits apply to each thing separately. They are here;
// in internal/quantity for numbers, internal/value for the depth of an object,
// internal/jsonpath for matches, and internal/pcre for regular expressions. The
// Budget of a call limits everything together.
const (
	maxAnnotation = 256 << 10 // bytes, which Kubernetes allows for all annotations of an object
	maxNesting    = 64        // levels of arrays and objects in an annotation
	maxRules      = 10_000
	maxBuilt      = 16 << 20 // bytes of JSON, for rules built in Go: a schema may be larger than any annotation
)

// A Budget is what one call may spend. ParseRules, NewRules and RulesFor spend it on
// reading all rules of an annotation. Validate and package form spend it on judging an
// object, with all its targets and rules. ValidateOwn spends one Budget on reading and
// judging all VMs. What a call cannot pay for is not done: reading then reports a problem,
// and judging leaves the rule Undecided.
//
// Work or Kept that is 0 or less means the default. With the default, any call ends within
// 2 seconds and 256 MB on two cores, for an annotation of 256 KiB and an object of
// 1.5 MB. It is enough for 1,000 rules, for 10,000 values of an enum, and for lists of
// 10,000 VMs.
type Budget struct {
	// Work is the work of the call, in units of about a nanosecond.
	Work int
	// Kept is the memory that the rules and the report hold, in bytes.
	Kept int
	// Backtracking is how long all regular expressions that backtrack may take together when
	// an object is judged. The default is 500 ms; less than 0 is no time. The last of them may
	// take 200 ms longer. Most regular expressions do not backtrack: they need none of this
	// time, and pay from Work.
	//
	// As many calls as there are cores match those that backtrack at the same time. The time
	// does not run for calls that wait for them; after a second of waiting, the rule is
	// Undecided.
	Backtracking time.Duration
}

// WithBudget sets what one call may spend on reading or on judging.
func WithBudget(b Budget) Option { return b }

func (b Budget) changeReading(o *parseOptions) { o.limits = b }
func (b Budget) changeJudging(s *settings)     { s.limits = b }

// A budget is what a call has left of its Budget. It is not safe for concurrent use.
type budget = meter.Budget

// whole returns the Budget with nothing spent.
func (b Budget) whole() budget {
	return budget{Meter: meter.OrDefault(b.Work, b.Kept), Backtracking: cmp.Or(b.Backtracking, 500*time.Millisecond)}
}

// The cost of each step, in units of work, measured and rounded up. Package
// internal/jsontext has the costs of JSON, internal/jsonpath those of a search, and
// internal/vmtarget those of finding VMs.
const (
	textWork    = 10   // a byte of an annotation
	problemWork = 2000 // a problem of a rule, with its message
	memberWork  = 10   // a member of an object in which a kind looks for a key

	matchWork     = 400  // a value that a path selects, with its location as text
	violationWork = 1000 // a value that is wrong, with its message
)

// The memory that each thing keeps, in bytes, apart from its texts.
const (
	pathSize      = 150 // a byte of a path, since each may be a step
	problemSize   = 350
	valueSize     = 150 // one of the values that are allowed
	resultSize    = 240
	matchSize     = 64
	violationSize = 250
)
