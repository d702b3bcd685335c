package lint

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/inside"
	"github.com/vmrules/vmrules/internal/vmapi"
)

// A Profile is a program that also reads the annotation, and for which the rules are
// written. It may not understand all of the format.
type Profile string

// SSP is KubeVirt's template validator, the admission webhook of ssp-operator, as of
// November 2026. The checks whose IDs begin with "ssp-" are about it.
const SSP Profile = "ssp"

// For makes Annotation report rules that a program does not understand as errors, and rules
// that it understands otherwise as warnings. Without For, both are notes, apart from
// ssp-unset, which is not reported. If there are several profiles, the last one counts. ParseRules
// ignores this option.
func For(p Profile) vmrules.ParseOption { return inside.Vmrules.Option(p) }

// sspErrors and sspWarnings are the checks whose findings have this severity only under For(SSP).
var (
	sspErrors = []string{
		"ssp-argument", "ssp-bound", "ssp-field", "ssp-kind", "ssp-path", "ssp-regex", "ssp-unknown-field", "ssp-values",
		"unknown-kind", "misspelt-field", "misplaced-field", "missing-wildcard", "not-an-array", "not-a-scalar", "path-from-vm",
	}
	sspWarnings = []string{
		"ssp-bytes", "ssp-comparison", "ssp-just-warning", "ssp-key-case", "ssp-no-argument", "ssp-regex-path", "ssp-rounding",
		"unknown-field",
	}
)

// KubeVirt makes Annotation report fields that a version of KubeVirt lacks although a newer one has them. It
// takes one of KubeVirtVersions, or "" for the newest; if there are several, the last one counts. ParseRules
// ignores this option.
func KubeVirt(version string) vmrules.ParseOption { return inside.Vmrules.Option(kubevirt(version)) }

// KubeVirtVersions returns the versions of KubeVirt whose fields are known, the oldest first.
func KubeVirtVersions() []string { return slices.Clone(vmapi.Versions) }

type kubevirt string

// takeOptions takes the options of this package, and reports what they name that does not exist.
func (l *linter) takeOptions(others []any) {
	for _, other := range others {
		switch other := other.(type) {
		case Profile:
			l.profile = other
		case kubevirt:
			l.takeKubeVirt(string(other))
		}
	}
	if l.profile != "" && l.profile != SSP {
		l.refuse("unknown-profile", "there is no profile %q: use %q", l.profile, SSP)
	}
}

func (l *linter) takeKubeVirt(version string) {
	l.newer = nil
	if i := slices.Index(vmapi.Versions, version); i >= 0 {
		l.newer = vmapi.Versions[i+1:]
	} else if version != "" {
		l.refuse("unknown-kubevirt", "the fields of KubeVirt %q are not known: use %s", version, strings.Join(vmapi.Versions, " or "))
	}
}

func (l *linter) refuse(id, format string, args ...any) {
	f := unplaced(id, format, args...)
	f.Refuses = true
	l.findings = append(l.findings, f)
}

// isUnusable reports whether a check finds what the program of For cannot use.
func (l *linter) isUnusable(id string) bool {
	return l.profile == SSP && slices.Contains(sspErrors, id)
}

// severityOf returns the severity of a check.
func (l *linter) severityOf(id string) Severity {
	switch {
	case l.isUnusable(id):
		return SeverityError
	case l.profile == SSP && slices.Contains(sspWarnings, id):
		return SeverityWarning
	}
	return severities[id]
}
