package bench

import "github.com/vmrules/vmrules"

// vmRules is this library.
type vmRules struct {
	rules  vmrules.Rules
	report *vmrules.Report
	valid  bool
	found  []vmrules.Violation
}

func prepareVMRules(set ruleSet) (judge, error) {
	rules, err := vmrules.ParseRules(set.annotation())
	return &vmRules{rules: rules}, err
}

// judge makes all that the hand-written code makes, if anything is wrong.
func (j *vmRules) judge(vm map[string]any) {
	j.report, j.found = vmrules.Validate(j.rules, vm), nil
	if j.valid = j.report.Valid(); !j.valid {
		j.found = append(j.report.Violations(), j.report.Warnings()...)
	}
}

// vmRulesVerdict is this library, asked only whether the VM is valid, which is all that CEL says.
type vmRulesVerdict struct{ vmRules }

func prepareVerdict(set ruleSet) (judge, error) {
	rules, err := vmrules.ParseRules(set.annotation())
	return &vmRulesVerdict{vmRules{rules: rules}}, err
}

func (j *vmRulesVerdict) judge(vm map[string]any) {
	j.report = vmrules.Validate(j.rules, vm)
	j.valid = j.report.Valid()
}

func (j *vmRules) violated() []string {
	var names []string
	for _, v := range append(j.report.Violations(), j.report.Warnings()...) {
		names = append(names, v.Rule)
	}
	return names
}
