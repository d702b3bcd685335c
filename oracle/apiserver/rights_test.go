package apiserver

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/vmrules/vmrules"
)

// Without the right to list or watch what is in the manifests, the webhook is not ready, and says which
// right is missing. It is ready as soon as it has it.
func TestMissingRights(t *testing.T) {
	d := deploy(t)
	rules := typed[rbacv1.ClusterRole](t, d.objects["ClusterRole"]).Rules
	for _, missing := range []string{"list", "watch"} {
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
		if check, isCheck := strings.CutPrefix(strings.Replace(line, "[+]", "[-]", 1), "[-]"); isCheck {
			check, _, _ = strings.Cut(check, " ")
			_, why := p.readyz("/" + check)
			isSaid = isSaid || strings.Contains(why, right)
		}
	}
	switch {
	case isSaid != isMissing:
		return fmt.Errorf("%q is said: %t", right, isSaid)
	case isMissing && !strings.Contains(strings.ReplaceAll(p.log.String(), `\`, ""), right):
		return errors.New("the log does not say: " + right)
	}
	return nil
}

// With the rights of ssp-operator's validator alone, to list and to watch, the webhook judges every VM by templates of
// OpenShift. It asks for an instance type only if a rule needs it, and then does without.
func TestValidatorRights(t *testing.T) {
	d := deploy(t)
	reading := []string{"list", "watch"} // as newClusterRole of ssp-operator has it
	d.restrict(t, []rbacv1.PolicyRule{
		{APIGroups: []string{"template.openshift.io"}, Resources: []string{"templates"}, Verbs: reading},
		{APIGroups: []string{"kubevirt.io"}, Resources: []string{"virtualmachines"}, Verbs: reading},
	})
	asked := d.record(t)
	p := d.run(t)
	d.ready(t, p)
	d.call(t, p.reviews)
	const rule = `[{"name": "memory", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "m", "min": 1073741824}]`
	d.add(t, templateOf(0, trial{template: "small", text: rule}))
	d.add(t, medium.DeepCopy())
	names := func(name string) map[string]any {
		return map[string]any{vmrules.TemplateLabel: name, vmrules.TemplateNamespaceLabel: templateSpace}
	}
	const (
		templates     = "/templates.template.openshift.io"
		others        = "/virtualmachinetemplates.template.kubevirt.io"
		instancetypes = "/virtualmachineclusterinstancetypes.instancetype.kubevirt.io"
	)
	d.wait(t, func() error { // until the cache of the webhook has the template
		_, err := d.create(named(names("small"), "", "1Ki"))
		if asked.take(); verdictOfWebhook(err) != refused {
			return err
		}
		return nil
	})
	for _, c := range []struct {
		name                 string
		labels               map[string]any
		instancetype, memory string
		want                 verdict
		warnings             int
		asked                []string
	}{
		{"a template", names("small"), "", "2Gi", admitted, 0, nil},
		{"a template that it violates", names("small"), "", "1Ki", refused, 0, nil},
		{"an instance type that no rule needs", names("small"), medium.GetName(), "2Gi", admitted, 0, nil},
		{"an instance type that a rule needs", names("small"), medium.GetName(), "", admitted, 1, []string{"403 get any" + instancetypes, "403 get u1.medium" + instancetypes, "403 list " + instancetypes}},
		{"no such template", names("missing"), "", "2Gi", admitted, 1, []string{"403 get any" + others, "403 get missing" + templates, "403 get missing" + others, "403 list " + others}},
		{"a template that is named by half", map[string]any{vmrules.TemplateLabel: "small"}, "", "2Gi", admitted, 1, nil},
		{"no template", nil, "", "2Gi", admitted, 0, nil},
	} {
		asked.take()
		d.warnings.take()
		_, err := d.create(named(c.labels, c.instancetype, c.memory))
		if got, warnings := verdictOfWebhook(err), d.warnings.take(); got != c.want || len(warnings) != c.warnings {
			t.Errorf("%s: %v, want %s\nwarnings: %q", c.name, err, c.want, warnings)
		}
		requests := asked.take()
		t.Logf("%s: %q", c.name, requests)
		if diff := cmp.Diff(c.asked, requests, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: requests (-want +got):\n%s", c.name, diff)
		}
	}
	const said = `"Objects of a kind count as missing","kind":"VirtualMachineTemplate.template.kubevirt.io"`
	if n := strings.Count(p.log.String(), said); n != 1 {
		t.Errorf("the log says %d times that templates of KubeVirt may not be read", n)
	}
	if status, text := p.readyz("/VirtualMachineTemplate.template.kubevirt.io"); status != http.StatusInternalServerError || !strings.Contains(text, "count as missing") {
		t.Error(status, text)
	}
}

// named returns a VM with labels, an instance type unless that is "", and memory unless that is "".
func named(labels map[string]any, instancetype, memory string) map[string]any {
	vm := smallVM("")
	vm["metadata"].(map[string]any)["labels"] = labels
	if instancetype != "" {
		vm["spec"].(map[string]any)["instancetype"] = map[string]any{"name": instancetype}
		unstructured.RemoveNestedField(vm, "spec", "template", "spec", "domain", "cpu")
	}
	if memory != "" {
		_ = unstructured.SetNestedField(vm, memory, "spec", "template", "spec", "domain", "memory", "guest")
	}
	return vm
}

// requests are those that a program has made, each once, apart from those for the server's kinds. They are safe for
// concurrent use.
type requests struct {
	mu  sync.Mutex
	all []string
}

// record has programs that the deployment runs make their requests through a recorder.
func (d *deployment) record(t *testing.T) *requests {
	t.Helper()
	to, _, err := rest.DefaultServerUrlFor(d.config)
	if err != nil {
		t.Fatal(err)
	}
	transport, err := rest.TransportFor(&rest.Config{TLSClientConfig: rest.TLSClientConfig{CAData: d.config.CAData}})
	if err != nil {
		t.Fatal(err)
	}
	made := &requests{}
	s := httptest.NewTLSServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, Transport: transport, FlushInterval: -1,
		ModifyResponse: func(resp *http.Response) error {
			made.add(resp)
			return nil
		},
	})
	t.Cleanup(s.Close)
	d.config = rest.CopyConfig(d.config)
	d.config.Host, d.config.CAData = s.URL, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	return made
}

// add adds a request by its response: a status, a verb, and a name and a resource.
func (r *requests) add(resp *http.Response) {
	path, isNamed := strings.CutPrefix(resp.Request.URL.Path, "/apis/")
	steps := strings.Split(path, "/")
	if !isNamed || len(steps) < 3 { // about the server's kinds
		return
	}
	group, steps := steps[0], steps[2:]
	if len(steps) > 2 && steps[0] == "namespaces" {
		steps = steps[2:]
	}
	verb, name := "list", ""
	switch {
	case len(steps) > 1:
		verb, name = "get", steps[1]
	case resp.Request.URL.Query().Has("watch"):
		verb = "watch"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, fmt.Sprintf("%d %s %s/%s.%s", resp.StatusCode, verb, name, steps[0], group))
}

// take returns the requests, and forgets them.
func (r *requests) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.all
	r.all = nil
	slices.Sort(all)
	return slices.Compact(all)
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
