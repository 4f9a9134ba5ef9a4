//go:build js && wasm

package main

import (
	"runtime"
	"runtime/debug"
)

const (
	// leastGrowth is by how many percent the heap grows before Go collects garbage: with more, a large cluster would
	// take a fifth more memory, and be no faster to measure.
	leastGrowth = 60
	// mostGrowth and growthBytes let a small one grow further, by so many bytes: what is marked at each collection, the
	// tables of types above all, is the same after few requests as after many, and was a fifth of the time of a get.
	mostGrowth  = 240
	growthBytes = 24 << 20
	// growthStep is the least difference that is worth setting it.
	growthStep = 20
)

// collect has the collector run less often while the heap is small. It is called again after each collection.
func collect(growth int) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	percent := int(100 * growthBytes / max(1, m.HeapAlloc))
	if percent = min(mostGrowth, max(leastGrowth, percent-percent%growthStep)); percent != growth {
		debug.SetGCPercent(percent)
	}
	runtime.SetFinalizer(new([4]uint64), func(*[4]uint64) { collect(percent) })
}
