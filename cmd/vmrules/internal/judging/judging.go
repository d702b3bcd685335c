// Package judging judges VMs by their rules or those of templates, for the subcommands.
package judging

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/deployed"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/instancetypes"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// Options say how check and audit judge.
type Options struct {
	Sources
	Rules           []string // files with the rules to judge by, in place of the objects' own
	For             lint.Profile
	Strict          bool
	WarnIfUndecided []vmrules.Doubt
	AllowUnjudged   []cli.Cause
}

// Allows reports whether a gap is allowed.
func (o *Options) Allows(g judged.Gap) bool {
	cause := cli.CauseUndecided
	switch {
	case g.LacksRules():
		cause = cli.CauseNoRules
	case g.Coverage == vmrules.CoverageNoTemplate, g.Doubt == vmrules.DoubtTemplate:
		cause = cli.CauseNoTemplate
	case g.Coverage == vmrules.CoverageIgnored:
		cause = cli.CauseIgnored
	}
	return slices.Contains(o.AllowUnjudged, cause)
}

// AllowsNothing reports whether it is allowed that there is nothing to judge.
func (o *Options) AllowsNothing() bool { return slices.Contains(o.AllowUnjudged, cli.CauseNothing) }

// warnings returns the doubts of which a report only warns.
func (o *Options) warnings() []vmrules.Doubt {
	if slices.Contains(o.AllowUnjudged, cli.CauseNoTemplate) {
		return append(o.WarnIfUndecided, vmrules.DoubtTemplate)
	}
	return o.WarnIfUndecided
}

// Flags adds the flags for the options to a command.
func (o *Options) Flags(command *cobra.Command) {
	o.Sources.Flags(command)
	command.Flags().StringArrayVar(&o.Rules, "rules", nil, "file with the rules to check by, instead of the objects' own rules")
	cli.Exclusive(command, "rules", "template")
	cli.StrictFlag(command, &o.Strict)
	command.Flags().Var((*doubtsFlag)(&o.WarnIfUndecided), "warn-if-undecided", "only warn of rules that cannot be judged because this is missing")
	cli.CausesFlag(command, &o.AllowUnjudged)
	cli.ProfileFlag(command, &o.For, "also judge VMs as another program would: ssp is KubeVirt's template validator")
	cli.Exclusive(command, "for", "rules")
}

// A Judging is what check and audit have in common.
type Judging struct {
	Ruling
	Options Options
	Book    Rulebook
	warning vmrules.ValidateOption // the doubts of which a report only warns
	Source  string // how to render manifests of which only the description was read
}

// New returns a Judging, which has read nothing.
func New(b build.Build, o Options) Judging {
	return Judging{Ruling: NewRuling(b), Options: o, Book: Rulebook{Build: b}, warning: vmrules.WarnIfUndecided(o.warnings()...)}
}

// doubtsFlag is a flag that takes any number of doubts.
type doubtsFlag []vmrules.Doubt

var doubts = map[string]vmrules.Doubt{
	"template": vmrules.DoubtTemplate, "instancetype": vmrules.DoubtInstancetype,
	"preference": vmrules.DoubtPreference, "parameter": vmrules.DoubtParameter,
}

func (*doubtsFlag) String() string { return "" }

func (*doubtsFlag) Type() string { return strings.Join(slices.Sorted(maps.Keys(doubts)), "|") }

func (f *doubtsFlag) Set(names string) error {
	for name := range strings.SplitSeq(names, ",") {
		doubt, ok := doubts[name]
		if !ok {
			return fmt.Errorf("must be one of %s", strings.ReplaceAll(f.Type(), "|", ", "))
		}
		*f = append(*f, doubt)
	}
	return nil
}

// A JudgedObject is what check and audit say of an object.
type JudgedObject struct {
	Judgement
	*instancetypes.Lookup
	Ssp *deployed.Verdict // with --for ssp
}

// Judge judges an object whose parameters are filled in, by --rules or, without these, as ruling does. It
// also takes a template as it is written, and as which other program to judge.
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
		all.Ssp = SspVerdict(filled, written, &j.Ruling)
	}
	return all, err
}
