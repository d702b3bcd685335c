package command

import (
	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

// A judging is what check and audit have in common.
type judging struct {
	ruling
	book          rulebook
	profile       choice[lint.Profile]
	strict        bool
	warning       choices[vmrules.Doubt]
	allowUnjudged bool
	source        string // how to render manifests of which only the description was read
}

func newJudging(b Build) judging {
	return judging{ruling: newRuling(b), book: rulebook{build: b}, profile: newProfile(), warning: choices[vmrules.Doubt]{choice: choice[vmrules.Doubt]{options: map[string]vmrules.Doubt{
		"template": vmrules.DoubtTemplate, "instancetype": vmrules.DoubtInstancetype,
		"preference": vmrules.DoubtPreference, "parameter": vmrules.DoubtParameter,
	}}}}
}

func (j *judging) flags(command *cobra.Command) {
	j.ruling.flags(command)
	command.Flags().StringArrayVar(&j.book.files, "rules", nil, "file with the rules to check by, instead of the objects' own rules")
	exclusive(command, "rules", "template")
	strictFlag(command, &j.strict)
	command.Flags().Var(&j.warning, "warn-if-undecided", "only warn of rules that cannot be judged because this is missing")
	unjudgedFlag(command, &j.allowUnjudged)
	j.profile.flag(command, "for", "", "also judge VMs as another program would: ssp is KubeVirt's template validator")
	exclusive(command, "for", "rules")
}

// judge judges an object by --rules or, without these, as ruling does.
func (j *judging) judge(object map[string]any, holdsVM bool, with vmrules.ValidateOption) (judgement, error) {
	opts := []vmrules.ValidateOption{with, vmrules.WarnIfUndecided(j.warning.chosen...)}
	if j.book.isGiven() {
		return judgement{Report: j.book.judge(object, holdsVM, opts...)}, nil
	}
	return j.ruling.judge(object, opts...)
}

// strictFlag adds the flag that makes a command fail for what no rule judged.
func strictFlag(command *cobra.Command, strict *bool) {
	command.Flags().BoolVar(strict, "strict", false, "also fail for a VM that no rule judges, unless it is exempt or none of its rules applies")
}

// andStrict ends messages that nothing judged a VM.
const andStrict = ", and --strict is given"
