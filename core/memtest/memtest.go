// Package memtest measures for tests what code allocates, and what it keeps in use.
//
// Both numbers are those of the whole process: nothing else may run meanwhile. InUse collects, which takes time in
// proportion to what is in use.
package memtest

import "runtime"

// InUse returns how many bytes of the heap are in use: not counting what the collector has not come to yet, and what
// pools keep for one collection more.
func InUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Allocated returns how many bytes f allocates, whether or not it keeps them.
func Allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}
