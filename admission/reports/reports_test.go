package reports

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/admission/internal/review"
)

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// A Report follows its VM and the template, and nothing is written that the cluster has.
func TestLife(t *testing.T) {
	w := newWorld(t, review.Settings{}, template("linux", rule("cores", 8)), vm("a", "1", ofLinux, 4))
	same(t, "new", w.judge("a"), "read a", "create vmrules-1")
	same(t, "new", w.results(), "vmrules-1 by templates/linux; pass cores: at most 8")
	same(t, "again", w.judge("a"), "read a")

	w.write(vm("a", "1", ofLinux, 12))
	same(t, "another VM", w.judge("a"), "read a", "update vmrules-1")
	same(t, "another VM", w.results(), "vmrules-1 by templates/linux; fail cores: at most 8 (12 is more than max 8)")

	w.write(template("linux", rule("cores", 16), rule("few", 2)))
	same(t, "another template", w.judge("a"), "read a", "update vmrules-1")
	same(t, "another template", w.results(), "vmrules-1 by templates/linux; pass cores: at most 16; fail few: at most 2 (12 is more than max 2)")

	w.write(template("linux", `{`))
	same(t, "a broken template", w.judge("a"), "read a", "update vmrules-1")
	if got := w.results()[0]; !strings.HasPrefix(got, "vmrules-1 by templates/linux; error : the validation rules cannot be used") {
		t.Error(got)
	}
	w.remove(template("linux"))
	same(t, "no template", w.judge("a"), "read a", "update vmrules-1")
	same(t, "no template", w.results(),
		"vmrules-1 by templates/linux; error : the template templates/linux, which the VM names, is not there")

	w.write(vm("a", "1", annotations("vm.kubevirt.io/validations", rule("own", 3)), 4))
	same(t, "own rules", w.judge("a"), "read a", "update vmrules-1")
	same(t, "own rules", w.results(), "vmrules-1 by vm.kubevirt.io/validations; fail own: at most 3 (4 is more than max 3)")

	w.write(vm("a", "1", `"annotations": {"vm.kubevirt.io/skip-validations": ""}`, 4))
	same(t, "exempt", w.judge("a"), "delete vmrules-1")
	same(t, "exempt", w.judge("a"))
	same(t, "exempt", w.results())
}

// A VM without rules has no Report, and is not even read. One that names a template by half may have rules.
func TestWithoutRules(t *testing.T) {
	w := newWorld(t, review.Settings{}, template("linux", rule("cores", 8)), vm("a", "1", "", 12), vm("b", "2", `"labels": {"vm.kubevirt.io/template": "linux"}`, 12), template("empty"),
		vm("c", "3", strings.ReplaceAll(ofLinux, "linux", "empty"), 12))
	same(t, "no rules", w.judge("a", "b", "c", "none"), "read b", "create vmrules-2", "read c")
	same(t, "no rules", w.results(), "vmrules-2 by linux; warn : the template linux, which the VM names without its namespace, is not found")
}

// With a VM goes its Report, also if another VM gets its name.
func TestVMGoes(t *testing.T) {
	w := newWorld(t, review.Settings{}, template("linux", rule("cores", 8)), vm("a", "1", ofLinux, 4), vm("b", "2", ofLinux, 4))
	w.judge("a", "b")
	w.remove(vm("a", "1", ofLinux, 4))
	w.remove(vm("b", "2", ofLinux, 4))
	w.write(vm("b", "3", ofLinux, 9))
	same(t, "gone", w.judge("a", "b"), "delete vmrules-1", "read b", "delete vmrules-2", "create vmrules-3")
	same(t, "gone", w.results(), "vmrules-3 by templates/linux; fail cores: at most 8 (9 is more than max 8)")
}

// A Report that no longer says whose it is goes, too: "kubectl delete --cascade=orphan" takes out the owner.
func TestOrphans(t *testing.T) {
	leaving := strings.Replace(vm("a", "1", ofLinux, 4), `"name"`, `"finalizers": ["kubevirt.io/x"], "name"`, 1)
	w := newWorld(t, review.Settings{}, template("linux", rule("cores", 8)), leaving, vm("b", "2", ofLinux, 4), vm("c", "3", ofLinux, 4))
	w.judge("a", "b", "c")
	var all apiReportList
	if err := w.client.List(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	for _, r := range all.Items {
		r.OwnerReferences = nil
		if err := w.client.Update(t.Context(), &r); err != nil {
			t.Fatal(err)
		}
	}
	w.remove(leaving)
	w.write(vm("b", "2", "", 4))
	same(t, "orphans", w.judge("a", "b", "c"), "read a", "delete vmrules-1", "delete vmrules-2", "read c", "update vmrules-3")
}

// A Report that somebody has changed is written again.
func TestEdited(t *testing.T) {
	w := newWorld(t, review.Settings{}, template("linux", rule("cores", 8)), vm("a", "1", ofLinux, 9))
	w.judge("a")
	var r apiReport
	if err := w.client.Get(t.Context(), client.ObjectKey{Namespace: "office", Name: "vmrules-1"}, &r); err != nil {
		t.Fatal(err)
	}
	r.Results[0].Result = "pass"
	if err := w.client.Update(t.Context(), &r); err != nil {
		t.Fatal(err)
	}
	w.done = nil
	w.again("a")
	same(t, "edited", w.done, "read a", "update vmrules-1")
}

// What is not decided is an error.
func TestUndecided(t *testing.T) {
	const instancetype = `{"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "u1"}, "spec": {"cpu": {"guest": %d}, "memory": {"guest": "1Gi"}}}`
	named := strings.Replace(vm("a", "1", ofLinux, 4), `"spec": {"template": {"spec": {"domain": {"cpu": {"cores": 4}}}}}`,
		`"spec": {"instancetype": {"name": "u1"}, "template": {"spec": {"domain": {"devices": {}}}}}`, 1)
	sockets := strings.ReplaceAll(rule("sockets", 2), "cores", "sockets")
	w := newWorld(t, review.Settings{Warning: []vmrules.Doubt{vmrules.DoubtInstancetype}}, template("linux", sockets), named)
	w.judge("a")
	same(t, "no instance type", w.results(),
		"vmrules-1 by templates/linux; error sockets: at most 2 (spec.template.spec.domain.cpu.sockets may be set by the instance type: the VirtualMachineClusterInstancetype u1 was not found)")
	w.write(fmt.Sprintf(instancetype, 4))
	w.judge("a")
	same(t, "an instance type", w.results(),
		"vmrules-1 by templates/linux; fail sockets: at most 2 (4, from instance type u1, is more than max 2)")
}

// What cannot be done is tried again, and waits until then.
func TestFailures(t *testing.T) {
	w := newWorld(t, review.Settings{}, template("linux", rule("cores", 8)), vm("a", "1", ofLinux, 4))
	w.fails = func(what string) error {
		if what == "create" {
			return errors.New("it is down")
		}
		return nil
	}
	same(t, "down", w.judge("a"), "read a", "create vmrules-1", "error: it is down")
	if w.backlog.Oldest(time.Now().Add(time.Hour)) < time.Hour {
		t.Error("the VM does not wait")
	}
	w.fails = func(string) error { panic("it is broken") }
	func() {
		defer func() { same(t, "broken", []string{fmt.Sprint(recover())}, "it is broken") }()
		w.judge("a")
	}()
	if w.backlog.Oldest(time.Now().Add(time.Hour)) < time.Hour {
		t.Error("after a panic, the VM does not wait")
	}
	w.fails = func(string) error { return nil }
	w.done = nil
	w.again("a")
	same(t, "up", w.done, "read a", "create vmrules-1")
	if w.backlog.Oldest(time.Now()) != 0 {
		t.Error("the VM still waits")
	}
}

// While Reports cannot be read, none is deleted.
func TestUnreadReports(t *testing.T) {
	w := newWorld(t, review.Settings{}, template("linux", rule("cores", 8)), vm("a", "1", ofLinux, 4))
	w.judge("a")
	w.write(vm("a", "2", ofLinux, 4))
	w.reports = downCache{w.client}
	same(t, "down", w.judge("a"), "error: it is down")
	w.reports = w.client
	same(t, "up", w.judge("a"), "read a", "delete vmrules-1", "create vmrules-2")
}

// A downCache can only be listed.
type downCache struct{ client.Reader }

func (downCache) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return errors.New("it is down")
}

// A cache that does not have a Report yet does no harm, and labels of others stay.
func TestLateCache(t *testing.T) {
	w := newWorld(t, review.Settings{}, template("linux", rule("cores", 8)), vm("a", "1", ofLinux, 4))
	w.judge("a")
	var r apiReport
	if err := w.client.Get(t.Context(), client.ObjectKey{Namespace: "office", Name: "vmrules-1"}, &r); err != nil {
		t.Fatal(err)
	}
	r.Labels["team"] = "blue"
	r.Results[0].Result = "pass"
	r.Results[0].Timestamp = metav1.Timestamp{Seconds: 5}
	if err := w.client.Update(t.Context(), &r); err != nil {
		t.Fatal(err)
	}
	w.reports = lateCache{w.client}
	same(t, "late", w.judge("a"), "read a", "create vmrules-1")
	w.write(vm("a", "1", ofLinux, 9))
	same(t, "late", w.judge("a"), "read a", "create vmrules-1", "update vmrules-1")
	if err := w.client.Get(t.Context(), client.ObjectKeyFromObject(&r), &r); err != nil || r.Labels["team"] != "blue" || r.Results[0].Timestamp.Seconds == 5 {
		t.Error(err, r)
	}
}

// A lateCache has no Reports.
type lateCache struct{ client.Reader }

func (lateCache) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

func (lateCache) Get(_ context.Context, key client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
}

// A replica that is not elected judges nothing.
func TestNotElected(t *testing.T) {
	w := newWorld(t, review.Settings{}, template("linux", rule("cores", 8)), vm("a", "1", ofLinux, 4))
	w.leads, w.done = func() bool { return false }, nil
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := w.Reconcile(ctx, reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "office", Name: "a"}}); !errors.Is(err, context.Canceled) || w.done != nil {
		t.Error(err, w.done)
	}
}

// A timestamp changes only when the result does.
func TestTimes(t *testing.T) {
	w := newWorld(t, review.Settings{}, template("linux", rule("cores", 8), rule("most", 100)), vm("a", "1", ofLinux, 4))
	w.judge("a")
	times := func() (all []int64) {
		var r apiReport
		if err := w.client.Get(t.Context(), client.ObjectKey{Namespace: "office", Name: "vmrules-1"}, &r); err != nil {
			t.Fatal(err)
		}
		for i := range r.Results {
			all = append(all, r.Results[i].Timestamp.Seconds)
			r.Results[i].Timestamp.Seconds = 5
		}
		if err := w.client.Update(t.Context(), &r); err != nil {
			t.Fatal(err)
		}
		return all
	}
	times()
	same(t, "again", w.judge("a"), "read a")
	w.write(vm("a", "1", ofLinux, 9))
	w.judge("a")
	if got := times(); got[0] == 5 || got[1] != 5 {
		t.Error(got)
	}
}
