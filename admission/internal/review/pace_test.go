package review_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
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

// list returns the items of a list.
func list(n int, format string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = strings.ReplaceAll(format, "%d", fmt.Sprint(i))
	}
	return strings.Join(items, ",")
}

// slowVMs are VMs whose own rules take much work, by how.
var slowVMs = map[string]string{
	"backtracks": vm(own(`[`+list(300, `{"name": "r%d", "rule": "regex", "path": "jsonpath::.spec.hostname", "message": "m", "regex": "^(?=(a|aa)+$)(a|aa)+b$"}`)+`]`),
		"", `"x": 1}, "hostname": "`+strings.Repeat("a", 5_000)+`", "y": {`),
	"walks": vm(own(`[`+list(900, `{"name": "r%d", "rule": "string", "path": "jsonpath::..d%d", "message": "m"}`)+`]`),
		"", `"values": [`+list(90_000, `{"a":1}`)+`]`),
	"walks a little": vm(own(`[`+list(300, `{"name": "r%d", "rule": "string", "path": "jsonpath::..d%d", "message": "m"}`)+`]`),
		"", `"values": [`+list(3_000, `{"a":1}`)+`]`),
	"reads": vm(own(`[{"name": "r", "rule": "enum", "path": "jsonpath::.spec.hostname", "message": "m", "values": [`+list(10_000, `"v%d"`)+`]}]`), "", `"x": 1`),
}

func create(object, namespace string) *review.Request {
	return &review.Request{
		Operation: "CREATE", Kind: schema.GroupVersionKind{Group: groupVM, Version: "v1", Kind: kindVM},
		Namespace: namespace, Name: "reception", Size: len(object),
	}
}

// reviewed reviews a request, and returns how often its object was read.
func reviewed(ctx context.Context, r *review.Reviewer, q *review.Request, object string) (d *review.Decision, reads int) {
	d = r.Review(ctx, q, func() (err error) {
		reads++
		q.Object, err = vmrules.ParseObject([]byte(object))
		return err
	})
	return d, reads
}

// Only what takes much work has to wait for others that do. A large object is read there alone.
func TestPace(t *testing.T) {
	type pace struct {
		IsSlow bool
		Reads  int
	}
	r := newReviewer(newCluster(t))
	got := map[string]pace{}
	review := func(name, object string) {
		d, reads := reviewed(context.WithValue(t.Context(), versionKey{}, 0), r, create(object, "office"), object)
		got[name] = pace{d.IsSlow, reads}
		if d.Outcome != "refused" {
			t.Errorf("%s: %s", name, textOf(d))
		}
	}
	for name, object := range slowVMs {
		if name != "walks" && name != "backtracks" { // these take seconds
			review(name, object)
		}
	}
	review("plain", vm(from("t0"), "", cores1e6))
	review("broken", vm(own("["), "", cores1))
	review("large", vm(from("t0"), "", cores1e6+`, "x": "`+strings.Repeat("x", 256<<10)+`"`))
	review("lookahead", vm(own(`[{"name": "r", "rule": "regex", "path": "jsonpath::.spec.domain.x", "message": "m", "regex": "^(?!a)"}]`), "", `"x": "a"`))
	want := map[string]pace{
		"plain": {false, 1}, "broken": {false, 1},
		"large": {true, 1}, "lookahead": {true, 2}, "reads": {true, 2}, "walks a little": {true, 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a quick review can only refuse because it is quick is decided again, and is as well as it was before.
func TestQuickForgivesAsMuch(t *testing.T) {
	rule := func(path, arguments string) string {
		return own(`[{"name": "r", "rule": "string", "path": "jsonpath::.spec.` + path + `", "message": "m", ` + arguments + `}]`)
	}
	const lookahead = `, "regex": "^(?=a)a"`
	disks := `"devices": {"disks": [` + list(200, `{"name": "d%d", "disk": {"bus": "a"}}`) + `]}, `
	r := newReviewer(newCluster(t))
	for name, test := range map[string]struct{ metadata, spec, domain string }{
		"a wrong value":           {rule("hostname", `"values": ["x"]`+lookahead), "", ""},
		"an argument":             {rule("hostname", `"maxLength": "jsonpath::.spec.nothing"`+lookahead), "", ""},
		"an instance type":        {rule("hostname", `"maxLength": "jsonpath::.spec.domain.cpu.cores"`+lookahead), `"instancetype": {"name": "missing"}, `, `"cpu": {}, `},
		"a rule that just warns":  {rule("hostname", `"maxLength": "jsonpath::.spec.nothing", "justWarning": true`+lookahead), "", ""},
		"many wrong values":       {rule("domain.devices.disks[*].disk.bus", `"values": ["x"]`), `"instancetype": {"name": "small"}, `, disks},
		"rules that are unusable": {own("[{]"), "", list(5000, `"x%d": 1`) + ", "},
	} {
		old := vm(test.metadata, test.spec, test.domain+`"y": {}}, "hostname": "a", "x": {`)
		now := strings.Replace(old, `"name": "reception"`, `"name": "reception", "finalizers": ["a"]`, 1)
		q := create(now, "office")
		q.Operation, q.Size = "UPDATE", len(old)+len(now)
		d := r.Review(context.WithValue(t.Context(), versionKey{}, 0), q, func() (err error) {
			q.Object, q.Old = object(t, now), object(t, old)
			return nil
		})
		if d.Outcome != "warned" || !d.IsSlow {
			t.Errorf("%s: %.300s", name, textOf(d))
		}
	}
}

// What a quick review cannot decide is not forgiven for a conflict that was there before.
func TestQuickForgivesNoMore(t *testing.T) {
	disks := func(bus string) string {
		return vm(own(`[{"name": "r", "rule": "regex", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "message": "m", "regex": "^(?=v)v"}]`),
			`"instancetype": {"name": "small"}, "preference": {"name": "p"}, `,
			`"cpu": {"sockets": 2}, "devices": {"disks": [{"name": "a", "disk": {"bus": "`+bus+`"}}, {"name": "b", "disk": {}}]}`)
	}
	q := create(disks("usb"), "office")
	q.Operation = "UPDATE"
	d := newReviewer(newCluster(t)).Review(t.Context(), q, func() error {
		q.Object, q.Old = object(t, disks("usb")), object(t, disks("virtio"))
		return nil
	})
	want := `refused: the object is not valid: spec.template.spec.domain.devices.disks[0].disk.bus: Invalid value: "usb": m ("usb" does not match "^(?=v)v")`
	if diff := cmp.Diff(want, textOf(d)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a quick review cannot decide is not left out of what it says of a template.
func TestQuickSaysAsMuch(t *testing.T) {
	rules := `[{"name": "r", "rule": "string", "path": "jsonpath::.spec.hostname", "message": "m", "maxLength": "jsonpath::.spec.nothing", "regex": "^(?=a)a"}]`
	q := create("", "templates")
	q.Kind = schema.GroupVersionKind{Group: groupTemplate, Version: "v1", Kind: kindTemplate}
	d := newReviewer(newCluster(t)).Review(t.Context(), q, func() error {
		q.Object = object(t, `{"kind": "Template", "objects": [`+vm(own(rules), "", `"x": 1}, "hostname": "b", "y": {`)+`]}`)
		return nil
	})
	want := `warned: the template's own VM does not satisfy its rules: objects[0].spec.template.spec.hostname: Invalid value: "b": m ("b" does not match "^(?=a)a")`
	if diff := cmp.Diff(want, textOf(d)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A real VM needs a hundredth of what is quick, and reading the rules of its template a twentieth.
func TestRealVMsAreQuick(t *testing.T) {
	const folder = "../../../testdata/quickstart/"
	text, err := os.ReadFile(folder + "vm.json")
	if err != nil {
		t.Skip("this is the module alone, without the VM of the quickstart")
	}
	vm, err := vmrules.ParseObject(text)
	if err != nil {
		t.Fatal(err)
	}
	text, err = os.ReadFile(folder + "template.json")
	if err != nil {
		t.Fatal(err)
	}
	template, err := vmrules.ParseObject(text)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := vmrules.RulesFor(nil, template, vmrules.WithBudget(vmrules.Budget{Time: 100 * time.Microsecond, Memory: 80 << 10, Backtracking: -1}))
	if err != nil || rules.Len() == 0 {
		t.Fatal(rules.Len(), err)
	}
	budget := vmrules.WithBudget(vmrules.Budget{Time: 20 * time.Microsecond, Memory: 80 << 10, Backtracking: -1})
	for _, result := range vmrules.Validate(rules, vm, budget).Results(vmrules.OutcomeUndecided) {
		t.Errorf("%+v", result)
	}
}

// While VMs that take long are judged, and others wait for that, plain ones are judged. What has
// waited for 5 seconds is refused.
func TestPlainReviewsBesideSlowOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const hostile = 64
		r := newReviewer(newCluster(t))
		slots := max(runtime.GOMAXPROCS(0)-1, 1)
		ctx := context.WithValue(t.Context(), versionKey{}, 0)
		var inLane atomic.Int64
		var group sync.WaitGroup
		hold := make(chan struct{})
		refused := map[string]int{}
		var mu sync.Mutex
		for i := range hostile {
			group.Go(func() {
				q := create("", fmt.Sprint("hostile ", i%10))
				q.Size = 1 << 20
				d := r.Review(ctx, q, func() error {
					inLane.Add(1)
					<-hold
					return nil
				})
				mu.Lock()
				refused[textOf(d)]++
				mu.Unlock()
			})
		}
		synctest.Wait()
		if n := inLane.Load(); n != int64(slots) {
			t.Errorf("%d of the hostile reviews proceed, not %d", n, slots)
		}
		plain := vm(from("t0"), "", cores1)
		for range 100 {
			if d, _ := reviewed(ctx, r, create(plain, "office"), plain); d.Outcome != "allowed" || d.IsSlow {
				t.Fatal(textOf(d))
			}
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		late := "refused: this object is not validated: there were too many requests to validate this one in time: 5s have passed: make it simpler, or try again later"
		if diff := cmp.Diff(map[string]int{late: hostile - slots}, refused); diff != "" {
			t.Errorf("after 5 seconds (-want +got):\n%s", diff)
		}
		close(hold)
		group.Wait()
		begun := "refused: this object is not validated: 5s have passed: make it simpler, or try again later"
		if diff := cmp.Diff(map[string]int{late: hostile - slots, begun: slots}, refused); diff != "" {
			t.Errorf("in the end (-want +got):\n%s", diff)
		}
	})
}

// A plain review goes before those that take more and came earlier, at each of its three steps.
func TestPlainReviewsGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReviewer(newCluster(t))
		ctx := context.WithValue(t.Context(), versionKey{}, 0)
		var group sync.WaitGroup
		hold := make(chan struct{})
		for i := range 64 {
			group.Go(func() {
				q := create("", fmt.Sprint("hostile ", i))
				q.Size = 64 << 10
				r.Review(ctx, q, func() error {
					<-hold
					return errors.New("unreadable")
				})
			})
		}
		synctest.Wait()
		plain := vm(from("t0"), "", cores1)
		var isJudged atomic.Bool // the VM, as it is in the cluster, for which nobody waits
		group.Go(func() {
			object, err := vmrules.ParseObject([]byte(plain))
			if err == nil {
				_, err = r.Judge(ctx, object)
			}
			if err != nil {
				t.Error(err)
			}
			isJudged.Store(true)
		})
		synctest.Wait()
		var d atomic.Pointer[review.Decision]
		group.Go(func() {
			answer, _ := reviewed(ctx, r, create(plain, "office"), plain)
			d.Store(answer)
		})
		synctest.Wait()
		for range 3 {
			hold <- struct{}{}
			synctest.Wait()
		}
		if d := d.Load(); d == nil || d.Outcome != "allowed" || isJudged.Load() {
			t.Error(d, isJudged.Load())
		}
		close(hold)
		group.Wait()
	})
}

// While they wait for the cluster, a few large objects are in memory, and any number of plain ones.
func TestLargeObjectsInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, hold, cores := newCluster(t), make(chan struct{}), runtime.GOMAXPROCS(0)
		c.absent = func() { <-hold } // the first version of instance types
		r := newReviewer(c)
		ctx := context.WithValue(t.Context(), versionKey{}, 0)
		object := vm(from("t0"), `"instancetype": {"name": "small"}, `, "")
		var group sync.WaitGroup
		var reads atomic.Int64
		for range 20 * cores {
			group.Go(func() {
				q := create(object, "office")
				q.Size = 256 << 10
				r.Review(ctx, q, func() (err error) {
					reads.Add(1)
					q.Object, err = vmrules.ParseObject([]byte(object))
					return err
				})
			})
		}
		synctest.Wait()
		if n := int(reads.Load()); n < 2*cores || n > 5*cores {
			t.Errorf("%d objects are in memory", n)
		}
		plain := vm(from("t0"), "", cores1)
		if d, _ := reviewed(ctx, r, create(plain, "office"), plain); d.Outcome != "allowed" {
			t.Error(textOf(d))
		}
		close(hold)
		group.Wait()
		if n := int(reads.Load()); n != 20*cores {
			t.Errorf("%d reviews", n)
		}
	})
}

// A client that leaves is not refused: nobody decides about it.
func TestClientLeavesLane(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	q := create("", "office")
	q.Size = 1 << 20
	d := newReviewer(newCluster(t)).Review(ctx, q, func() error {
		cancel()
		return nil
	})
	if diff := cmp.Diff("failed: vmrules cannot validate the request: context canceled", textOf(d)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The rules of each VM in a template have a Budget of their own: when the time is over, the next are not read.
func TestTemplateOfManyRules(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var read []string
	odd := vmrules.WithKind("odd", func(s vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) {
		cancel()
		read = append(read, s.Rule().Name)
		return nil, nil
	})
	ofVM := func(name string) string {
		return vm(own(`[{"name": "`+name+`", "rule": "odd", "path": "jsonpath::.a", "message": "m"}]`), "", "")
	}
	q := create("", "templates")
	q.Kind, q.Size = schema.GroupVersionKind{Group: groupTemplate, Version: "v1", Kind: kindTemplate}, 1<<20
	d := review.New(newCluster(t), review.Settings{Parse: []vmrules.ParseOption{odd}}).Review(ctx, q, func() error {
		q.Object = object(t, `{"kind": "Template", "objects": [`+ofVM("a")+`, `+ofVM("b")+`]}`)
		return nil
	})
	if diff := cmp.Diff([]string{"a"}, read); diff != "" || d.Outcome != "failed" {
		t.Errorf("%s: (-want +got):\n%s", textOf(d), diff)
	}
}

// BenchmarkBesideHostile measures the slowest of plain reviews beside 64 hostile ones, and the
// slowest of these. What plain ones take beside nothing says how busy the machine is. Run it with
// -benchtime 1x.
func BenchmarkBesideHostile(b *testing.B) {
	for _, how := range []string{"nothing", "backtracks", "walks"} {
		b.Run(how, func(b *testing.B) {
			for b.Loop() {
				r := newReviewer(newCluster(b))
				var slowest [65]time.Duration
				var group sync.WaitGroup
				hostile := slowVMs[how]
				for i := range 64 {
					group.Go(func() {
						if hostile == "" {
							time.Sleep(5 * time.Second)
							return
						}
						began := time.Now()
						if d, _ := reviewed(b.Context(), r, create(hostile, fmt.Sprint("hostile", i%8)), hostile); d.Outcome != "refused" {
							b.Error(textOf(d))
						}
						slowest[i+1] = time.Since(began)
					})
				}
				done := make(chan struct{})
				go func() { group.Wait(); close(done) }()
				plain, n := vm(own(rules(8)), "", cores1), 0
				var heap uint64
				for ended := false; !ended; n++ {
					began := time.Now()
					if d, _ := reviewed(b.Context(), r, create(plain, "office"), plain); d.Outcome != "allowed" {
						b.Fatal(textOf(d))
					}
					slowest[0] = max(slowest[0], time.Since(began))
					var m runtime.MemStats
					if n%100 == 0 {
						runtime.ReadMemStats(&m)
						heap = max(heap, m.HeapInuse)
					}
					select {
					case <-done:
						ended = true
					case <-time.After(time.Millisecond):
					}
				}
				b.ReportMetric(float64(slowest[0].Milliseconds()), "ms/plain")
				b.ReportMetric(float64(slices.Max(slowest[1:]).Milliseconds()), "ms/hostile")
				b.ReportMetric(float64(heap>>20), "MB")
				b.ReportMetric(float64(n), "plain")
			}
		})
	}
}

// A few large bodies are read at a time, or reviews that take long are judged. Any number of small ones are read
// beside them.
func TestUnpack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReviewer(newCluster(t))
		hold := make(chan struct{})
		for range max(runtime.GOMAXPROCS(0)-1, 1) {
			go func() { _ = r.Unpack(t.Context(), 1<<20, func() { <-hold }) }()
		}
		synctest.Wait()
		if err := r.Unpack(t.Context(), 1<<10, func() {}); err != nil {
			t.Error(err)
		}
		began := time.Now()
		err := r.Unpack(t.Context(), 1<<20, func() { t.Error("one more is read") })
		if err == nil || time.Since(began) != 3*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		var isRead atomic.Bool
		go func() {
			q := create("", "office")
			q.Size = 1 << 20
			r.Review(t.Context(), q, func() error {
				isRead.Store(true)
				return errors.New("unreadable")
			})
		}()
		synctest.Wait()
		if isRead.Load() {
			t.Error("a slow review has a slot of its own")
		}
		close(hold)
		synctest.Wait()
		if !isRead.Load() {
			t.Error("a slow review has no slot")
		}
	})
}

// Large bodies of 128 MiB are in memory, and any number of small ones.
func TestTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReviewer(newCluster(t))
		hold := make(chan struct{})
		for range 32 {
			go func() { _ = r.Take(4<<20, func() { <-hold }) }()
		}
		synctest.Wait()
		var isTaken bool
		if err := r.Take(256<<10, func() { isTaken = true }); err != nil || !isTaken {
			t.Error(err)
		}
		began := time.Now()
		err := r.Take(1<<20, func() { t.Error("one more is read") })
		if err == nil || time.Since(began) != 0 { // others of its connection would wait with it
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		close(hold)
		synctest.Wait()
		if err := r.Take(1<<20, func() { isTaken = false }); err != nil || isTaken {
			t.Error(err)
		}
	})
}
