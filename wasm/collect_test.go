//go:build js && wasm

package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestCollect has the heap grow and shrink: while it is small it may grow further before it is collected.
func TestCollect(t *testing.T) {
	collect(leastGrowth)
	growth := func() int {
		percent := debug.SetGCPercent(leastGrowth)
		debug.SetGCPercent(percent)
		return percent
	}
	if got := growth(); got <= leastGrowth || got > mostGrowth {
		t.Errorf("a small heap grows by %d percent", got)
	}
	large := make([]byte, 2*growthBytes)
	for range 1000 { // the finalizer runs after the collection
		runtime.GC()
		if growth() == leastGrowth {
			break
		}
		runtime.Gosched()
	}
	if got := growth(); got != leastGrowth {
		t.Errorf("a large heap grows by %d percent", got)
	}
	runtime.KeepAlive(large)
	large = nil
	for range 1000 {
		runtime.GC()
		if growth() > leastGrowth {
			return
		}
		runtime.Gosched()
	}
	t.Error("a heap that has become small stays as it was")
}
