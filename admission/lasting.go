package admission

import (
	"context"
	"net/http"
	"sync/atomic"
)

// A lastingHandler has a review go on when its manager is told to stop. The webhook server of
// controller-runtime waits for it, but ends its context at once. A client that leaves ends it,
// as before.
type lastingHandler struct {
	http.Handler
	stops atomic.Bool
}

// Start implements manager.Runnable. A manager stops its runnables before its webhook server.
func (h *lastingHandler) Start(ctx context.Context) error {
	<-ctx.Done()
	h.stops.Store(true)
	return nil
}

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (*lastingHandler) NeedLeaderElection() bool { return false }

func (h *lastingHandler) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(req.Context()))
	defer cancel()
	defer context.AfterFunc(req.Context(), func() {
		if !h.stops.Load() {
			cancel()
		}
	})()
	h.Handler.ServeHTTP(w, req.WithContext(ctx))
}
