package lint

import (
	"cmp"
	"fmt"

	"github.com/vmrules/vmrules"
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
func For(p Profile) vmrules.ParseOption { return insides.Option(p) }

// profileSeverities has the severities that differ under each profile.
var profileSeverities = map[Profile]map[string]Severity{
	SSP: {
		"ssp-argument": SeverityError,
		"ssp-bound":    SeverityError,
		"ssp-field":    SeverityError,
		"ssp-kind":     SeverityError,
		"ssp-path":     SeverityError,
		"ssp-regex":    SeverityError,
		"ssp-values":   SeverityError,

		"unknown-kind":     SeverityError,
		"misspelt-field":   SeverityError,
		"misplaced-field":  SeverityError,
		"missing-wildcard": SeverityError,
		"not-an-array":     SeverityError,
		"not-a-scalar":     SeverityError,
		"path-from-vm":     SeverityError,

		"ssp-bytes":        SeverityWarning,
		"ssp-comparison":   SeverityWarning,
		"ssp-just-warning": SeverityWarning,
		"ssp-key-case":     SeverityWarning,
		"ssp-no-argument":  SeverityWarning,
		"ssp-regex-path":   SeverityWarning,
		"ssp-rounding":     SeverityWarning,
		"unknown-field":    SeverityWarning,
	},
}

// takeProfile takes the profile from the options, and reports one that does not exist.
func (l *linter) takeProfile(others []any) {
	for _, other := range others {
		if p, ok := other.(Profile); ok {
			l.profile = p
		}
	}
	if profileSeverities[l.profile] == nil && l.profile != "" {
		l.findings = append(l.findings, Finding{
			Severity: SeverityError, ID: "unknown-profile", Index: -1, Refuses: true,
			Message: fmt.Sprintf("there is no profile %q: use %q", l.profile, SSP),
		})
	}
}

// severityOf returns the severity of a check.
func (l *linter) severityOf(id string) Severity {
	return cmp.Or(profileSeverities[l.profile][id], severities[id])
}
