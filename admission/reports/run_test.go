package reports

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/vmrules/vmrules/admission/internal/review"
)

// A recordingQueue keeps what is added to it.
type recordingQueue struct {
	workqueue.TypedRateLimitingInterface[reconcile.Request]
	added []string
}

func (q *recordingQueue) AddWithOpts(o priorityqueue.AddOpts, all ...reconcile.Request) {
	for _, r := range all {
		q.added = append(q.added, fmt.Sprintf("%s %d", r.Name, ptr.Deref(o.Priority, 0)))
	}
}

func (q *recordingQueue) GetWithPriority() (reconcile.Request, int, bool) { panic("nobody works") }

// queued returns what an event adds to the queue.
func queued(t *testing.T, h handler.EventHandler, old, o string) []string {
	t.Helper()
	q := &recordingQueue{}
	switch {
	case old == "":
		h.Create(t.Context(), event.CreateEvent{Object: metadataIn(t, o)}, q)
	case old == "at the start":
		h.Create(t.Context(), event.CreateEvent{Object: metadataIn(t, o), IsInInitialList: true}, q)
	case o == "":
		h.Delete(t.Context(), event.DeleteEvent{Object: metadataIn(t, old)}, q)
	default:
		h.Update(t.Context(), event.UpdateEvent{ObjectOld: metadataIn(t, old), ObjectNew: metadataIn(t, o)}, q)
	}
	slices.Sort(q.added)
	return q.added
}

// Only the VMs are judged again that an object may concern.
func TestWho(t *testing.T) {
	half := `"labels": {"vm.kubevirt.io/template": "linux"}`
	w := newWorld(t, review.Settings{TemplateNamespaces: []string{"templates"}},
		vm("full", "1", ofLinux, 4), vm("half", "2", half, 4), vm("none", "3", "", 4),
		vm("own", "4", annotations("vm.kubevirt.io/validations", rule("cores", 8)), 4),
		vm("other", "5", strings.Replace(ofLinux, "linux", "windows", 1), 4))
	templates, instancetypes, revisions := w.onBasis(true), w.onBasis(false), w.onBasis(false)
	same(t, "before anything is judged", queued(t, templates, "", template("linux")))
	w.hasBegun.Store(true)
	same(t, "a template", queued(t, templates, "", template("linux")), "full -100", "half -100")
	same(t, "a template goes", queued(t, templates, template("linux"), ""), "full -100", "half -100")
	same(t, "one of that name elsewhere", queued(t, templates, "", templateIn("office", "linux")))
	same(t, "nothing but a resync", queued(t, templates, template("linux"), template("linux")))

	const it = `{"metadata": {"name": "u1"%s, "resourceVersion": "%d"}}`
	everywhere, here, there := fmt.Sprintf(it, "", 1), fmt.Sprintf(it, `, "namespace": "office"`, 1), fmt.Sprintf(it, `, "namespace": "lab"`, 1)
	same(t, "an instance type", queued(t, instancetypes, everywhere, fmt.Sprintf(it, "", 2)), "full -100", "half -100", "other -100", "own -100")
	same(t, "one in the namespace", queued(t, instancetypes, "", here), "full -100", "half -100", "other -100", "own -100")
	same(t, "one elsewhere", queued(t, instancetypes, "", there))

	const owned = `{"metadata": {"name": "r", "namespace": "office", "ownerReferences": [{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "name": "own", "uid": "4"}]}}`
	same(t, "a revision", queued(t, revisions, "", owned), "own -100")
	same(t, "a revision of nobody", queued(t, revisions, here, ""), "full -100", "half -100", "other -100", "own -100")
}

// Who changes a VM is served before those whose template has changed.
func TestVMs(t *testing.T) {
	w := newWorld(t, review.Settings{})
	const text = `{"metadata": {"name": "a", "namespace": "office", "generation": %d, "resourceVersion": "%d"}}`
	old := fmt.Sprintf(text, 1, 1)
	same(t, "new", queued(t, w.onVM(), "", old), "a 0")
	same(t, "there at the start", queued(t, w.onVM(), "at the start", old), "a -100")
	same(t, "gone", queued(t, w.onVM(), old, ""), "a 0")
	same(t, "another spec", queued(t, w.onVM(), old, fmt.Sprintf(text, 2, 2)), "a 0")
	same(t, "another status", queued(t, w.onVM(), old, fmt.Sprintf(text, 1, 2)), "a -100")
	same(t, "other labels", queued(t, w.onVM(), old, metadataText("a", `"resourceVersion": "2", `+ofLinux)), "a 0")
	if w.backlog.Oldest(time.Now().Add(time.Hour)) < time.Hour {
		t.Error("no VM waits")
	}
}

func metadataText(name, more string) string {
	return fmt.Sprintf(`{"metadata": {"name": %q, "namespace": "office", "generation": 1, "resourceVersion": "1", %s}}`, name, more)
}

// Others who change or delete a Report do not have the last word. The controller's own writes need nothing.
func TestReports(t *testing.T) {
	w := newWorld(t, review.Settings{}, template("linux", rule("cores", 8)), vm("a", "1", ofLinux, 4))
	w.judge("a")
	report := func() string {
		r := metadataOf(reportKind)
		if err := w.client.Get(t.Context(), client.ObjectKey{Namespace: "office", Name: "vmrules-1"}, r); err != nil {
			t.Fatal(err)
		}
		return metadataText(r.Name, fmt.Sprintf(`"resourceVersion": %q, "ownerReferences": [{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "name": "a", "uid": "1"}]`, r.ResourceVersion))
	}
	old := report()
	same(t, "its own write", queued(t, w.onReport(), old, report()))
	changed := strings.Replace(old, `"resourceVersion": "`, `"resourceVersion": "9`, 2)
	same(t, "of others", queued(t, w.onReport(), old, changed), "a -101")
	same(t, "its owner is taken out", queued(t, w.onReport(), old, strings.Replace(changed, "ownerReferences", "x", 1)), "a -101")
	same(t, "another owner", queued(t, w.onReport(), old, strings.Replace(changed, `"name": "a", "uid"`, `"name": "b", "uid"`, 1)), "a -101", "b -101")
	same(t, "deleted", queued(t, w.onReport(), old, ""), "a -101")
	if _, ok := w.wrote.Load("vmrules-1"); ok {
		t.Error("a Report that is gone is remembered")
	}
}

// A lateMapper knows a kind after some questions.
type lateMapper struct {
	meta.RESTMapper
	unknown int
}

func (m *lateMapper) RESTMapping(kind schema.GroupKind, _ ...string) (*meta.RESTMapping, error) {
	if m.unknown--; m.unknown >= 0 {
		return nil, &meta.NoKindMatchError{GroupKind: kind}
	}
	return nil, nil
}

// A kind that appears counts once the Reviewer no longer takes it for absent.
func TestOnce(t *testing.T) {
	for unknown, want := range map[int]time.Duration{0: 0, 1: 2 * retry, 3: 4 * retry} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			kind, err := once(t.Context(), &lateMapper{unknown: unknown}, review.VMKind)
			if took := time.Since(began); err != nil || kind != review.VMKind || took != want {
				t.Errorf("%v after %v, want %v: %v", kind, took, want, err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := once(ctx, &lateMapper{unknown: 1}, review.VMKind); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestStrip(t *testing.T) {
	m := metadataIn(t, `{"metadata": {"name": "a", "managedFields": [{"manager": "m"}], "labels": {"a": "b"},
		"annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "vm.kubevirt.io/skip-validations": "", "vmrules.io/policy": "p"}}}`)
	if _, err := review.Strip(m); err != nil {
		t.Fatal(err)
	}
	if m.ManagedFields != nil || len(m.Labels) != 1 || len(m.Annotations) != 2 {
		t.Errorf("%+v", m)
	}
}

// gathered returns the metrics about Reports.
func gathered(t *testing.T) map[string]float64 {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, family := range families {
		for _, m := range family.Metric {
			if strings.HasPrefix(family.GetName(), "vmrules_reports_") {
				all[family.GetName()+values(m)] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
		}
	}
	return all
}

func values(m *dto.Metric) (text string) {
	for _, l := range m.Label {
		text += " " + l.GetValue()
	}
	return text
}

// The VMs are counted by what their Reports say, those of many templates together.
func TestMetrics(t *testing.T) {
	const templates = 300
	objects := []string{template("linux", rule("cores", 8)), vm("a", "1", ofLinux, 4), vm("b", "2", ofLinux, 9), vm("c", "3", ofLinux, 4),
		vm("own", "4", annotations("vm.kubevirt.io/validations", rule("cores", 8)), 4)}
	names := []string{"a", "b", "c", "own"}
	for i := range templates {
		names = append(names, fmt.Sprint("t", i))
		objects = append(objects, vm(names[len(names)-1], fmt.Sprint("uid", i), strings.Replace(ofLinux, `"linux"`, fmt.Sprintf(`"t%d"`, i), 1), 4))
	}
	w := newWorld(t, review.Settings{}, objects...)
	before := gathered(t)["vmrules_reports_writes_total create"]
	w.judge(names[:4]...)
	w.write(`{"apiVersion": "openreports.io/v1alpha1", "kind": "Report", "metadata": {"name": "of-a-manifest", "namespace": "office",
		"labels": {"vmrules.io/result": "pass"}, "annotations": {"vmrules.io/policy": "templates/linux"}}}`)
	current.Store(w.keeper)
	defer current.Store(nil)
	w.started = time.Now().Add(-time.Hour)
	if got := gathered(t); got["vmrules_reports_oldest_change_seconds"] < 3600 || got["vmrules_reports_vms pass templates/linux"] != 0 {
		t.Error("nothing was read, but counts:", got)
	}
	w.hasRead.Store(true)
	gathered(t) // the first templates have names
	w.judge(names[4:]...)
	got := gathered(t)
	for name, want := range map[string]float64{
		"vmrules_reports_vms pass templates/linux": 2,
		"vmrules_reports_vms fail templates/linux": 1,
		"vmrules_reports_vms pass ":                1,
		"vmrules_reports_vms error (other)":        templates - 198,
		"vmrules_reports_oldest_change_seconds":    0,
		"vmrules_reports_writes_total create":      before + float64(len(names)),
	} {
		if n, ok := got[name]; !ok || n != want {
			t.Errorf("%s is %v, want %v", name, n, want)
		}
	}
	w.leads = func() bool { return false }
	if n := len(gathered(t)); n > 3 {
		t.Errorf("a replica that is not elected has %d metrics", n)
	}
}
