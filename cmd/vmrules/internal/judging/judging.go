// Package judging validates VMs by their rules or those of templates, for the subcommands.
package judging

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/deployed"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/instancetypes"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// Options say how check and audit validate.
type Options struct {
	Sources
	Rules           []string // files with the rules to validate by, in place of the objects' own
	For             lint.Profile
	Strict          bool
	WarnIfUndecided []vmrules.Doubt
	AllowUnjudged   []Cause
}

// Flags adds the flags for the options to a command.
func (o *Options) Flags(command *cobra.Command) {
	o.Sources.Flags(command)
	command.Flags().StringArrayVar(&o.Rules, "rules", nil, "file with rules that judge the objects in place of their own")
	cli.Exclusive(command, "rules", "template")
	cli.StrictFlag(command, &o.Strict)
	cli.AnyOf(command, "warn-if-undecided", "only warn about rules that cannot be decided because one of these is missing", &o.WarnIfUndecided, slices.Sorted(maps.Keys(doubts)), doubts)
	causesFlag(command, &o.AllowUnjudged)
	cli.OneOf(command, "for", "", "also judge VMs as another program would: ssp is KubeVirt's template validator", &o.For, "", lint.SSP)
	cli.Exclusive(command, "for", "rules")
}

// A Judging is what check and audit have in common.
type Judging struct {
	Ruling
	Options Options
	Book    Rulebook
	warning vmrules.ValidateOption // the doubts of which a report only warns
	Source  string                 // how to render manifests of which only the description was read
}

// New returns a Judging, which has read nothing.
func New(b build.Build, o Options) Judging {
	warned := o.WarnIfUndecided
	if slices.Contains(o.AllowUnjudged, CauseNoTemplate) {
		warned = append(warned, vmrules.DoubtTemplate)
	}
	return Judging{Ruling: NewRuling(b), Options: o, warning: vmrules.WarnIfUndecided(warned...)}
}

// doubts are the values of --warn-if-undecided.
var doubts = map[string][]vmrules.Doubt{
	"template": {vmrules.DoubtTemplate}, "instancetype": {vmrules.DoubtInstancetype},
	"preference": {vmrules.DoubtPreference}, "parameter": {vmrules.DoubtParameter},
}

// A JudgedObject is what check and audit say of an object.
type JudgedObject struct {
	Judgement
	*instancetypes.Lookup
	SSP *deployed.Verdict // with --for ssp
}

// Judge validates an object whose parameters are filled in, by --rules or, without these, as ruling does. It
// also takes a template as it is written, and as which other program to validate.
func (j *Judging) Judge(filled map[string]any, written manifest.Object, profile lint.Profile) (JudgedObject, error) {
	with := j.With.Set.For(manifest.TextAt(filled, "kind"), manifest.TextAt(filled, "metadata", "namespace"))
	opts := []vmrules.ValidateOption{with.Option(), j.warning}
	all := JudgedObject{Lookup: with}
	var err error
	if j.Options.Rules != nil {
		all.Report = j.Book.Judge(filled, manifest.HoldsVM(filled), opts...)
	} else {
		all.Judgement, err = j.Ruling.Judge(filled, opts...)
	}
	if profile != "" && j.Options.Rules == nil {
		all.SSP = deployed.Judge(filled, written, j.Templates.Content)
	}
	return all, err
}

// MaxKeptWeight is the largest size of all reports, counted in results. A violation counts
// as ten results.
const MaxKeptWeight = 500_000
