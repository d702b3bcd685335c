// Package inside gives the packages of this module what package vmrules shares with them and not with users.
package inside

import (
	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/door"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
)

// Vmrules is what package vmrules shares. Its door.go says what the methods do.
var Vmrules = door.Root.(Root)

// Root has the methods of Vmrules.
type Root interface {
	Parsed(vmrules.Path) *jsonpath.Path
	At(jsonpath.Location) vmrules.Path

	Option(any) vmrules.ParseOption
	Options([]vmrules.ParseOption) (whole meter.Budget, isWhole bool, others []any)
	Read(text string, opts []vmrules.ParseOption, unstrict *meter.Budget, ends map[int]int) (usable []door.Rule[vmrules.Rule], problems, strict []vmrules.Problem)
	Rule(vmrules.Rules, int) (vmrules.Rule, error)
	IsWhole(vmrules.Rules) bool

	Settings([]vmrules.ValidateOption) (isPartial, expands bool, whole meter.Budget)
	Judging(vmrules.Rules, map[string]any, []vmrules.ValidateOption) door.Judging
	Alone(vmrules.Rule, constraint.Set, *jsonpath.Implied, []vmrules.ValidateOption) func(any) []vmrules.Violation
	Filled(vmrules.Rules, int, []door.Argument) vmrules.Rule
}
