package vmrules

import (
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/pcre"
)

// Anybody who can write a VM can write its annotation and its fields, so both
// are hostile input. A few limits hold for each thing by itself; they stand
// here, those of numbers in internal/quantity, that of an object's depth in
// internal/value, that of matches in internal/jsonpath, and those of regular
// expressions in internal/pcre. What all things together may take is the Budget
// of a call.
const (
	maxAnnotation = 256 << 10 // bytes: what Kubernetes allows for all annotations of an object
	maxNesting    = 64        // arrays and objects inside each other, in an annotation
	maxRules      = 10_000
	maxBuilt      = 16 << 20 // bytes of rules built in Go, as JSON: a schema may be larger than any annotation
)

// A Budget is what one call may spend: ParseRules, NewRules and RulesFor
// for reading an annotation, all rules of it together; Validate and Resolve, and
// package form, for judging an object, all targets and rules together; ValidateOwn
// for both, all VMs together. What a call cannot pay for is not done: reading
// then has a problem that says so, and judging leaves the rule Undecided.
//
// A field that is 0 or less stands for the default, with which any call ends
// within 2 seconds and 256 MB on two cores, from an annotation of 256 KiB and an
// object of 1.5 MB, and which suffices for 1,000 rules, for 10,000 values of an
// enum, and for lists of 10,000 VMs.
type Budget struct {
	// Work is in units of about a nanosecond.
	Work int
	// Kept is in bytes: what is made of rules, and what a report holds.
	Kept int
}

// WithBudget sets what one call may spend on reading or on judging. The Option is b
// itself, so that a package which does both can find it among its options.
func WithBudget(b Budget) Option { return b }

func (b Budget) changeReading(o *parseOptions) { o.limits = b }
func (b Budget) changeJudging(s *settings)     { s.limits = b }

// meter is the Budget with nothing spent.
func (b Budget) meter() meter.Meter { return meter.OrDefault(b.Work, b.Kept) }

// A budget is what is left of the Budget of a call, and of its time for regular
// expressions that backtrack. It is not safe for concurrent use.
type budget = pcre.Budget

// What steps cost, in units of work. They are measured, and rounded up. The
// prices of JSON are in internal/jsontext, that of a search in internal/jsonpath,
// those of finding VMs in internal/vmtarget.
const (
	textWork    = 10   // a byte of an annotation
	problemWork = 2000 // something that is wrong with a rule, with the words for it
	memberWork  = 10   // a member of an object among which a kind asks for one

	matchWork     = 400  // a value that is found, with its location as text
	violationWork = 1000 // a value that is wrong, with the words for it
)

// What is kept costs, in bytes, apart from its texts.
const (
	pathSize      = 150 // a byte of a path, each of which may be a step
	problemSize   = 350
	valueSize     = 150 // one of the values that are allowed
	resultSize    = 240
	matchSize     = 64
	violationSize = 250
)
