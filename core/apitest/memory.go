package apitest

import "runtime"

// InUse returns how many bytes of the process's heap are in use, so that nothing else may run meanwhile: not counting
// what the collector has not come to yet, and what pools keep for one collection more.
func InUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Allocated returns how many bytes the process allocates while f runs, whether or not it keeps them.
func Allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}
