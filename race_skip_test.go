package vmrules

import "testing"

// takesLong skips a test under the race detector, which makes it take ten times as
// long, though nothing in it is concurrent.
func takesLong(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("nothing here is concurrent, and the race detector makes it take ten times as long")
	}
}
