// Package racetest reports whether tests run under the race detector.
package racetest

import "testing"

// SkipLong skips a test without concurrency under the race detector, which would make it
// take ten times as long.
func SkipLong(t *testing.T) {
	t.Helper()
	if Enabled {
		t.Skip("nothing here is concurrent, and the race detector makes it take ten times as long")
	}
}
