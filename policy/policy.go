// Package policy translates the rules of an annotation into ValidatingAdmissionPolicies, by which a
// cluster validates its VirtualMachines itself.
//
// docs/policies.md shows how to apply them, and lists what is not translated.
package policy

import (
	"fmt"
	"strings"

	"github.com/vmrules/vmrules"
)

// Of returns the policies that enforce rules in a scope, each with its binding behind it, as
// documents for the API server: one that denies, with the name in the scope, and one that warns, for
// rules with justWarning. Without rules there are none. Policies are not about VMs that are being
// deleted and, like vmrules.RulesFor, not about VMs with vmrules.SkipAnnotation, unless they are about
// all VMs.
//
// For a VirtualMachine, the expression of a rule is
//
//   - true if the rule is Satisfied or Skipped
//   - false or an error if the rule is Violated, Warned or Undecided
//   - false if the VM names an instance type or a preference that may set a field of the rule,
//     even where Validate would check the value that the VM sets; true with SkipInstancetypes
//
// A policy denies the VM if an expression is false or an error. It is an error if a field has a wrong
// type, or if the VM has no spec.template.spec.
//
// This holds for all VMs whose fields have the types of KubeVirt's API, which its CRD enforces.
// It denies null. For a VM with null, a policy may be false where the rule is satisfied, but it
// is never true where the rule is violated.
//
// It also holds only for numbers that CEL represents exactly: integers of at most 18 digits, and other numbers,
// such as those with a suffix, of at most 15 digits, 9 of them behind the point. A number with a point or
// an exponent that is compared as text must be less than 1e6.
//
// Rules that cannot be translated for all these VMs and numbers are returned as untranslated. Then
// there also is an error, and there are no documents, unless the scope is Partial. It is an error
// too if a name is not that of a Kubernetes object, or if the API server would not read a scope
// with so long an annotation: then there are no untranslated rules. The error has no type of its own.
func Of(rules vmrules.Rules, scope Scope) (documents []map[string]any, untranslated []Untranslated, err error) {
	if err := scope.check(); err != nil {
		return nil, nil, err
	}
	out := translate(rules, scope)
	if n := len(out.untranslated); n > 0 && !scope.Partial {
		return nil, out.untranslated, fmt.Errorf("%d of %d rules cannot be translated to a policy, of which the first is %s", n, rules.Len(), out.untranslated[0])
	}
	if len(out.denying) > 0 {
		documents = append(documents, scope.policy(scope.Name, out.denying), binding(scope.Name, "Deny"))
	}
	if len(out.warning) > 0 {
		name := scope.Name + warningsSuffix
		documents = append(documents, scope.policy(name, out.warning), binding(name, "Warn"))
	}
	return documents, out.untranslated, nil
}

// policy returns a policy without its binding.
func (s Scope) policy(name string, rules []validation) map[string]any {
	constraints := map[string]any{
		// VMs of other versions are converted to v1, whose types the type checker knows.
		"matchPolicy": "Equivalent",
		"resourceRules": []any{map[string]any{
			"operations": []any{"CREATE", "UPDATE"},
			"apiGroups":  []any{"kubevirt.io"}, "apiVersions": []any{"v1"}, "resources": []any{"virtualmachines"},
		}},
	}
	if selector := s.selector(); selector != nil {
		constraints["objectSelector"] = selector
	}
	spec := map[string]any{
		"failurePolicy":    "Fail", // an error denies the VM, too
		"matchConstraints": constraints,
	}
	var conditions, validations []any
	for _, c := range s.conditions("object") {
		conditions = append(conditions, c.document())
	}
	for _, v := range rules {
		if strings.Contains(v.expression, "variables."+wasInScope) {
			spec["variables"] = []any{condition{wasInScope, s.wasInScope()}.document()}
		}
		validations = append(validations, v.document())
	}
	spec["matchConditions"], spec["validations"] = conditions, validations
	return document("ValidatingAdmissionPolicy", name, spec)
}

func (v validation) document() map[string]any {
	fields := map[string]any{"expression": inLines(v.expression), "message": v.message, "reason": "Invalid"}
	if v.messageExpression != "" {
		fields["messageExpression"] = inLines(v.messageExpression)
	}
	return fields
}

func binding(name, action string) map[string]any {
	return document("ValidatingAdmissionPolicyBinding", name, map[string]any{"policyName": name, "validationActions": []any{action}})
}

func document(kind, name string, spec map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": map[string]any{"name": name}, "spec": spec,
	}
}
