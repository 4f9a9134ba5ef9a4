package memory

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// giveBackEvery is how often the server looks whether it has memory to give back.
const giveBackEvery = 15 * time.Second

// GiveBack returns memory to the system after much work has ended, such as thousands of watches, until ctx ends: Go
// collects every two minutes in a process that allocates little, and then returns memory little by little.
//
// A process that works collects by itself, and keeps what it will need again: it is left alone.
func GiveBack(ctx context.Context) {
	ticker := time.NewTicker(giveBackEvery)
	defer ticker.Stop()
	since, last := readActivity(), readActivity()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		now := readActivity()
		since.goroutines = max(since.goroutines, now.goroutines)
		if now.collections == last.collections && now.leaves(since) {
			debug.FreeOSMemory() // pools keep what they have for one collection more
			debug.FreeOSMemory()
			now = readActivity()
			since = now
		}
		last = now
	}
}

// An activity is what a process has done so far: how much memory it has of the system now and how much it has
// allocated, in bytes, how often Go has collected, and how many goroutines there are.
type activity struct{ resident, allocated, collections, goroutines uint64 }

// leaves reports whether what was done since an earlier activity, of which goroutines are the most since then, may have
// left a sixteenth of the memory unused, or the stacks of a quarter of the goroutines.
func (a activity) leaves(since activity) bool {
	const few = 100
	ended := since.goroutines - min(a.goroutines, since.goroutines)
	return a.allocated-since.allocated > a.resident/16 || ended > few && ended > since.goroutines/4
}

func readActivity() activity {
	samples := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}, {Name: "/sched/goroutines:goroutines"},
	}
	metrics.Read(samples)
	value := func(i int) uint64 { return samples[i].Value.Uint64() }
	return activity{value(0) - value(1), value(2), value(3), value(4)}
}
