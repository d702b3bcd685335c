package build

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
)

// InstallFull installs the build that knows more kinds.
const InstallFull = "go install github.com/vmrules/vmrules/cmd/vmrules-full@latest"

// DocumentsOfFull lists the documents that vmrules-full reads as rules, those without a kind
// apart.
var DocumentsOfFull = []string{"ClusterPolicy.kyverno.io", "Policy.kyverno.io"}

// kindsOfFull lists the kinds that vmrules-full knows beyond the format.
var kindsOfFull = []vmrules.Kind{"cel", "pattern", "schema"}

// IsOnlyOfFull reports whether vmrules-full knows a kind, and this build does not.
func (b Build) IsOnlyOfFull(kind vmrules.Kind) bool {
	_, known := b.Kinds[kind]
	return !known && slices.Contains(kindsOfFull, kind)
}

// A LeftOut holds the names of what this build leaves to vmrules-full: kinds, or documents.
type LeftOut map[string]bool

// String returns the names in a list.
func (l LeftOut) String() string {
	names := slices.Sorted(maps.Keys(l))
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// AddKind adds the kind of a rule that is ignored, if vmrules-full knows it.
func (l LeftOut) AddKind(b Build, kind vmrules.Kind) {
	if !l[string(kind)] && b.IsOnlyOfFull(kind) {
		l[string(kind)] = true
	}
}

// AddKinds adds the kinds of the rules that are ignored.
func (l LeftOut) AddKinds(b Build, results []vmrules.Result) {
	for i := range results {
		if results[i].Outcome == vmrules.OutcomeIgnored {
			l.AddKind(b, results[i].Kind)
		}
	}
}

// Ignored says in a line that rules of these kinds are ignored; "" if there are none.
func (l LeftOut) Ignored() string {
	if len(l) == 0 {
		return ""
	}
	return fmt.Sprintf("rules of kind %s are ignored, because only vmrules-full knows them: %s\n", l, InstallFull)
}

// Warn writes the line of ignored as a message.
func (l LeftOut) Warn(stderr io.Writer) {
	if len(l) > 0 {
		fmt.Fprint(stderr, "vmrules: ", l.Ignored())
	}
}

// WarnNotLinted writes a message that these documents are not linted.
func (l LeftOut) WarnNotLinted(stderr io.Writer) {
	if len(l) > 0 {
		fmt.Fprintf(stderr, "vmrules: %s: only vmrules-full lints these as rules: %s\n", l, InstallFull)
	}
}
