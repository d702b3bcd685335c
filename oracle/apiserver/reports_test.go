package apiserver

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

var (
	reportVMs  = flag.Int("vms", 2000, "how many VMs TestReports creates")
	reportRate = flag.Float64("rate", 100, "how many of them are judged in a second")
	kills      = flag.Int("kills", 10, "how often the program is killed meanwhile")
)

const (
	reportsNamespace = "reports"   // of the VMs
	templateName     = "reporting" // of the template
	account          = "system:serviceaccount:vmrules:vmrules-webhook"
)

var (
	reports    = schema.GroupVersionResource{Group: "openreports.io", Version: "v1alpha1", Resource: "reports"}
	templates  = schema.GroupVersionResource{Group: "template.kubevirt.io", Version: "v1alpha1", Resource: "virtualmachinetemplates"}
	types      = schema.GroupVersionResource{Group: "instancetype.kubevirt.io", Version: "v1beta1", Resource: "virtualmachineclusterinstancetypes"}
	leases     = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}
	namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
)

// vmrules-webhook --reports, with the rights of its manifests, keeps the Reports of many VMs. It is killed
// again and again in the middle of its work. In the end, each VM has the Report that vmrules audit writes.
func TestReports(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes")
	}
	s := start(t)
	w := &reporting{server: s, t: t, folder: t.TempDir()}
	w.prepare()
	w.createVMs()
	p := w.run()
	w.settle("at the start", 8)
	w.log(p, "at the start")

	writes := p.metric("vmrules_reports_writes_total")
	began := time.Now()
	w.setTemplate(2)
	changed := w.settle("after a change", 2)
	if elapsed, least := time.Since(began), time.Duration(float64(changed-1) / *reportRate * 0.9 * float64(time.Second)); elapsed < least {
		t.Errorf("%d VMs were judged in %v, which is faster than the rate", changed, elapsed)
	}
	t.Logf("a change of the template: %d Reports, the last after %v", changed, time.Since(began))
	if n := int(p.metric("vmrules_reports_writes_total") - writes); n != changed {
		t.Errorf("%d writes for %d VMs that are judged otherwise", n, changed)
	}
	limit := 2
	for i := range *kills {
		limit = 10 - limit
		w.setTemplate(limit)
		w.wait("some Reports are changed", func() bool { return w.limited(limit) > i*changed/(*kills)/2 })
		p.kill()
		if i > 0 { // the lease of the first has to expire, which takes a while
			err := w.in(leases).Delete(context.Background(), "vmrules-reports", metav1.DeleteOptions{})
			if !apierrors.IsNotFound(err) { // it was killed before it led
				w.must(err)
			}
		}
		p = w.run()
	}
	w.settle("after the kills", limit)
	w.wait("all VMs are judged", func() bool { return p.metric("vmrules_reports_oldest_change_seconds") == 0 })
	w.compare()
	w.churn()
	w.wait("all VMs are judged", func() bool { return p.metric("vmrules_reports_oldest_change_seconds") == 0 })
	w.compare()
	w.log(p, "at the end")
	p.kill()
	if text, err := os.ReadFile(filepath.Join(w.folder, "log")); err != nil || bytes.Contains(text, []byte("forbidden")) {
		t.Errorf("a right is missing: %v", err)
	}
}

// A reporting is a cluster with VMs.
type reporting struct {
	*server
	t       *testing.T
	folder  string
	program string
	audit   string
	current *process
}

func (w *reporting) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *reporting) in(resource schema.GroupVersionResource) dynamic.ResourceInterface {
	switch resource {
	case types, namespaces:
		return w.any.Resource(resource)
	case leases:
		return w.any.Resource(resource).Namespace("vmrules")
	}
	return w.any.Resource(resource).Namespace(reportsNamespace)
}

// prepare installs kinds and rights, and builds the programs.
func (w *reporting) prepare() {
	w.program, w.audit = build(w.t, "../../cmd/vmrules-webhook", "."), build(w.t, "../../cmd/vmrules", ".")
	w.must(prepared())
	list := exec.Command("go", "list", "-f", "{{.Module.Dir}}", "github.com/openreports/reports-api/apis/openreports.io/v1alpha1")
	list.Dir = ".." // which requires it
	folder, err := list.Output()
	w.must(err)
	_, err = envtest.InstallCRDs(w.config, envtest.CRDInstallOptions{
		Paths: []string{filepath.Join(strings.TrimSpace(string(folder)), "config", "crd")}, ErrorIfPathMissing: true,
	})
	w.must(err)
	for _, name := range []string{reportsNamespace, "vmrules"} {
		_, err := w.in(namespaces).Create(context.Background(), &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
		}}, metav1.CreateOptions{})
		if !apierrors.IsAlreadyExists(err) {
			w.must(err)
		}
	}
	for _, name := range []string{"rbac.yaml", "reports/rbac.yaml"} {
		w.apply(filepath.Join("..", "..", "cmd", "vmrules-webhook", "deploy", name))
	}
}

// apply creates the roles in a manifest, which the test removes.
func (w *reporting) apply(file string) {
	text, err := os.ReadFile(file)
	w.must(err)
	for _, o := range documents(w.t, text) {
		if o.GetKind() == "ServiceAccount" {
			continue
		}
		roles := w.any.Resource(schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: strings.ToLower(o.GetKind()) + "s"}).Namespace(o.GetNamespace())
		_, err := roles.Create(context.Background(), o, metav1.CreateOptions{})
		w.must(err)
		w.t.Cleanup(func() {
			if err := roles.Delete(context.Background(), o.GetName(), metav1.DeleteOptions{}); err != nil {
				w.t.Error(err)
			}
		})
	}
}

func (w *reporting) write(resource schema.GroupVersionResource, text string) error {
	var o unstructured.Unstructured
	if err := json.Unmarshal([]byte(text), &o.Object); err != nil {
		return err
	}
	_, err := w.in(resource).Create(context.Background(), &o, metav1.CreateOptions{})
	return err
}

// setTemplate has the template allow so many cores.
func (w *reporting) setTemplate(most int) {
	annotation, _ := json.Marshal(fmt.Sprintf(`[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "at most %d cores", "max": %d},
		{"name": "bus", "rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "valid": "jsonpath::.spec.domain.devices.disks", "message": "virtio is faster", "values": ["virtio"], "justWarning": true}]`, most, most))
	text := fmt.Sprintf(`{"apiVersion": "template.kubevirt.io/v1alpha1", "kind": "VirtualMachineTemplate", "metadata": {"name": %q},
		"spec": {"virtualMachine": {"metadata": {"annotations": {"vm.kubevirt.io/validations": %s}}, "spec": {"template": {"spec": {}}}}}}`, templateName, annotation)
	old, err := w.in(templates).Get(context.Background(), templateName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		w.must(w.write(templates, text))
		return
	}
	w.must(err)
	var o unstructured.Unstructured
	w.must(json.Unmarshal([]byte(text), &o.Object))
	o.SetResourceVersion(old.GetResourceVersion())
	_, err = w.in(templates).Update(context.Background(), &o, metav1.UpdateOptions{})
	w.must(err)
}

// isOfTemplate reports whether a VM is judged by the rules of the template.
func isOfTemplate(i int) bool {
	switch i % 100 {
	case 10, 20, 30, 40, 50:
		return false
	}
	return true
}

func cores(i int) int { return 1 + i%9 }

// aVM returns a VM. Most are of the template, and seven in a hundred are special.
func aVM(i int) string {
	labels := fmt.Sprintf(`"labels": {"vm.kubevirt.io/template": %q, "vm.kubevirt.io/template.namespace": %q}`, templateName, reportsNamespace)
	metadata, spec, cpu := labels, "", fmt.Sprintf(`"cpu": {"cores": %d}, `, cores(i))
	switch i % 100 {
	case 10:
		metadata = `"annotations": {"vm.kubevirt.io/validations": "[{\"name\": \"own\", \"rule\": \"integer\", \"path\": \"jsonpath::.spec.domain.cpu.cores\", \"message\": \"own\", \"max\": 4}]"}`
	case 20:
		metadata = `"annotations": {"vm.kubevirt.io/validations": "[{"}`
	case 30:
		metadata = strings.Replace(labels, templateName, "missing", 1)
	case 40:
		metadata = labels + `, "annotations": {"vm.kubevirt.io/skip-validations": "true"}`
	case 50:
		metadata = `"labels": {"app": "none"}`
	case 60:
		spec, cpu = `"instancetype": {"name": "u1"}, `, ""
	case 70:
		spec, cpu = `"instancetype": {"name": "missing"}, `, ""
	}
	return fmt.Sprintf(`{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "vm-%d", %s},
		"spec": {"runStrategy": "Halted", %s"template": {"spec": {"domain": {%s"devices": {"disks": [{"name": "root", "disk": {"bus": %q}}]}}}}}}`,
		i, metadata, spec, cpu, []string{"virtio", "sata"}[i/7%2])
}

func (w *reporting) createVMs() {
	w.setTemplate(8)
	w.must(w.write(types, `{"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "u1"}, "spec": {"cpu": {"guest": 4}, "memory": {"guest": "1Gi"}}}`))
	var group errgroup.Group
	group.SetLimit(8)
	for i := range *reportVMs {
		group.Go(func() error { return w.write(virtualMachines, aVM(i)) })
	}
	w.must(group.Wait())
}

// churn changes, replaces and deletes some VMs, and the instance type.
func (w *reporting) churn() {
	ctx := context.Background()
	for i := range 20 {
		name := fmt.Sprint("vm-", 100+i)
		w.must(w.in(virtualMachines).Delete(ctx, name, metav1.DeleteOptions{}))
		if i%2 == 0 {
			w.must(w.write(virtualMachines, strings.Replace(aVM(101+i), fmt.Sprintf(`"vm-%d"`, 101+i), fmt.Sprintf("%q", name), 1)))
		}
	}
	u1, err := w.in(types).Get(ctx, "u1", metav1.GetOptions{})
	w.must(err)
	w.must(unstructured.SetNestedField(u1.Object, int64(1), "spec", "cpu", "guest"))
	_, err = w.in(types).Update(ctx, u1, metav1.UpdateOptions{})
	w.must(err)
	// Others delete a Report, and falsify one.
	all := w.reports()
	w.must(w.in(reports).Delete(ctx, all[0].GetName(), metav1.DeleteOptions{}))
	w.must(unstructured.SetNestedField(all[1].Object, int64(99), "summary", "pass"))
	_, err = w.in(reports).Update(ctx, all[1], metav1.UpdateOptions{})
	w.must(err)
	w.wait("all is repaired", func() bool {
		if _, err := w.in(reports).Get(ctx, all[0].GetName(), metav1.GetOptions{}); err != nil {
			return false
		}
		second, err := w.in(reports).Get(ctx, all[1].GetName(), metav1.GetOptions{})
		n, _, _ := unstructured.NestedInt64(second.Object, "summary", "pass")
		return err == nil && n != 99
	})
	time.Sleep(time.Second) // until events about the other changes have come; then the backlog says when it is done
}

func (w *reporting) reports() (all []*unstructured.Unstructured) {
	list, err := w.in(reports).List(context.Background(), metav1.ListOptions{})
	w.must(err)
	for i := range list.Items {
		all = append(all, &list.Items[i])
	}
	return all
}

// wait waits for something. Only a program that hangs takes so long.
func (w *reporting) wait(what string, done func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(3*time.Minute + time.Duration(*reportVMs)*50*time.Millisecond); !done(); time.Sleep(time.Second) {
		if time.Now().After(deadline) {
			w.t.Fatalf("it does not happen that %s", what)
		}
	}
}

// limited returns how many Reports say how many cores the template allows.
func (w *reporting) limited(most int) (n int) {
	want := fmt.Sprintf("at most %d cores", most)
	for _, r := range w.reports() {
		results, _, _ := unstructured.NestedSlice(r.Object, "results")
		first, _ := results[0].(map[string]any)
		if message, _ := first["message"].(string); strings.HasPrefix(message, want) {
			n++
		}
	}
	return n
}

// settle waits until the Reports of all VMs of the template know its limit, and returns their number.
func (w *reporting) settle(when string, most int) int {
	w.t.Helper()
	want := 0
	for i := range *reportVMs {
		if isOfTemplate(i) {
			want++
		}
	}
	w.wait("all VMs have Reports "+when, func() bool {
		return w.current.metric("vmrules_reports_oldest_change_seconds") == 0 && w.limited(most) == want
	})
	return want
}

// compare compares all Reports with those of vmrules audit.
func (w *reporting) compare() {
	w.t.Helper()
	dump := func(resource schema.GroupVersionResource) *unstructured.UnstructuredList {
		list, err := w.in(resource).List(context.Background(), metav1.ListOptions{})
		w.must(err)
		return list
	}
	template, err := dump(templates).MarshalJSON()
	w.must(err)
	file := filepath.Join(w.folder, "templates.json")
	w.must(os.WriteFile(file, template, 0o600))
	var input bytes.Buffer
	for _, resource := range []schema.GroupVersionResource{types, virtualMachines} {
		text, err := dump(resource).MarshalJSON()
		w.must(err)
		input.Write(text)
	}
	audit := exec.Command(w.audit, "audit", "-o", "report", "--template", file, "-")
	audit.Stdin = &input
	var messages bytes.Buffer
	audit.Stderr = &messages
	out, err := audit.Output()
	if audit.ProcessState.ExitCode() != 2 { // there are VMs with rules that cannot be used
		w.t.Fatalf("%v: %s", err, &messages)
	}
	want, got := map[string]any{}, map[string]any{}
	for _, o := range documents(w.t, out) {
		want[o.GetName()] = content(w.t, o)
	}
	for _, o := range w.reports() {
		got[o.GetName()] = content(w.t, o)
	}
	if len(want) < *reportVMs/2 {
		w.t.Fatalf("audit writes only %d Reports", len(want))
	}
	differences := 0
	for name := range got {
		if want[name] == nil {
			w.t.Errorf("there is a Report that audit does not write: %v", got[name])
		}
	}
	for name := range want {
		if diff := cmp.Diff(want[name], got[name]); diff != "" && differences < 5 {
			w.t.Errorf("%s (-audit +cluster):\n%s", name, diff)
			differences++
		}
	}
	w.t.Logf("%d Reports are those of audit", len(want))
}

// content returns what a Report says, apart from timestamps and what the server adds.
func content(t *testing.T, o *unstructured.Unstructured) any {
	t.Helper()
	metadata := map[string]any{}
	for _, key := range []string{"name", "namespace", "labels", "annotations", "ownerReferences"} {
		metadata[key], _, _ = unstructured.NestedFieldNoCopy(o.Object, "metadata", key)
	}
	o.Object["metadata"] = metadata
	results, _ := o.Object["results"].([]any)
	for _, r := range results {
		if r, ok := r.(map[string]any); !ok || r["timestamp"] == nil {
			t.Errorf("%v has no timestamp", r)
		} else {
			delete(r, "timestamp")
		}
	}
	text, err := json.Marshal(o.Object)
	if err != nil {
		t.Fatal(err)
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	return plain
}

// A process is a running vmrules-webhook.
type process struct {
	*exec.Cmd
	t       *testing.T
	metrics string
}

// run starts the program.
func (w *reporting) run() *process {
	w.t.Helper()
	user, err := environment.AddUser(envtest.User{Name: account, Groups: []string{"system:serviceaccounts", "system:authenticated"}}, nil)
	w.must(err)
	kubeconfig, err := user.KubeConfig()
	w.must(err)
	file := filepath.Join(w.folder, "kubeconfig")
	w.must(os.WriteFile(file, kubeconfig, 0o600))
	p := &process{t: w.t, metrics: fmt.Sprint("127.0.0.1:", freePort(w.t))}
	p.Cmd = exec.Command(w.program, "--reports", "--reports-rate", fmt.Sprint(*reportRate), "--reports-namespace", "vmrules",
		"--self-signed", "--cert-dir", filepath.Join(w.folder, "certificate"), "--host", "127.0.0.1", "--port", fmt.Sprint(freePort(w.t)), "--metrics", p.metrics, "--health", "0")
	p.Env = append(os.Environ(), "KUBECONFIG="+file)
	log, err := os.OpenFile(filepath.Join(w.folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	w.must(err)
	p.Stderr = log
	w.must(p.Start())
	w.current = p
	w.t.Cleanup(func() {
		p.kill()
		log.Close()
		if text, err := os.ReadFile(log.Name()); err == nil && w.t.Failed() {
			w.t.Logf("the log ends with\n%s", text[max(0, len(text)-4000):])
		}
	})
	return p
}

func (p *process) kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
}

// metric returns the sum of the values of a metric; -1 if the program does not serve it.
func (p *process) metric(name string) float64 {
	resp, err := http.Get("http://" + p.metrics + "/metrics")
	if err != nil {
		return -1
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return -1
	}
	found := regexp.MustCompile(`(?m)^`+name+`(?:\{.*\})? (\S+)$`).FindAllStringSubmatch(string(text), -1)
	if found == nil {
		return -1
	}
	sum := 0.0
	for _, value := range found {
		n, err := strconv.ParseFloat(value[1], 64)
		if err != nil {
			p.t.Fatal(err)
		}
		sum += n
	}
	return sum
}

func (w *reporting) log(p *process, when string) {
	w.t.Logf("%s, with %d VMs: %.0f MB resident, %.0f MB of heap, %.0f writes", when, *reportVMs,
		p.metric("process_resident_memory_bytes")/1e6, p.metric("go_memstats_heap_inuse_bytes")/1e6, p.metric("vmrules_reports_writes_total"))
}
