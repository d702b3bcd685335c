package bench

import "github.com/vmrules/vmrules"

// vmRules is this library.
type vmRules struct {
	rules  vmrules.Rules
	report *vmrules.Report
}

func prepareVMRules(set ruleSet) (judge, error) {
	rules, err := vmrules.ParseRules(set.annotation())
	return &vmRules{rules: rules}, err
}

func (j *vmRules) judge(vm map[string]any) { j.report = vmrules.Validate(j.rules, vm) }

func (j *vmRules) violated() []string {
	var names []string
	for _, v := range append(j.report.Violations(), j.report.Warnings()...) {
		names = append(names, v.Rule)
	}
	return names
}
