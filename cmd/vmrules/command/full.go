package command

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

// installFull installs the build that knows more kinds.
const installFull = "go install github.com/vmrules/vmrules/cmd/vmrules-full@latest"

// documentsOfFull lists the documents that vmrules-full reads as rules, those without a kind
// apart.
var documentsOfFull = []string{"ClusterPolicy.kyverno.io", "Policy.kyverno.io"}

// isOnlyOfFull reports whether vmrules-full knows a kind, and this build does not.
func (b Build) isOnlyOfFull(kind vmrules.Kind) bool {
	_, known := b.Kinds[kind]
	return !known && slices.ContainsFunc(topics(), func(t topic) bool { return t.Group == furtherKind && t.Name == string(kind) })
}

// A leftOut holds the names of what this build leaves to vmrules-full: kinds, or documents.
type leftOut map[string]bool

func (l leftOut) String() string {
	names := slices.Sorted(maps.Keys(l))
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// addKind adds the kind of a rule that is ignored, if vmrules-full knows it.
func (l leftOut) addKind(b Build, kind vmrules.Kind) {
	if !l[string(kind)] && b.isOnlyOfFull(kind) {
		l[string(kind)] = true
	}
}

// addKinds adds the kinds of the rules that are ignored.
func (l leftOut) addKinds(b Build, results []vmrules.Result) {
	for i := range results {
		if results[i].Outcome == vmrules.Ignored {
			l.addKind(b, results[i].Kind)
		}
	}
}

// ignored says in a line that rules of these kinds are ignored; "" if there are none.
func (l leftOut) ignored() string {
	if len(l) == 0 {
		return ""
	}
	return fmt.Sprintf("rules of kind %s are ignored, because only vmrules-full judges them: %s\n", l, installFull)
}

// warn writes the line of ignored as a message.
func (l leftOut) warn(stderr io.Writer) {
	if len(l) > 0 {
		fmt.Fprint(stderr, "vmrules: ", l.ignored())
	}
}

// warnNotLinted writes a message that these documents are not linted.
func (l leftOut) warnNotLinted(stderr io.Writer) {
	if len(l) > 0 {
		fmt.Fprintf(stderr, "vmrules: %s: only vmrules-full lints these as rules: %s\n", l, installFull)
	}
}

// explained corrects the findings in an annotation about rules that only vmrules-full knows, unless they
// are for another program: their kind is not wrong, and their keys cannot be linted.
func (l *linter) explained(findings []lint.Finding, annotation string) []lint.Finding {
	if l.now.profile.name != "" {
		return findings
	}
	isOfFull := map[int]bool{} // by the index of the rule
	for i, f := range findings {
		if f.ID != "unknown-kind" {
			continue
		}
		if kind := textAt(annotation, f.Offset); l.build.isOnlyOfFull(vmrules.Kind(kind)) {
			findings[i].Message = fmt.Sprintf("the kind %q is ignored, because only vmrules-full judges it: %s", kind, installFull)
			isOfFull[f.Index] = true
		}
	}
	return slices.DeleteFunc(findings, func(f lint.Finding) bool { return f.ID == "unknown-key" && isOfFull[f.Index] })
}

// textAt returns the string of JSON at an offset; "" if there is another value.
func textAt(written string, offset int) string {
	var text string
	if offset >= len(written) || json.NewDecoder(strings.NewReader(written[offset:])).Decode(&text) != nil {
		return ""
	}
	return text
}
