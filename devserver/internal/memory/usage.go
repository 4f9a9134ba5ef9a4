package memory

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// UsagePath is where a server with --report-memory tells its Usage, as JSON.
const UsagePath = wellknown.Devserver + "memory"

// A Usage is what a server takes, in bytes.
type Usage struct {
	// Heap and Stacks are in use after a collection, Resident is what the process had of the system before it, of which
	// File are pages of the program that the system may load and drop at any time; 0 if that is not known.
	Heap, Stacks, Resident, File uint64
	// Live is what the objects on the heap take, Other what Go takes outside of it, for connections above all.
	Live, Other, Goroutines uint64
}

// KeptBy returns how many bytes of descriptors Go has taken since before and keeps to use them again: of the goroutines
// that there were while watches were open, which are on its heap (runtime.g), and of their connections, which are not
// (runtime.pollDesc). goroutine is what MeasureDescriptor returns.
func (u Usage) KeptBy(open, before Usage, goroutine float64) (goroutines, connections float64) {
	more := max(0, float64(open.Goroutines)-float64(before.Goroutines))
	return goroutine * more, max(0, float64(u.Other)-float64(before.Other))
}

// MeasureDescriptor returns how many bytes Go keeps of a goroutine that has ended. It has to come before other
// goroutines of the process end, whose descriptors would be used again.
func MeasureDescriptor() float64 {
	const n = 20_000
	live := func() float64 { return float64(ReadUsage().Live) }
	before := live()
	var all sync.WaitGroup
	end := make(chan struct{})
	for range n {
		all.Go(func() { <-end })
	}
	close(end)
	all.Wait()
	return (live() - before) / n
}

// ReadUsage returns what the process takes, and collects garbage as often as Go does in some minutes.
func ReadUsage() (u Usage) {
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := strings.Fields(string(text)); len(fields) > 2 {
			pages, _ := strconv.ParseUint(fields[1], 10, 64)
			ofFiles, _ := strconv.ParseUint(fields[2], 10, 64)
			u.Resident, u.File = pages*uint64(os.Getpagesize()), ofFiles*uint64(os.Getpagesize())
		}
	}
	for range 3 { // stacks shrink by half in each
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u.Heap, u.Stacks, u.Live, u.Other = m.HeapInuse, m.StackInuse, m.HeapAlloc, m.OtherSys
	u.Goroutines = uint64(runtime.NumGoroutine())
	return u
}
