package policy_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// With fewer garbage collections, the tests take three quarters of the time. Kubernetes' compilers
// of expressions leave much garbage.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
