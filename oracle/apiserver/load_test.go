package apiserver

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/vmrules/vmrules/policy"
)

var load = flag.Duration("load", 0, "how long clients write in each round of TestLoad; 0: one short round, without figures")

// judges are what may judge the writes of TestLoad. The first is what the others are compared with.
var judges = []struct {
	name  string
	start func(*testing.T, *loaded) *program // until the test ends; the program is the webhook, or nil
}{
	{"nothing", func(*testing.T, *loaded) *program { return nil }},
	{"webhook", func(t *testing.T, l *loaded) *program {
		p := l.run(t, "--drain", "0s")
		l.ready(t, p)
		l.call(t, p.reviews)
		return p
	}},
	{"policies", func(t *testing.T, l *loaded) *program {
		var all []map[string]any
		for i := range l.templates {
			documents, _, err := policy.Of(quickstart(t), policy.Scope{Name: loadTemplate(i), Template: loadTemplate(i)})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, documents...)
		}
		l.enforce(t, all)
		return nil
	}},
}

func loadTemplate(i int) string { return fmt.Sprint("template-", i) }

// A loaded is a deployment whose server has a number of templates.
type loaded struct {
	*deployment
	templates int
}

// TestLoad has clients write VMs of 90 templates, each as fast as the server answers, while nothing, the
// webhook or policies judge them. These take turns, so that all suffer alike from what else the machine does.
// With -load it logs what benchstat reads: milliseconds for a write and their ratios to those that nothing
// judges, the time of processors for a write, and memory.
func TestLoad(t *testing.T) {
	templates, clients, rounds, duration := 90, []int{1, 10, 50, 200}, 6, *load
	if duration == 0 {
		templates, clients, rounds, duration = 3, []int{2}, 1, 100*time.Millisecond
	}
	l := &loaded{deploy(t), templates}
	rules, err := json.Marshal(quickstart(t))
	if err != nil {
		t.Fatal(err)
	}
	for i := range templates {
		l.add(t, templateOf(i, trial{template: loadTemplate(i), text: string(rules)}))
	}
	for _, n := range clients {
		all := make([]writes, len(judges))
		for round := range rounds {
			for k := range judges {
				i := (round + k) % len(judges)
				by := judges[i]
				t.Run(fmt.Sprintf("clients=%d/by=%s", n, by.name), func(t *testing.T) {
					p := by.start(t, l)
					l.write(t, n, duration, p, &all[i])
				})
			}
		}
		if *load == 0 {
			continue
		}
		for i, by := range judges {
			fmt.Printf("BenchmarkLoad/clients=%d/by=%s %s\n", n, by.name, all[i].figures(&all[0]))
		}
	}
}

// writes are what was measured of the writes of some rounds.
type writes struct {
	times                       []time.Duration
	ofServer, ofWebhook         time.Duration // of processors
	serverMemory, webhookMemory int           // the most bytes after a round
}

// write has clients write VMs for some time, and removes these.
func (l *loaded) write(t *testing.T, clients int, duration time.Duration, p *program, all *writes) {
	t.Helper()
	server := func() (time.Duration, int) { return processOf(t, l.metrics(t)) }
	webhook := func() (time.Duration, int) {
		if p == nil {
			return 0, 0
		}
		return processOf(t, p.scrape(t))
	}
	_ = l.clients(t, clients, duration/5) // warm
	const reads = `resource="(virtualmachine)?templates",.*verb="GET"`
	before := l.answered(t, reads)
	serverBefore, _ := server()
	webhookBefore, _ := webhook()
	times := l.clients(t, clients, duration)
	all.times = append(all.times, times...)
	serverAfter, serverMemory := server()
	webhookAfter, webhookMemory := webhook()
	all.ofServer += serverAfter - serverBefore
	all.ofWebhook += webhookAfter - webhookBefore
	all.serverMemory, all.webhookMemory = max(all.serverMemory, serverMemory), max(all.webhookMemory, webhookMemory)
	if p != nil && p.counted(t, `vmrules_admission_reviews_total\{.*\}`) < len(times) {
		t.Error("the webhook did not judge each write")
	}
	if n := l.answered(t, reads) - before; n > 0 {
		t.Errorf("%d templates are read from the server, and not from the cache", n)
	}
	if err := l.vms.DeleteCollection(context.Background(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
}

// clients has clients create VMs, and returns how long each took. Each client has a connection of its own.
func (l *loaded) clients(t *testing.T, n int, duration time.Duration) (times []time.Duration) {
	t.Helper()
	vm := validVM(t)
	var mu sync.Mutex
	var g errgroup.Group
	end := time.Now().Add(duration)
	for c := range n {
		config := rest.CopyConfig(l.config)
		config.Dial = (&net.Dialer{}).DialContext
		api, err := dynamic.NewForConfig(config)
		if err != nil {
			t.Fatal(err)
		}
		g.Go(func() error {
			var own []time.Duration
			for i := c; time.Now().Before(end); i++ {
				o := &unstructured.Unstructured{Object: trial{template: loadTemplate(i % l.templates), space: templateSpace}.vm(vm, "")}
				o.SetGenerateName("load-")
				start := time.Now()
				if _, err := api.Resource(virtualMachines).Namespace("default").Create(context.Background(), o, metav1.CreateOptions{}); err != nil {
					return err
				}
				own = append(own, time.Since(start))
			}
			mu.Lock()
			defer mu.Unlock()
			times = append(times, own...)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	return times
}

// figures writes what was measured for benchstat.
func (w *writes) figures(without *writes) string {
	text := fmt.Sprint(len(w.times))
	add := func(value float64, unit string) { text += fmt.Sprintf(" %.4g %s", value, unit) }
	for _, percent := range []int{50, 95, 99} {
		own, others := w.percentile(percent), without.percentile(percent)
		add(own.Seconds()*1000, fmt.Sprintf("p%d-ms", percent))
		add(own.Seconds()/others.Seconds(), fmt.Sprintf("p%d-ratio", percent))
	}
	each := 1000 / float64(len(w.times))
	add(w.ofServer.Seconds()*each, "server-cpu-ms")
	add(w.ofWebhook.Seconds()*each, "webhook-cpu-ms")
	add(float64(w.serverMemory)/1e6, "server-MB")
	add(float64(w.webhookMemory)/1e6, "webhook-MB")
	return text
}

// percentile returns the time within which this percentage of the writes was answered.
func (w *writes) percentile(percent int) time.Duration {
	slices.Sort(w.times)
	return w.times[(len(w.times)-1)*percent/100]
}

// processOf returns the time of processors and the memory of a process, from its metrics.
func processOf(t *testing.T, metrics string) (cpu time.Duration, memory int) {
	t.Helper()
	var seconds, bytes float64
	for line := range strings.Lines(metrics) {
		_, _ = fmt.Sscanf(line, "process_cpu_seconds_total %g", &seconds)
		_, _ = fmt.Sscanf(line, "process_resident_memory_bytes %g", &bytes)
	}
	if seconds == 0 || bytes == 0 {
		t.Fatal("the metrics do not describe the process")
	}
	return time.Duration(seconds * float64(time.Second)), int(bytes)
}
