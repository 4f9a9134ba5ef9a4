package reflector

import (
	"context"
	"sync"
	"testing/synctest"
	"time"
)

// turns are a clock in a synctest bubble by which either the test has its turn, which
// holds the lock then, or those whom it tests.
type turns struct{ sync.Mutex }

// pass lets the others have their turn, and time pass.
func (t *turns) pass(d time.Duration) {
	t.Unlock()
	synctest.Wait()
	time.Sleep(d)
	synctest.Wait()
	t.Lock()
}

// await waits for a turn of the others.
func (t *turns) await() {
	t.Lock()
	defer t.Unlock()
}

// Now returns the bubble's time.
func (t *turns) Now() time.Time { return time.Now() }

// Wait ends in a turn of the others.
func (t *turns) Wait(ctx context.Context, d time.Duration) {
	System{}.Wait(ctx, d)
	t.await()
}
