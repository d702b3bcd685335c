package policy_test

import (
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/vmrules/vmrules/oracle/internal/conformance"
	"github.com/vmrules/vmrules/policy"
)

// TestConformance: policies decide as the scoreboard says.
func TestConformance(t *testing.T) {
	conformance.Test(t, "../../conformance", "policies", func(q conformance.Question) conformance.Answer {
		if q.Partial || mayDeny(q.Object) {
			return conformance.Answer{Skipped: "a policy sees whole VMs and no instance types, and the API server no null"}
		}
		policies, untranslated := policiesOf(t, q.Rules, policy.Scope{WithoutRatcheting: true})
		if len(untranslated) > 0 {
			return conformance.Answer{Skipped: "CEL cannot express it exactly: " + untranslated[0].Why}
		}
		return conformance.Answer{Valid: admits(t, policies, q.Object)}
	})
}

// admits reports whether none of the policies denies an object that all are about.
func admits(t *testing.T, policies []policyAndBinding, object map[string]any) bool {
	for _, p := range policies {
		if p.Binding.Spec.ValidationActions[0] != admissionv1.Deny {
			continue
		}
		for _, v := range p.Policy.Spec.Validations {
			if got, _ := evalPolicy(compilePolicy(t, v.Expression), object); got != celTrue {
				return false
			}
		}
	}
	return true
}
