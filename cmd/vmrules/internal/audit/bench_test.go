package audit

import (
	"bytes"
	"io"
	"testing"
)

// BenchmarkAudit audits 10,000 VMs of a cluster.
func BenchmarkAudit(b *testing.B) {
	const all = 10_000
	text, err := io.ReadAll(cluster(all))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		judged := 0
		err := newTestAuditor(b).stream(bytes.NewReader(text), func(audited) error {
			judged++
			return nil
		})
		if err != nil || judged != all {
			b.Fatalf("%d VMs, want %d; error %v", judged, all, err)
		}
	}
	b.ReportMetric(float64(all)*float64(b.N)/b.Elapsed().Seconds(), "VMs/s")
}
