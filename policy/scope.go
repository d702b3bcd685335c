package policy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vmrules/vmrules"
)

// A Scope says which VirtualMachines policies are about, and what they enforce.
type Scope struct {
	// Name is the name of the policy. Further policies have this name with -warnings,
	// -by-annotation or both appended.
	Name string
	// Template is the name of a template. The policies are about the VMs that name it by
	// their labels, as vmrules.TemplateOf reads them, and also about VMs with only the
	// label vmrules.TemplateLabel. "" stands for all VMs. A name that no label can have
	// is named by annotations.
	Template string
	// Namespace is the namespace of the template. "" stands for any.
	Namespace string
	// Annotation is the text of the template's rules, of which its VMs may have a copy. A
	// VM with other rules of its own is judged by those, so policies are not about it.
	Annotation string
	// ByAnnotation adds policies about the VMs that name the template by their annotations.
	// The API server evaluates them for each VM without the template's label, which takes time.
	ByAnnotation bool
	// NoRatcheting makes the policies judge each update in full. Without it they forgive what a
	// VM violated before, if the update changes nothing that the rule reads.
	NoRatcheting bool
	// Partial makes policies without the rules that cannot be translated. Without it, such a
	// rule is an error.
	Partial bool
}

// The ends of the names of policies: of those about VMs that name the template by annotations, and
// behind that, of those with rules that only warn.
const (
	byAnnotationSuffix = "-by-annotation"
	warningsSuffix     = "-warnings"
)

// check returns an error if the API server would refuse policies because of their scope.
func (s Scope) check() error {
	if longest := s.Name + byAnnotationSuffix + warningsSuffix; len(longest) > maxName || !subdomain.MatchString(longest) {
		return fmt.Errorf("%q cannot be the name of a policy: a name has at most %d characters, of a-z, 0-9, - and ., and begins and ends with a-z or 0-9, as does each part between dots",
			s.Name, maxName-len(byAnnotationSuffix+warningsSuffix))
	}
	if n := utf8.RuneCountInString(s.wasInScope()); n > maxExpression {
		return fmt.Errorf("the conditions for a VM to be in the scope have %d characters, more than the %d that the API server reads: the annotation or the name of the template is too long", n, maxExpression)
	}
	return nil
}

// subdomain matches what Kubernetes documents as a DNS subdomain name, apart from its length.
var subdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// labelValue matches what can be the value of a label, other than "", apart from its length.
var labelValue = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`)

// selectors returns the labels by which the API server selects VMs that a policy may be about, and
// for ByAnnotation those for a second policy. A selector costs much less than a condition. It is nil
// for all VMs.
func (s Scope) selectors() []map[string]any {
	if len(s.Template) > maxLabel || !labelValue.MatchString(s.Template) {
		return []map[string]any{nil}
	}
	all := []map[string]any{{"matchLabels": map[string]any{vmrules.TemplateLabel: s.Template}}}
	if s.ByAnnotation {
		all = append(all, map[string]any{"matchExpressions": []any{
			map[string]any{"key": vmrules.TemplateLabel, "operator": "NotIn", "values": []any{s.Template}},
		}})
	}
	return all
}

// wasInScope returns the expression for the VM to have been in the scope before an update.
func (s Scope) wasInScope() string {
	all := []string{"oldObject != null"} // it is null for a new VM
	for _, c := range s.conditions("oldObject") {
		all = append(all, c.expression)
	}
	return strings.Join(all, " &&\n")
}

// A condition is a matchCondition of a policy, or a variable.
type condition struct{ name, expression string }

func (c condition) document() map[string]any {
	return map[string]any{"name": c.name, "expression": c.expression}
}

// conditions returns the conditions for a VM, which is the value of a variable, to be in the scope.
func (s Scope) conditions(vm string) []condition {
	var all []condition
	if s.Template != "" {
		all = append(all, condition{"of-the-template", s.ofTemplate(vm)})
	}
	own := []string{`""`}
	if text := strings.TrimSpace(s.Annotation); text != "" {
		own = append(own, textLiteral(text))
	}
	return append(all,
		condition{"without-other-rules", annotationAt(vm, vmrules.Annotation) + `.orValue("").trim() in [` + strings.Join(own, ", ") + "]"},
		condition{"not-exempt", "!" + annotationAt(vm, vmrules.SkipAnnotation) + ".hasValue()"},
		condition{"not-being-deleted", "!has(" + vm + ".metadata.deletionTimestamp)"},
	)
}

// textLiteral returns a text as a string literal of CEL, with its line breaks if possible.
func textLiteral(text string) string {
	lines := strings.ReplaceAll(text, "\n", "")
	if !isPrintable(lines) || strings.Contains(text, "'''") || strings.HasSuffix(text, "'") {
		return strconv.Quote(text)
	}
	return "r'''" + text + "'''"
}

func annotationAt(vm, key string) string {
	return vm + ".metadata.?annotations[?" + strconv.Quote(key) + "]"
}

// ofTemplate returns the condition that a VM names the template: by the first of its labels and
// annotations that have a name and a namespace, as for vmrules.TemplateOf, or else by its labels.
func (s Scope) ofTemplate(vm string) string {
	at := func(key string) string { return "m[?" + strconv.Quote(key) + `].orValue("")` }
	name, newer, older := at(vmrules.TemplateLabel), at(vmrules.TemplateNamespaceLabel), at(vmrules.OldTemplateNamespaceLabel)
	named := name + " == " + strconv.Quote(s.Template)
	if s.Namespace != "" {
		named += " && [" + newer + ", " + older + ", " + strconv.Quote(s.Namespace) + `].filter(n, n != "")[0] == ` + strconv.Quote(s.Namespace)
	}
	return "[" + vm + ".metadata.?labels.orValue({}), " + vm + ".metadata.?annotations.orValue({})]" +
		"\n  .filter(m, " + name + ` != "" && (` + newer + ` != "" || ` + older + ` != ""))[?0]` +
		"\n  .or(" + vm + ".metadata.?labels)" +
		"\n  .optMap(m, " + named + ")" +
		"\n  .orValue(false)"
}
