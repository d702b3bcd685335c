package review

import (
	"context"
	"fmt"
)

// Slots limit how many requests are read and judged at the same time. That takes only
// processor time, so more at once would not be faster, but take more memory. It is safe for
// concurrent use.
type slots chan struct{}

// do calls a function when there is a slot. It returns an error if the request ends before.
func (s slots) do(ctx context.Context, f func()) error {
	select {
	case s <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("there were too many requests to judge this one in time: %w", context.Cause(ctx))
	}
	defer func() { <-s }()
	f()
	return nil
}
