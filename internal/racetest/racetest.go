// Package racetest knows whether tests run under the race detector.
package racetest

import "testing"

// SkipLong skips a test under the race detector, which makes it take ten times as
// long, though nothing in it is concurrent.
func SkipLong(t *testing.T) {
	t.Helper()
	if Enabled {
		t.Skip("nothing here is concurrent, and the race detector makes it take ten times as long")
	}
}
