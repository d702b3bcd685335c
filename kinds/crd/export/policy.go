package export

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/vmrules/vmrules"
)

// A Scope says which VirtualMachines policies are about.
type Scope struct {
	// Template is the name of a template. The policies are about the VMs that name it by
	// their labels, as vmrules.TemplateOf reads them, and also about VMs with only the
	// label vmrules.TemplateLabel. "" stands for all VMs. A name that no label can have
	// is named by annotations.
	Template string
	// ByAnnotation adds policies about the VMs that name the template by their annotations.
	// The API server evaluates them for each VM without the template's label, which takes time.
	ByAnnotation bool
	// NoRatcheting makes the policies judge each update in full. Without it they forgive what a
	// VM violated before, if the update changes nothing that the rule reads.
	NoRatcheting bool
	// Namespace is the namespace of the template. "" stands for any.
	Namespace string
	// Annotation is the text of the template's rules, of which its VMs may have a copy. A
	// VM with other rules of its own is judged by those, so policies are not about it.
	Annotation string
}

// A Policy is a ValidatingAdmissionPolicy and its binding.
type Policy struct {
	Policy  *admissionv1.ValidatingAdmissionPolicy
	Binding *admissionv1.ValidatingAdmissionPolicyBinding
}

// The ends of the names of policies: of those about VMs that name the template by annotations, and
// behind that, of those with rules that only warn.
const (
	byAnnotationSuffix = "-by-annotation"
	warningsSuffix     = "-warnings"
)

// Policies returns the policies that enforce Policy and Warnings in a scope: at most one that
// denies, with the given name, and one that warns, and the same again for ByAnnotation. Without
// rules there are none. Like vmrules.RulesFor, they exempt VMs with vmrules.SkipAnnotation, and VMs
// that are being deleted.
//
// It returns an error if the name is not that of a Kubernetes object, or if a condition does not
// compile because the annotation is too long.
func (out Translation) Policies(name string, s Scope) ([]Policy, error) {
	if wrong := validation.IsDNS1123Subdomain(name + byAnnotationSuffix + warningsSuffix); wrong != nil {
		return nil, fmt.Errorf("%q cannot be the name of a policy: %s", name, strings.Join(wrong, "; "))
	}
	conditions := s.conditions("object")
	for _, c := range conditions {
		if err := checkPolicy(c.Expression); err != nil {
			return nil, fmt.Errorf("the condition %s: %w", c.Name, err)
		}
	}
	var all []Policy
	for i, selector := range s.selectors() {
		suffix := []string{"", byAnnotationSuffix}[i]
		if len(out.Policy) > 0 {
			all = append(all, s.policy(name+suffix, selector, out.validations(s), admissionv1.Deny))
		}
		if len(out.Warnings) > 0 {
			all = append(all, s.policy(name+suffix+warningsSuffix, selector, out.Warnings, admissionv1.Warn))
		}
	}
	return all, nil
}

// validations returns Policy with the updates that it forgives in a scope.
func (out Translation) validations(s Scope) []admissionv1.Validation {
	rules := slices.Clone(out.Policy)
	for i := range rules {
		if !s.NoRatcheting && i < len(out.forgiving) && out.forgiving[i].expression == rules[i].Expression {
			rules[i].Expression = out.forgiving[i].forgiving
		}
	}
	return rules
}

// selectors returns the labels by which the API server selects VMs that a policy may be about, and
// for ByAnnotation those for a second policy. A selector costs much less than a condition.
func (s Scope) selectors() []*metav1.LabelSelector {
	if s.Template == "" || validation.IsValidLabelValue(s.Template) != nil {
		return []*metav1.LabelSelector{nil}
	}
	all := []*metav1.LabelSelector{{MatchLabels: map[string]string{vmrules.TemplateLabel: s.Template}}}
	if s.ByAnnotation {
		all = append(all, &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: vmrules.TemplateLabel, Operator: metav1.LabelSelectorOpNotIn, Values: []string{s.Template}},
		}})
	}
	return all
}

// policy returns a policy with its binding.
func (s Scope) policy(name string, selector *metav1.LabelSelector, rules []admissionv1.Validation, action admissionv1.ValidationAction) Policy {
	rules = slices.Clone(rules)
	for i := range rules {
		rules[i].Expression = inLines(rules[i].Expression)
		rules[i].MessageExpression = inLines(rules[i].MessageExpression)
	}
	return Policy{
		Policy: &admissionv1.ValidatingAdmissionPolicy{
			TypeMeta:   metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(), Kind: "ValidatingAdmissionPolicy"},
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: admissionv1.ValidatingAdmissionPolicySpec{
				FailurePolicy: new(admissionv1.Fail), // an error denies the VM, too
				MatchConstraints: &admissionv1.MatchResources{
					// VMs of other versions are converted to v1, whose types the type checker knows.
					MatchPolicy:    new(admissionv1.Equivalent),
					ObjectSelector: selector,
					ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
						Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
						Rule:       admissionv1.Rule{APIGroups: []string{"kubevirt.io"}, APIVersions: []string{"v1"}, Resources: []string{"virtualmachines"}},
					}}},
				},
				MatchConditions: s.conditions("object"),
				Variables:       s.variables(rules),
				Validations:     rules,
			},
		},
		Binding: &admissionv1.ValidatingAdmissionPolicyBinding{
			TypeMeta:   metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(), Kind: "ValidatingAdmissionPolicyBinding"},
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
				PolicyName: name, ValidationActions: []admissionv1.ValidationAction{action},
			},
		},
	}
}

// variables returns the variables that rules read.
func (s Scope) variables(rules []admissionv1.Validation) []admissionv1.Variable {
	if !slices.ContainsFunc(rules, func(v admissionv1.Validation) bool { return strings.Contains(v.Expression, "variables."+wasInScope) }) {
		return nil
	}
	all := []string{"oldObject != null"} // it is null for a new VM
	for _, c := range s.conditions("oldObject") {
		all = append(all, c.Expression)
	}
	return []admissionv1.Variable{{Name: wasInScope, Expression: strings.Join(all, " &&\n")}}
}

// conditions returns the conditions for a VM, which is the value of a variable, to be in the scope.
func (s Scope) conditions(vm string) []admissionv1.MatchCondition {
	var all []admissionv1.MatchCondition
	if s.Template != "" {
		all = append(all, admissionv1.MatchCondition{Name: "of-the-template", Expression: s.ofTemplate(vm)})
	}
	own := []string{`""`}
	if text := strings.TrimSpace(s.Annotation); text != "" {
		own = append(own, textLiteral(text))
	}
	return append(all,
		admissionv1.MatchCondition{
			Name:       "without-other-rules",
			Expression: annotationAt(vm, vmrules.Annotation) + `.orValue("").trim() in [` + strings.Join(own, ", ") + "]",
		},
		admissionv1.MatchCondition{Name: "not-exempt", Expression: "!" + annotationAt(vm, vmrules.SkipAnnotation) + ".hasValue()"},
		admissionv1.MatchCondition{Name: "not-being-deleted", Expression: "!has(" + vm + ".metadata.deletionTimestamp)"},
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

// inLines breaks an expression into lines behind the operators that are outside of all
// parentheses, brackets and literals.
func inLines(expression string) string {
	var lines strings.Builder
	for {
		at, operator := firstOutside(expression, " && ", " || ", " ? ", " : ")
		if at < 0 {
			lines.WriteString(expression)
			return lines.String()
		}
		lines.WriteString(expression[:at] + strings.TrimSuffix(operator, " ") + "\n")
		expression = expression[at+len(operator):]
	}
}
