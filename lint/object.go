package lint

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/parameter"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/spelling"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmapi"
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
	group, version := groupOf(apiVersion), path.Base(apiVersion)
	meant := meantKind(kind)
	groups := vmtarget.Kinds[meant]
	isRight := apiVersion == "" || slices.Contains(groups, group)
	meantGroup := spelling.Nearest(group, groups)
	var f Finding
	switch {
	case groups == nil:
	case meant == kind && apiVersion != "" && slices.Contains(groups, apiVersion):
		f = unplaced("misspelt-object", "%s is a group without a version, so no rules are read here: write it as %s/VERSION", apiVersion, apiVersion)
		f.Key = "apiVersion"
	case meant != kind && (isRight || meantGroup != ""):
		f = unplaced("misspelt-object", "the kind %s is unknown, so no rules are read here: did you mean %q?", value.Quoted(kind), meant)
		f.Key, f.Suggestion = "kind", meant
	case meant == kind && !isRight && (meantGroup != "" || !strings.Contains(group, ".") || strings.HasSuffix(group, "kubevirt.io")):
		// A group without a dot is one of Kubernetes itself, which has no VMs.
		meantVersion := cmp.Or(meantGroup, groups[0]) + "/" + version
		f = unplaced("misspelt-object", "%s is not in %s, so no rules are read here: did you mean %s?", kind, value.Shortened(apiVersion), meantVersion)
		f.Key, f.Suggestion = "apiVersion", meantVersion
	}
	return f, f.Key != ""
}

// groupOf returns the API group of an apiVersion, which is "" for the core of Kubernetes.
func groupOf(apiVersion string) string { return strings.TrimSuffix(path.Dir(apiVersion), ".") }

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

// UnjudgedTemplate finds an annotation of the VM in a template because of which no rule applies to the VMs that
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
		return unplaced("unjudged-template", "there are no rules here, so no VM that is made from it has any: write some, or remove the annotation"), true
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
	known := []string{vmrules.Annotation, vmrules.SkipAnnotation}
	if ofTemplate {
		known = append(known, vmrules.OldAnnotation)
	}
	if meant := spelling.Nearest(key, known); meant != "" {
		return meant
	}
	group, _, _ := strings.Cut(key, "/")
	isRules := strings.HasPrefix(strings.TrimSpace(text), "[") && strings.Contains(text, `"rule"`)
	isKubeVirt := strings.HasSuffix(group, "kubevirt.io") || key == "rules"
	if isRules && (isKubeVirt || spelling.Nearest(path.Base(key), names) != "") {
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

// TemplateAnnotation returns the finding about rules in the metadata of a template itself, from where no VM has
// them: Annotation, or OldAnnotation on a VirtualMachineTemplate. It takes where those of VMs belong. The Finding
// has no place; its Suggestion is the key that they have there, if they should move.
func TemplateAnnotation(key, home string) Finding {
	const cure = ": write those of VMs to the annotations %s"
	if key == vmrules.Annotation {
		return unplaced("misplaced-annotation", "only the console's form for CPUs reads these rules"+cure, home)
	}
	f := unplaced("misplaced-annotation", "no VM has these rules"+cure+", as %s", home, vmrules.Annotation)
	f.Suggestion = vmrules.Annotation
	return f
}

// maxParameters and maxParameterName limit the comparison of names: templates may come from anywhere.
const (
	maxParameters    = 200
	maxParameterName = 64
)

// UndeclaredParameter returns the finding about a parameter in a template that the template
// does not declare, so that its reference is not replaced, or that virt-template refuses the template. It is an
// error also if a declared name is nearly the same; if not, the reference may be meant for a shell. The Finding
// has no place.
func UndeclaredParameter(name string, declared []string, isRefused bool) Finding {
	effect, cure, short := "", "declare it, or correct its name", value.Shortened(name)
	if isRefused {
		effect, cure = ", so virt-template refuses it", cure+"; in a script, write $"+short
	}
	meant := ""
	if len(name) <= maxParameterName {
		meant = spelling.Nearest(name, declared[:min(len(declared), maxParameters)])
	}
	if meant != "" {
		cure = fmt.Sprintf("did you mean %s?", value.Shortened(meant))
	}
	f := unplaced("undeclared-parameter", "the template has no parameter %s%s: %s", short, effect, cure)
	if meant != "" || isRefused {
		f.Severity = SeverityError
	}
	return f
}

// ObjectFields calls found for what KubeVirt or OpenShift does not read as it is meant in a VM or template:
// a key that is only nearly right or at the wrong level, one item for an array, and a text for a quantity; in the
// VM of a VirtualMachineTemplate, also what virt-template drops or refuses. It
// gives the JSON Pointer of each. The Finding has no place; its Suggestion is the right key, if it has one.
func ObjectFields(object map[string]any, found func(pointer string, f Finding)) {
	fields := fieldsOf(object)
	isProcessed := fields == vmapi.OfKind("VirtualMachineTemplate")
	(&objectSearch{found, maxCompared, isProcessed}).object("", nil, fields, object)
}

// maxCompared is how many names the unknown keys of an object are compared with, all together.
const maxCompared = 50_000

type objectSearch struct {
	report func(pointer string, f Finding)
	room   int // names that may still be compared
	// isProcessed reports whether virt-template makes VMs from the object.
	isProcessed bool
}

func (s *objectSearch) find(at, format string, args ...any) {
	s.report(at, unplaced("misspelt-object", format, args...))
}

// value looks at a value, which should be that of a field in another.
func (s *objectSearch) value(at string, around, f *field, v any) {
	switch v := v.(type) {
	case map[string]any:
		if f.Shape == vmapi.Any {
			f = fieldsOf(v)
		}
		s.object(at, around, f, v)
	case []any:
		if f.Shape == vmapi.Array {
			for i, item := range v {
				s.value(fmt.Sprint(at, "/", i), f, f.Items, item)
			}
		}
	case string:
		meant := quantity.Meant(v)
		if f.Shape == vmapi.Scalar && f.Type.Value().Sort == vmapi.Quantity && meant != nil && meant[0] != v {
			s.find(at, "%s is no quantity: did you mean %q?", value.Quoted(v), meant[0])
		}
	default:
		number, isScalar := value.ScalarOf(v)
		isFraction := isScalar && number.Shape() == value.Number && number.Err() == nil && !number.Number().IsInteger()
		if s.isInVM(at) && f.Shape == vmapi.Scalar && f.Type.Value().Sort == vmapi.Integer && isFraction {
			s.report(at, unplaced("refused-field", "virt-template refuses %s: it must be an integer", number.String()))
		}
	}
}

// inVM begins the place of what is in the VM of a VirtualMachineTemplate.
const inVM = "/spec/virtualMachine/"

// isInVM reports whether virt-template decodes what is at a place.
func (s *objectSearch) isInVM(at string) bool { return s.isProcessed && strings.HasPrefix(at, inVM) }

// virtTemplateLacks is the version whose fields virt-template, which has the API of 1.8, does not have.
const virtTemplateLacks = "1.9"

// lacked looks at a field that KubeVirt 1.8 does not have, and so virt-template neither. What is below
// spec.template.spec reads its own JSON, which is not strict.
func (s *objectSearch) lacked(at, key string) {
	const why = ": KubeVirt 1.8, whose API it has, does not have this field here: remove it, or correct its name"
	id, does := "refused-field", "virt-template refuses %s"
	if strings.HasPrefix(at, inVM+"spec/template/spec/") {
		id, does = "dropped-field", "virt-template drops %s in silence"
	}
	if s.isInVM(at) && !strings.Contains(key, parameter.Mark) {
		s.report(at, unplaced(id, does+why, value.Quoted(key)))
	}
}

// fieldsOf returns the fields of an object by its kind, or that which it nearly is; it knows those that hold VMs.
func fieldsOf(object map[string]any) *field {
	kind, _ := object["kind"].(string)
	version, _ := object["apiVersion"].(string)
	near, isNear := ObjectKind(version, kind)
	if near.Key == "kind" {
		kind = near.Suggestion
	}
	groups := vmtarget.Kinds[kind]
	if groups == nil || !isNear && version != "" && !slices.Contains(groups, groupOf(version)) {
		return &field{Shape: vmapi.Any}
	}
	return vmapi.OfKind(kind)
}

func (s *objectSearch) object(at string, around, f *field, v map[string]any) {
	if f.Shape == vmapi.Array {
		s.find(at, `this must be an array: write "- " before the first key of each item`)
		s.object(at, f, f.Items, v)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		at := at + "/" + jsonpath.PointerEscapes.Replace(key)
		below := f.Member(key)
		switch {
		case below == nil:
			s.unknown(at, f, key, v)
		case s.isInVM(at) && below[0].Since == virtTemplateLacks:
			s.lacked(at, key)
		case f.Shape == vmapi.Map && below[0].Shape == vmapi.Scalar && isMemberOf(around, key, v[key]):
			s.find(at, "%q does not belong in here: indent it less", key)
		default:
			s.value(at, f, below[0], v[key])
		}
	}
}

// isMemberOf reports whether a key in a map of texts is one of the object around it, as annotations among labels.
func isMemberOf(f *field, key string, v any) bool {
	_, isText := v.(string)
	return !isText && f.Members[key] != nil && f.Members[key].Shape != vmapi.Scalar
}

// unknown looks at a key that the object does not have, for one that it lacks, or one of an object below it.
func (s *objectSearch) unknown(at string, f *field, key string, in map[string]any) {
	names := slices.Sorted(maps.Keys(f.Members))
	if s.room -= len(names); s.room < 0 {
		return
	}
	around := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return f.Members[name].Members[key] == nil })
	missing := slices.DeleteFunc(names, func(name string) bool {
		_, isThere := in[name]
		return isThere
	})
	if meant := meantKey(key, missing); meant != "" {
		near := unplaced("misspelt-object", "nobody reads %s: did you mean %q?", value.Quoted(key), meant)
		near.Suggestion = meant
		s.report(at, near)
		s.value(at, f, f.Members[meant], in[key])
		return
	}
	if len(around) == 1 {
		s.find(at, "nobody reads %s here: move it into %q", value.Quoted(key), around[0])
		return
	}
	s.lacked(at, key)
}

// meantKey returns the name that a key nearly is, or of which it is the beginning, perhaps as a plural.
func meantKey(key string, names []string) string {
	if meant := spelling.Nearest(key, names); meant != "" {
		return meant
	}
	begin := strings.TrimSuffix(key, "s")
	for _, name := range names {
		if len(begin) > 3 && strings.HasPrefix(name, begin) { // fewer letters may mean much
			return name
		}
	}
	return ""
}
