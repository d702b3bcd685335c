package review_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/admission/internal/review"
)

const (
	groupVM, kindVM             = "kubevirt.io", "VirtualMachine"
	groupTemplate, kindTemplate = "template.openshift.io", "Template"

	cores1   = `"cpu": {"cores": 1}`
	cores1e6 = `"cpu": {"cores": 1000000}`
)

// A testCase is a request, and the outcome and the texts of its decision.
type testCase struct{ operation, group, kind, object, old, want string }

// casesOf returns requests about VMs of a version of a template.
func casesOf(i, version int) []testCase {
	name := fmt.Sprint("t", i)
	create := func(metadata, spec, domain, want string) testCase {
		return testCase{"CREATE", groupVM, kindVM, vm(metadata, spec, domain), "", want}
	}
	wrong := vm(from(name), "", cores1e6)
	tooMany := func(limit int) string {
		return fmt.Sprintf("spec.template.spec.domain.cpu.cores: Invalid value: 1000000: too many (1000000 is more than max %d)", limit)
	}
	return []testCase{
		create(from(name), "", cores1, "allowed"),
		create(from(name), "", cores1e6, "refused: the object is not valid: "+tooMany(limit(i, version))),
		{"UPDATE", groupVM, kindVM, wrong, wrong, "warned: " + tooMany(limit(i, version))},
		create(from("missing"), "", cores1, "warned: Not decided: the template templates/missing, which the VM names, is not there"),
		create(from(name), `"instancetype": {"name": "small"}, `, "", `refused: the object is not valid: spec.template.spec.domain.memory.guest: Invalid value: "512Mi": too little (512 MiB, from instance type small, is less than min 1 GiB)`),
		create(from(name), `"instancetype": {"name": "missing"}, `, cores1, "warned: Not decided: too little (spec.template.spec.domain.memory.guest may be set by the instance type: the VirtualMachineClusterInstancetype missing was not found)"),
		create(own(rules(8)), "", cores1e6, "refused: the object is not valid: "+tooMany(8)),
		create(own("["), "", cores1, "refused: the validation rules cannot be used: VM: line 1, column 2: \"]\" is missing: the array that begins at line 1 is not closed"),
		create(`"annotations": {"vm.kubevirt.io/skip-validations": ""}`, "", cores1e6, "exempt"),
		{"DELETE", groupTemplate, kindTemplate, "", template(i, version),
			"refused: the template templates/" + name + " has rules, and the VM office/reception refers to it: delete the VM first, or remove its labels and annotations vm.kubevirt.io/template"},
		{"CREATE", "cdi.kubevirt.io", "DataVolume", "{}", "", "exempt: vmrules does not review the kind DataVolume.cdi.kubevirt.io: remove it from the rules of the webhook"},
	}
}

// review reviews the request, and calls a function while its objects are read.
func (test testCase) review(ctx context.Context, r *review.Reviewer, reading func()) *review.Decision {
	q := &review.Request{Operation: test.operation, Kind: schema.GroupVersionKind{Group: test.group, Version: "v1", Kind: test.kind}, Namespace: "office"}
	if test.kind == kindTemplate {
		q.Namespace = "templates"
	}
	return r.Review(ctx, q, func() (err error) {
		reading()
		if test.object != "" {
			q.Object, err = vmrules.ParseObject([]byte(test.object))
		}
		if test.old != "" && err == nil {
			q.Old, err = vmrules.ParseObject([]byte(test.old))
		}
		return err
	})
}

// textOf returns a decision as a testCase wants it.
func textOf(d *review.Decision) string {
	texts := append([]string{string(d.Outcome)}, d.Warnings...)
	if d.Message != "" {
		texts = append(texts, d.Message)
	}
	return strings.Join(texts, ": ")
}

func newReviewer(c review.Cluster) *review.Reviewer {
	return review.New(c, review.Settings{
		Warning: []vmrules.Doubt{vmrules.DoubtInstancetype, vmrules.DoubtTemplate}, ProtectTemplates: true,
	})
}

// meeting returns a function that waits until it was called n times.
func meeting(n int64) func() {
	var calls atomic.Int64
	all := make(chan struct{})
	return func() {
		if calls.Add(1) == n {
			close(all)
		}
		<-all
	}
}

// Reviews share the cache, what is known of kinds, the slots, and the names in metrics. None
// gets what is another one's, even if some clients leave.
func TestConcurrentReviews(t *testing.T) {
	const n = 10_000
	var cases [templates * versions][]testCase
	for i := range cases {
		cases[i] = casesOf(i%templates, i%versions)
	}
	c := newCluster(t)
	c.absent = meeting(100)
	r := newReviewer(c)
	impatient, leave := context.WithCancel(t.Context())
	defer leave()
	var (
		group             sync.WaitGroup
		start             = make(chan struct{})
		read, inSlots     atomic.Int64
		want, got, labels [n]string
	)
	for i := range n {
		of := cases[i%len(cases)]
		test := of[i%len(of)]
		want[i] = test.want
		ctx := context.WithValue(t.Context(), versionKey{}, i%versions)
		if i%13 == 0 {
			ctx = context.WithValue(impatient, versionKey{}, i%versions)
		}
		group.Go(func() {
			<-start
			d := test.review(ctx, r, func() {
				if most := runtime.GOMAXPROCS(0); inSlots.Add(1) > int64(most) {
					t.Errorf("more than %d requests are read at the same time", most)
				}
				if read.Add(1) == n/10 {
					leave()
				}
				runtime.Gosched()
				inSlots.Add(-1)
			})
			labels[i] = review.RuleLabel(fmt.Sprint("rule ", i))
			if got[i] = textOf(d); errors.Is(d.Err, ctx.Err()) && d.Err != nil {
				got[i] = test.want // there was no slot before the client left
			}
		})
	}
	close(start)
	group.Wait()
	for i := range n {
		if diff := cmp.Diff(want[i], got[i]); diff != "" {
			t.Fatalf("review %d (-want +got):\n%s", i, diff)
		}
	}
	distinct := map[string]bool{}
	for _, label := range labels {
		distinct[label] = true
	}
	if len(distinct) != 201 || !distinct["(other)"] {
		t.Errorf("there are %d names of rules", len(distinct))
	}
}

// A kind that the cluster does not have is asked for again after 30 seconds.
func TestAbsentKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		r := newReviewer(c)
		test := casesOf(0, 0)[3] // a template that does not exist
		var got []int64
		for _, wait := range []time.Duration{0, 0, 29 * time.Second, time.Second, 0} {
			time.Sleep(wait)
			before := c.asked.Load()
			if text := textOf(test.review(t.Context(), r, func() {})); text != test.want {
				t.Error(text)
			}
			got = append(got, c.asked.Load()-before)
		}
		// One question is for OpenShift's kind, and three are for the versions of KubeVirt's.
		if diff := cmp.Diff([]int64{4, 1, 1, 4, 1}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// A vanishing cluster has a template once.
type vanishing struct {
	*cluster
	asked *int
}

func (c vanishing) Get(ctx context.Context, kind schema.GroupVersionKind, namespace, name string, isCached bool) (map[string]any, error) {
	if kind.Kind == kindTemplate && !isCached {
		if *c.asked++; *c.asked > 1 {
			return nil, nil
		}
	}
	return c.cluster.Get(ctx, kind, namespace, name, isCached)
}

// A template is read once for a request, also if its instance type is found and cannot be used. A VM does not pass
// because the template has gone meanwhile.
func TestTemplateIsReadOnce(t *testing.T) {
	c, asked := newCluster(t), 0
	c.objects["VirtualMachineClusterInstancetype broken"] = object(t, `{"apiVersion": "instancetype.kubevirt.io/v1", "kind": "VirtualMachineClusterInstancetype",
		"metadata": {"name": "broken"}, "spec": {"cpu": {"guest": "one"}, "memory": {"guest": "1Gi"}}}`)
	object := vm(from("t0"), `"instancetype": {"name": "broken"}, `, "")
	d, _ := reviewed(context.WithValue(t.Context(), versionKey{}, 0), newReviewer(vanishing{c, &asked}), create(object, "office"), object)
	if d.Outcome != "refused" || asked != 1 {
		t.Errorf("asked %d times: %s", asked, textOf(d))
	}
}

// A review waits for a slot as long as its client waits for the answer.
func TestSlots(t *testing.T) {
	r := newReviewer(newCluster(t))
	test := casesOf(0, 0)[6] // a VM with rules of its own
	var group sync.WaitGroup
	taken, leave := make(chan struct{}), make(chan struct{})
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() { test.review(t.Context(), r, func() { taken <- struct{}{}; <-leave }) })
		<-taken
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := textOf(test.review(ctx, r, func() { t.Error("there is one more slot") }))
	want := "failed: vmrules cannot validate the request: there were too many requests to validate this one in time: context canceled"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	close(leave)
	group.Wait()
	if diff := cmp.Diff(test.want, textOf(test.review(t.Context(), r, func() {}))); diff != "" {
		t.Errorf("after that (-want +got):\n%s", diff)
	}
}
