package apiserver

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A program is a webhook that runs beside the server.
type program struct {
	command                  *exec.Cmd
	folder                   string // of its certificate
	reviews, health, metrics int    // ports
	log                      buffer
	ended                    chan error
}

// A buffer keeps what a program writes. It is safe for concurrent use.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// last returns at most the last n bytes.
func (b *buffer) last(n int) string {
	text := b.String()
	return text[max(0, len(text)-n):]
}

// newProgram returns a program that is not started, with ports and a certificate.
func newProgram(t testing.TB, by *authority) *program {
	t.Helper()
	p := &program{folder: t.TempDir(), reviews: freePort(t), health: freePort(t), metrics: freePort(t), ended: make(chan error, 1)}
	by.certify(t, p.folder)
	return p
}

// start starts the program. The test ends it, if it has not ended by then.
func (p *program) start(t testing.TB, kubeconfig string, command *exec.Cmd) {
	t.Helper()
	p.command = command
	command.Env = append(command.Environ(), "KUBECONFIG="+kubeconfig)
	command.Stderr = &p.log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- command.Wait() }()
	t.Cleanup(func() {
		p.end(t)
		if t.Failed() {
			t.Logf("the log of the webhook:\n%s", p.log.last(2000))
		}
	})
}

// end ends the program as a kubelet does, and waits for that.
func (p *program) end(t testing.TB) {
	t.Helper()
	_ = p.command.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case err := <-p.ended:
		if err != nil {
			t.Errorf("the webhook has ended: %v", err)
		}
		p.ended <- nil // for who asks again
	case <-time.After(time.Minute):
		_ = p.command.Process.Kill()
		t.Error("the webhook does not end")
	}
}

// readyz returns the status and the text of /readyz, or of one of its checks. The status is 0 if
// nothing answers.
func (p *program) readyz(check string) (int, string) {
	return get(fmt.Sprintf("http://127.0.0.1:%d/readyz%s", p.health, check))
}

// counted returns the sum of the program's counters that a pattern matches, with their labels.
func (p *program) counted(t testing.TB, pattern string) int {
	t.Helper()
	return sum(t, p.scrape(t), pattern)
}

// scrape returns the program's metrics.
func (p *program) scrape(t testing.TB) string {
	t.Helper()
	status, text := get(fmt.Sprintf("http://127.0.0.1:%d/metrics", p.metrics))
	if status != http.StatusOK {
		t.Fatal(status, text)
	}
	return text
}

// sum returns the sum of the counters in Prometheus' format that a pattern matches.
func sum(t testing.TB, metrics, pattern string) (n int) {
	t.Helper()
	matches := regexp.MustCompile(`(?m)^`+pattern+` (\S+)$`).FindAllStringSubmatch(metrics, -1)
	for _, m := range matches {
		value, err := strconv.ParseFloat(m[len(m)-1], 64)
		if err != nil {
			t.Fatal(err)
		}
		n += int(value)
	}
	return n
}

func get(url string) (int, string) {
	resp, err := http.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(text)
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// build builds a program in the folder of a module, and returns its name.
func build(t testing.TB, folder string, args ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "webhook")
	command := exec.Command("go", append([]string{"build", "-o", name}, args...)...)
	command.Dir = folder
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return name
}

// An authority signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
	pem         []byte
	signed      int64
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	a := &authority{certificate: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "vmrules-webhook-ca"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}}
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	a.pem = a.sign(t, a.certificate, a.key.Public())
	return a
}

func (a *authority) sign(t testing.TB, certificate *x509.Certificate, key crypto.PublicKey) []byte {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, certificate, a.certificate, key, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// certify writes a new certificate for 127.0.0.1 into a folder, as a kubelet does: a link to another
// folder changes. It returns the serial number.
func (a *authority) certify(t testing.TB, folder string) *big.Int {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	a.signed++
	serial := big.NewInt(1 + a.signed)
	certificate := a.sign(t, &x509.Certificate{
		SerialNumber: serial, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, key.Public())
	version := fmt.Sprint("..", serial)
	err = errors.Join(
		os.Mkdir(filepath.Join(folder, version), 0o700),
		os.WriteFile(filepath.Join(folder, version, "tls.key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600),
		os.WriteFile(filepath.Join(folder, version, "tls.crt"), certificate, 0o600),
		os.Symlink(version, filepath.Join(folder, "..next")),
		os.Rename(filepath.Join(folder, "..next"), filepath.Join(folder, "..data")),
	)
	for _, name := range []string{"tls.key", "tls.crt"} {
		if e := os.Symlink(filepath.Join("..data", name), filepath.Join(folder, name)); e != nil && !os.IsExist(e) {
			err = errors.Join(err, e)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return serial
}
