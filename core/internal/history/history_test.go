package history

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/mvcc"
)

// newKeeper has a store with ten versions of an object, a minute apart from each other.
func newKeeper(t *testing.T) (*Keeper, *clock.Manual) {
	t.Helper()
	manual := clock.NewManual(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	k := &Keeper{Store: mvcc.New(manual.Now), Clock: manual, Quota: 1 << 20}
	k.SetRetention(time.Hour)
	var last int64
	for n := range 10 {
		e, err := k.Store.Put("b", "k", last, func(int64) ([]byte, any) { return fmt.Appendf(nil, "%0100d", n), nil })
		if err != nil {
			t.Fatal(err)
		}
		last = e.Revision
		manual.Advance(time.Minute)
	}
	return k, manual
}

func TestCompactOld(t *testing.T) {
	k, manual := newKeeper(t)
	head := k.Store.Status().Head
	k.CompactOld()
	if at := k.Store.Status().Compacted; at > 1 {
		t.Errorf("within the retention the horizon is at %d", at)
	}
	k.SetRetention(5 * time.Minute)
	k.CompactOld()
	if at := k.Store.Status().Compacted; at <= 1 || at >= head {
		t.Errorf("after half of the versions the horizon is at %d of %d", at, head)
	}
	manual.Advance(time.Hour)
	k.CompactOld()
	if at := k.Store.Status(); at.Compacted != head || at.Head != head {
		t.Errorf("in the end the horizon is at %d of %d", at.Compacted, at.Head)
	}
	if v := k.Store.Latest("b", "k"); v == nil {
		t.Error("what is present is gone")
	}
}

// slowCaches learn of a compaction while somebody else compacts.
type slowCaches struct {
	meanwhile func()
	known     atomic.Bool
}

func (c *slowCaches) Compacted(int64, time.Time) {
	if c.meanwhile != nil {
		c.meanwhile()
	}
	c.known.Store(true)
}

func (c *slowCaches) Forget(int64) {}

// TestCompactedForEverybody wants who compacts while another does to be answered when the caches know of it.
func TestCompactedForEverybody(t *testing.T) {
	k, manual := newKeeper(t)
	k.SetRetention(5 * time.Minute)
	caches := &slowCaches{}
	k.Caches = caches
	manual.Advance(time.Hour)
	done := make(chan bool, 1)
	caches.meanwhile = func() {
		caches.meanwhile = nil
		go func() {
			k.CompactOld()
			done <- caches.known.Load()
		}()
		select {
		case known := <-done:
			done <- known
		case <-time.After(20 * time.Millisecond): // it waits
		}
	}
	k.CompactOld()
	if !<-done {
		t.Error("it was answered before the caches knew")
	}
}

// TestRunCompacts checks that Run compacts without being called.
func TestRunCompacts(t *testing.T) {
	k, manual := newKeeper(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { k.Run(ctx); close(done) }()
	manual.AwaitTimers(1)
	manual.Advance(2 * time.Hour)
	manual.AwaitTimers(1)
	if at := k.Store.Status(); at.Compacted != at.Head {
		t.Errorf("the horizon is at %d of %d", at.Compacted, at.Head)
	}
	cancel()
	<-done
}

// TestReclaim frees space as long as there is history.
func TestReclaim(t *testing.T) {
	k, _ := newKeeper(t)
	for size := k.Store.Status().Size; ; {
		gave := k.Reclaim(context.Background())
		now := k.Store.Status()
		if gave != (now.Size < size) {
			t.Fatalf("it says %v, and there were %d bytes, now %d", gave, size, now.Size)
		}
		if !gave {
			if now.Compacted != now.Head {
				t.Errorf("there is history left from %d to %d", now.Compacted, now.Head)
			}
			return
		}
		size = now.Size
	}
}
