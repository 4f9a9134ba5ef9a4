package clock

import (
	"sync"
	"time"
)

// Manual is a clock for tests, which moves only by Advance. Its zero value is not usable.
type Manual struct {
	mu     sync.Mutex
	now    time.Time
	timers map[*manualTimer]struct{}
	change chan struct{} // closed and replaced whenever a timer is added
}

// NewManual returns a clock that shows start until it is moved.
func NewManual(start time.Time) *Manual {
	return &Manual{now: start, timers: map[*manualTimer]struct{}{}, change: make(chan struct{})}
}

// Now returns the instant the clock was last moved to.
func (m *Manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// NewTimer returns a timer that fires when Advance reaches d from now.
func (m *Manual) NewTimer(d time.Duration) Timer {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := &manualTimer{clock: m, c: make(chan time.Time, 1)}
	m.set(t, d)
	return t
}

// set makes a timer wait for d from now. Callers hold the lock.
func (m *Manual) set(t *manualTimer, d time.Duration) {
	t.at = m.now.Add(d)
	if d <= 0 {
		t.c <- m.now
		return
	}
	m.timers[t] = struct{}{}
	close(m.change)
	m.change = make(chan struct{})
}

// Advance moves the clock by d and fires every timer that is due.
func (m *Manual) Advance(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(d)
	for t := range m.timers {
		if !t.at.After(m.now) {
			delete(m.timers, t)
			t.c <- m.now
		}
	}
}

// AwaitTimers returns once at least n timers are waiting. It lets a test step
// the clock only after the code under test has gone to sleep.
func (m *Manual) AwaitTimers(n int) {
	for {
		m.mu.Lock()
		if len(m.timers) >= n {
			m.mu.Unlock()
			return
		}
		change := m.change
		m.mu.Unlock()
		<-change
	}
}

type manualTimer struct {
	clock *Manual
	at    time.Time
	c     chan time.Time
}

func (t *manualTimer) C() <-chan time.Time { return t.c }

func (t *manualTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	_, waiting := t.clock.timers[t]
	delete(t.clock.timers, t)
	return waiting
}

func (t *manualTimer) Reset(d time.Duration) {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	delete(t.clock.timers, t)
	select {
	case <-t.c:
	default:
	}
	t.clock.set(t, d)
}
