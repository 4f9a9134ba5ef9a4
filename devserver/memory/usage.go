package memory

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// UsagePath is where a server with --report-memory tells its Usage, as JSON.
const UsagePath = wellknown.Devserver + "memory"

// A Usage is what a server takes, in bytes.
type Usage struct {
	// Heap and Stacks are in use after a collection, Resident is what the process had of the system before it; 0 if
	// that is not known.
	Heap, Stacks, Resident uint64
}

// ReadUsage returns what the process takes, and collects garbage as often as Go does in some minutes.
func ReadUsage() (u Usage) {
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			pages, _ := strconv.ParseUint(fields[1], 10, 64)
			u.Resident = pages * uint64(os.Getpagesize())
		}
	}
	for range 3 { // stacks shrink by half in each
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u.Heap, u.Stacks = m.HeapInuse, m.StackInuse
	return u
}
