package policy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/vmsource"
)

// A Scope says which VirtualMachines policies are about, and what they enforce. With a Template, they
// are about the VMs that name it. Otherwise, they are about those with a copy of the Annotation and,
// without either, about all VMs.
type Scope struct {
	// Name is the name of the policy. One with rules that only warn has this name with -warnings
	// appended.
	Name string
	// Template is the name of a template. The policies are about the VMs that name it by
	// their labels, as vmrules.TemplateOf reads them, and also about VMs with only the
	// label vmrules.TemplateLabel. A name that no label can have is named by annotations.
	Template string
	// Namespace is the namespace of the template. "" stands for any.
	Namespace string
	// Annotation is the text of rules of which VMs may have a copy, as those that are made from a
	// VirtualMachineTemplate do, with parameters filled in. Policies for a Template are not about VMs
	// with other rules of their own, which count for those.
	Annotation string
	// SkipInstancetypes makes a rule true for a VM that names an instance type or a preference which may
	// set a field of the rule. Without it, the rule is false for such a VM, because a policy cannot read
	// what the VM names.
	SkipInstancetypes bool
	// WithoutRatcheting makes the policies validate each update in full. Without it they forgive what a
	// VM violated before, if the update changes nothing that the rule reads.
	WithoutRatcheting bool
	// Partial makes policies without the rules that cannot be translated. Without it, such a
	// rule is an error.
	Partial bool
}

// warningsSuffix ends the names of policies with rules that only warn.
const warningsSuffix = "-warnings"

// check returns an error if the API server would refuse policies because of their scope.
func (s Scope) check() error {
	if longest := s.Name + warningsSuffix; len(longest) > maxName || !subdomain.MatchString(longest) {
		return fmt.Errorf("%q cannot be the name of a policy: a name has at most %d characters, of a-z, 0-9, - and ., and begins and ends with a-z or 0-9, as does each part between dots",
			s.Name, maxName-len(warningsSuffix))
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

// selector returns the labels by which the API server selects VMs that a policy may be about; nil for any
// VM. A selector costs much less than a condition.
func (s Scope) selector() map[string]any {
	if len(s.Template) > maxLabel || !labelValue.MatchString(s.Template) {
		return nil
	}
	return map[string]any{"matchLabels": map[string]any{vmrules.TemplateLabel: s.Template}}
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

// conditions returns the conditions for a VM, which is the value of a variable, to be in the scope. A VM
// must not leave the scope of all VMs by what it says of itself.
func (s Scope) conditions(vm string) []condition {
	var all []condition
	text, own := strings.TrimSpace(s.Annotation), annotationAt(vm, vmrules.Annotation)+`.orValue("").trim()`
	switch {
	case s.Template != "":
		others := []string{`""`}
		if text != "" {
			others = append(others, textLiteral(text))
		}
		all = append(all, condition{"of-the-template", s.ofTemplate(vm)},
			condition{"without-other-rules", own + " in [" + strings.Join(others, ", ") + "]"})
	case text != "":
		all = append(all, condition{"with-the-rules", own + " == " + textLiteral(text)})
	}
	if all != nil {
		all = append(all, condition{"not-exempt", "!" + annotationAt(vm, vmrules.SkipAnnotation) + ".hasValue()"})
	}
	return append(all, condition{"not-being-deleted", "!has(" + vm + ".metadata.deletionTimestamp)"})
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
	name, newer, older := at(vmrules.TemplateLabel), at(vmrules.TemplateNamespaceLabel), at(vmsource.OldTemplateNamespaceLabel)
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
