package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// Reviews are served for a while after the signal to end.
func TestLingering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		later := lingering(ctx, 5*time.Second)
		cancel()
		time.Sleep(5*time.Second - time.Nanosecond)
		synctest.Wait()
		if later.Err() != nil {
			t.Error("the webhook ends at once")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if later.Err() == nil {
			t.Error("the webhook does not end")
		}
	})
}
