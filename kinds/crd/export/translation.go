// Package export translates the rules of an annotation to CEL, so that a cluster can judge its
// VirtualMachines itself: by a ValidatingAdmissionPolicy, or by the x-kubernetes-validations of a
// CustomResourceDefinition.
//
// README.md shows the translation, and lists what is not translated.
package export

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/kinds/crd/internal/celprice"
)

// A Translation holds rules in CEL. Each rule is in Policy or Warnings, or in Untranslated with
// the reason. Each rule is also in CRD, or in Untranslated with the reason.
type Translation struct {
	// Policy has the validations of a ValidatingAdmissionPolicy that matches
	// virtualmachines in kubevirt.io. Its binding has the action Deny. Policies returns
	// it whole.
	Policy []admissionv1.Validation
	// Warnings has the validations of the rules with justWarning, for a second policy
	// whose binding has the action Warn.
	Warnings []admissionv1.Validation
	// CRD has x-kubernetes-validations for the root of a schema of VirtualMachines. The
	// schema must declare the fields that they read, as Schema does.
	CRD []apiextensionsv1.ValidationRule
	// Schema is the smallest schema with which the rules in CRD compile. It contains them.
	Schema *apiextensionsv1.JSONSchemaProps
	// Untranslated has the rules that cannot be expressed in CEL, in their order.
	Untranslated []Untranslated

	forgiving []forgiveness // of Policy
}

// A Form is a form of rules in CEL.
type Form string

// The forms that rules are translated to.
const (
	FormPolicy Form = "policy" // Policy and Warnings
	FormCRD    Form = "crd"    // CRD and Schema
	FormBoth   Form = "both"
)

// Untranslated says why a rule is not translated to a form.
type Untranslated struct {
	Form  Form
	Index int    // the index of the rule
	Rule  string // the name of the rule
	Key   string // the key of the rule that cannot be expressed; "" for the whole rule
	Why   string
}

// String describes the rule, the form and the reason in one line.
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

// AnyTypes makes the expressions of Policy and Warnings safe for fields of any type, such as
// a number of cores in a string. They become longer. Without this option, they rely on the
// types of KubeVirt's API, which KubeVirt's own CRD enforces.
func AnyTypes() Option { return func(t *translator) { t.anyTypes = true } }

// Translate returns rules in CEL.
//
// For a VirtualMachine, the expression of a rule is
//
//   - true if the rule is Satisfied or Skipped
//   - false or an error if the rule is Violated, Warned or Undecided
//   - false if the VM names an instance type or a preference that may set a field of the rule,
//     even where Validate would judge the value that the VM sets
//
// A policy with failurePolicy Fail denies the VM if an expression is false or an error. It is
// an error if a field has a wrong type, or if the VM has no spec.template.spec.
//
// This holds for all VMs whose fields have the types of KubeVirt's API, which its CRD enforces.
// It denies null. For a VM with null, a policy may be false where the rule is satisfied, but it
// is never true where the rule is violated. With AnyTypes, null is the same as absent, and a
// policy is never true for a VM that violates the rule, whatever the types of its fields. If a VM
// has an array instead of an object, the policy may be an error although the rule is satisfied.
//
// It also holds only for numbers that CEL represents exactly: integers of at most 18 digits,
// and other numbers of at most 15 digits, 9 of them behind the point. A number with a point or
// an exponent that is compared as text must be less than 1e6.
//
// A rule that cannot be translated for all these VMs and numbers is in Untranslated.
func Translate(rules vmrules.Rules, opts ...Option) Translation {
	var out Translation
	all, work := newSchema(), &allowance{left: maxTranslation}
	for i, r := range rules.All() {
		policy := refuse("", "the rule is about whole objects, not about a VM's spec.template")
		crd := policy
		if !rules.WholeObjects() {
			policy, crd = out.addPolicy(r, work, opts), out.addCRD(r, work, all)
		}
		if policy != nil && crd != nil && policy.Error() == crd.Error() {
			out.leaveOut(FormBoth, i, r, policy)
			continue
		}
		out.leaveOut(FormPolicy, i, r, policy)
		out.leaveOut(FormCRD, i, r, crd)
	}
	out.Schema = all.ofVM(out.CRD)
	return out
}

// forPolicy returns a translator of a rule for Policy or Warnings.
func forPolicy(r vmrules.Rule, opts []Option) *translator {
	t := &translator{root: "object", rule: r}
	for _, opt := range opts {
		opt(t)
	}
	return t
}

func (out *Translation) addPolicy(r vmrules.Rule, work *allowance, opts []Option) error {
	t := forPolicy(r, opts)
	expression, err := t.translate()
	if err != nil {
		return err
	}
	forgiving := t.forgiving(expression)
	if r.JustWarning || work.compile(forgiving, checkPolicy) != nil { // it may be too long
		forgiving = expression
		if err := work.compile(expression, checkPolicy); err != nil {
			return err
		}
	}
	v := admissionv1.Validation{Expression: expression, Message: messageOf(r), Reason: new(metav1.StatusReasonInvalid)}
	text := t.messageExpression(v.Message)
	if text != "" && work.compile(text, checkMessage) == nil {
		v.MessageExpression = text
	}
	if r.JustWarning {
		out.Warnings = append(out.Warnings, v)
		return nil
	}
	out.Policy = append(out.Policy, v)
	out.forgiving = append(out.forgiving, forgiveness{expression, forgiving})
	return nil
}

// addCRD translates a rule for CRD, and adds the fields that it reads to the schema of all
// rules.
func (out *Translation) addCRD(r vmrules.Rule, work *allowance, all *leastSchema) error {
	if r.JustWarning {
		return refuse("justWarning", "the rules of a CRD cannot warn")
	}
	t := &translator{root: "self", rule: r, schema: newSchema()}
	expression, err := t.translate()
	if err != nil {
		return err
	}
	if err := work.take(celprice.ValidatorWork + celprice.RuleWork + celprice.Tokens(expression)*celprice.RuleTokenWork); err != nil {
		return err
	}
	rule := t.validationRule(expression)
	if err := checkCRD(t.schema.ofVM([]apiextensionsv1.ValidationRule{rule})); err != nil {
		return err
	}
	if !all.accepts(t.schema) {
		return refuse("", "this rule and an earlier one disagree on whether a field is an object, an array or a scalar")
	}
	all.merge(t.schema)
	out.CRD = append(out.CRD, rule)
	return nil
}

// validationRule returns the rule for a CRD. It has Kubernetes' default reason, because the
// rule is violated both by a missing field and by a wrong one.
func (t *translator) validationRule(expression string) apiextensionsv1.ValidationRule {
	v := apiextensionsv1.ValidationRule{
		Rule: expression, Message: messageOf(t.rule), Reason: new(apiextensionsv1.FieldValueInvalid), FieldPath: t.fieldPath(),
	}
	if doubts := t.doubts(v.Message); doubts != "" {
		v.MessageExpression = doubts + strconv.Quote(v.Message)
	}
	return v
}

// messageOf returns the message of a rule as Kubernetes accepts it: in one line, and not blank.
func messageOf(r vmrules.Rule) string {
	line := strings.Join(strings.FieldsFunc(r.Message, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	return cmp.Or(strings.TrimSpace(line), "the rule "+strconv.Quote(r.Name)+" is violated")
}

// A refusal is an error that says why a rule cannot be translated, and because of which key.
type refusal struct{ key, why string }

func (r refusal) Error() string { return r.why }

func refuse(key, format string, args ...any) error {
	return refusal{key, fmt.Sprintf(format, args...)}
}

// leaveOut records that a rule is not translated to a form, unless err is nil.
func (out *Translation) leaveOut(form Form, i int, r vmrules.Rule, err error) {
	if err == nil {
		return
	}
	u := Untranslated{Form: form, Index: i, Rule: r.Name, Why: err.Error()}
	if refused, ok := err.(refusal); ok {
		u.Key = refused.key
	}
	out.Untranslated = append(out.Untranslated, u)
}

// maxTranslation is the work of compiling expressions in one call of Translate. It is the
// default Work of a vmrules.Budget.
const maxTranslation = 1_000_000_000

// An allowance is the rest of maxTranslation.
type allowance struct{ left int }

// take subtracts work. If too little is left, it takes all of it and returns an error.
func (a *allowance) take(work int) error {
	if work > a.left {
		a.left = 0
		return refuse("", "compiling it and the rules before it would take too long: translate fewer rules at once")
	}
	a.left -= work
	return nil
}

// compile subtracts the work of compiling an expression of a policy, and checks it.
func (a *allowance) compile(expression string, check func(string) error) error {
	if err := a.take(celprice.ProgramWork + celprice.Tokens(expression)*celprice.TokenWork); err != nil {
		return err
	}
	return check(expression)
}
