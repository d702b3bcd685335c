package bench

import (
	"strings"

	"github.com/vmrules/vmrules"
)

// vmRules is this library.
type vmRules struct {
	set    ruleSet
	opts   []vmrules.ValidateOption
	rules  vmrules.Rules
	report *vmrules.Report
	valid  bool
	found  []vmrules.Violation
}

func newVMRules(set ruleSet) (vmRules, error) {
	rules, err := vmrules.ParseRules(set.annotation())
	return vmRules{set: set, rules: rules}, err
}

func prepareVMRules(set ruleSet) (judge, error) {
	j, err := newVMRules(set)
	return &j, err
}

// judge makes all that the hand-written code makes, if anything is wrong.
func (j *vmRules) judge(vm *vm) {
	j.validate(vm)
	j.found = nil
	if !j.valid || j.set.forgives {
		j.found = append(j.report.Violations(), j.report.Warnings()...)
	}
}

func (j *vmRules) validate(vm *vm) {
	if j.set.validate != nil {
		j.report = j.set.validate(j.rules, vm)
	} else {
		j.report = vmrules.Validate(j.rules, vm.object, j.opts...)
	}
	j.valid = j.report.Valid()
}

// vmRulesVerdict is this library, asked only whether the VM is valid, which is all that CEL says.
type vmRulesVerdict struct{ vmRules }

func prepareVerdict(set ruleSet) (judge, error) {
	j, err := newVMRules(set)
	if strings.Contains(set.annotation(), "[*]") {
		j.opts = []vmrules.ValidateOption{vmrules.FirstViolation()} // as CEL, which stops there
	}
	return &vmRulesVerdict{j}, err
}

func (j *vmRulesVerdict) judge(vm *vm) { j.validate(vm) }

func (j *vmRules) violated() []string {
	found := j.report.Violations()
	if !j.set.forgives {
		found = append(found, j.report.Warnings()...)
	}
	var names []string
	for _, v := range found {
		names = append(names, v.Rule)
	}
	return names
}
