package command

import (
	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules/lint"
)

// A judging is what check and audit have in common.
type judging struct {
	ruling
	book          rulebook
	profile       choice[lint.Profile]
	requireRules  bool
	allowUnjudged bool
	source        string // how to render manifests of which only the description was read
}

func newJudging(b Build) judging {
	return judging{ruling: newRuling(b), book: rulebook{build: b}, profile: newProfile()}
}

func (j *judging) flags(command *cobra.Command) {
	j.ruling.flags(command)
	command.Flags().StringArrayVar(&j.book.files, "rules", nil, "file with the rules to check by, instead of the objects' own rules")
	exclusive(command, "rules", "template")
	command.Flags().BoolVar(&j.requireRules, "require-rules", false, "an object that no rule judges is not valid")
	unjudgedFlag(command, &j.allowUnjudged)
	j.profile.flag(command, "for", "", "also judge VMs as another program would: ssp is KubeVirt's template validator")
	exclusive(command, "for", "rules")
}
