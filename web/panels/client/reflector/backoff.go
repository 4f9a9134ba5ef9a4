package reflector

import "time"

// The delays are those of client-go: the first one, the longest one, and after how
// long without an error they start again.
const (
	firstDelay = 800 * time.Millisecond
	maxDelay   = 30 * time.Second
	resetAfter = 2 * time.Minute
)

// A backoff makes each delay twice as long as the one before.
type backoff struct {
	clock Clock
	delay time.Duration
	last  time.Time // when the last delay was asked for
}

func (b *backoff) next() time.Duration {
	now := b.clock.Now()
	if b.delay == 0 || now.Sub(b.last) > resetAfter {
		b.delay = firstDelay
	} else {
		b.delay = min(2*b.delay, maxDelay)
	}
	b.last = now
	return b.delay
}
