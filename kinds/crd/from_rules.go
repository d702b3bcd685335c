package crd

import (
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmrules/vmrules"
)

// A Migration is what takes the place of rules when a cluster judges its
// VirtualMachines by CEL. No rule is lost: each is in Policy or Warnings, or
// in Untranslated with the reason, and the same holds for CRD.
type Migration struct {
	// Policy are the validations of a ValidatingAdmissionPolicy that matches
	// virtualmachines in kubevirt.io, whose binding has the action Deny.
	Policy []admissionv1.Validation
	// Warnings are those of the rules with justWarning, for a second policy
	// whose binding has the action Warn. There, what is not true is a warning.
	Warnings []admissionv1.Validation
	// CRD are x-kubernetes-validations for the root of a schema of
	// VirtualMachines that declares the fields that they read, as Schema does.
	CRD []apiextensionsv1.ValidationRule
	// Schema is the least schema that the rules in CRD compile against.
	Schema *apiextensionsv1.JSONSchemaProps
	// Untranslated are the rules that CEL cannot say, by form, in their order.
	Untranslated []Untranslated
}

// A Form is one of the two forms of CEL rules, or both.
type Form string

// The forms that rules are translated to.
const (
	FormPolicy Form = "policy" // Policy and Warnings
	FormCRD    Form = "crd"
	FormBoth   Form = "both"
)

// Untranslated is a rule that is not in a form, and why.
type Untranslated struct {
	Form  Form
	Index int    // of the rule
	Rule  string // its name
	Key   string // of the rule's JSON that cannot be said; "" where it is the rule itself
	Why   string
}

// String says it for people, in one line.
func (u Untranslated) String() string {
	s := fmt.Sprintf("rules[%d] %q", u.Index, u.Rule)
	if u.Key != "" {
		s += " " + u.Key
	}
	switch u.Form {
	case FormPolicy:
		s += " (for a policy)"
	case FormCRD:
		s += " (for a CRD)"
	}
	return s + ": " + u.Why
}

// An Option changes how rules are translated.
type Option func(*translator)

// AnyTypes makes expressions of Policy and Warnings that are longer, and right
// for a value of any type in any field, such as a number of cores in a string.
// Without it, fields are taken to have the types of KubeVirt's API, which its own
// webhook enforces.
func AnyTypes() Option { return func(t *translator) { t.anyTypes = true } }

// FromRules writes rules in CEL. An expression is true for a VirtualMachine where
// the rule is Satisfied or Skipped. It is false, or an error, where the rule is
// Violated, Warned or Undecided; a policy with failurePolicy Fail denies the VM for
// either. An error is what CEL has for a field of a wrong type, for a limit that is
// not where the rule reads it, and for a VM without spec.template.spec.
//
// That holds for every VM whose fields have the types of KubeVirt's API, whether
// they are set, absent or, in a policy, null. With AnyTypes, no policy is true for
// a VM for which the rule does not hold, whatever is in it; where an array stands
// in the place of an object, it may be an error for one for which it does.
//
// Numbers in the VM are those that CEL holds exactly: integers of at most 18
// digits, others of at most 15, 9 of them behind the point, and less than 1e6 where
// one with a point or exponent is compared as text. What cannot be said for all of
// these is in Untranslated.
func FromRules(rules vmrules.Rules, opts ...Option) Migration {
	var m Migration
	all, work := newSchema(), &allowance{left: maxTranslation}
	for i, r := range rules.All() {
		if rules.Root() != vmrules.RootTemplate {
			m.Untranslated = append(m.Untranslated, untranslated(FormBoth, i, r, refuse("", "it is about whole objects, and not about the spec.template of a VM")))
			continue
		}
		policy, crd := m.addPolicy(r, work, opts), m.addCRD(r, work, all)
		if policy != nil && crd != nil && policy.Error() == crd.Error() {
			m.Untranslated = append(m.Untranslated, untranslated(FormBoth, i, r, policy))
			continue
		}
		if policy != nil {
			m.Untranslated = append(m.Untranslated, untranslated(FormPolicy, i, r, policy))
		}
		if crd != nil {
			m.Untranslated = append(m.Untranslated, untranslated(FormCRD, i, r, crd))
		}
	}
	m.Schema = all.ofVM(m.CRD)
	return m
}

func (m *Migration) addPolicy(r vmrules.Rule, work *allowance, opts []Option) error {
	t := &translator{root: "object", rule: r}
	for _, opt := range opts {
		opt(t)
	}
	expression, err := t.translate()
	if err != nil {
		return err
	}
	if err := work.take(programWork + tokens(expression)*tokenWork); err != nil {
		return err
	}
	if err := checkPolicy(expression); err != nil {
		return err
	}
	v := admissionv1.Validation{Expression: expression, Message: oneLine(r.Message), Reason: new(metav1.StatusReasonInvalid)}
	if r.JustWarning {
		m.Warnings = append(m.Warnings, v)
		return nil
	}
	m.Policy = append(m.Policy, v)
	return nil
}

// addCRD adds a rule, and what it reads to the schema of all.
func (m *Migration) addCRD(r vmrules.Rule, work *allowance, all *leastSchema) error {
	if r.JustWarning {
		return refuse("justWarning", "the validations of a CRD cannot warn")
	}
	t := &translator{root: "self", rule: r, schema: newSchema()}
	expression, err := t.translate()
	if err != nil {
		return err
	}
	if err := work.take(validatorWork + ruleWork + tokens(expression)*ruleTokenWork); err != nil {
		return err
	}
	rule := t.validationRule(expression)
	if err := checkCRD(t.schema.ofVM([]apiextensionsv1.ValidationRule{rule})); err != nil {
		return err
	}
	if !all.accepts(t.schema) {
		return refuse("", "another rule takes a field for an object, an array or a scalar, which is another of these here")
	}
	all.merge(t.schema)
	m.CRD = append(m.CRD, rule)
	return nil
}

// validationRule is the rule for a CRD. Its reason is Kubernetes' default, since
// one rule stands for a missing field and for a wrong one.
func (t *translator) validationRule(expression string) apiextensionsv1.ValidationRule {
	return apiextensionsv1.ValidationRule{
		Rule: expression, Message: oneLine(t.rule.Message), Reason: new(apiextensionsv1.FieldValueInvalid), FieldPath: t.fieldPath(),
	}
}

// oneLine is a message as Kubernetes takes it: without line breaks.
func oneLine(message string) string {
	return strings.Join(strings.FieldsFunc(message, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}

// A refusal is why a rule cannot be said, and which of its keys is to blame.
type refusal struct{ key, why string }

func (r refusal) Error() string { return r.why }

func refuse(key, format string, args ...any) error {
	return refusal{key, fmt.Sprintf(format, args...)}
}

func untranslated(form Form, i int, r vmrules.Rule, err error) Untranslated {
	u := Untranslated{Form: form, Index: i, Rule: r.Name, Why: err.Error()}
	if refused, ok := err.(refusal); ok {
		u.Key = refused.key
	}
	return u
}

// maxTranslation is what compiling the expressions of one call of FromRules may
// take, as much as the Work of a vmrules.Budget by default.
const maxTranslation = 1_000_000_000

// An allowance is what is left of it.
type allowance struct{ left int }

// take takes from what is left, or all of it and returns why there is not enough.
func (a *allowance) take(work int) error {
	if work > a.left {
		a.left = 0
		return refuse("", "compiling it and the rules before it would take too long: translate fewer rules at once")
	}
	a.left -= work
	return nil
}
