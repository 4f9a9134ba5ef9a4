package clock

import (
	"context"
	"time"
)

// Sleep waits until d has passed by a clock; it returns the error of a context that ends before.
func Sleep(ctx context.Context, c Clock, d time.Duration) error {
	timer := c.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// WithTimeout returns a context that ends with a cause once d has passed by a clock.
// cancel ends it too, and has to be called. It costs a goroutine until then.
func WithTimeout(ctx context.Context, c Clock, d time.Duration, cause error) (limited context.Context, cancel func()) {
	limited, end := context.WithCancelCause(ctx)
	timer := c.NewTimer(d)
	go func() {
		defer timer.Stop()
		select {
		case <-timer.C():
			end(cause)
		case <-limited.Done():
		}
	}()
	return limited, func() { end(nil) }
}
