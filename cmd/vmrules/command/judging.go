package command

import (
	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/deployed"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/instancetypes"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
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

// A judgedObject is what check and audit say of an object.
type judgedObject struct {
	judgement
	*instancetypes.Lookup
	ssp *deployed.Verdict // with --for ssp
}

// judge judges an object whose parameters are filled in, by --rules or, without these, as ruling does. It
// also takes a template as it is written.
func (j *judging) judge(filled map[string]any, written manifest.Object) (judgedObject, error) {
	with := j.with.set.For(manifest.TextAt(filled, "kind"), manifest.TextAt(filled, "metadata", "namespace"))
	opts := []vmrules.ValidateOption{with.Option(), vmrules.WarnIfUndecided(j.warning.chosen...)}
	all := judgedObject{Lookup: with}
	var err error
	if j.book.isGiven() {
		all.Report = j.book.judge(filled, manifest.HoldsVM(filled), opts...)
	} else {
		all.judgement, err = j.ruling.judge(filled, opts...)
	}
	if j.profile.name != "" {
		all.ssp = sspVerdict(filled, written, &j.ruling)
	}
	return all, err
}
