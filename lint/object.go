package lint

import (
	"fmt"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/spelling"
	"github.com/vmrules/vmrules/internal/value"
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

// TemplateKey finds a key of a Template that is nearly objects, so that nobody reads the VMs in it. The
// Finding has no place.
func TemplateKey(key string) (Finding, bool) {
	const objects = "objects"
	if key == objects || spelling.Nearest(key, []string{objects}) == "" {
		return Finding{}, false
	}
	f := unplaced("misplaced-annotation", "nobody reads %s in a Template: did you mean %q?", value.Quoted(key), objects)
	f.Suggestion = objects
	return f, true
}

// UndeclaredParameter returns the finding about a parameter in a template that the template
// does not declare, so that its reference is not replaced. The Finding has no place.
func UndeclaredParameter(name string, declared []string) Finding {
	cure := "declare it, or correct its name"
	if meant := nearestParameter(name, declared); meant != "" {
		cure = fmt.Sprintf("did you mean %s?", value.Shortened(meant))
	}
	return unplaced("undeclared-parameter", "the template has no parameter %s: %s", value.Shortened(name), cure)
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
