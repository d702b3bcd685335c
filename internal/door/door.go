// Package door has what the packages of this module share and users do not see.
package door

import (
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// Root is what package vmrules shares: an inside.Root, whose methods have types of that package.
var Root any

// A Rule is a vmrules.Rule without problems, with its place in the annotation.
type Rule[R any] struct {
	Rule    R
	Index   int
	Node    jsontext.Node
	Literal constraint.Set // from its kind, and the arguments that are literals
}

// A Judging is a call that validates an object by rules as Validate does, but part by part. Rules
// have their indexes. It is not safe for concurrent use.
type Judging interface {
	// Release ends the call.
	Release()
	// Budget returns what is left.
	Budget() *meter.Budget
	// Targets returns the targets in the object, with their VMs expanded unless KubeVirt would
	// refuse them.
	Targets() []vmtarget.Target
	// Search prepares a search in a target.
	Search(t *vmtarget.Target, v jsonpath.Visitor) jsonpath.Search
	// Doubt returns why a search may not have found everything; nil if it has. isOpen means that
	// the reason is an instance type or preference that is not given.
	Doubt(t *vmtarget.Target, w *jsonpath.Search) (isOpen bool, why error)
	// Implied returns the fields of a target that count even if they are not written.
	Implied(t *vmtarget.Target) *jsonpath.Implied
	// InForce reports whether a rule demands a value at present. If the rule checks no value at
	// all, it also returns the Outcome and why.
	InForce(rule int, t *vmtarget.Target) (demands bool, outcome, note string)
	// Arguments returns what a rule demands of a value, as far as its arguments can be read, and
	// the arguments that have paths.
	Arguments(rule int, t *vmtarget.Target) (constraint.Set, []Argument)
}

// An Argument is what the paths of an argument select.
type Argument struct {
	Key      string
	Literals []value.Scalar
	Note     string // why it could not be read; "" if it was
}
