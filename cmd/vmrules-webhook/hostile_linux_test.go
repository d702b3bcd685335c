package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// hostile is how many hostile reviews are sent at once.
const hostile = 64

// hostileVMs are VMs whose own rules take much work, by how. Their fields are below spec.template.spec.
var hostileVMs = []struct {
	name          string
	rules, fields func() string
}{
	{"backtracks",
		func() string {
			return list(300, `{"name": "r%d", "rule": "regex", "path": "jsonpath::.spec.hostname", "message": "m", "regex": "^(?=(a|aa)+$)(a|aa)+b$"}`)
		},
		func() string { return `"hostname": "` + strings.Repeat("a", 5_000) + `"` }},
	{"walks",
		func() string {
			return list(900, `{"name": "r%d", "rule": "string", "path": "jsonpath::..d%d", "message": "m"}`)
		},
		func() string { return `"domain": {"values": [` + list(90_000, `{"a":1}`) + `]}` }},
	{"walks in little", // as much as is judged at once
		func() string {
			return list(300, `{"name": "r%d", "rule": "string", "path": "jsonpath::..d%d", "message": "m"}`)
		},
		func() string { return `"domain": {"values": [` + list(3_000, `{"a":1}`) + `]}` }},
	{"reads",
		func() string {
			return `{"name": "r", "rule": "enum", "path": "jsonpath::.spec.hostname", "message": "m", "values": [` + list(20_000, `"v%d"`) + `]}`
		},
		func() string { return `"hostname": "a"` }},
	{"is large",
		func() string {
			return `{"name": "r", "rule": "string", "path": "jsonpath::..b", "message": "m"}`
		},
		func() string { return `"domain": {"values": [` + list(340_000, `{"a":1}`) + `]}` }},
}

// list returns the items of a list. Each has its number for %d.
func list(n int, format string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = strings.ReplaceAll(format, "%d", fmt.Sprint(i))
	}
	return strings.Join(items, ",")
}

// BenchmarkHostile measures plain reviews, one after the other, beside 64 hostile ones that come at
// once: the time of a plain one, of the slowest hostile one, and the memory of the webhook, all of
// whose settings are those of the manifests. On a busy machine, look at the time that the webhook had
// of processors during a plain review: without others, that review takes no longer.
func BenchmarkHostile(b *testing.B) {
	binary := filepath.Join(b.TempDir(), "vmrules-webhook")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	plain := []byte(reviewOf(b))
	for _, vm := range hostileVMs {
		for _, namespaces := range []int{1, hostile} {
			b.Run(fmt.Sprintf("%s/namespaces=%d", strings.ReplaceAll(vm.name, " ", "-"), namespaces), func(b *testing.B) {
				bodies := make([][]byte, hostile)
				for i := range bodies {
					bodies[i] = hostileReview(b, fmt.Sprint("n", i%namespaces), "["+vm.rules()+"]", vm.fields())
				}
				w := startForBenchmark(b, binary)
				if _, err := w.ask(plain); err != nil {
					b.Fatal(err)
				}
				var times, worked, ofHostile []time.Duration
				for b.Loop() {
					p, c, h := w.attack(b, plain, bodies)
					times, worked, ofHostile = append(times, p...), append(worked, c...), append(ofHostile, h...)
				}
				slices.Sort(times)
				milliseconds := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
				b.ReportMetric(float64(len(times)), "plain")
				b.ReportMetric(milliseconds(times[len(times)/2]), "ms-median")
				b.ReportMetric(milliseconds(times[len(times)-1]), "ms-worst")
				b.ReportMetric(milliseconds(slices.Max(worked)), "ms-worst-of-processors")
				b.ReportMetric(slices.Max(ofHostile).Seconds(), "s-hostile-worst")
				b.ReportMetric(w.end(b), "MB-peak")
			})
		}
	}
}

// hostileReview returns a review of a VM with rules of its own.
func hostileReview(b *testing.B, namespace, rules, fields string) []byte {
	b.Helper()
	annotation, err := json.Marshal(rules)
	if err != nil {
		b.Fatal(err)
	}
	return fmt.Appendf(nil, `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "1", "operation": "CREATE", "namespace": %q,
		"kind": {"group": "kubevirt.io", "version": "v1", "kind": "VirtualMachine"}, "object": {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
		"metadata": {"name": "vm", "annotations": {"vm.kubevirt.io/validations": %s}}, "spec": {"template": {"spec": {%s}}}}}}`, namespace, annotation, fields)
}

// A measured webhook runs in a process of its own. All reviews are sent by one connection, as an API
// server does.
type measured struct {
	command *exec.Cmd
	url     string
	client  *http.Client
}

func startForBenchmark(b *testing.B, binary string) *measured {
	b.Helper()
	folder, port := b.TempDir(), freePort(b)
	roots := x509.NewCertPool()
	w := &measured{url: fmt.Sprintf("https://localhost:%d/validate", port)}
	w.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	w.command = exec.Command(binary, "--from", "../../testdata/quickstart/template.yaml", "--self-signed", "--cert-dir", folder,
		"--host", "localhost", "--port", fmt.Sprint(port), "--metrics", "0", "--protect-templates")
	w.command.Env = append(w.command.Environ(), "GOMEMLIMIT=900MiB")
	if err := w.command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = w.command.Process.Kill() }) // unless it has ended
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join(folder, "tls.crt"))
		if err == nil && roots.AppendCertsFromPEM(text) {
			break
		}
		if time.Now().After(deadline) {
			b.Fatal("the webhook writes no certificate: ", err)
		}
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		resp, err := w.client.Get(w.url)
		if err == nil {
			resp.Body.Close()
			return w
		}
		if time.Now().After(deadline) {
			b.Fatal(err)
		}
	}
}

// ask returns how long a review took. It must not be allowed. A webhook that has no time to read a
// review does not decide, which is a refusal by the failurePolicy of the manifests.
func (w *measured) ask(body []byte) (time.Duration, error) {
	start := time.Now()
	resp, err := w.client.Post(w.url, "application/json", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && !bytes.Contains(text, []byte(`"allowed":false`)) && resp.StatusCode != http.StatusServiceUnavailable {
		err = fmt.Errorf("the answer is %d, %.300s", resp.StatusCode, text)
	}
	return time.Since(start), err
}

// attack sends hostile reviews at once, and a plain one after the other until those are answered. It
// returns how long each took, and the time that the webhook had of processors during each plain one.
func (w *measured) attack(b *testing.B, plain []byte, bodies [][]byte) (times, worked, ofHostile []time.Duration) {
	b.Helper()
	ofHostile = make([]time.Duration, len(bodies))
	errs := make([]error, len(bodies))
	var group sync.WaitGroup
	for i, body := range bodies {
		group.Go(func() { ofHostile[i], errs[i] = w.ask(body) })
	}
	answered := make(chan struct{})
	go func() {
		group.Wait()
		close(answered)
	}()
	for {
		before := w.worked(b)
		took, err := w.ask(plain)
		if err != nil {
			b.Fatal(err)
		}
		times, worked = append(times, took), append(worked, w.worked(b)-before)
		select {
		case <-answered:
			if err := errors.Join(errs...); err != nil {
				b.Fatal(err)
			}
			return times, worked, ofHostile
		default:
		}
	}
}

// worked returns the time that the webhook has had of processors.
func (w *measured) worked(b *testing.B) time.Duration {
	b.Helper()
	var t unix.Timespec
	clock := ^int32(w.command.Process.Pid)<<3 | 2 // the processor time of a process; see clock_getcpuclockid
	if err := unix.ClockGettime(clock, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}

// end ends the webhook, and returns how much memory it had at most, in MB.
func (w *measured) end(b *testing.B) float64 {
	b.Helper()
	w.client.CloseIdleConnections()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.command.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	_ = w.command.Process.Kill()
	_ = w.command.Wait() // it was killed
	_, peak, _ := strings.Cut(string(text), "VmHWM:")
	var kB float64
	if _, err := fmt.Sscan(peak, &kB); err != nil {
		b.Fatal(err)
	}
	return kB / 1000
}
