package cluster

import (
	"context"
	"errors"
	"time"
)

// DescriptionsTimeout is how long a request waits for descriptions that are still being made: on a new machine
// Kubernetes' sources are downloaded for them, which takes longer than kubectl waits for an answer.
const DescriptionsTimeout = 5 * time.Second

// InBackground begins to make descriptions, and returns what waits for them for as long as timeout: an error if they
// are not ready by then.
func InBackground(
	ctx context.Context, timeout time.Duration, work func(context.Context) ([]byte, error),
) func(context.Context) ([]byte, error) {
	return startPending(ctx, timeout, work).wait
}

// A pendingText is a text that is being made in the background.
type pendingText struct {
	timeout time.Duration
	done    chan struct{} // closed when the rest is set
	text    []byte
	err     error
}

// startPending begins to make a text in the background.
func startPending(ctx context.Context, timeout time.Duration, work func(context.Context) ([]byte, error)) *pendingText {
	m := &pendingText{timeout: timeout, done: make(chan struct{})}
	go func() {
		defer close(m.done)
		m.text, m.err = work(ctx)
	}()
	return m
}

// wait returns the text, or an error if it is not ready in time.
func (m *pendingText) wait(ctx context.Context) ([]byte, error) {
	late := time.NewTimer(m.timeout)
	defer late.Stop()
	select {
	case <-m.done:
		return m.text, m.err
	case <-late.C:
		return nil, errors.New("the descriptions are still being made")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
