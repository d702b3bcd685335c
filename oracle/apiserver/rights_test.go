package apiserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Without any of the rights in the manifests, the webhook is not ready, and says which it needs. It is
// ready as soon as it has them.
func TestMissingRights(t *testing.T) {
	d := deploy(t)
	rules := typed[rbacv1.ClusterRole](t, d.objects["ClusterRole"]).Rules
	for _, missing := range []string{"get", "list", "watch"} {
		t.Run(missing, func(t *testing.T) {
			var kept []rbacv1.PolicyRule
			for _, rule := range rules {
				rule.Verbs = slices.DeleteFunc(slices.Clone(rule.Verbs), func(verb string) bool { return verb == missing })
				if len(rule.Verbs) > 0 {
					kept = append(kept, rule)
				}
			}
			d.restrict(t, kept)
			p := d.run(t, "--drain=0s")
			for _, rule := range rules {
				for _, resource := range rule.Resources {
					d.wait(t, func() error {
						return p.lacks(slices.Contains(rule.Verbs, missing), fmt.Sprintf("cannot %s resource %q in API group %q", missing, resource, rule.APIGroups[0]))
					})
				}
			}
			d.restrict(t, rules)
			d.ready(t, p)
		})
	}
}

// lacks returns nil if the webhook is not ready, and if it says, or does not say, in one of its checks
// and in its log that a right is missing.
func (p *program) lacks(isMissing bool, right string) error {
	status, text := p.readyz("")
	if status != http.StatusInternalServerError || !strings.Contains(text, "[+]serving ok") {
		return fmt.Errorf("/readyz: %d, %s", status, text)
	}
	isSaid := false
	for line := range strings.Lines(text) {
		check, isFailed := strings.CutPrefix(line, "[-]")
		if !isFailed {
			continue
		}
		check, _, _ = strings.Cut(check, " ")
		_, why := p.readyz("/" + check)
		isSaid = isSaid || strings.Contains(why, right)
	}
	switch {
	case isSaid != isMissing:
		return fmt.Errorf("%q is said: %t", right, isSaid)
	case isMissing && !strings.Contains(strings.ReplaceAll(p.log.String(), `\`, ""), right):
		return errors.New("the log does not say: " + right)
	}
	return nil
}

// restrict gives the webhook these rights and no others.
func (d *deployment) restrict(t *testing.T, rules []rbacv1.PolicyRule) {
	t.Helper()
	api := d.typed.RbacV1().ClusterRoles()
	role, err := api.Get(context.Background(), d.objects["ClusterRole"].GetName(), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	role.Rules = rules
	if _, err := api.Update(context.Background(), role, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}
