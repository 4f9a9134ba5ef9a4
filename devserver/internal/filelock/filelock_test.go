package filelock_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/internal/filelock"
)

func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	lock, err := filelock.Lock(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := filelock.Lock(name); !errors.Is(err, filelock.ErrLocked) {
		t.Errorf("a second lock: %v, want ErrLocked", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := filelock.Wait(ctx, name); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for a lock that is held: %v, want the context's error", err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if lock, err = filelock.Lock(name); err != nil {
		t.Fatalf("after it was closed: %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Error(err)
	}
}

func TestWait(t *testing.T) {
	name := filepath.Join(t.TempDir(), "new", "lock")
	var holders atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			lock, err := filelock.Wait(t.Context(), name)
			if err != nil {
				t.Error(err)
				return
			}
			if n := holders.Add(1); n != 1 {
				t.Errorf("%d hold the lock", n)
			}
			holders.Add(-1)
			if err := lock.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
