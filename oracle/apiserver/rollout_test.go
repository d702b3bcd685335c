package apiserver

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A balancer stands in for the Service of the webhook: it connects to the replicas in turn. It is safe
// for concurrent use.
type balancer struct {
	listener net.Listener
	mu       sync.Mutex
	ports    []int // of the replicas
}

func newBalancer(t *testing.T) *balancer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &balancer{listener: l}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go b.connect(c)
		}
	}()
	return b
}

func (b *balancer) port() int { return b.listener.Addr().(*net.TCPAddr).Port }

func (b *balancer) add(p *program) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ports = append(b.ports, p.reviews)
}

// remove makes no new connections to a replica.
func (b *balancer) remove(p *program) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ports = slices.DeleteFunc(b.ports, func(port int) bool { return port == p.reviews })
}

func (b *balancer) next() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.ports) == 0 {
		return 0
	}
	port := b.ports[0]
	b.ports = append(b.ports[1:], port)
	return port
}

// connect copies what a connection and one to a replica say, until either ends.
func (b *balancer) connect(c net.Conn) {
	defer c.Close()
	to, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", b.next()))
	if err != nil {
		return
	}
	defer to.Close()
	go func() {
		_, _ = io.Copy(to, c)
		_ = to.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(c, to)
}

// While the certificate of the webhook is renewed by the same authority, and while both replicas are
// replaced one after the other, each write is judged.
func TestRollout(t *testing.T) {
	d := deploy(t)
	d.add(t, templateOf(0, trial{template: "cores", text: `[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "max": 8}]`}))
	service := newBalancer(t)
	replica := func() *program {
		p := d.run(t)
		d.ready(t, p)
		service.add(p)
		return p
	}
	replicas := []*program{replica(), replica()}
	d.call(t, service.port())

	var writes atomic.Int64
	stop := make(chan struct{})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			vm := (trial{template: "cores", space: templateSpace}).vm(validVM(t), "vm")
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				want := admitted
				setCores(vm, 8+i%2)
				if i%2 == 1 {
					want = refused
				}
				if _, err := d.create(vm); verdictOfWebhook(err) != want {
					t.Errorf("after %d writes: %v, want %s", writes.Load(), err, want)
					return
				}
				writes.Add(1)
			}
		})
	}
	defer group.Wait()
	defer close(stop)
	more := func() { // until the others have written for a while
		for n := writes.Load() + 100; writes.Load() < n && !t.Failed(); {
			time.Sleep(10 * time.Millisecond)
		}
	}
	more()
	for _, p := range replicas {
		serial := d.by.certify(t, p.folder)
		d.wait(t, func() error { return serves(p, d.by, serial) })
		more()
	}
	asked := 0
	for i, old := range replicas {
		replicas[i] = replica()
		more()
		service.remove(old) // and its connections stay until it ends
		more()
		old.end(t)
		more()
	}
	for _, p := range replicas {
		asked += p.counted(t, `vmrules_admission_reviews_total\{.*\}`)
	}
	if asked == 0 {
		t.Error("the new replicas are not asked")
	}
	t.Log(writes.Load(), "writes, of which the new replicas reviewed", asked)
}

// serves returns nil if a program has a certificate with a serial number, signed by an authority.
func serves(p *program, by *authority, serial *big.Int) error {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(by.pem)
	c, err := tls.Dial("tcp", fmt.Sprint("127.0.0.1:", p.reviews), &tls.Config{RootCAs: roots})
	if err != nil {
		return err
	}
	defer c.Close()
	if got := c.ConnectionState().PeerCertificates[0].SerialNumber; got.Cmp(serial) != 0 {
		return fmt.Errorf("the certificate %v is served, and not %v", got, serial)
	}
	return nil
}

func setCores(vm map[string]any, n int) {
	at(vm, "template", "spec", "domain", "cpu").(map[string]any)["cores"] = int64(n)
}
