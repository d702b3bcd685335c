package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/spelling"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// AnnotationKey finds an annotation of an object whose key is nearly that of the rules, so that
// nobody reads it. It takes the key and the value of an annotation, and whether it is one of a
// template itself, which may have OldAnnotation. The Finding has no place. It returns false if
// the key is right, or means something else.
func AnnotationKey(key, text string, ofTemplate bool) (Finding, bool) {
	meant := meantAnnotation(key, text, ofTemplate)
	if meant == "" || meant == key {
		return Finding{}, false
	}
	f := unplaced("misspelt-annotation", "the annotation %s is not read: did you mean %s?", value.Quoted(key), meant)
	f.Suggestion = meant
	return f, true
}

// ObjectKind finds an object that is not read as a VM or template because its kind or its API group is only
// nearly right. The Key of the Finding says which, "kind" or "apiVersion"; it has no place.
func ObjectKind(apiVersion, kind string) (Finding, bool) {
	group, version := groupOf(apiVersion)
	meant := meantKind(kind)
	groups := vmtarget.Kinds[meant]
	isRight := version == "" || slices.Contains(groups, group)
	meantGroup := spelling.Nearest(group, groups)
	switch {
	case groups == nil:
		return Finding{}, false
	case meant != kind && (isRight || meantGroup != ""):
		f := unplaced("misspelt-object", "the kind %s is unknown, so no rules are read here: did you mean %q?", value.Quoted(kind), meant)
		f.Key, f.Suggestion = "kind", meant
		return f, true
	case meant == kind && !isRight && (meantGroup != "" || !strings.Contains(group, ".") || strings.HasSuffix(group, "kubevirt.io")):
		// A group without a dot is one of Kubernetes itself, which has no VMs.
		meantVersion := cmp.Or(meantGroup, groups[0]) + "/" + version
		f := unplaced("misspelt-object", "%s is not in %s, so no rules are read here: did you mean %s?", kind, value.Shortened(apiVersion), meantVersion)
		f.Key, f.Suggestion = "apiVersion", meantVersion
		return f, true
	}
	return Finding{}, false
}

// groupOf returns the API group of an apiVersion, which is "" for Kubernetes' core, and its version.
func groupOf(apiVersion string) (group, version string) {
	if group, version, hasGroup := strings.Cut(apiVersion, "/"); hasGroup {
		return group, version
	}
	return "", apiVersion
}

// meantKind returns the kind of VMs or templates that a word is or probably means; "" if none.
func meantKind(word string) string {
	switch strings.ToUpper(word) {
	case "VM":
		return "VirtualMachine"
	case "VMI":
		return "VirtualMachineInstance"
	}
	return spelling.Nearest(word, slices.Sorted(maps.Keys(vmtarget.Kinds)))
}

// UnjudgedTemplate finds an annotation of the VM in a template because of which nothing judges the VMs that
// are made from it: one without rules, or SkipAnnotation. It takes its key and text, and that of the rules of the
// template itself, which a blank one does not replace. The Finding has no place.
func UnjudgedTemplate(key, text, ofTemplate string) (Finding, bool) {
	text, ofTemplate = strings.TrimSpace(text), strings.TrimSpace(ofTemplate)
	inside, isArray := strings.CutPrefix(text, "[")
	isEmpty := text == "" && ofTemplate == "" || isArray && strings.TrimSpace(inside) == "]"
	switch {
	case key == vmrules.SkipAnnotation:
		return unplaced("unjudged-template", "%s exempts the VM, and all that are made from it, from every rule: remove it", key), true
	case key == vmrules.Annotation && isEmpty:
		return unplaced("unjudged-template", "there are no rules here, so nothing judges the VM, and all that are made from it: write some, or remove the annotation"), true
	}
	return Finding{}, false
}

// FoldedText returns the finding about a string of JSON in which YAML's > has turned a line end into a blank.
// It has no place.
func FoldedText() Finding {
	return unplaced("folded-text", `YAML's > joins the lines of this text: write | instead, and \n where a line of the text ends`)
}

// unplaced returns a finding that is not about a rule. It has no place.
func unplaced(id, format string, args ...any) Finding {
	return Finding{Severity: severities[id], ID: id, Index: -1, Message: fmt.Sprintf(format, args...)}
}

// meantAnnotation returns the key that a key of an annotation probably means, which may be the
// key itself; "" if that is none of the format.
func meantAnnotation(key, text string, ofTemplate bool) string {
	if ofTemplate {
		if meant := spelling.Nearest(key, []string{vmrules.OldAnnotation}); meant != "" {
			return meant
		}
	}
	if meant := spelling.Nearest(key, []string{vmrules.Annotation, vmrules.SkipAnnotation}); meant != "" {
		return meant
	}
	group, name, hasGroup := strings.Cut(key, "/")
	if !hasGroup {
		name = key
	}
	isRules := strings.HasPrefix(strings.TrimSpace(text), "[") && strings.Contains(text, `"rule"`)
	isKubeVirt := strings.HasSuffix(group, "kubevirt.io") || name == "rules" && !hasGroup
	if isRules && (isKubeVirt || spelling.Nearest(name, names) != "") {
		return vmrules.Annotation
	}
	return ""
}

// names are those that an annotation of rules is given.
var names = []string{vmrules.OldAnnotation, "validation-rules", "vm-validations"}

// MisplacedAnnotation returns the finding about the annotation with rules at a place where nobody
// reads it. Home says where the annotations are that it belongs to. The Finding has no place.
func MisplacedAnnotation(home string) Finding {
	return unplaced("misplaced-annotation", "nobody reads %s here: move it to the annotations %s", vmrules.Annotation, home)
}

// UndeclaredParameter returns the finding about a parameter in a template that the template
// does not declare, so that its reference is not replaced. It takes whether that is all of a value; otherwise it
// may be meant for a shell. The Finding has no place.
func UndeclaredParameter(name string, declared []string, isWhole bool) Finding {
	cure := "declare it, or correct its name"
	meant := nearestParameter(name, declared)
	if meant != "" {
		cure = fmt.Sprintf("did you mean %s?", value.Shortened(meant))
	}
	f := unplaced("undeclared-parameter", "the template has no parameter %s: %s", value.Shortened(name), cure)
	if meant != "" || isWhole {
		f.Severity = SeverityError
	}
	return f
}

// IsNearParameter reports whether a name is nearly that of a declared parameter. In a script,
// other names are usually variables of its own.
func IsNearParameter(name string, declared []string) bool {
	return nearestParameter(name, declared) != ""
}

// maxParameters and maxParameterName limit the comparison of names: templates may come from
// anywhere.
const (
	maxParameters    = 200
	maxParameterName = 64
)

func nearestParameter(name string, declared []string) string {
	if len(name) > maxParameterName {
		return ""
	}
	return spelling.Nearest(name, declared[:min(len(declared), maxParameters)])
}
